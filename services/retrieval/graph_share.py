"""How much passages and the knowledge graph count for a question: pure functions.

Weights by the type of question with three overrides; a retriever below 0.15 is skipped; after the
search low confidence in one moves weight to the other, which may make a skipped one run after all;
the weights cap how much of each reaches the context. Without a graph passages count for everything.
Weights are kept to nine digits, so that a value on a border stays on it.

Measured on the sample laws (docs/graph-search.md): for a question that joins things, the first one
or two passages of the graph bring the second section; further ones bring nothing, and each takes
the place of a passage that the search had found. For a question about one thing every passage that
a walk leads to costs some. So the graph is walked only where an answer joins things, and never
replaces the search, not even for exploratory questions, which the weights would leave to it alone.
Every other question follows the references of the best passages one step, either way, and keeps
what is nearest to the question.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from services.domain.value import Value
from services.language.query.values import QueryType
from services.retrieval.scoring import reciprocal_rank

Mode = Literal["hybrid", "vector_only", "graph_only", "adaptive"]
Retriever = Literal["vector", "graph"]

SKIP_BELOW: Final = 0.15
LOW_CONFIDENCE: Final = 0.3
MOST_SHIFT: Final = 0.3
SURE_FACT: Final = 0.7
_DIGITS: Final = 9


class RetrieverWeights(Value):
    """Shares of both retrievers; they add up to 1."""

    vector: float
    graph: float
    mode: Mode = "hybrid"


WEIGHTS: Final[dict[QueryType, RetrieverWeights]] = {
    "factual": RetrieverWeights(vector=0.7, graph=0.3),
    "relational": RetrieverWeights(vector=0.2, graph=0.8),
    "comparative": RetrieverWeights(vector=0.3, graph=0.7),
    "exploratory": RetrieverWeights(vector=0.1, graph=0.9, mode="graph_only"),
    "procedural": RetrieverWeights(vector=0.8, graph=0.2),
    "analytical": RetrieverWeights(vector=0.5, graph=0.5),
    "unknown": RetrieverWeights(vector=0.6, graph=0.4),
}
ONLY_VECTOR: Final = RetrieverWeights(vector=1.0, graph=0.0, mode="vector_only")
ONLY_GRAPH: Final = RetrieverWeights(vector=0.0, graph=1.0, mode="graph_only")
EVEN: Final = RetrieverWeights(vector=0.5, graph=0.5)
ADAPTIVE: Final = RetrieverWeights(vector=0.5, graph=0.5, mode="adaptive")


def weights_for(
    query_type: QueryType, confidence: float, *, has_entities: bool, has_graph: bool
) -> RetrieverWeights:
    """The weights of a question before anything is searched.

    ``confidence`` in the type is 0-1; ``has_entities``: the graph could be asked for something.
    """
    if not has_graph or (query_type == "factual" and confidence > SURE_FACT):
        return ONLY_VECTOR
    if query_type == "exploratory":
        return ONLY_GRAPH
    if query_type == "relational" and not has_entities:
        return EVEN
    return WEIGHTS[query_type]


def runs(weights: RetrieverWeights) -> tuple[Retriever, ...]:
    """The retrievers that are worth running: those with at least 0.15."""
    shares: dict[Retriever, float] = {"vector": weights.vector, "graph": weights.graph}
    return tuple(name for name, share in shares.items() if round(share, _DIGITS) >= SKIP_BELOW)


def confidence_shift(confidence: float) -> float:
    """The weight that a retriever loses for its results, 0-0.3: the poorer, the more.

    ``confidence`` in them is 0-1; from ``LOW_CONFIDENCE`` on nothing is lost.
    """
    shift = MOST_SHIFT * (1 - confidence / LOW_CONFIDENCE)
    return round(min(MOST_SHIFT, max(0.0, shift)), _DIGITS)


def adjusted(
    weights: RetrieverWeights,
    *,
    vector_confidence: float | None,
    graph_confidence: float | None,
    has_graph: bool,
) -> RetrieverWeights:
    """The weights after the search.

    A confidence is that in what was found, None where nothing was searched.
    """
    if not has_graph:
        return weights
    vector = 1.0 if vector_confidence is None else vector_confidence
    graph = 1.0 if graph_confidence is None else graph_confidence
    if max(vector, graph) < LOW_CONFIDENCE:
        return ADAPTIVE
    return _moved(weights, confidence_shift(graph) - confidence_shift(vector))


def caps(weights: RetrieverWeights, *, passages: int, entities: int) -> tuple[int, int]:
    """How many passages and how many entities reach the context.

    In proportion to the adjusted weights, halves rounded up; at least one of what has any weight,
    none of what has none.
    """
    return _cap(passages, weights.vector), _cap(entities, weights.graph)


def _moved(weights: RetrieverWeights, to_vector: float) -> RetrieverWeights:
    """Weight moved from the graph to the passages, or the other way if negative."""
    vector = round(min(1.0, max(0.0, weights.vector + to_vector)), _DIGITS)
    if vector == weights.vector:
        return weights
    return RetrieverWeights(vector=vector, graph=round(1.0 - vector, _DIGITS))


def _cap(found: int, weight: float) -> int:
    if weight <= 0 or found == 0:
        return 0
    return min(found, max(1, int(round(found * weight, _DIGITS) + 0.5)))


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
    from_graph: Sequence[str],
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
        from_graph: chunk ids that the graph led to, best first.
        section_of: for each of these what tells its section from others.
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

    ``near`` has the relevance of other passages to the question, the rest is as in ``joined``.
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
