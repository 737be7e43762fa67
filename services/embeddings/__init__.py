"""Embedding models: text to unit vectors.

``make_embedder`` picks one by setting. Models are loaded on first use, never on import.
"""

from typing import TYPE_CHECKING

from services.embeddings.base import (
    E5_CALIBRATION,
    Calibration,
    Embedder,
    Progress,
    Vectors,
)
from services.embeddings.bundled import BundledEmbedder
from services.embeddings.sentence_transformer import SentenceTransformerEmbedder

if TYPE_CHECKING:
    from services.settings import Settings

__all__ = [
    "E5_CALIBRATION",
    "BundledEmbedder",
    "Calibration",
    "Embedder",
    "Progress",
    "SentenceTransformerEmbedder",
    "Vectors",
    "make_embedder",
]


def make_embedder(settings: "Settings") -> Embedder:
    """The embedder that the setting ``embedding`` names: ``bundled`` or a model's name."""
    if settings.embedding == "bundled":
        return BundledEmbedder()
    return SentenceTransformerEmbedder(settings.embedding)
