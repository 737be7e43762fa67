"""Fusion of the rankings of all sub-queries, and how much of the required information is covered.

Equal scores are ordered by id, so the result depends on nothing but the rankings.
"""

from collections.abc import Sequence
from math import fsum
from typing import Final

from services.retrieval.scoring import RRF_K, Ranking, rank_by_score
from services.structured.values import CREDIT, Status

TOP_K: Final = 50


def fuse_queries(rankings: Sequence[Ranking], limit: int = TOP_K) -> list[tuple[str, float]]:
    """Return the passages of all sub-queries; those that several of them found score higher.

    The score is the sum of ``1 / (60 + rank)`` times one plus the share of the sub-queries that
    found the passage. The order of the sub-queries does not matter.
    """
    ranks: dict[str, list[int]] = {}
    for ranking in rankings:
        for rank, (identifier, _) in enumerate(ranking, start=1):
            ranks.setdefault(identifier, []).append(rank)
    scores = {
        identifier: fsum(1.0 / (RRF_K + rank) for rank in own_ranks)
        * (1 + len(own_ranks) / len(rankings))
        for identifier, own_ranks in ranks.items()
    }
    return rank_by_score(scores)[:limit]


def coverage_of(statuses: Sequence[Status]) -> float:
    """Return the covered share of the required information, 0-1; partly covered counts half."""
    return round(fsum(CREDIT[status] for status in statuses) / len(statuses), 4)


def confidence(coverage: float, ranking: Ranking) -> float:
    """Return the confidence in an answer, 0-1.

    It is the coverage of the required information, times one plus the mean score of the passages.
    """
    mean = fsum(score for _, score in ranking) / len(ranking) if ranking else 0.0
    return round(min(coverage * (1 + mean), 1.0), 4)
