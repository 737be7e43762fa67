"""Bootstrap intervals: what must hold for all values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from numpy.typing import NDArray

from services.evaluation.statistics import mean_interval, resampled_means

scores = st.lists(st.floats(0, 1), min_size=1, max_size=40).map(np.array)
few = limits(max_examples=40)


@few
@given(scores)
def test_an_interval_lies_within_the_values_and_is_repeatable(values: NDArray) -> None:
    interval = mean_interval(values)
    assert values.min() - 1e-9 <= interval.low <= interval.high <= values.max() + 1e-9
    assert interval == mean_interval(values)


@few
@given(scores, st.floats(-1, 1), st.floats(0.1, 3))
def test_shift_and_scale_carry_over(values: NDArray, shift: float, scale: float) -> None:
    plain, moved = mean_interval(values), mean_interval(scale * values + shift)
    assert moved.low == pytest.approx(scale * plain.low + shift, abs=1e-9)
    assert moved.high == pytest.approx(scale * plain.high + shift, abs=1e-9)


def test_the_interval_is_as_wide_as_theory_says() -> None:
    values = np.random.default_rng(7).normal(0.5, 0.2, size=400)
    interval = mean_interval(values)
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * 0.2 / 20, rel=0.15)
    assert resampled_means(values).std() == pytest.approx(0.01, rel=0.15)


def test_it_covers_the_true_mean_about_95_times_in_100() -> None:
    generator = np.random.default_rng(3)
    hits = 0
    for _ in range(100):
        interval = mean_interval((generator.random(60) < 0.7).astype(float))
        hits += interval.low <= 0.7 <= interval.high
    assert 88 <= hits <= 100


def test_no_questions_are_refused() -> None:
    with pytest.raises(ValueError, match="n > 0"):
        mean_interval(np.zeros(0))
