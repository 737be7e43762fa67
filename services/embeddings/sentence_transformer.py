"""Any model of the package sentence-transformers as an embedder."""

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from services.embeddings.base import (
    E5_CALIBRATION,
    GENERIC_CALIBRATION,
    Progress,
    Vectors,
    in_batches,
)
from services.errors import NoModel

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class SentenceTransformerEmbedder:
    """Any sentence-transformers model by name or path; e5 models get the prefixes they need."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.Lock()
        is_e5 = "e5" in name.lower()
        self._query_prefix, self._passage_prefix = ("query: ", "passage: ") if is_e5 else ("", "")
        self.calibration = E5_CALIBRATION if is_e5 else GENERIC_CALIBRATION

    @cached_property
    def _model(self) -> "SentenceTransformer":
        from sentence_transformers import SentenceTransformer

        try:
            return SentenceTransformer(self.name)
        except (OSError, ValueError) as error:
            raise NoModel(
                f"The embedding model {self.name!r} cannot be loaded: {error}. Set "
                "RABBITHOLE_EMBEDDING to the name or folder of a sentence-transformers model, "
                "or to 'bundled'."
            ) from error

    @cached_property
    def fingerprint(self) -> str:
        prefixes = "query:passage" if self._query_prefix else "none"
        return f"{self.name}/{self.dimension}/{prefixes}/v1"

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
            encoded = tokenizer(self._passage_prefix + text, truncation=False, verbose=False)
        return len(encoded["input_ids"])

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self._encode([self._query_prefix + text])[0]
        return vector

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        prefixed = [self._passage_prefix + text for text in texts]
        return in_batches(prefixed, self._encode, self.dimension, on_progress)

    def _encode(self, batch: list[str]) -> Vectors:
        with self._lock:
            vectors = self._model.encode(
                batch, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
            )
        return np.asarray(vectors, dtype=np.float32)
