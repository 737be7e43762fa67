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


def test_how_many_places_the_graph_and_references_may_take() -> None:
    cases = ((1.0, 10, 2), (1.0, 3, 1), (0.0, 10, 0), (0.14, 10, 0), (0.15, 10, 2), (0.15, 40, 6))
    for graph, k, most in cases:
        assert most_of_graph(share(graph), k) == most
    assert [most_of_ties(k) for k in (1, 4, 5, 10, 15)] == [0, 0, 1, 2, 3]


@pytest.mark.parametrize(
    ("found", "from_graph", "sections", "most", "order"),
    [
        ("abcd", "xya", "121345", 1, "abdx"),  # a better passage stands for c
        ("abcd", "xy", "123456", 2, "abxy"),  # else the last make room
        ("abc", "cba", "123", 2, "abc"),  # what was found already takes no place
        ("abcd", "xyz", "1234556", 2, "abxz"),  # places go to different sections
    ],
)
def test_room_for_the_graph(
    found: str, from_graph: str, sections: str, most: int, order: str
) -> None:
    names = dict.fromkeys(found + from_graph)
    joint = joined(found, from_graph, dict(zip(sorted(names), sections, strict=True)), most=most,
                   weights=share(0.8))  # fmt: skip
    assert sorted(joint) == list(order)


@pytest.mark.parametrize(
    ("near", "most", "order"),
    [
        ({"d1": 0.2, "d2": 0.7, "e1": 0.5, "f1": 0.1}, 2, ["a1", "b1", "d2", "e1"]),
        ({"b2": 0.9}, 2, ["a1", "a2", "b1", "c1"]),  # its section was found
        ({}, 2, ["a1", "a2", "b1", "c1"]),
        ({"e1": 0.5, "d1": 0.5}, 1, ["a1", "b1", "c1", "d1"]),  # equally near: by id
    ],
)
def test_the_nearest_of_each_other_section_comes_last(
    near: dict[str, float], most: int, order: list[str]
) -> None:
    found = ["a1", "a2", "b1", "c1"]
    section = {name: name[0] for name in (*found, *near)}
    assert followed(found, near, section, most=most) == order


def test_poor_results_move_weight() -> None:
    shifts = ((0.3, 0.0), (0.29, 0.01), (0.25, 0.05), (0.15, 0.15), (0.0, 0.3), (0.05, 0.25))
    for confidence, shift in shifts:
        assert confidence_shift(confidence) == pytest.approx(shift, abs=1e-9)
    for before, vector, graph, after in (
        (0.3, 0.0, 0.8, 0.6),  # poor passages move weight to the graph
        (0.8, 0.9, 0.15, 0.65),  # a poor graph moves it to the passages
        (0.8, 0.3, 0.3, 0.8),  # good results change nothing
        (0.8, 0.1, 0.2, 0.5),  # where both are poor, neither leads
    ):
        found = adjusted(share(before), vector_confidence=vector, graph_confidence=graph)
        assert found == share(after)
