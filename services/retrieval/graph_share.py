"""How much passages and the knowledge graph count for a question.

Weights by the type of the question; a graph that weighs little is not walked, unless low confidence
in what the search found moves enough weight to it; the weights cap how much of the graph reaches
the context. The walk begins at the best passages of the search, so the search is never left out
(docs/decisions/0017). A weight is the graph's share, 0-1, and the rest that of the search; kept to
nine digits, so that a value on a border stays on it.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from services.language.query.values import Classification, QueryType, Understanding
from services.retrieval.scoring import reciprocal_rank

SKIP_BELOW: Final = 0.15
LOW_CONFIDENCE: Final = 0.3
MOST_SHIFT: Final = 0.3
SURE: Final = 0.7
"""Confidence in a type above which a fact needs no graph."""
EVEN: Final = 0.5
_DIGITS: Final = 9

GRAPH_WEIGHTS: Final[Mapping[QueryType, float]] = {
    "factual": 0.3,
    "relational": 0.8,
    "comparative": 0.7,
    "exploratory": 0.9,
    "procedural": 0.2,
    "analytical": 0.5,
    "unknown": 0.4,
}
MOST_OF_GRAPH: Final = 0.2
"""Share of the passages that may come from the graph."""
JOINING: Final[frozenset[QueryType]] = frozenset({"relational", "comparative", "exploratory"})


def has_room(asked: Understanding, k: int) -> bool:
    """Whether the graph gets a place among ``k`` passages.

    Where its share is less than one, only an answer that joins things is worth it.
    """
    joins = asked.classification.type in JOINING or len(asked.subquestions) > 1
    return joins or most_of_ties(k) > 0


def walks(weight: float) -> bool:
    """Whether the graph weighs enough to be walked."""
    return weight >= SKIP_BELOW


def graph_weight(asked: Classification) -> float:
    """The weight of the graph for a question before anything is searched."""
    if asked.type == "factual" and asked.confidence > SURE:
        return 0.0
    if asked.type == "relational" and not asked.entities:
        return EVEN
    return GRAPH_WEIGHTS[asked.type]


def confidence_shift(confidence: float) -> float:
    """The weight that a retriever loses for its results, 0-0.3: the poorer, the more.

    ``confidence`` in them is 0-1; from ``LOW_CONFIDENCE`` on nothing is lost.
    """
    shift = MOST_SHIFT * (1 - confidence / LOW_CONFIDENCE)
    return round(min(MOST_SHIFT, max(0.0, shift)), _DIGITS)


def adjusted(
    weight: float, *, vector_confidence: float, graph_confidence: float | None = None
) -> float:
    """The weight by the confidence (0-1) in what each has found; None where it was not asked."""
    graph_shift = 0.0
    if graph_confidence is not None:
        if max(vector_confidence, graph_confidence) < LOW_CONFIDENCE:
            return EVEN
        graph_shift = confidence_shift(graph_confidence)
    shift = confidence_shift(vector_confidence) - graph_shift
    return round(min(1.0, max(0.0, weight + shift)), _DIGITS)


def most_of_graph(weight: float, k: int) -> int:
    """How many of ``k`` passages may come from the graph: what its weight says, within bounds.

    In proportion to the weight, halves rounded up, at least one where it weighs anything.
    """
    if weight <= 0:
        return 0
    share = int(round(k * weight, _DIGITS) + 0.5)
    return min(k, max(1, share), max(1, round(MOST_OF_GRAPH * k)))


def joined(
    found: Sequence[str],
    from_graph: Sequence[str],
    section_of: Mapping[str, str],
    *,
    most: int,
    weight: float,
) -> list[str]:
    """As many passages as were found, up to ``most`` of them new ones that the graph led to.

    The new ones are of different sections: the graph's few places are for what else there is.
    Room is made by further passages of sections that a better one stands for, then by the last.
    """
    known = set(found)
    first = {section_of[each]: each for each in reversed(from_graph) if each not in known}
    new = [each for each in from_graph if first.get(section_of[each]) == each][:most]
    kept = _room(found, section_of, len(new))
    chosen = {*kept, *new}
    rankings = {
        "vector": [(each, 0.0) for each in kept],
        "graph": [(each, 0.0) for each in from_graph if each in chosen],
    }
    order = reciprocal_rank(rankings, {"vector": round(1.0 - weight, _DIGITS), "graph": weight})
    return [each for each, _ in order]


def most_of_ties(k: int) -> int:
    """How many of ``k`` passages may come from sections that a reference ties to the best ones."""
    return int(MOST_OF_GRAPH * k)


def followed(
    found: Sequence[str], near: Mapping[str, float], section_of: Mapping[str, str], *, most: int
) -> list[str]:
    """What was found, and after it up to ``most`` passages of other sections, the nearest first.

    ``near`` has the relevance of other passages to the question; room is made as by ``joined``.
    """
    known = {section_of[each] for each in found}
    new: dict[str, str] = {}
    for each in sorted(near, key=lambda name: (-near[name], name)):
        if section_of[each] not in known:
            new.setdefault(section_of[each], each)
    chosen = list(new.values())[:most]
    return [*_room(found, section_of, len(chosen)), *chosen]


def _room(found: Sequence[str], section_of: Mapping[str, str], places: int) -> list[str]:
    first = {section_of[each]: each for each in reversed(found)}
    further = [each for each in found if first[section_of[each]] != each]
    leaving = set(further[::-1][:places])
    kept = [each for each in found if each not in leaving]
    return kept[: max(0, len(found) - places)]
