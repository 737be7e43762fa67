"""What holds for all weights, confidences and numbers of results."""

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from services.language.query.values import QueryType
from services.retrieval.graph_share import (
    LOW_CONFIDENCE,
    RetrieverWeights,
    adjusted,
    caps,
    confidence_shift,
    weights_for,
)

share = st.floats(0, 1, allow_nan=False)
maybe = st.none() | share
weights = share.map(
    lambda vector: RetrieverWeights(vector=round(vector, 9), graph=round(1 - round(vector, 9), 9))
)


@given(st.sampled_from(get_args(QueryType)), share, st.booleans(), st.booleans())
def test_weights_add_up(kind: QueryType, confidence: float, entities: bool, graph: bool) -> None:
    found = weights_for(kind, confidence, has_entities=entities, has_graph=graph)
    assert round(found.vector + found.graph, 9) == 1.0
    assert graph or found.graph == 0.0


@given(weights, maybe, maybe, st.booleans())
def test_adjusting_keeps_the_sum(
    before: RetrieverWeights, vector: float | None, graph: float | None, has_graph: bool
) -> None:
    after = adjusted(before, vector_confidence=vector, graph_confidence=graph, has_graph=has_graph)
    assert round(after.vector + after.graph, 9) == 1.0
    assert 0.0 <= after.vector <= 1.0
    assert has_graph or after == before


@given(weights, share, share)
def test_worse_passages_never_gain(before: RetrieverWeights, one: float, other: float) -> None:
    worse, better = sorted((one, other))
    less = adjusted(before, vector_confidence=worse, graph_confidence=1.0, has_graph=True)
    more = adjusted(before, vector_confidence=better, graph_confidence=1.0, has_graph=True)
    assert less.vector <= more.vector <= before.vector


@given(share)
def test_shift_is_bounded_and_falls_with_confidence(confidence: float) -> None:
    shift = confidence_shift(confidence)
    assert 0.0 <= shift <= 0.3
    assert confidence < LOW_CONFIDENCE or shift == 0.0
    assert shift >= confidence_shift(min(1.0, confidence + 0.1))


@given(weights, st.integers(0, 50), st.integers(0, 50))
def test_caps_stay_within_what_was_found(
    given_weights: RetrieverWeights, passages: int, entities: int
) -> None:
    most_passages, most_entities = caps(given_weights, passages=passages, entities=entities)
    assert 0 <= most_passages <= passages
    assert 0 <= most_entities <= entities
    assert (most_passages > 0) == (passages > 0 and given_weights.vector > 0)
    assert abs(most_passages - passages * given_weights.vector) <= 1
