"""Which of the passages that references lead to get a place."""

from services.retrieval.graph_share import followed, most_of_ties

FOUND = ["a1", "a2", "b1", "c1"]
SECTION = {name: name[0] for name in (*FOUND, "b2", "d1", "d2", "e1", "f1")}


def test_the_nearest_passage_of_each_other_section_comes_last() -> None:
    near = {"d1": 0.2, "d2": 0.7, "e1": 0.5, "f1": 0.1}
    assert followed(FOUND, near, SECTION, most=2) == ["a1", "b1", "d2", "e1"]


def test_room_is_made_by_the_last_where_no_section_stands_twice() -> None:
    assert followed(["a1", "b1", "c1"], {"d1": 0.1}, SECTION, most=2) == ["a1", "b1", "d1"]


def test_sections_that_were_found_bring_nothing_more() -> None:
    assert followed(FOUND, {"b2": 0.9}, SECTION, most=2) == FOUND
    assert followed(FOUND, {}, SECTION, most=2) == FOUND


def test_equally_near_ones_are_told_apart_by_id() -> None:
    assert followed(FOUND, {"e1": 0.5, "d1": 0.5}, SECTION, most=1)[-1] == "d1"


def test_two_of_ten_places_and_none_of_a_few() -> None:
    assert [most_of_ties(k) for k in (1, 4, 5, 10, 15)] == [0, 0, 1, 2, 3]
