"""Cached embedding of passages, similarity of sentences to questions, and projection of questions.

A question's vector is moved towards its answers by a linear map, fitted on questions in users' own
words (``python -m tests.benchmarks.train_query_map``).
"""

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from services.catalog import Catalog
from services.retrieval.embedders import BundledEmbedder, Embedder, Vectors
from services.retrieval.embedders.base import EmbedQuery, cache_queries
from services.settings import WORKING_COPY

SHIPPED: Final = WORKING_COPY / "kb" / "samples"
"""Where vectors are: in ``vectors.npz`` those of the sample documents, so that these are ready in
seconds (`make samples`), and in a file for each recorded research those of its questions and
sentences (`make recording`): processors compute vectors a little differently, and a replay must
find the same passages."""

BATCH = 32
QUERY_MAP: Final = Path(__file__).with_name("query_map.npy")
"""Shape (384, 384), float16: the map whose result is added to a vector of the bundled model."""


def embed_cached(
    texts: Sequence[str],
    *,
    embedder: Embedder,
    catalog: Catalog,
    on_progress: Callable[[int], None] = lambda done: None,
    waited_for: bool = False,
) -> Vectors:
    """Return the vectors of passages, shape (n, dimension) float32, in the order of ``texts``.

    Passages that neither the cache nor `SHIPPED` has are embedded shortest first (less padding) and
    cached batch by batch. ``waited_for``: a question waits for these passages, which are sentences.
    """
    embed = embedder.embed_sentences if waited_for else embedder.embed_passages
    hashes = [*map(key_of, texts)]
    by_hash = dict(zip(hashes, texts, strict=True))
    cached = catalog.embeddings.get(embedder.fingerprint, hashes)
    shipped = shipped_vectors(embedder.fingerprint)
    available = (by_hash.keys() - cached.keys()) & shipped.keys()
    if new := {key: shipped[key] for key in available}:
        catalog.embeddings.put(embedder.fingerprint, new)
        cached |= new
    missing = sorted(by_hash.keys() - cached.keys(), key=lambda key: (len(by_hash[key]), key))
    done = sum(key in cached for key in hashes)
    on_progress(done)
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]

        def progress(n: int, before: int = done) -> None:
            on_progress(before + n)

        vectors = embed([by_hash[key] for key in batch], progress)
        new = {key: encode(vector) for key, vector in zip(batch, vectors, strict=True)}
        catalog.embeddings.put(embedder.fingerprint, new)
        cached |= new
        done = sum(key in cached for key in hashes)
    on_progress(done)
    rows = [np.frombuffer(cached[key], dtype="<f4") for key in hashes]
    return np.stack(rows).astype(np.float32, copy=False)


def key_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def query_key(text: str) -> str:
    return key_of(f"query\0{text}")


def encode(vector: Vectors) -> bytes:
    return vector.astype("<f4", copy=False).tobytes()


@cache
def shipped_vectors(fingerprint: str) -> Mapping[str, bytes]:
    """Return the vectors that come with the samples by key; none for another model."""
    vectors: dict[str, bytes] = {}
    for file in SHIPPED.glob("*.npz"):
        with np.load(file) as archive:
            if str(archive["fingerprint"]) == fingerprint:
                pairs = zip(archive["hashes"], archive["vectors"], strict=True)
                vectors |= {key.tobytes().hex(): encode(vector) for key, vector in pairs}
    return vectors


def embed_questions(embedder: Embedder) -> EmbedQuery:
    """Return the embedder's ``embed_query`` with a cache and the vectors that come with samples."""
    embed = cache_queries(embedder)
    if not isinstance(embedder, BundledEmbedder):
        return embed

    def embed_query(text: str) -> Vectors:
        vector = shipped_vectors(BundledEmbedder.fingerprint).get(query_key(text))
        if vector is None:
            return embed(text)
        return np.frombuffer(vector, dtype="<f4").astype(np.float32)

    return embed_query


class Similarity:
    """Compares queries with sentences that no index holds."""

    def __init__(self, embedder: Embedder, catalog: Catalog, *, embed_query: EmbedQuery) -> None:
        self._embedder = embedder
        self._catalog = catalog
        self._embed = embed_query
        self._lock = threading.Lock()

    def log_odds(self, queries: Sequence[str], sentences: Sequence[str]) -> Vectors:
        """Return the log-odds of relevance, shape (queries, sentences): calibrated cosines.

        Concurrent tasks read the same text, so one embeds at a time, and the next finds the vectors
        in the cache.
        """
        if not queries or not sentences:
            return np.zeros((len(queries), len(sentences)), dtype=np.float32)
        with self._lock:
            passages = embed_cached(
                sentences, embedder=self._embedder, catalog=self._catalog, waited_for=True
            )
        cosines: Vectors = np.stack([self._embed(query) for query in queries]) @ passages.T
        calibration = self._embedder.calibration
        return calibration.slope * (cosines - calibration.middle)


def project_query(embed: EmbedQuery, fingerprint: str) -> EmbedQuery:
    """Return ``embed`` followed by the map for search; unchanged for models without a map."""
    if fingerprint != BundledEmbedder.fingerprint:
        return embed

    def embed_and_project(text: str) -> Vectors:
        vector = embed(text)
        projected = vector + vector @ _query_map()
        return np.asarray(projected / np.linalg.norm(projected), dtype=np.float32)

    return embed_and_project


@cache
def _query_map() -> Vectors:
    weights: Vectors = np.load(QUERY_MAP).astype(np.float32)
    return weights
