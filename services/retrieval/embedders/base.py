"""The protocol of embedding models: unit vectors, and what a cosine between them means."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import exp, log
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from services.domain import Value
from services.domain.errors import EmbeddingMismatch

Vectors = NDArray[np.float32]
Progress = Callable[[int], None]
EmbedQuery = Callable[[str], Vectors]
PASSAGE_BATCH = 8  # enough to use all cores, few enough to show progress
CACHED_QUERIES: Final = 256


class Calibration(Value):
    """Maps a cosine to a relevance between 0 and 1 by a logistic curve.

    ``low`` gets 0.1 and ``high`` 0.9. Two classes of pairs (unrelated; question and answer) whose
    cosines are normally distributed with equal spread have such a curve as posterior.
    """

    low: float
    high: float

    @property
    def floor(self) -> float:
        """The cosine at which the scale of search scores begins: only off-topic passages fall
        below it."""
        return self.low - 2 * (self.high - self.low)

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2

    @property
    def slope(self) -> float:
        return 2 * log(9) / (self.high - self.low)

    def relevance(self, cosine: float) -> float:
        """Return the relevance (0-1), strictly increasing in the cosine until floats run out."""
        # Beyond ±60 the curve is flat to the last bit; the bound keeps exp from overflowing.
        return 1.0 / (1.0 + exp(max(-60.0, min(60.0, self.slope * (self.middle - cosine)))))


E5_CALIBRATION = Calibration(low=0.83, high=0.88)
"""For multilingual-e5-small, whose cosines nearly all lie between 0.7 and 1 (docs/search.md)."""
GENERIC_CALIBRATION = Calibration(low=0.2, high=0.6)
"""For models that were not measured: typical of models trained with in-batch negatives."""


def clean(text: str) -> str:
    """Return the text without NUL (engines may end there) and without lone surrogates."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


class Embedder(Protocol):
    """Turns text into L2-normalised vectors of ``dimension`` float32 numbers.

    ``fingerprint`` names everything that changes a vector or its calibration. A passage of up to
    ``max_tokens`` by ``count_tokens`` (with prefix and special tokens) is read completely.
    """

    @property
    def fingerprint(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def max_tokens(self) -> int: ...

    @property
    def calibration(self) -> Calibration: ...

    def count_tokens(self, text: str) -> int: ...

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question or search phrase, shape (dimension,)."""
        ...

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        """Return vectors, shape (n, dimension); ``on_progress`` gets the number that are done."""
        ...

    def embed_sentences(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        """Do the same for the few short passages that a question waits for."""
        ...


def require_same_model(collection: str, indexed: str | None, embedder: Embedder) -> None:
    """Raise EmbeddingMismatch if another model than the embedder indexed a collection."""
    if indexed not in (None, embedder.fingerprint):
        raise EmbeddingMismatch(
            "The collection {name!r} was indexed with the embedding model {indexed}, but {now} is "
            "set. Set RABBITHOLE_EMBEDDING to that model again, or ingest the documents into a new "
            "collection.",
            name=collection,
            indexed=indexed,
            now=embedder.fingerprint,
        )


class Family(NamedTuple):
    """Prefixes and calibration of a family of models; fingerprints name the ``prefixes``."""

    prefixes: str = "none"
    query: str = ""
    passage: str = ""
    calibration: Calibration = GENERIC_CALIBRATION


_MXBAI_QUERY = "Represent this sentence for searching relevant passages: "
_FAMILIES = {
    "e5": Family("query:passage", "query: ", "passage: ", E5_CALIBRATION),
    "nomic-embed-text": Family("nomic", "search_query: ", "search_document: "),
    "mxbai-embed-large": Family("mxbai", _MXBAI_QUERY),
    "embeddinggemma": Family("gemma", "task: search result | query: ", "title: none | text: "),
}
"""Prefixes as the cards of these models state them."""


def family_of(model: str) -> Family:
    """Return the family whose name stands in a model's name or path, not within a word."""
    for name, family in _FAMILIES.items():
        if re.search(rf"(?<![a-z0-9]){name}(?![a-z0-9])", model.lower()):
            return family
    return Family()


class PrefixedEmbedder(ABC):
    """Adds the prefixes of the model's family to texts and encodes them batch by batch."""

    family: Family

    @property
    def calibration(self) -> Calibration:
        return self.family.calibration

    @property
    @abstractmethod
    def dimension(self) -> int: ...

    @abstractmethod
    def _encode(self, texts: list[str]) -> Vectors:
        """Return unit vectors of texts that have their prefixes, shape (n, dimension)."""

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self._encode([self.family.query + clean(text)])[0]
        return vector

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        """See ``Embedder.embed_passages``; a batch has texts of similar length (less padding)."""
        passages = [self.family.passage + clean(text) for text in texts]
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda i: len(passages[i]))
        for start in range(0, len(order), PASSAGE_BATCH):
            batch = order[start : start + PASSAGE_BATCH]
            vectors[batch] = self._encode([passages[i] for i in batch])
            if on_progress is not None:
                on_progress(start + len(batch))
        return vectors

    def embed_sentences(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        return self.embed_passages(texts, on_progress)


def cache_queries(embedder: Embedder) -> EmbedQuery:
    """Return the embedder's ``embed_query`` with an LRU cache."""
    return lru_cache(maxsize=CACHED_QUERIES)(embedder.embed_query)
