"""What holds for all weights, confidences and numbers of results."""

from hypothesis import given
from hypothesis import strategies as st

from services.retrieval.graph_share import (
    LOW_CONFIDENCE,
    adjust_weight,
    confidence_shift,
    max_graph_passages,
)

share = st.floats(0, 1, allow_nan=False)


@given(share, share, share | st.none())
def test_adjusting_keeps_within_bounds(before: float, vector: float, graph: float | None) -> None:
    assert 0.0 <= adjust_weight(before, vector_confidence=vector, graph_confidence=graph) <= 1.0


@given(share.map(lambda weight: round(weight, 9)), share, share)
def test_worse_passages_never_gain(before: float, one: float, other: float) -> None:
    worse, better = sorted((one, other))
    less = adjust_weight(before, vector_confidence=worse, graph_confidence=1.0)
    more = adjust_weight(before, vector_confidence=better, graph_confidence=1.0)
    assert less >= more >= before


@given(share)
def test_shift_is_bounded_and_falls_with_confidence(confidence: float) -> None:
    shift = confidence_shift(confidence)
    assert 0.0 <= shift <= 0.3
    assert confidence < LOW_CONFIDENCE or shift == 0.0
    assert shift >= confidence_shift(min(1.0, confidence + 0.1))


@given(share, st.integers(0, 50))
def test_the_graph_brings_a_fifth_at_most(weight: float, k: int) -> None:
    most = max_graph_passages(weight, k)
    assert 0 <= most <= min(k, max(1, round(k / 5)))
    assert (most > 0) == (k > 0 and weight > 0)
