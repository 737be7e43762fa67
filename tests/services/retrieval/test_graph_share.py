"""The tables of the founding document, how much the graph may bring, what makes room for it."""

import pytest

from services.language.query.values import QueryType
from services.retrieval.graph_share import (
    ADAPTIVE,
    ONLY_VECTOR,
    RetrieverWeights,
    adjusted,
    caps,
    confidence_shift,
    followed,
    graph_weights,
    joined,
    most_of_graph,
    most_of_ties,
    runs,
    weights_for,
)

RELATIONAL = RetrieverWeights(vector=0.2, graph=0.8)


@pytest.mark.parametrize("kind", ["factual", "procedural", "analytical", "unknown"])
def test_a_question_about_one_thing_leaves_the_graph_out(kind: QueryType) -> None:
    assert graph_weights(kind, 0.6, has_entities=True, parts=1) == ONLY_VECTOR


def test_several_questions_are_not_surely_about_one_fact() -> None:
    weights = graph_weights("factual", 0.95, has_entities=True, parts=2)
    assert weights.graph == 0.3


def test_an_exploratory_question_keeps_most_of_the_search() -> None:
    weights = graph_weights("exploratory", 0.9, has_entities=True, parts=1)
    assert weights.graph == 1.0
    assert most_of_graph(weights, 10) == 2
    assert most_of_graph(weights, 3) == 1
    assert most_of_graph(ONLY_VECTOR, 10) == 0


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
    ("query_type", "vector", "graph"),
    [
        ("factual", 0.7, 0.3),
        ("relational", 0.2, 0.8),
        ("comparative", 0.3, 0.7),
        ("procedural", 0.8, 0.2),
        ("analytical", 0.5, 0.5),
        ("unknown", 0.6, 0.4),
    ],
)
def test_weights_by_type(query_type: QueryType, vector: float, graph: float) -> None:
    weights = weights_for(query_type, 0.7, has_entities=True, has_graph=True)
    assert (weights.vector, weights.graph, weights.mode) == (vector, graph, "hybrid")


def test_a_sure_fact_needs_no_graph() -> None:
    sure = weights_for("factual", 0.71, has_entities=True, has_graph=True)
    assert (sure.vector, sure.graph, sure.mode) == (1.0, 0.0, "vector_only")
    assert weights_for("factual", 0.7, has_entities=True, has_graph=True).graph == 0.3


def test_exploring_goes_to_the_graph_alone() -> None:
    weights = weights_for("exploratory", 0.95, has_entities=True, has_graph=True)
    assert (weights.vector, weights.graph, weights.mode) == (0.0, 1.0, "graph_only")
    assert runs(weights) == ("graph",)


def test_relations_of_nothing_named_are_looked_for_in_both() -> None:
    weights = weights_for("relational", 0.9, has_entities=False, has_graph=True)
    assert (weights.vector, weights.graph) == (0.5, 0.5)


@pytest.mark.parametrize("query_type", ["factual", "relational", "exploratory", "unknown"])
def test_without_a_graph_passages_count_for_everything(query_type: QueryType) -> None:
    weights = weights_for(query_type, 0.5, has_entities=True, has_graph=False)
    assert (weights.vector, weights.graph, weights.mode) == (1.0, 0.0, "vector_only")
    after = adjusted(weights, vector_confidence=0.0, graph_confidence=None, has_graph=False)
    assert after == weights


@pytest.mark.parametrize(
    ("vector", "expected"),
    [(0.14, ("graph",)), (0.15, ("vector", "graph")), (0.85, ("vector", "graph")),
     (0.86, ("vector",))],
)  # fmt: skip
def test_skipping_below_fifteen_hundredths(vector: float, expected: tuple[str, ...]) -> None:
    assert runs(RetrieverWeights(vector=vector, graph=round(1 - vector, 9))) == expected


@pytest.mark.parametrize(
    ("confidence", "shift"), [(0.30, 0.0), (0.25, 0.05), (0.15, 0.15), (0.0, 0.3), (0.05, 0.25)]
)
def test_shift(confidence: float, shift: float) -> None:
    assert confidence_shift(confidence) == shift


def test_a_barely_low_confidence_moves_barely() -> None:
    assert confidence_shift(0.29) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("before", "confidences", "after"),
    [
        ((0.7, 0.3), (0.0, 0.8), (0.4, 0.6)),  # poor passages move weight to the graph
        ((0.2, 0.8), (0.9, 0.15), (0.35, 0.65)),  # a poor graph moves it to the passages
        ((0.2, 0.8), (0.3, 0.3), (0.2, 0.8)),  # good results change nothing
        ((0.2, 0.8), (None, None), (0.2, 0.8)),
    ],
)
def test_poor_results_move_weight(
    before: tuple[float, float],
    confidences: tuple[float | None, float | None],
    after: tuple[float, float],
) -> None:
    weights = RetrieverWeights(vector=before[0], graph=before[1])
    vector, graph = confidences
    found = adjusted(weights, vector_confidence=vector, graph_confidence=graph, has_graph=True)
    assert (found.vector, found.graph) == after


def test_both_poor_is_adaptive() -> None:
    weights = RetrieverWeights(vector=0.2, graph=0.8)
    after = adjusted(weights, vector_confidence=0.1, graph_confidence=0.2, has_graph=True)
    assert after == ADAPTIVE
    assert runs(after) == ("vector", "graph")


@pytest.mark.parametrize(
    ("weights", "found", "expected"),
    [
        ((0.1, 0.9), (10, 10), (1, 9)),
        ((0.2, 0.8), (10, 10), (2, 8)),
        ((0.7, 0.3), (10, 10), (7, 3)),
        ((0.1, 0.9), (5, 5), (1, 5)),
        ((0.0, 1.0), (10, 10), (0, 10)),
        ((1.0, 0.0), (10, 10), (10, 0)),
        ((0.5, 0.5), (0, 3), (0, 2)),
    ],
)
def test_caps(
    weights: tuple[float, float], found: tuple[int, int], expected: tuple[int, int]
) -> None:
    given = RetrieverWeights(vector=weights[0], graph=weights[1])
    assert caps(given, passages=found[0], entities=found[1]) == expected
