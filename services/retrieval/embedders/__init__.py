"""Embedding models: text to unit vectors. Models are loaded on first use, never on import."""

from services.domain.errors import InvalidInput
from services.retrieval.embedders.base import Calibration, Embedder, Progress, Vectors
from services.retrieval.embedders.bundled import BundledEmbedder
from services.retrieval.embedders.sentence_transformer import SentenceTransformerEmbedder
from services.settings import Settings

__all__ = [
    "BundledEmbedder",
    "Calibration",
    "Embedder",
    "Progress",
    "SentenceTransformerEmbedder",
    "Vectors",
    "make_embedder",
]


def make_embedder(settings: Settings) -> Embedder:
    """Return the embedder of the setting: ``bundled``, ``ollama:MODEL``, or a sentence-transformers
    model by name or folder, with or without the prefix ``sentence-transformers:``.

    Raises:
        InvalidInput: no model is named.
    """
    setting = settings.embedding.strip()
    if setting == "bundled":
        return BundledEmbedder()
    kind, _, model = setting.partition(":")
    if kind not in ("ollama", "sentence-transformers"):
        model = setting
    if not model:
        raise InvalidInput(
            "RABBITHOLE_EMBEDDING={value!r} does not name a model: write ollama:MODEL, for "
            "example ollama:nomic-embed-text.",
            value=setting,
        )
    if kind != "ollama":
        return SentenceTransformerEmbedder(model)
    from services.retrieval.embedders.ollama import OllamaEmbedder

    url = settings.ollama_url.get_secret_value()
    return OllamaEmbedder(model, url=url, deadline_s=settings.model_deadline_s)
