"""Vectors of the latest questions: a search and what ranks its sentences ask for the same one."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from services.embeddings.base import Embedder, Vectors

QUERIES_KEPT: Final = 256
"""Query vectors that are kept."""

EmbedQuery = Callable[[str], Vectors]


def remembering(embedder: Embedder) -> EmbedQuery:
    """``embed_query`` of the embedder, which is asked once for the same text."""
    return lru_cache(maxsize=QUERIES_KEPT)(embedder.embed_query)
