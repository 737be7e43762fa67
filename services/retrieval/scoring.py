"""Scores made comparable: stretching, bounding and combining, as pure functions."""

from collections.abc import Sequence
from math import log

from services.embeddings import Calibration as Calibration

BM25_K1 = 1.2
"""Term saturation that tantivy's BM25 is built with (its length parameter b is 0.75)."""


def min_max(scores: Sequence[float]) -> list[float]:
    """Stretch scores linearly so that the lowest is 0 and the highest 1.

    When all are equal there is nothing to tell them apart, and each gets 1.
    """
    if not scores:
        return []
    low, high = min(scores), max(scores)
    if high <= low:
        return [1.0] * len(scores)
    return [(score - low) / (high - low) for score in scores]


def clamp(value: float) -> float:
    """The value, moved into 0-1."""
    return min(1.0, max(0.0, value))


def either(*evidence: float) -> float:
    """Chance (0-1) that at least one of several independent pieces of evidence holds.

    The noisy-or ``1 - Π(1 - e)``: it grows with every argument and is 0 only when all are
    (Pearl, Probabilistic Reasoning in Intelligent Systems, 1988, section 4.3).
    """
    missing = 1.0
    for value in evidence:
        missing *= 1.0 - clamp(value)
    return clamp(1.0 - missing)


def idf(documents: int, containing: int) -> float:
    """Inverse document frequency as Lucene and tantivy compute it; never negative."""
    containing = min(containing, documents)
    return log(1.0 + (documents - containing + 0.5) / (containing + 0.5))


def bm25_ceiling(weighted_idfs: Sequence[float], k1: float = BM25_K1) -> float:
    """Score that no chunk can exceed for a query: ``(k1 + 1) · Σ weight · idf``.

    BM25 multiplies the idf of a term by ``(k1 + 1) · tf / (tf + norm)``, which stays below
    ``k1 + 1`` however often the term occurs and however short the chunk is.
    """
    return (k1 + 1.0) * sum(weighted_idfs)
