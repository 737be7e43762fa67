"""The trained scorer of (question, passage) and (question, sentence)."""

from services.cross_encoder.base import CrossEncoder, Reading
from services.cross_encoder.words import WordCrossEncoder

__all__ = ["CrossEncoder", "Reading", "open_cross_encoder"]


def open_cross_encoder() -> CrossEncoder:
    """The trained one where its word vectors are installed, else one that compares words."""
    from services.retrieval.embedders.e5_tokens import weights_path

    try:
        words = weights_path()
    except ImportError:
        return WordCrossEncoder()
    from services.cross_encoder.model import TrainedCrossEncoder  # loads onnxruntime

    return TrainedCrossEncoder(words)
