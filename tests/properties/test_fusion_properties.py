"""Fusion must not depend on order of input, must respect agreement, and must stay in bounds."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.retrieval.fusion import merge, min_max_sum, ordered, reciprocal_rank

scores = st.floats(min_value=-1.0, max_value=1.0, allow_nan=False).map(lambda x: round(x, 4))
ranking = st.dictionaries(st.sampled_from("abcdefghij"), scores, max_size=10).map(ordered)
rankings = st.dictionaries(st.sampled_from(["vector", "keyword", "graph"]), ranking, max_size=3)
weights = st.fixed_dictionaries(
    {name: st.floats(min_value=0.1, max_value=10) for name in ("vector", "keyword", "graph")}
)
Fuse = Callable[..., list[tuple[str, float]]]
both = pytest.mark.parametrize("fuse", [reciprocal_rank, min_max_sum])


@both
@settings(deadline=None)
@given(found=rankings, weight=weights)
def test_every_id_once_best_first(
    fuse: Fuse, found: dict[str, list[tuple[str, float]]], weight: dict[str, float]
) -> None:
    fused = fuse(found, weight)
    names = [name for name, _ in fused]
    assert sorted(names) == sorted({i for r in found.values() for i, _ in r})
    assert fused == sorted(fused, key=lambda item: (-item[1], item[0]))


@both
@settings(deadline=None)
@given(found=rankings, weight=weights)
def test_the_order_of_the_strategies_does_not_matter(
    fuse: Fuse, found: dict[str, list[tuple[str, float]]], weight: dict[str, float]
) -> None:
    backwards = dict(reversed(found.items()))
    assert dict(fuse(found, weight)) == pytest.approx(dict(fuse(backwards, weight)))


@both
@settings(deadline=None)
@given(found=ranking, weight=weights)
def test_one_strategy_alone_keeps_its_order(
    fuse: Fuse, found: list[tuple[str, float]], weight: dict[str, float]
) -> None:
    fused = dict(fuse({"vector": found}, weight))
    values = [fused[name] for name, _ in found]
    assert values == sorted(values, reverse=True)


@both
@settings(deadline=None)
@given(found=rankings, weight=weights)
def test_what_is_first_everywhere_is_first(
    fuse: Fuse, found: dict[str, list[tuple[str, float]]], weight: dict[str, float]
) -> None:
    led = {name: [("winner", 2.0), *rest] for name, rest in found.items()}
    if led:
        assert fuse(led, weight)[0][0] == "winner"


@settings(deadline=None)
@given(found=rankings, weight=weights)
def test_bounds(found: dict[str, list[tuple[str, float]]], weight: dict[str, float]) -> None:
    assert all(-1e-9 <= score <= 1 + 1e-9 for _, score in min_max_sum(found, weight))
    highest = sum(weight.values()) / 61
    assert all(0 < score <= highest + 1e-9 for _, score in reciprocal_rank(found, weight))


@settings(deadline=None)
@given(found=rankings, weight=weights, factor=st.floats(min_value=0.5, max_value=8))
def test_the_scale_of_scores_does_not_matter(
    found: dict[str, list[tuple[str, float]]], weight: dict[str, float], factor: float
) -> None:
    scaled = {name: [(i, s * factor + 3) for i, s in r] for name, r in found.items()}
    assert dict(min_max_sum(scaled, weight)) == pytest.approx(
        dict(min_max_sum(found, weight)), abs=1e-6
    )
    assert reciprocal_rank(scaled, weight) == reciprocal_rank(found, weight)


@settings(deadline=None)
@given(found=st.lists(ranking, max_size=4))
def test_merging_is_independent_of_order_and_repetition(
    found: list[list[tuple[str, float]]],
) -> None:
    assert merge(found) == merge(list(reversed(found))) == merge([*found, *found])


@both
def test_nothing_gives_nothing(fuse: Fuse) -> None:
    assert fuse({}) == fuse({"vector": []}) == []
