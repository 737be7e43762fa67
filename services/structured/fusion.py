"""Many rankings become one: of the strategies of a sub-query, then of all sub-queries.

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
"""A section that a sub-query names counts as much as all strategies together."""

_DIGITS: Final = 9


def strategy_weights(kind: QuestionType, available: Collection[str]) -> dict[str, float]:
    """What each strategy counts; the share of one that is not there goes to the others.

    Args:
        kind: of the question.
        available: names of strategies; ``label`` (a named section) always counts fully.
    """
    shares = {name: share for name, share in WEIGHTS[kind].items() if name in available}
    total = sum(shares.values())
    weights = {name: round(share / total, _DIGITS) for name, share in shares.items()}
    return weights | ({"label": NAMED_WEIGHT} if "label" in available else {})


def per_query(sub_queries: int) -> int:
    """How many passages each sub-query may bring."""
    return TOP_K // max(1, sub_queries) + 10


def of_strategies(
    rankings: Mapping[str, Ranking], weights: Mapping[str, float], most: int
) -> list[tuple[str, float]]:
    """The passages of one sub-query by weighted reciprocal rank, the best ``most``."""
    counted = {name: rankings[name] for name in sorted(rankings) if weights.get(name, 0.0) > 0}
    return reciprocal_rank(counted, weights)[:most]


def across(rankings: Sequence[Ranking], most: int = TOP_K) -> list[tuple[str, float]]:
    """The passages of all sub-queries; what several of them found is worth more.

    The score is the sum of ``1 / (60 + rank)`` times one plus the share of the sub-queries that
    found the passage. The order of the sub-queries does not matter.
    """
    ranks: dict[str, list[int]] = {}
    for ranking in rankings:
        for rank, (identifier, _) in enumerate(ranking, start=1):
            ranks.setdefault(identifier, []).append(rank)
    scores = {
        identifier: fsum(1.0 / (RRF_K + rank) for rank in found) * (1 + len(found) / len(rankings))
        for identifier, found in ranks.items()
    }
    return ordered(scores)[:most]


def confidence(coverage: float, ranking: Ranking) -> float:
    """How much an answer can be relied on, 0-1.

    The share of the required information that is covered, times one plus the mean score of the
    passages.
    """
    mean = fsum(score for _, score in ranking) / len(ranking) if ranking else 0.0
    return round(min(coverage * (1 + mean), 1.0), 4)


def with_gap_pass(main: Ranking, gap: Ranking) -> list[tuple[str, float]]:
    """Both passes as one: nothing is cut, and what both found has the sum of its scores."""
    scores = dict(main)
    for identifier, score in gap:
        scores[identifier] = scores.get(identifier, 0.0) + score
    return ordered(scores)
