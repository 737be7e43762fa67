import pytest

from services.retrieval.fusion import merge, min_max_sum, reciprocal_rank

VECTOR = [("a", 0.9), ("b", 0.8), ("c", 0.7)]
KEYWORD = [("c", 0.5), ("d", 0.1)]


def test_reciprocal_rank_adds_up_places() -> None:
    fused = dict(reciprocal_rank({"vector": VECTOR, "keyword": KEYWORD}, {}))
    assert fused["a"] == pytest.approx(1 / 61)
    assert fused["c"] == pytest.approx(1 / 63 + 1 / 61)
    assert next(iter(fused)) == "c"


def test_min_max_sum_is_the_weighted_mean_of_stretched_scores() -> None:
    fused = dict(min_max_sum({"vector": VECTOR, "keyword": KEYWORD}, {"vector": 2, "keyword": 1}))
    assert fused == {
        "a": pytest.approx(2 / 3),
        "b": pytest.approx(1 / 3),
        "c": pytest.approx(1 / 3),
        "d": pytest.approx(0.0),
    }


def test_a_strategy_that_found_nothing_takes_no_share() -> None:
    assert dict(min_max_sum({"vector": VECTOR, "keyword": []}))["a"] == pytest.approx(1.0)


def test_a_label_outweighs_every_other_strategy() -> None:
    fused = min_max_sum(
        {"vector": VECTOR, "keyword": [("a", 1.0), ("b", 0.1)], "label": [("z", 1.0)]}
    )
    assert fused[0][0] == "z"


def test_merge_keeps_the_best_score_of_an_id() -> None:
    assert merge([[("a", 0.2), ("b", 0.1)], [("b", 0.7)]]) == [("b", 0.7), ("a", 0.2)]
