"""Embedding models: text to unit vectors.

``make_embedder`` picks one by setting. Models are loaded on first use, never on import.
"""

from services.domain.errors import InvalidInput
from services.retrieval.embedders.base import (
    E5_CALIBRATION,
    Calibration,
    Embedder,
    Progress,
    Vectors,
)
from services.retrieval.embedders.bundled import BundledEmbedder
from services.retrieval.embedders.sentence_transformer import SentenceTransformerEmbedder
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


def make_embedder(settings: Settings) -> Embedder:
    """The embedder that the setting ``embedding`` names; nothing is loaded or asked yet.

    ``bundled``, ``ollama:MODEL``, or a model of sentence-transformers by name or folder, with or
    without ``sentence-transformers:`` before it.

    Raises:
        InvalidInput: no model is named.
    """
    named = settings.embedding.strip()
    if named == "bundled":
        return BundledEmbedder()
    kind, _, model = named.partition(":")
    if kind not in ("ollama", "sentence-transformers"):
        model = named
    if not model:
        raise InvalidInput(
            "RABBITHOLE_EMBEDDING={value!r} names no model: write ollama:MODEL, for example "
            "ollama:nomic-embed-text.",
            value=named,
        )
    if kind != "ollama":
        return SentenceTransformerEmbedder(model)
    from services.retrieval.embedders.ollama import OllamaEmbedder

    url = settings.ollama_url.get_secret_value()
    return OllamaEmbedder(model, url=url, deadline_s=settings.model_deadline_s)
