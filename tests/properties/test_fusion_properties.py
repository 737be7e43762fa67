"""Fusion and reordering respect agreement, stay in bounds, and do not depend on order of input."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.domain import StrategyScore
from services.retrieval.embedders import Calibration
from services.retrieval.graph_share import (
    LOW_CONFIDENCE,
    adjust_weight,
    confidence_shift,
    max_graph_passages,
)
from services.retrieval.rerank import reorder
from services.retrieval.scoring import (
    Ranking,
    evidence_sum,
    named_first,
    rank_by_score,
    reciprocal_rank,
)
from services.structured.rules import fuse_queries
from tests.contracts.reranker_contract import passage

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
keyword_rankings = st.lists(keyword, max_size=6)
share = st.floats(0, 1, allow_nan=False)
scores_of = st.dictionaries(
    st.integers(0, 29).map("c{}".format), st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]), max_size=30
)
VECTOR = StrategyScore(rank=7, score=0.5)


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


@given(keyword_rankings, st.randoms())
def test_the_order_of_the_sub_queries_does_not_matter(
    rankings: list[Ranking], random: Random
) -> None:
    shuffled = list(rankings)
    random.shuffle(shuffled)
    assert fuse_queries(shuffled) == fuse_queries(rankings)


@given(keyword_rankings)
def test_equal_scores_are_ordered_by_id_and_every_passage_comes_once(
    rankings: list[Ranking],
) -> None:
    fused = fuse_queries(rankings)
    assert fused == sorted(fused, key=lambda each: (-each[1], each[0]))
    found = {name for ranking in rankings for name, _ in ranking}
    assert {name for name, _ in fused} == found


def test_the_score_is_that_of_the_design() -> None:
    fused = dict(fuse_queries([[("a", 9.0), ("b", 1.0)], [("b", 5.0)]]))
    assert fused["a"] == pytest.approx(1 / 61 * (1 + 1 / 2))
    assert fused["b"] == pytest.approx((1 / 62 + 1 / 61) * (1 + 2 / 2))


def test_what_more_sub_queries_found_comes_first() -> None:
    assert fuse_queries([[("a", 1.0), ("b", 0.5)], [("c", 1.0), ("b", 0.5)]])[0][0] == "b"


def test_no_sub_queries_give_nothing() -> None:
    assert fuse_queries([]) == []


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


@given(count=st.integers(0, 30), scores=scores_of)
def test_reorder(count: int, scores: dict[str, float]) -> None:
    hits = [
        passage("", number).model_copy(update={"explain": {"vector": VECTOR}})
        for number in range(count)
    ]
    ordered = reorder(hits, scores)
    scored = [each for each in ordered if each.chunk_id in scores]
    assert sorted(each.chunk_id for each in ordered) == sorted(each.chunk_id for each in hits)
    for before, after in zip(hits, ordered, strict=True):
        assert (before.chunk_id in scores) == (after.chunk_id in scores)
        if after.chunk_id not in scores:
            assert after == before
    # Best first, and equals in the order that they had.
    keys = [(-scores[each.chunk_id], int(each.chunk_id[1:])) for each in scored]
    assert keys == sorted(keys)
    for rank, each in enumerate(scored, start=1):
        reranked = StrategyScore(rank=rank, score=scores[each.chunk_id])
        assert each.explain == {"vector": VECTOR, "rerank": reranked}
