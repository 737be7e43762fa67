"""Which of five types a question is, and how much each search strategy then counts."""

from collections.abc import Collection, Mapping
from typing import Final

from services.query.values import QueryType, Understanding
from services.structured.values import QuestionType

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
_BY_CLASS: Final[Mapping[QueryType, QuestionType]] = {
    "analytical": "causal",
    "exploratory": "enumeration",
}


def question_type(known: Understanding) -> QuestionType:
    """The type of a question as the heads read it; one that names a time is asked by time."""
    of_class = known.classification.type
    if of_class == "comparative" and len(known.subquestions) > 1:
        return "comparison"
    if known.dates is not None:
        return "temporal"
    return "enumeration" if known.scan is not None else _BY_CLASS.get(of_class, "factual")


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
