"""In-memory stand-ins for the embedder and the indexes; they pass the same contracts."""

import hashlib
import re
import threading
from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np

from services.domain import Language
from services.domain.errors import EmbeddingMismatch
from services.retrieval.embedders import Calibration, Progress, Vectors
from services.retrieval.indexes import LexicalDocument
from services.retrieval.scoring import idf
from services.retrieval.terms import labels_in, language_of, normalise_label

WORD = re.compile(r"\w+")
T = TypeVar("T")


class HashEmbedder:
    """A vector counts the words of a text, each in a place that its hash picks."""

    max_tokens = 512
    calibration = Calibration(low=0.1, high=0.5)

    def __init__(self, dimension: int = 256) -> None:
        self.dimension = dimension
        self.fingerprint = f"hash/{dimension}/none/v1"
        self.queries: list[str] = []

    def count_tokens(self, text: str) -> int:
        return len(WORD.findall(text)) + 2

    def embed_query(self, text: str) -> Vectors:
        self.queries.append(text)
        return self._embed(text)

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._embed(text)
            if on_progress is not None:
                on_progress(row + 1)
        return vectors

    def embed_sentences(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        return self.embed_passages(texts, on_progress)

    def _embed(self, text: str) -> Vectors:
        vector = np.zeros(self.dimension, dtype=np.float32)
        # The first place stands for the empty text, so that no vector has length 0.
        vector[0] = 0.1
        for word in WORD.findall(text.lower()):
            digest = hashlib.blake2b(word.encode(), digest_size=4).digest()
            vector[1 + int.from_bytes(digest, "big") % (self.dimension - 1)] += 1.0
        return vector / np.float32(np.linalg.norm(vector))


class _Stored(Generic[T]):
    """What is kept by collection and id; may be used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._stored: dict[str, dict[str, T]] = {}

    def delete(self, collection_id: str, ids: Sequence[str]) -> None:
        for identifier in ids:
            self._stored.get(collection_id, {}).pop(identifier, None)

    def count(self, collection_id: str) -> int:
        return len(self._stored.get(collection_id, {}))

    def ids(self, collection_id: str) -> list[str]:
        return sorted(self._stored.get(collection_id, {}))

    def drop(self, collection_id: str) -> None:
        self._stored.pop(collection_id, None)

    def rewrite(self, collection_id: str, docs: object = None) -> None:
        """It has no files that could keep anything."""

    def verify(self, collection_id: str) -> None:
        """It has no files that could be damaged."""

    def close(self) -> None:
        """Nothing is held."""


class DictVectorIndex(_Stored[Vectors]):
    def upsert(self, collection_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        with self._lock:
            stored = self._stored.setdefault(collection_id, {})
            for identifier, vector in zip(ids, vectors, strict=True):
                self._require_fit(collection_id, vector)
                stored[identifier] = np.asarray(vector, dtype=np.float32)

    def search(self, collection_id: str, vector: Vectors, k: int) -> list[tuple[str, float]]:
        with self._lock:
            self._require_fit(collection_id, vector)
            stored = dict(self._stored.get(collection_id, {}))
        scored = [(identifier, _cosine(each, vector)) for identifier, each in stored.items()]
        return sorted(scored, key=lambda item: (-item[1], item[0]))[: max(k, 0)]

    def vectors(self, collection_id: str, ids: Sequence[str]) -> dict[str, Vectors]:
        stored = self._stored.get(collection_id, {})
        return {identifier: stored[identifier] for identifier in ids if identifier in stored}

    def _require_fit(self, collection_id: str, vector: Vectors) -> None:
        for other in self._stored.get(collection_id, {}).values():
            if other.shape != vector.shape:
                raise EmbeddingMismatch(f"{collection_id} holds vectors of another dimension.")
            return


class WordIndex(_Stored[frozenset[str]]):
    """Scores a chunk by the idf of the query's words (and section labels) that it has."""

    def __init__(self) -> None:
        super().__init__()
        self._languages: dict[str, set[str]] = {}

    def upsert(self, collection_id: str, docs: Sequence[LexicalDocument]) -> None:
        with self._lock:
            spoken = self._languages.setdefault(collection_id, set())
            spoken.update(language_of(doc.language) for doc in docs)
            stored = self._stored.setdefault(collection_id, {})
            for doc in docs:
                words = _words(f"{doc.title} {doc.heading} {doc.text}")
                labels = {normalise_label(doc.label)} if doc.label else set()
                stored[doc.chunk_id] = words | labels

    def search(
        self, collection_id: str, query: str, k: int, only: Sequence[str] | None = None
    ) -> list[tuple[str, float]]:
        with self._lock:
            stored = dict(self._stored.get(collection_id, {}))
        labels = [each for each in labels_in(query) if any(each in doc for doc in stored.values())]
        weights = {
            word: idf(len(stored), sum(word in doc for doc in stored.values()))
            for word in [*sorted(_words(query)), *labels]
        }
        total = sum(weights.values())
        scored = [
            (identifier, sum(weight for word, weight in weights.items() if word in doc) / total)
            for identifier, doc in stored.items()
            if any(word in doc for word in weights) and (only is None or identifier in only)
        ]
        return sorted(scored, key=lambda item: (-item[1], item[0]))[: max(k, 0)]

    def frequencies(
        self, collection_id: str, words: Sequence[str], language: Language
    ) -> dict[str, int]:
        if language_of(language) not in self._languages.get(collection_id, set()):
            return {}
        stored = self._stored.get(collection_id, {}).values()
        asked = {word: _words(word) for word in words}
        return {w: sum(own <= doc for doc in stored) for w, own in asked.items() if own}


def _words(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(text.lower()))


def _cosine(a: Vectors, b: Vectors) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))
