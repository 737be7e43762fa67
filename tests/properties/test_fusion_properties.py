"""Fusion must respect agreement, must stay in bounds, and must not depend on order of input."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.retrieval.embedders import Calibration
from services.retrieval.scoring import (
    Ranking,
    evidence_sum,
    named_first,
    rank_by_score,
    reciprocal_rank,
)

scores = st.floats(min_value=-1.0, max_value=1.0, allow_nan=False).map(lambda x: round(x, 4))
shares = st.floats(min_value=0.0, max_value=1.0, allow_nan=False).map(lambda x: round(x, 4))
names = st.sampled_from("abcdefghij")
ranking = st.dictionaries(names, scores, max_size=10).map(rank_by_score)
keyword = st.dictionaries(names, shares, max_size=10).map(rank_by_score)
rankings = st.dictionaries(st.sampled_from(["vector", "keyword", "graph"]), ranking, max_size=3)
weights = st.fixed_dictionaries(
    {name: st.floats(min_value=0.1, max_value=10) for name in ("vector", "keyword", "graph")}
)
calibrations = st.tuples(shares, st.floats(min_value=0.01, max_value=0.5)).map(
    lambda pair: Calibration(low=pair[0] * 0.5, high=pair[0] * 0.5 + pair[1])
)
depths = st.integers(min_value=1, max_value=12)


@settings(deadline=None)
@given(found=rankings, weight=weights)
def test_reciprocal_rank_has_every_id_once_within_bounds(
    found: dict[str, Ranking], weight: dict[str, float]
) -> None:
    fused = reciprocal_rank(found, weight)
    names = [name for name, _ in fused]
    assert sorted(names) == sorted({i for r in found.values() for i, _ in r})
    assert fused == sorted(fused, key=lambda item: (-item[1], item[0]))
    assert all(0 < score <= sum(weight.values()) / 61 + 1e-9 for _, score in fused)


@settings(deadline=None)
@given(found=rankings, weight=weights, factor=st.floats(min_value=0.5, max_value=8))
def test_reciprocal_rank_looks_at_ranks_alone(
    found: dict[str, Ranking], weight: dict[str, float], factor: float
) -> None:
    scaled = {name: [(i, s * factor + 3) for i, s in r] for name, r in found.items()}
    assert reciprocal_rank(scaled, weight) == reciprocal_rank(found, weight)
    backwards = dict(reversed(found.items()))
    assert dict(reciprocal_rank(backwards, weight)) == pytest.approx(
        dict(reciprocal_rank(found, weight))
    )


@settings(deadline=None)
@given(vector=ranking, words=keyword, calibration=calibrations, depth=depths)
def test_evidence_has_every_id_once_best_first_and_at_most_one(
    vector: Ranking, words: Ranking, calibration: Calibration, depth: int
) -> None:
    fused = evidence_sum(vector, words, calibration, depth=depth)
    assert {name for name, _ in fused} == {name for name, _ in [*vector, *words]}
    assert len(fused) == len(dict(fused))
    assert fused == sorted(fused, key=lambda item: (-item[1], item[0]))
    assert all(score <= 1 + 1e-9 for _, score in fused)


@settings(deadline=None)
@given(found=ranking, calibration=calibrations, depth=depths)
def test_meaning_alone_keeps_its_order(
    found: Ranking, calibration: Calibration, depth: int
) -> None:
    fused = dict(evidence_sum(found, [], calibration, depth=depth))
    values = [fused[name] for name, _ in found]
    assert values == sorted(values, reverse=True)


@settings(deadline=None)
@given(vector=ranking, words=keyword, calibration=calibrations, depth=depths)
def test_what_is_first_in_both_is_first(
    vector: Ranking, words: Ranking, calibration: Calibration, depth: int
) -> None:
    led = evidence_sum(
        [("winner", 1.1), *vector], [("winner", 1.1), *words], calibration, depth=depth
    )
    assert led[0][0] == "winner"


@settings(deadline=None)
@given(vector=ranking, words=keyword, calibration=calibrations, depth=depths, named=st.sets(names))
def test_named_chunks_come_before_all_others(
    vector: Ranking, words: Ranking, calibration: Calibration, depth: int, named: set[str]
) -> None:
    ranked = evidence_sum(vector, words, calibration, depth=depth)
    order = [name for name, _ in named_first(ranked, named)]
    assert set(order[: len(named)]) == named


def test_nothing_gives_nothing() -> None:
    assert reciprocal_rank({}, {}) == reciprocal_rank({"vector": []}, {}) == []
    assert evidence_sum([], [], Calibration(low=0.2, high=0.6), depth=10) == []
