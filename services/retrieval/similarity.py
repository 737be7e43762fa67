"""How near sentences are in meaning: the vectors of single sentences, through the cache."""

import threading
from collections.abc import Sequence

import numpy as np

from services.catalog import Catalog
from services.embedding_cache import embed_cached
from services.embeddings import Calibration, Embedder, Vectors
from services.embeddings.queries import EmbedQuery, remembering


class Similarity:
    """Compares queries with sentences that no index holds."""

    def __init__(
        self, embedder: Embedder, catalog: Catalog, *, embed_query: EmbedQuery | None = None
    ) -> None:
        self._embedder = embedder
        self._catalog = catalog
        self._embed = embed_query or remembering(embedder)
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
            passages = embed_cached(
                sentences,
                embedder=self._embedder,
                catalog=self._catalog,
                on_progress=lambda done: None,
            )
        wanted = np.stack([self._embed(query) for query in queries])
        return wanted @ passages.T
