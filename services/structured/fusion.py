"""Fusion of rankings: of the strategies of a sub-query, then of all sub-queries.

Equal scores are ordered by id, so the result depends on nothing but the rankings.
"""

from collections.abc import Collection, Mapping, Sequence
from math import fsum
from typing import Final

from services.retrieval.scoring import RRF_K, Ranking, ordered, reciprocal_rank
from services.structured.values import QuestionType

TOP_K: Final = 50
GAP_PER_QUERY: Final = 10
GAP_IN_ALL: Final = 20
WEIGHTS: Final[Mapping[QuestionType, Mapping[str, float]]] = {
    "factual": {"vector": 0.5, "keyword": 0.3, "graph": 0.2},
    "comparison": {"vector": 0.3, "keyword": 0.2, "graph": 0.5},
    "enumeration": {"vector": 0.2, "keyword": 0.3, "graph": 0.5},
    "temporal": {"vector": 0.4, "keyword": 0.3, "graph": 0.3},
    "causal": {"vector": 0.3, "keyword": 0.2, "graph": 0.5},
}
NAMED_WEIGHT: Final = 1.0
"""Weight of the section that a sub-query names: as much as all strategies together."""

_DIGITS: Final = 9


def strategy_weights(kind: QuestionType, available: Collection[str]) -> dict[str, float]:
    """Return the weight of each available strategy, scaled to a sum of 1.

    Args:
        kind: the type of the question.
        available: names of strategies; ``label`` (a named section) adds its full weight.
    """
    shares = {name: share for name, share in WEIGHTS[kind].items() if name in available}
    total = sum(shares.values())
    weights = {name: round(share / total, _DIGITS) for name, share in shares.items()}
    return weights | ({"label": NAMED_WEIGHT} if "label" in available else {})


def passages_per_query(sub_queries: int) -> int:
    """Return how many passages each sub-query may contribute."""
    return TOP_K // max(1, sub_queries) + 10


def fuse_strategies(
    rankings: Mapping[str, Ranking], weights: Mapping[str, float], limit: int
) -> list[tuple[str, float]]:
    """Return the ``limit`` best passages of one sub-query by weighted reciprocal rank."""
    weighted = {name: rankings[name] for name in sorted(rankings) if weights.get(name, 0.0) > 0}
    return reciprocal_rank(weighted, weights)[:limit]


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
    return ordered(scores)[:limit]


def confidence(coverage: float, ranking: Ranking) -> float:
    """Return the confidence in an answer, 0-1.

    It is the coverage of the required information, times one plus the mean score of the passages.
    """
    mean = fsum(score for _, score in ranking) / len(ranking) if ranking else 0.0
    return round(min(coverage * (1 + mean), 1.0), 4)


def merge_gap_pass(main: Ranking, gap: Ranking) -> list[tuple[str, float]]:
    """Merge both passes: nothing is cut, and scores of the same passage are added."""
    scores = dict(main)
    for identifier, score in gap:
        scores[identifier] = scores.get(identifier, 0.0) + score
    return ordered(scores)
