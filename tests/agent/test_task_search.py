"""What is searched for a task, and what the knowledge graph leads to from there."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agent.context import Context, TaskHit
from agent.models import QueryAnchor, RunOptions, ToDoItem
from agent.research.evidence import Gathered
from agent.research.phases.validate import best_relevance, judge
from agent.research.state import TaskInput
from agent.research.task_search import search_task, share_out
from agent.research.tiers import GRAPH_SHARE
from services.domain import Hit, Passage, Scope
from services.evidence.judge import Judge
from services.graph.values import EdgeKind, GraphPassage, GraphResult, Node, Place, Step
from tests.support.fake_cross_encoder import FakeCrossEncoder

SCOPE = Scope(user="local", collections=("c",))
TASK = ToDoItem(id=1, task="Welcher Grenzwert gilt für Lärm?")
RELEVANT = {"a": 0.9, "b": 0.8, "low": 0.1}


def chunk(name: str, section: str) -> Passage:
    number = ord(name[0])
    return Passage(
        chunk_id=name, document_id="d", text_id="t", document="Law.pdf", title="Law", page=1,
        section=section, heading_path=(section,), start=100 * number, end=100 * number + 99,
        text=f"Text von {section} über Pflichten.",
    )  # fmt: skip


CHUNKS = {
    name: chunk(name, section)
    for name, section in {
        "a": "§ 1", "b": "§ 2", "low": "§ 3", "x": "§ 7", "y": "§ 7", "z": "§ 8", "w": "§ 9",
    }.items()
}  # fmt: skip


class Retriever:
    """Finds ``a``, ``b`` and ``low`` whatever is asked; the rest is near nothing."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def search(self, query: str, **_: Any) -> list[Hit]:
        self.asked.append(query)
        return [
            Hit(**dict(CHUNKS[name]), score=relevance, relevance=relevance, explain={})
            for name, relevance in RELEVANT.items()
        ]

    def relevances(self, query: str, chunk_ids: Sequence[str], **_: Any) -> dict[str, float]:
        return {name: RELEVANT.get(name, 0.05) for name in chunk_ids}


class Graph:
    """Finds the same passages from wherever the walk begins."""

    def __init__(self, *passages: GraphPassage) -> None:
        self.passages = passages
        self.seeds: list[tuple[str, float]] = []

    def search(self, *_: Any, seeds: Sequence[tuple[str, float]], **__: Any) -> GraphResult:
        self.seeds = list(seeds)
        return GraphResult(passages=self.passages)


def step(
    first: str, second: str, kind: EdgeKind = "cites", *, of: str = "a", against: bool = False
) -> Step:
    """A step that is read in the passage ``of``."""
    start = CHUNKS[of].start + 5
    nodes = [Node(node_id=f"n:{name}", kind="section", name=name) for name in (first, second)]
    place = Place(document_id="d", text_id="t", start=start, end=start + 3)
    return Step(source=nodes[0], kind=kind, target=nodes[1], against=against, place=place)


def passage(name: str, *way: Step) -> GraphPassage:
    return GraphPassage(chunk_id=name, score=1.0, path=way)


def context(graph: Graph | None = None, retriever: Retriever | None = None) -> Context:
    catalog: Any = SimpleNamespace(
        chunks=SimpleNamespace(
            get=lambda names, scope: {name: CHUNKS[name] for name in names},
            of_section=lambda *_, scope: [],
        ),
        references=SimpleNamespace(within=lambda *_: []),
    )
    unused: Any = None
    return Context(
        services=unused,
        principal=unused,
        catalog=catalog,
        retriever=cast(Any, retriever or Retriever()),
        judge=Judge(FakeCrossEncoder()),
        registry=unused,
        tasks=unused,
        scope=SCOPE,
        collections=("c",),
        record=lambda key, event: None,
        graph=cast(Any, graph),
    )


def state(task: ToDoItem = TASK, *others: ToDoItem) -> TaskInput:
    anchor = QueryAnchor(
        original_query="Was gilt am Arbeitsplatz?", detected_language="de", key_entities=(),
        scope="", hitl_refinements=(), created_at="",
    )  # fmt: skip
    return TaskInput(
        task=task,
        todo_list=[task, *others],
        query_anchor=anchor,
        query_retrieval=[],
        options=RunOptions(),
    )


def led(*passages: GraphPassage) -> list[TaskHit]:
    found = share_out(state(), context(Graph(*passages)))
    return [hit for hit in found if hit.source_type == "graph"]


def test_a_task_that_names_several_things_is_searched_for_each() -> None:
    retriever = Retriever()
    task = ToDoItem(id=1, task="Wie oft wird Lärm gemessen, und wer prüft den Gehörschutz?")
    search_task(task, state(task), context(retriever=retriever))
    assert retriever.asked[:2] == [task.task, f"{task.task} Was gilt am Arbeitsplatz?"]
    assert ["Gehörschutz" in query for query in retriever.asked[2:]] == [False, True]
    alone = Retriever()
    search_task(TASK, state(), context(retriever=alone))
    assert len(alone.asked) == 2


def test_what_the_graph_leads_to_comes_after_all_that_was_found() -> None:
    plain = share_out(state(), context())
    assert [hit.chunk_id for hit in plain] == ["a", "b", "low"]
    assert all(hit.source_type == "vector_search" and not hit.depth for hit in plain)
    assert share_out(state(), context(Graph())) == plain
    graph = Graph(passage("x", step("§ 1", "§ 7")))
    *found, hit = share_out(state(), context(graph))
    assert found == plain and graph.seeds == list(RELEVANT.items())
    assert (hit.chunk_id, hit.depth, hit.way, hit.led_from) == ("x", 1, "§ 1 › § 7", "a")
    assert hit.relevance == pytest.approx(GRAPH_SHARE * 0.9)
    (near_nothing,) = led(passage("low", step("§ 1", "§ 3")))
    assert near_nothing.chunk_id == "low", "it may be led to though it was found"


def test_tasks_share_out_what_was_found_and_keep_what_that_leads_to() -> None:
    there = context(Graph(passage("x", step("§ 1", "§ 7"))))
    later = ToDoItem(id=2, task="Wer misst den Lärm?")
    first, second = share_out(state(TASK, later), there), share_out(state(later, TASK), there)
    assert {hit.chunk_id for hit in first} == {"a", "b", "low", "x"}
    assert [hit.chunk_id for hit in second if hit.source_type == "graph"] == ["x"]


@pytest.mark.parametrize(
    "way",
    [
        (),
        (step("Lärm", "§ 7", "mentions"),),
        (step("§ 1", "§ 7", against=True),),
        (step("§ 9", "§ 7", of="w"),),
        (step("§ 1", "§ 8"), step("§ 8", "§ 9"), step("§ 9", "§ 7")),
    ],
    ids=["of no steps", "of a word", "against a reference", "from what was not found", "too long"],
)
def test_only_references_of_what_was_found_lead_on(way: tuple[Step, ...]) -> None:
    assert led(passage("x", *way)) == []


def test_two_places_go_to_different_sections_that_are_not_known() -> None:
    ways = {name: step("§ 1", CHUNKS[name].section) for name in "bxyzw"}
    found = led(*(passage(name, way) for name, way in ways.items()))
    assert [hit.chunk_id for hit in found] == ["x", "z"]


def test_what_the_graph_led_to_counts_by_where_the_way_began() -> None:
    second = passage("z", step("§ 1", "§ 7"), step("§ 7", "§ 8", of="x"))
    there = context(Graph(passage("x", step("§ 2", "§ 7", of="b")), second))
    entries = Gathered(state(), share_out(state(), there), there).entries
    by_name = {entry.chunk_id: entry for entry in entries}
    assert [by_name[name].tier for name in "abxz"] == [1, 1, 2, 3]
    assert by_name["z"].source_type == "graph" and by_name["z"].depth == 2
    relevance = best_relevance(entries, ["Was gilt am Arbeitsplatz?"], there, {})
    assert relevance["x"] == pytest.approx(0.8 * GRAPH_SHARE)
    assert judge(by_name["x"], relevance["x"]).status == "kept"
    far = best_relevance([by_name["x"].model_copy(update={"led_from": "low"})], ["?"], there, {})
    assert judge(by_name["x"], far["x"]).status == "dropped"
