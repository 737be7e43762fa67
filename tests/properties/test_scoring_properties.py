"""Scores stay in 0-1 and grow with what they are made of."""

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.retrieval.embedders import Calibration
from services.retrieval.embedders.base import E5_CALIBRATION
from services.retrieval.scoring import bm25_ceiling, clamp, idf, noisy_or

cosines = st.floats(min_value=-1.0, max_value=1.0, allow_nan=False)
shares = st.floats(min_value=0.0, max_value=1.0, allow_nan=False)


@st.composite
def calibrations(draw: st.DrawFn) -> Calibration:
    low = draw(st.floats(min_value=-0.9, max_value=0.9))
    return Calibration(low=low, high=low + draw(st.floats(min_value=0.01, max_value=1.0)))


@settings(deadline=None)
@given(calibration=calibrations(), a=cosines, b=cosines)
def test_relevance_is_bounded_and_monotonic(calibration: Calibration, a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert 0.0 <= calibration.relevance(low) <= calibration.relevance(high) <= 1.0


@settings(deadline=None)
@given(calibration=calibrations())
def test_low_and_high_mean_what_they_say(calibration: Calibration) -> None:
    assert calibration.relevance(calibration.low) == pytest.approx(0.1)
    assert calibration.relevance(calibration.high) == pytest.approx(0.9)
    middle = (calibration.low + calibration.high) / 2
    assert calibration.relevance(middle) == pytest.approx(0.5)


def test_the_bundled_model_separates_typical_cosines() -> None:
    assert E5_CALIBRATION.relevance(0.74) < 0.01
    assert E5_CALIBRATION.relevance(0.82) < 0.1
    assert E5_CALIBRATION.relevance(0.87) > 0.7


@pytest.mark.parametrize("cosine", [-inf, -1e9, 1e9, inf])
def test_relevance_survives_extremes(cosine: float) -> None:
    assert 0.0 <= E5_CALIBRATION.relevance(cosine) <= 1.0


@settings(deadline=None)
@given(evidence=st.lists(shares, max_size=5), more=shares)
def test_either_is_bounded_symmetric_and_grows(evidence: list[float], more: float) -> None:
    combined = noisy_or(*evidence)
    assert 0.0 <= combined <= 1.0
    assert combined >= max(evidence, default=0.0) - 1e-12
    assert noisy_or(*evidence, more) >= combined - 1e-12
    assert noisy_or(*reversed(evidence)) == pytest.approx(combined)
    assert noisy_or(*evidence, 0.0) == pytest.approx(combined)


@settings(deadline=None)
@given(documents=st.integers(0, 10**6), counts=st.lists(st.integers(0, 10**6), min_size=2))
def test_idf_is_positive_and_falls_with_frequency(documents: int, counts: list[int]) -> None:
    values = [idf(documents, count) for count in sorted(counts)]
    assert all(value > 0 for value in values)
    assert values == sorted(values, reverse=True)


@settings(deadline=None)
@given(
    idfs=st.lists(st.floats(min_value=0, max_value=20), min_size=1, max_size=9),
    frequency=st.integers(1, 1000),
    length=st.floats(min_value=0.01, max_value=100),
)
def test_no_bm25_score_exceeds_the_ceiling(
    idfs: list[float], frequency: int, length: float
) -> None:
    """``length`` is the chunk's length over the average."""
    k1, b = 1.2, 0.75
    saturation = frequency * (k1 + 1) / (frequency + k1 * (1 - b + b * length))
    assert sum(value * saturation for value in idfs) <= bm25_ceiling(idfs) * (1 + 1e-9)


@settings(deadline=None)
@given(value=st.floats(allow_nan=False))
def test_clamp(value: float) -> None:
    assert 0.0 <= clamp(value) <= 1.0
    assert clamp(clamp(value)) == clamp(value)
