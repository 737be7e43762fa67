"""How much of what is found the knowledge graph may bring, and where it goes: pure functions.

Measured on the sample laws (docs/graph-search.md): for a question that joins things, the first one
or two passages of the graph bring the second section; further ones bring nothing, and each takes
the place of a passage that the search had found. For a question about one thing every passage that
a walk leads to costs some. So the graph is walked only where an answer joins things, and never
replaces the search, not even for exploratory questions, which the weights would leave to it alone.

Every other question follows the references of the best passages one step, either way, and keeps
what is nearest to the question.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from services.query.values import QueryType
from services.retrieval.fusion import reciprocal_rank
from services.retrieval.weights import (
    ONLY_VECTOR,
    SURE_FACT,
    RetrieverWeights,
    caps,
    runs,
    weights_for,
)

MOST_OF_GRAPH: Final = 0.2
"""Share of the passages that may come from the graph."""
JOINING: Final[frozenset[QueryType]] = frozenset({"relational", "comparative", "exploratory"})


def joins(query_type: QueryType, parts: int) -> bool:
    """Whether an answer joins things: by the type of the question, or because it asks several."""
    return query_type in JOINING or parts > 1


def graph_weights(
    query_type: QueryType, confidence: float, *, has_entities: bool, parts: int
) -> RetrieverWeights:
    """The weights of a question where there is a graph.

    A message of several questions is not surely about one fact, however sure its type is.
    """
    if not joins(query_type, parts):
        return ONLY_VECTOR
    if parts > 1:
        confidence = min(confidence, SURE_FACT)
    return weights_for(query_type, confidence, has_entities=has_entities, has_graph=True)


def most_of_graph(weights: RetrieverWeights, k: int) -> int:
    """How many of ``k`` passages may come from the graph: what the weights say, within bounds."""
    if "graph" not in runs(weights):
        return 0
    _, allowed = caps(weights, passages=k, entities=k)
    return min(allowed, max(1, round(MOST_OF_GRAPH * k)))


def joined(
    found: Sequence[str],
    led_to: Sequence[str],
    section_of: Mapping[str, str],
    *,
    most: int,
    weights: RetrieverWeights,
) -> list[str]:
    """As many passages as were found, up to ``most`` of them new ones that the graph led to.

    The new ones are of different sections: the graph's few places are for what else there is.
    Room is made by further passages of sections that a better one stands for, then by the last.

    Args:
        found: chunk ids of the search, best first.
        led_to: chunk ids that the graph led to, best first.
        section_of: for each of these what tells its section from others.
        most: of the new ones.
        weights: that decide the order.
    """
    known = set(found)
    first = {section_of[each]: each for each in reversed(led_to) if each not in known}
    new = [each for each in led_to if first.get(section_of[each]) == each][:most]
    kept = _room(found, section_of, len(new))
    chosen = {*kept, *new}
    rankings = {
        "vector": [(each, 0.0) for each in kept],
        "graph": [(each, 0.0) for each in led_to if each in chosen],
    }
    order = reciprocal_rank(rankings, {"vector": weights.vector, "graph": weights.graph})
    return [each for each, _ in order]


def most_of_ties(k: int) -> int:
    """How many of ``k`` passages may come from sections that a reference ties to the best ones."""
    return int(MOST_OF_GRAPH * k)


def followed(
    found: Sequence[str], near: Mapping[str, float], section_of: Mapping[str, str], *, most: int
) -> list[str]:
    """What was found, and after it up to ``most`` passages of other sections, the nearest first.

    Room is made as by ``joined``.

    Args:
        found: chunk ids of the search, best first.
        near: relevance to the question of other passages, by chunk id.
        section_of: for each of all these what tells its section from others.
        most: of the new ones.
    """
    known = {section_of[each] for each in found}
    new: dict[str, str] = {}
    for each in sorted(near, key=lambda name: (-near[name], name)):
        if section_of[each] not in known:
            new.setdefault(section_of[each], each)
    chosen = list(new.values())[:most]
    return [*_room(found, section_of, len(chosen)), *chosen]


def _room(found: Sequence[str], section_of: Mapping[str, str], places: int) -> list[str]:
    seen: Counter[str] = Counter()
    further = []
    for each in found:
        seen[section_of[each]] += 1
        if seen[section_of[each]] > 1:
            further.append(each)
    leaving = set(further[::-1][:places])
    kept = [each for each in found if each not in leaving]
    return kept[: max(0, len(found) - places)]
