"""Fusion, decay, blend and selection: the worked examples of the design, to three decimals."""

import pytest

from services.domain import SearchOptions
from services.retrieval.embedders import Calibration
from services.retrieval.scoring import (
    evidence_sum,
    freshness,
    merge,
    named_first,
    reciprocal_rank,
    select,
)
from tests.contracts.reranker_contract import passage

VECTOR = [("a", 0.9), ("b", 0.8), ("c", 0.7)]
KEYWORD = [("c", 0.5), ("d", 0.1)]
CALIBRATION = Calibration(low=0.5, high=0.6)


def test_rankings_become_one() -> None:
    fused = reciprocal_rank({"vector": VECTOR, "keyword": KEYWORD}, {})
    assert fused[0] == ("c", pytest.approx(1 / 63 + 1 / 61))
    assert dict(fused)["a"] == pytest.approx(1 / 61)
    assert merge([[("a", 0.2), ("b", 0.1)], [("b", 0.7)]]) == [("b", 0.7), ("a", 0.2)]
    ranking = named_first([("a", 0.9), ("b", 0.4), ("c", 0.2)], ["z", "b"])
    assert [name for name, _ in ranking] == ["b", "z", "a", "c"]
    assert dict(ranking)["b"] == pytest.approx(0.7)


def test_evidence_adds_up_on_scales_of_its_own() -> None:
    """The floor is 0.3, all keywords weigh 0.4, so a sum of 1.1 is the highest possible."""
    fused = evidence_sum(VECTOR, KEYWORD, CALIBRATION, depth=5)
    sums = {"a": 0.6, "b": 0.5, "c": 0.4 + 0.2, "d": 0.4 + 0.04}
    assert dict(fused) == {name: pytest.approx(total / 1.1) for name, total in sums.items()}
    assert {name for name, _ in fused[:2]} == {"a", "c"}
    full = dict(evidence_sum(VECTOR, KEYWORD, CALIBRATION, depth=2))
    assert full["a"] == pytest.approx((0.6 + 0.04) / 1.1), "what it leaves out counts like its last"
    for share, best in ((0.8, "c"), (0.1, "a")):  # weak words do not overrule meaning
        assert evidence_sum(VECTOR, [("c", share)], CALIBRATION, depth=5)[0][0] == best


def test_a_much_newer_document_wins_over_a_little_nearer_one() -> None:
    near, new = (
        passage("").model_copy(update={"chunk_id": name, "score": score, "relevance": relevance})
        for name, score, relevance in (("near", 0.9, 0.90), ("new", 0.8, 0.85))
    )
    fresh = {"near": freshness(200, 0.005), "new": freshness(10, 0.005)}
    assert select([near, new], SearchOptions(), fresh) == [near, new]
    blended = [("new", 0.880), ("near", 0.740)]
    ranked = select([near, new], SearchOptions(freshness_weight=0.3), fresh)
    assert [(hit.chunk_id, hit.score) for hit in ranked] == [
        (name, pytest.approx(score, abs=0.0005)) for name, score in blended
    ]
