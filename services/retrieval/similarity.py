"""How near sentences are to a question, and questions moved to where their answers lie.

A linear map that was fitted on questions in a user's own words
(``python -m tests.benchmarks.train_query_map``) brings passages that answer nearer, which keep
their vectors; calibrated cosines keep their meaning.
"""

import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from services.catalog import Catalog
from services.retrieval.embedders import BundledEmbedder, Calibration, Embedder, Vectors
from services.retrieval.embedders.base import EmbedQuery
from services.retrieval.embedding_cache import embed_cached


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
