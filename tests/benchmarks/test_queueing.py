"""The simulation of searches beside one another, where the answer is known."""

from statistics import mean

import pytest

from tests.benchmarks.queueing import simulated


def test_who_searches_alone_waits_for_nobody() -> None:
    took = simulated([0.1, 0.3], {1: 1.0}, (1, 0.5), 1_000)
    assert sorted({round(each, 6) for each in took}) == [0.1, 0.3]


def test_all_together_get_no_more_done_than_the_machine_can() -> None:
    took = simulated([0.1], {1: 1.0, 2: 1.5}, (12, 0.001), 100)
    assert len(took) / 100 == pytest.approx(15, rel=0.02)
    assert mean(took) == pytest.approx(12 / 15, rel=0.02)


def test_one_server_with_arrivals_by_chance_is_as_long_as_the_formula_says() -> None:
    """Many clients that pause long arrive by chance: mean time is service / (1 - use)."""
    took = simulated([0.1], {1: 1.0}, (400, 80.0), 40_000)
    assert mean(took) == pytest.approx(0.1 / (1 - 400 * 0.1 / 80), rel=0.05)
