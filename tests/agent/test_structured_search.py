"""All strategies for every sub-query at once, with the graph and without."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

import anyio
import pytest

from agent.ask.structured.gather import AT_ONCE, merged, search_all
from agent.context import Context
from services.domain import Scope, SearchFilter
from services.graph.values import (
    GraphPassage,
    GraphResult,
    LinkedEntity,
    Node,
)
from services.structured.values import Pass, Plan, SubQuery

SCOPE = Scope(user="local", collections=("c",))
EVERYWHERE = SearchFilter()


@dataclass
class Indexes:
    """Finds ``a`` by meaning and ``b`` by words; counts how many search at a time."""

    now: int = 0
    most: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def rankings(
        self, query: str, *, scope: Scope, only: SearchFilter, min_relevance: float = 0.0
    ) -> dict[str, list[tuple[str, float]]]:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(0.01)
        with self.lock:
            self.now -= 1
        return {"vector": [("a", 0.9)], "keyword": [("b", 0.5)], "label": []}


@dataclass
class Graph:
    built: bool = True
    loaded: bool = True
    asked: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def has_graph(self, scope: Scope) -> bool:
        return self.built

    def ready(self, scope: Scope) -> bool:
        return self.loaded

    def search(
        self, query: str, scope: Scope, *, k: int = 10, hints: Sequence[str] = ()
    ) -> GraphResult:
        self.asked.append((query, tuple(hints)))
        node = Node(node_id="term:radon", kind="term", name="Radon")
        return GraphResult(
            entities=(LinkedEntity(node=node, score=1.0),),
            passages=(
                GraphPassage(chunk_id="g", score=1.0, path=()),
                GraphPassage(chunk_id="old", score=0.5, path=()),
            ),
            confidence=1.0,
        )


def plan(count: int = 1) -> Plan:
    items = tuple(f"item {number}" for number in range(count))
    return Plan(
        question_type="comparison",
        required_info=items,
        sub_queries=tuple(SubQuery(query=item, target_info=item) for item in items),
        entity_hints=("Radon",),
    )


def found(
    wanted: Plan, graph: Graph | None, only: SearchFilter = EVERYWHERE, indexes: object = None
) -> Pass:
    filters = SimpleNamespace(
        among=lambda ids, only, scope: {each for each in ids if each != "old"}
    )
    context = SimpleNamespace(
        retriever=indexes or Indexes(),
        catalog=SimpleNamespace(filters=filters),
        scope=SCOPE,
        graph=graph,
    )

    async def run() -> Pass:
        bound = cast(Context, context)
        return await search_all(wanted.sub_queries, wanted, only, bound, least=0.05)

    return anyio.run(run)


def test_the_graph_is_a_strategy_with_the_weight_of_the_question_type() -> None:
    graph = Graph()
    result = found(plan(), graph)
    assert result.ranking[0][0] == "g"
    assert result.searches[0].weights == {"vector": 0.3, "keyword": 0.2, "graph": 0.5, "label": 1.0}
    assert result.searches[0].found == {"graph": 2, "keyword": 1, "label": 0, "vector": 1}
    assert graph.asked == [("item 0", ("Radon",))]
    assert result.entities == (("Radon", "term"),)
    only = SearchFilter(tags=("x",))
    assert "old" in dict(result.ranking) and "old" not in dict(found(plan(), graph, only).ranking)


@pytest.mark.parametrize("graph", [None, Graph(built=False), Graph(loaded=False)])
def test_without_a_graph_its_weight_is_shared_out_and_loading_is_told(graph: Graph | None) -> None:
    result = found(plan(), graph)
    assert [name for name, _ in result.ranking] == ["a", "b"]
    assert result.searches[0].weights == {"vector": 0.6, "keyword": 0.4, "label": 1.0}
    assert result.entities == () and (graph is None or graph.asked == [])
    loading = graph is not None and not graph.loaded
    assert result.graph_loading is loading is merged(result, found(plan(), None)).graph_loading


def test_no_more_than_ten_sub_queries_search_at_a_time() -> None:
    indexes = Indexes()
    result = found(plan(25), None, indexes=indexes)
    assert 1 < indexes.most <= AT_ONCE
    assert len(result.searches) == 25 and set(result.by_item) == set(plan(25).required_info)


def test_both_passes_together_lose_nothing() -> None:
    both = merged(found(plan(2), None), found(plan(1), Graph()))
    assert both.by_item == {"item 0": ("a", "b", "g", "old"), "item 1": ("a", "b")}
    assert {name for name, _ in both.ranking} == {"a", "b", "g", "old"}
    assert len(both.searches) == 3 and both.entities == (("Radon", "term"),)
