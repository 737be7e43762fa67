"""Scores made comparable: stretching, bounding and combining, as pure functions."""

from collections.abc import Sequence
from datetime import UTC, datetime
from math import exp, log

from services.embeddings import Calibration as Calibration

UNDATED_FRESHNESS = 0.5
"""Freshness of a document without a date: neither favoured nor pushed to the end."""

SECONDS_A_DAY = 86_400

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


def age_days(stamp: str | None, now: datetime) -> float | None:
    """Days between an ISO 8601 time and ``now``; None where there is no such time.

    A time without a zone is meant as UTC; one in the future is 0 days old.
    """
    try:
        then = datetime.fromisoformat(stamp or "")
    except ValueError:
        return None
    dated = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (now - dated).total_seconds() / SECONDS_A_DAY)


def freshness(days: float | None, decay_rate: float) -> float:
    """How much a document's age leaves of its worth, ``exp(-decay_rate * days)``, 0-1.

    ``decay_rate`` is at least 0 and counts by day: 0.005 leaves half after 139 days. None, for
    a document without a date, is ``UNDATED_FRESHNESS``.
    """
    return UNDATED_FRESHNESS if days is None else exp(-decay_rate * max(0.0, days))


def blend(similarity: float, fresh: float, weight: float) -> float:
    """``(1 - weight) * similarity + weight * fresh``; 0-1 when all three are."""
    return (1.0 - weight) * similarity + weight * fresh
