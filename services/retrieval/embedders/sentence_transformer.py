"""Any model of the package sentence-transformers as an embedder."""

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from services.retrieval.embedders.base import (
    E5,
    NONE,
    Progress,
    Vectors,
    calibration_of,
    clean,
    in_batches,
)
from services.retrieval.sentence_models import ModelSpec

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

SETTING = "RABBITHOLE_EMBEDDING"


class SentenceTransformerEmbedder:
    """Any sentence-transformers model; e5 models get the prefixes they need.

    Args:
        model: name or folder, with the options of ``ModelSpec.parse``.
    """

    def __init__(self, model: str) -> None:
        self.spec = ModelSpec.parse(model, SETTING)
        self.calibration = calibration_of(self.spec.name)
        self._prefixes = E5 if "e5" in self.spec.name.lower() else NONE
        self._lock = threading.Lock()

    @cached_property
    def _model(self) -> "SentenceTransformer":
        from sentence_transformers import SentenceTransformer

        return self.spec.load(SentenceTransformer, SETTING)

    @cached_property
    def fingerprint(self) -> str:
        return f"{self.spec}/{self.dimension}/{self._prefixes.name}/v1"

    @cached_property
    def dimension(self) -> int:
        return len(self.embed_query("dimension"))

    @cached_property
    def max_tokens(self) -> int:
        with self._lock:
            return int(self._model.max_seq_length or 512)

    def count_tokens(self, text: str) -> int:
        with self._lock:
            tokenizer: Any = self._model.tokenizer
            prefixed = self._prefixes.passage + clean(text)
            encoded = tokenizer(prefixed, truncation=False, verbose=False)
        return len(encoded["input_ids"])

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self._encode([self._prefixes.query + clean(text)])[0]
        return vector

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        prefixed = [self._prefixes.passage + clean(text) for text in texts]
        return in_batches(prefixed, self._encode, self.dimension, on_progress)

    def _encode(self, batch: list[str]) -> Vectors:
        with self._lock:
            vectors = self._model.encode(
                batch, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
            )
        return np.asarray(vectors, dtype=np.float32)
