"""Fusion across sub-queries depends on the rankings alone, never on their order."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retrieval.scoring import Ranking, rank_by_score
from services.structured.rules import fuse_queries

NAMES = st.sampled_from("abcdefghij")
RANKING = st.dictionaries(NAMES, st.floats(0.0, 1.0), max_size=10).map(rank_by_score)
RANKINGS = st.lists(RANKING, max_size=6)


@given(RANKINGS, st.randoms())
def test_the_order_of_the_sub_queries_does_not_matter(
    rankings: list[Ranking], random: Random
) -> None:
    shuffled = list(rankings)
    random.shuffle(shuffled)
    assert fuse_queries(shuffled) == fuse_queries(rankings)


@given(RANKINGS)
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
