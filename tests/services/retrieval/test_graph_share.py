"""How much the graph may bring, and what makes room for it."""

import pytest

from services.retrieval.graph_share import append_referenced, merge_graph


@pytest.mark.parametrize(
    ("hits", "graph_ids", "sections", "limit", "order"),
    [
        ("abcd", "xya", "121345", 1, "abdx"),  # a better passage stands for c
        ("abcd", "xy", "123456", 2, "abxy"),  # else the last make room
        ("abc", "cba", "123", 2, "abc"),  # what was found already takes no place
        ("abcd", "xyz", "1234556", 2, "abxz"),  # places go to different sections
    ],
)
def test_room_for_the_graph(
    hits: str, graph_ids: str, sections: str, limit: int, order: str
) -> None:
    section_of = dict(zip(sorted({*hits, *graph_ids}), sections, strict=True))
    joint = merge_graph(hits, graph_ids, section_of, limit=limit, weight=0.8)
    assert sorted(joint) == list(order)


@pytest.mark.parametrize(
    ("near", "limit", "order"),
    [
        ({"d1": 0.2, "d2": 0.7, "e1": 0.5, "f1": 0.1}, 2, ["a1", "b1", "d2", "e1"]),
        ({"b2": 0.9}, 2, ["a1", "a2", "b1", "c1"]),  # its section was found
        ({}, 2, ["a1", "a2", "b1", "c1"]),
        ({"e1": 0.5, "d1": 0.5}, 1, ["a1", "b1", "c1", "d1"]),  # equally near: by id
    ],
)
def test_the_nearest_of_each_other_section_comes_last(
    near: dict[str, float], limit: int, order: list[str]
) -> None:
    hits = ["a1", "a2", "b1", "c1"]
    section = {name: name[0] for name in (*hits, *near)}
    assert append_referenced(hits, near, section, limit=limit) == order
