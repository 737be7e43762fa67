"""How much passages and the knowledge graph count for a question: pure functions.

Four steps: weights by the type of question with three overrides; a retriever below 0.15 is skipped;
after the search low confidence in one moves weight to the other, which may make a skipped one run
after all; the weights cap how much of each reaches the context. Without a graph passages count
for everything. Weights are kept to nine digits, so that a value on a border stays on it.
"""

from typing import Final, Literal

from services.query.values import QueryType
from services.value import Value

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

    Args:
        query_type: what kind of answer is wanted.
        confidence: in the type, 0-1.
        has_entities: whether anything was found that the graph could be asked for.
        has_graph: whether there is a graph at all.
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
    shares: tuple[tuple[Retriever, float], ...] = (
        ("vector", weights.vector),
        ("graph", weights.graph),
    )
    return tuple(name for name, share in shares if round(share, _DIGITS) >= SKIP_BELOW)


def confidence_shift(confidence: float, threshold: float = LOW_CONFIDENCE) -> float:
    """The weight that a retriever loses for its results, 0-0.3: the poorer, the more.

    Args:
        confidence: in the results, 0-1; from the threshold on nothing is lost.
        threshold: above 0.
    """
    shift = MOST_SHIFT * (1 - confidence / threshold)
    return round(min(MOST_SHIFT, max(0.0, shift)), _DIGITS)


def adjusted(
    weights: RetrieverWeights,
    *,
    vector_confidence: float | None,
    graph_confidence: float | None,
    has_graph: bool,
    threshold: float = LOW_CONFIDENCE,
) -> RetrieverWeights:
    """The weights after the search.

    Args:
        weights: those that the search went by.
        vector_confidence: in the passages found, None if they were not searched.
        graph_confidence: in what the graph gave, None if it was not asked.
        has_graph: whether there is a graph to move weight to.
        threshold: confidence below it is low.
    """
    if not has_graph:
        return weights
    vector_low = vector_confidence is not None and vector_confidence < threshold
    graph_low = graph_confidence is not None and graph_confidence < threshold
    if vector_low and graph_low:
        return ADAPTIVE
    if vector_low and vector_confidence is not None:
        return _moved(weights, -confidence_shift(vector_confidence, threshold))
    if graph_low and graph_confidence is not None:
        return _moved(weights, confidence_shift(graph_confidence, threshold))
    return weights


def caps(weights: RetrieverWeights, *, passages: int, entities: int) -> tuple[int, int]:
    """How many passages and how many entities reach the context.

    In proportion to the weights, halves rounded up; at least one of what has any weight, none of
    what has none.

    Args:
        weights: after adjusting.
        passages: found.
        entities: found.
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
