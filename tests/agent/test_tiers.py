"""Rules of evidence and of convergence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.research.tiers import TIER_WEIGHT, classify, converged, dedup_ratio, drifted

SOURCES = st.sampled_from(["vector_search", "reference", "graph", "hitl"])


@pytest.mark.parametrize(
    ("relevance", "depth", "source_type", "entity", "tier"),
    [
        (0.60, 0, "vector_search", False, 1),
        (0.59, 0, "vector_search", False, 2),
        (0.50, 0, "vector_search", True, 1),
        (0.39, 0, "vector_search", False, 3),
        (0.29, 0, "vector_search", False, None),
        (0.95, 1, "reference", False, 2),
        (0.95, 2, "reference", True, 3),
        (0.95, 1, "graph", True, 2),
        (0.95, 2, "graph", True, 3),
        (0.95, 0, "hitl", True, 3),
    ],
)
def test_classify(
    relevance: float, depth: int, source_type: str, entity: bool, tier: int | None
) -> None:
    found = classify(relevance=relevance, depth=depth, source_type=source_type, entity_match=entity)
    assert found == tier


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 4), SOURCES, st.booleans())
def test_more_relevance_never_lowers_the_tier(
    a: float, b: float, depth: int, source_type: str, entity: bool
) -> None:
    low, high = sorted((a, b))
    worse = classify(relevance=low, depth=depth, source_type=source_type, entity_match=entity)
    better = classify(relevance=high, depth=depth, source_type=source_type, entity_match=entity)
    assert worse is None or (better is not None and better <= worse)


def test_weights_fall_with_the_tier() -> None:
    assert TIER_WEIGHT[1] > TIER_WEIGHT[2] > TIER_WEIGHT[3] > 0


@pytest.mark.parametrize(("tier", "threshold"), [(1, 0.5), (2, 0.4), (3, 0.3)])
def test_drift_threshold_itself_is_kept(tier: int, threshold: float) -> None:
    assert not drifted(tier=tier, relevance=threshold)
    assert drifted(tier=tier, relevance=threshold - 0.001)


def test_dedup_ratio_without_hits_is_zero() -> None:
    assert dedup_ratio(hits=0, seen=0) == 0
    assert dedup_ratio(hits=4, seen=3) == 0.75


@pytest.mark.parametrize(
    ("coverage", "dedup", "gaps", "expected"),
    [
        (0.8, 0.7, 2, True),
        (0.79, 0.7, 2, False),
        (0.8, 0.69, 2, False),
        (0.8, 0.7, 3, False),
    ],
)
def test_convergence_needs_all_three(
    coverage: float, dedup: float, gaps: int, expected: bool
) -> None:
    assert converged(coverage=coverage, dedup=dedup, gaps=gaps) is expected
