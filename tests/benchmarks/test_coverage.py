"""What counts as having found a passage."""

import pytest

from tests.benchmarks.compare_chunking import measured
from tests.benchmarks.coverage import Place, covered_share, is_covered, reciprocal_rank, within

GOLD = Place("a", 100, 120)


def test_a_passage_divided_by_a_border_is_covered_by_both_parts_together() -> None:
    parts = [Place("a", 0, 106), Place("b", 100, 120), Place("a", 116, 200)]
    assert covered_share(GOLD, parts) == pytest.approx(0.5)
    assert is_covered([GOLD], parts)
    assert not is_covered([GOLD], parts[:2])


def test_shared_characters_of_overlapping_chunks_count_once_in_the_passage() -> None:
    assert covered_share(GOLD, [Place("a", 90, 108), Place("a", 98, 109)]) == pytest.approx(0.45)


def test_any_alternative_passage_will_do() -> None:
    assert is_covered([GOLD, Place("b", 0, 10)], [Place("b", 0, 6)])


def test_a_budget_cuts_the_last_place_and_counts_repeated_characters() -> None:
    places = [Place("a", 0, 60), Place("a", 50, 110), Place("a", 200, 300)]
    assert within(places, 100) == [Place("a", 0, 60), Place("a", 50, 90)]
    assert within(places, 120) == places[:2]


def test_rank_is_that_of_the_first_place_that_touches_a_passage() -> None:
    places = [Place("b", 100, 120), Place("a", 0, 100), Place("a", 119, 130)]
    assert reciprocal_rank([GOLD], places) == pytest.approx(1 / 3)
    assert reciprocal_rank([GOLD], places[:2]) == 0


def test_figures_of_a_search_by_chunks_and_by_characters() -> None:
    found = [Place("b", n * 900, (n + 1) * 900) for n in range(6)] + [Place("a", 0, 900)]
    assert measured([GOLD], found) == {
        "@5": 0,
        "@10": 1,
        "in 3000": 0,
        "in 6000": 1,
        "MRR": pytest.approx(1 / 7),
        "characters": 6300,
    }
    assert measured([GOLD._replace(start=650, end=700)], found)["in 6000"] == 0
