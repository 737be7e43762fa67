"""Embedding through caches: passages, how near sentences are to a question, and questions.

Passages are embedded in batches that survive a kill. A question is moved to where its answers lie:
a linear map that was fitted on questions in a user's own words (``python -m
tests.benchmarks.train_query_map``) brings passages that answer nearer, which keep their vectors;
calibrated cosines keep their meaning.
"""

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from services.catalog import Catalog
from services.retrieval.embedders import BundledEmbedder, Calibration, Embedder, Vectors
from services.retrieval.embedders.base import EmbedQuery
from services.settings import WORKING_COPY

SHIPPED: Final = WORKING_COPY / "kb" / "samples" / "vectors.npz"
"""Vectors of the sample documents, so that these are ready in seconds: `make samples`."""

BATCH = 32
"""Passages between two writes to the cache: a few seconds of work on two cores."""


def embed_cached(
    texts: Sequence[str],
    *,
    embedder: Embedder,
    catalog: Catalog,
    on_progress: Callable[[int], None] = lambda done: None,
) -> Vectors:
    """Vectors of passages, shape (n, dimension) float32, in the order of ``texts``.

    What neither the cache nor `SHIPPED` holds is embedded shortest first (batches of even length
    waste no padding) and cached batch by batch. ``on_progress`` is told how many of the n are
    done: first those found, then as often as the embedder tells, at last all.
    """
    hashes = [*map(key_of, texts)]
    by_hash = dict(zip(hashes, texts, strict=True))
    cached = catalog.embeddings.get(embedder.fingerprint, hashes)
    known = shipped(embedder.fingerprint)
    if came := {key: known[key] for key in by_hash.keys() - cached.keys() if key in known}:
        catalog.embeddings.put(embedder.fingerprint, came)
        cached |= came
    missing = sorted(by_hash.keys() - cached.keys(), key=lambda key: (len(by_hash[key]), key))
    done = sum(key in cached for key in hashes)
    on_progress(done)
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]

        def progress(n: int, before: int = done) -> None:
            on_progress(before + n)

        vectors = embedder.embed_passages([by_hash[key] for key in batch], progress)
        fresh = {key: encode(vector) for key, vector in zip(batch, vectors, strict=True)}
        catalog.embeddings.put(embedder.fingerprint, fresh)
        cached |= fresh
        done = sum(key in cached for key in hashes)
    on_progress(done)
    rows = [np.frombuffer(cached[key], dtype="<f4") for key in hashes]
    return np.stack(rows).astype(np.float32, copy=False)


def key_of(text: str) -> str:
    """Under which the cache keeps the vector of a passage."""
    return hashlib.sha256(text.encode()).hexdigest()


def encode(vector: Vectors) -> bytes:
    return vector.astype("<f4", copy=False).tobytes()


@cache
def shipped(fingerprint: str) -> Mapping[str, bytes]:
    """The vectors that come with the samples, by hash of the passage; none of another model."""
    if not SHIPPED.exists():
        return {}
    with np.load(SHIPPED) as kept:
        if str(kept["fingerprint"]) != fingerprint:
            return {}
        pairs = zip(kept["hashes"], kept["vectors"], strict=True)
        return {key.tobytes().hex(): encode(vector) for key, vector in pairs}


class Similarity:
    """Compares queries with sentences that no index holds."""

    def __init__(self, embedder: Embedder, catalog: Catalog, *, embed_query: EmbedQuery) -> None:
        self._embedder = embedder
        self._catalog = catalog
        self._embed = embed_query
        self._turn = threading.Lock()

    @property
    def calibration(self) -> Calibration:
        """What a cosine means."""
        return self._embedder.calibration

    def log_odds(self, queries: Sequence[str], sentences: Sequence[str]) -> Vectors:
        """The log-odds of relevance, shape (queries, sentences): calibrated cosines."""
        calibration = self.calibration
        return calibration.slope * (self.cosines(queries, sentences) - calibration.middle)

    def cosines(self, queries: Sequence[str], sentences: Sequence[str]) -> Vectors:
        """Cosines, shape (queries, sentences) float32; each sentence is embedded once ever.

        Tasks that run side by side read much of the same text: one takes its turn after the other
        and finds in the cache what that one embedded.
        """
        if not queries or not sentences:
            return np.zeros((len(queries), len(sentences)), dtype=np.float32)
        with self._turn:
            passages = embed_cached(sentences, embedder=self._embedder, catalog=self._catalog)
        wanted = np.stack([self._embed(query) for query in queries])
        return wanted @ passages.T


WEIGHTS: Final = Path(__file__).with_name("query_map.npy")
"""Shape (384, 384), float16: what is added to a vector, for the bundled model."""


def moved(embed: EmbedQuery, fingerprint: str) -> EmbedQuery:
    """Embeds questions for search; models that no map was fitted for stay as they are."""
    if fingerprint != BundledEmbedder.fingerprint:
        return embed

    def embed_and_move(text: str) -> Vectors:
        vector = embed(text)
        found = vector + vector @ _weights()
        return np.asarray(found / np.linalg.norm(found), dtype=np.float32)

    return embed_and_move


@lru_cache(maxsize=1)
def _weights() -> Vectors:
    weights: Vectors = np.load(WEIGHTS).astype(np.float32)
    return weights
