"""How much the graph may bring, and what makes room for it."""

import pytest

from services.language.query.values import QueryType
from services.retrieval.graph_share import (
    RetrieverWeights,
    adjusted,
    confidence_shift,
    followed,
    graph_weights,
    joined,
    most_of_graph,
    most_of_ties,
)


def share(graph: float) -> RetrieverWeights:
    return RetrieverWeights(vector=round(1 - graph, 9), graph=graph)


RELATIONAL = share(0.8)


@pytest.mark.parametrize(
    ("kind", "has_entities", "parts", "graph"),
    [
        # about one thing the graph is left out
        *((kind, True, 1, 0.0) for kind in ("factual", "procedural", "analytical", "unknown")),
        ("relational", True, 1, 0.8),
        ("relational", False, 1, 0.5),  # relations of nothing named are looked for in both
        ("comparative", True, 1, 0.7),
        ("exploratory", True, 1, 1.0),
        # several questions are not surely about one fact
        ("factual", True, 2, 0.3),
        ("procedural", True, 2, 0.2),
        ("analytical", True, 2, 0.5),
        ("unknown", True, 2, 0.4),
    ],
)
def test_weights(kind: QueryType, has_entities: bool, parts: int, graph: float) -> None:
    assert graph_weights(kind, has_entities=has_entities, parts=parts) == share(graph)


@pytest.mark.parametrize(
    ("graph", "k", "most"),
    [(1.0, 10, 2), (1.0, 3, 1), (0.0, 10, 0), (0.14, 10, 0), (0.15, 10, 2), (0.15, 40, 6)],
)
def test_how_many_places_the_graph_may_take(graph: float, k: int, most: int) -> None:
    assert most_of_graph(share(graph), k) == most


def test_room_is_made_by_what_a_better_passage_stands_for() -> None:
    sections = {"a": "1", "b": "2", "c": "1", "d": "3", "x": "4", "y": "5"}
    order = joined("abcd", "xya", sections, most=1, weights=RELATIONAL)
    assert sorted(order) == ["a", "b", "d", "x"]
    assert order[:2] == ["a", "x"]


def test_without_doubles_the_last_makes_room() -> None:
    sections = {each: each for each in "abcdxy"}
    assert sorted(joined("abcd", "xy", sections, most=2, weights=RELATIONAL)) == list("abxy")


def test_what_was_found_already_takes_no_place() -> None:
    sections = {each: each for each in "abc"}
    assert sorted(joined("abc", "cba", sections, most=2, weights=RELATIONAL)) == list("abc")


def test_the_places_of_the_graph_go_to_different_sections() -> None:
    sections = {each: each for each in "abcd"} | {"x": "1", "y": "1", "z": "2"}
    assert sorted(joined("abcd", "xyz", sections, most=2, weights=RELATIONAL)) == list("abxz")
    assert sorted(joined("abcd", "xy", sections, most=2, weights=RELATIONAL)) == list("abcx")


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


@pytest.mark.parametrize(
    ("confidence", "shift"),
    [(0.30, 0.0), (0.29, 0.01), (0.25, 0.05), (0.15, 0.15), (0.0, 0.3), (0.05, 0.25)],
)
def test_shift(confidence: float, shift: float) -> None:
    assert confidence_shift(confidence) == pytest.approx(shift, abs=1e-9)


@pytest.mark.parametrize(
    ("before", "vector", "graph", "after"),
    [
        (0.3, 0.0, 0.8, 0.6),  # poor passages move weight to the graph
        (0.8, 0.9, 0.15, 0.65),  # a poor graph moves it to the passages
        (0.8, 0.3, 0.3, 0.8),  # good results change nothing
        (0.8, 0.1, 0.2, 0.5),  # where both are poor, neither leads
    ],
)
def test_poor_results_move_weight(before: float, vector: float, graph: float, after: float) -> None:
    found = adjusted(share(before), vector_confidence=vector, graph_confidence=graph)
    assert found == share(after)
