"""Fusion, decay, blend and selection: the worked examples of the design, to three decimals."""

import pytest

from services.domain import SearchOptions
from services.retrieval.embedders import Calibration
from services.retrieval.scoring import (
    Candidate,
    evidence_sum,
    freshness,
    merge,
    named_first,
    reciprocal_rank,
    select,
)

VECTOR = [("a", 0.9), ("b", 0.8), ("c", 0.7)]
KEYWORD = [("c", 0.5), ("d", 0.1)]
CALIBRATION = Calibration(low=0.5, high=0.6)


def test_reciprocal_rank_adds_up_places() -> None:
    fused = dict(reciprocal_rank({"vector": VECTOR, "keyword": KEYWORD}, {}))
    assert fused["a"] == pytest.approx(1 / 61)
    assert fused["c"] == pytest.approx(1 / 63 + 1 / 61)
    assert next(iter(fused)) == "c"


def test_evidence_adds_up_on_scales_of_its_own() -> None:
    """The floor is 0.3, all keywords weigh 0.4, so a sum of 1.1 is the highest possible."""
    fused = evidence_sum(VECTOR, KEYWORD, CALIBRATION, depth=5)
    assert dict(fused) == {
        "a": pytest.approx(0.6 / 1.1),
        "b": pytest.approx(0.5 / 1.1),
        "c": pytest.approx((0.4 + 0.2) / 1.1),
        "d": pytest.approx((0.4 + 0.04) / 1.1),
    }
    assert {name for name, _ in fused[:2]} == {"a", "c"}


def test_what_a_full_ranking_leaves_out_counts_like_its_last() -> None:
    fused = dict(evidence_sum(VECTOR, KEYWORD, CALIBRATION, depth=2))
    assert fused["a"] == pytest.approx((0.6 + 0.04) / 1.1)


def test_weak_words_do_not_overrule_meaning() -> None:
    """Where the best chunk has few of the words, its rank in keyword search counts for little."""
    strong = evidence_sum(VECTOR, [("c", 0.8)], CALIBRATION, depth=5)
    weak = evidence_sum(VECTOR, [("c", 0.1)], CALIBRATION, depth=5)
    assert strong[0][0] == "c"
    assert weak[0][0] == "a"


def test_named_chunks_come_first_in_their_order_whether_found_or_not() -> None:
    ranking = named_first([("a", 0.9), ("b", 0.4), ("c", 0.2)], ["z", "b"])
    assert [name for name, _ in ranking] == ["b", "z", "a", "c"]
    assert dict(ranking)["b"] == pytest.approx(0.7)


def test_merge_keeps_the_best_score_of_an_id() -> None:
    assert merge([[("a", 0.2), ("b", 0.1)], [("b", 0.7)]]) == [("b", 0.7), ("a", 0.2)]


def test_a_much_newer_document_wins_over_a_little_nearer_one() -> None:
    near = Candidate("near", "b", score=0.9, relevance=0.90, freshness=freshness(200, 0.005))
    new = Candidate("new", "a", score=0.8, relevance=0.85, freshness=freshness(10, 0.005))
    assert [name for name, _ in select([near, new], SearchOptions())] == ["near", "new"]
    ranked = select([near, new], SearchOptions(freshness_weight=0.3))
    assert ranked == [
        ("new", pytest.approx(0.880, abs=0.0005)),
        ("near", pytest.approx(0.740, abs=0.0005)),
    ]
