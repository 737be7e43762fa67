"""The nine tools one by one: those of a graph, those that fail, and what is kept of them."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from agent.ask.models import AskOptions
from agent.ask.react.memory import (
    MOST_STEPS,
    clipped,
    estimate_s,
    gathered_text,
    quoted,
    trimmed_history,
    usual_s,
)
from agent.ask.react.search import CallBudget, Kit
from agent.ask.react.tools import call_tool, is_dead_end, offered
from agent.ask.react.values import AgentRun, Thought, ToolCall, ToolResult
from agent.ask.state import AskState
from agent.ask.step import AskContext, AskStep, ToolCache
from agent.ask.threads import TOOLS_KEPT_S
from agent.passages import PassageMemory
from services.build import Services
from services.domain import Principal, SearchFilter, SearchRequest, SearchResult
from services.domain.errors import StoresBusy
from services.ingestion.registry import Registry
from services.language.query import understand
from tests.support.desk import LAW, make_services
from tests.support.fake_graph import FakeGraph
from tests.support.scripted_model import ScriptedModel


@dataclass
class Bench:
    """A kit over a small law; ``searches`` counts what was really searched."""

    kit: Kit
    graph: FakeGraph
    searches: list[str]

    def call(self, tool: str, **arguments: str) -> ToolResult:
        return asyncio.run(call_tool(ToolCall(tool=tool, arguments=arguments), self.kit, 0.5))

    def context(self, **changes: Any) -> "Bench":
        context = SimpleNamespace(**{**vars(self.kit.context), **changes})
        step = SimpleNamespace(context=context, warn=print, usage=[])
        return replace(self, kit=replace(self.kit, step=cast(AskStep, step)))


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    home = tmp_path_factory.mktemp("tools") / "home"
    services = make_services(home)
    law = home / "LaermG.txt"
    law.write_text(LAW, encoding="utf-8")
    services.library.ingest(Principal(), [law], "laerm")
    yield services
    services.close()


@pytest.fixture
def bench(services: Services) -> Bench:
    searches: list[str] = []

    async def find(request: SearchRequest) -> SearchResult:
        searches.append(request.query)
        return await services.library.find(Principal(), request)

    scope = services.catalog.collections.scope(Principal(), ["laerm"])
    collection = scope.collections[0]
    graph = FakeGraph(services.catalog.chunks.ids(collection)[:2])
    context = SimpleNamespace(
        catalog=services.catalog,
        passages=PassageMemory(services.catalog, scope),
        scope=scope,
        collections=("laerm",),
        registry=Registry(services.catalog.references.aliases(scope)),
        find=find,
        judge=services.judge,
        graph=graph,
        tool_cache=ToolCache(100, TOOLS_KEPT_S),
        versions=lambda: (1,),
    )
    step = SimpleNamespace(context=cast(AskContext, context), warn=print, usage=[])
    state = AskState(
        understanding=understand("Welcher Grenzwert des Lärms gilt?"), options=AskOptions(k=5)
    )
    kit = Kit(
        state=state,
        step=cast(AskStep, step),
        run=AgentRun(),
        budget=CallBudget(state),
        only=SearchFilter(),
        temperature=0.0,
    )
    return Bench(kit, graph, searches)


def test_the_graph_leads_to_passages_with_the_path(bench: Bench) -> None:
    found = bench.call("retrieve_graph", query="Grenzwert")
    assert "Grenzwert -cooccurs-> Lärm" in found.observation
    assert len(found.entries) == 2 and found.texts
    nothing = bench.call("retrieve_graph", query="Kuchen")
    assert is_dead_end(ToolCall(tool="retrieve_graph"), nothing)


def test_one_thing_is_looked_up_and_an_unknown_one_is_a_dead_end(bench: Bench) -> None:
    found = bench.call("lookup_entity", name="Grenzwert")
    assert found.observation.startswith("Grenzwert (term); was gilt") and found.entries
    assert is_dead_end(ToolCall(tool="lookup_entity"), bench.call("lookup_entity", name="Kuchen"))


def test_things_are_put_side_by_side(bench: Bench) -> None:
    found = bench.call("compare_entities", entities="Grenzwert und Lärm")
    assert found.observation.count("\n") == 2 and found.found
    alone = bench.call("compare_entities", entities="Grenzwert")
    assert not alone.found and not is_dead_end(ToolCall(tool="compare_entities"), alone)


def test_without_a_graph_its_tools_are_not_offered_and_say_so(bench: Bench) -> None:
    bare = bench.context(graph=None)
    assert "retrieve_graph" in offered(bench.kit.context)
    assert len(offered(bench.kit.context)) == 9 and len(offered(bare.kit.context)) == 6
    for tool in ("retrieve_graph", "lookup_entity", "compare_entities"):
        assert "keinen Wissensgraphen" in bare.call(tool, query="x").observation


def test_the_same_search_is_done_once_until_the_content_changes(bench: Bench) -> None:
    first = bench.call("retrieve_vector", query="Grenzwert des Lärms")
    again = bench.call("retrieve_vector", query="grenzwert des lärms")
    assert again.entries == first.entries
    assert bench.searches == ["Grenzwert des Lärms"]
    bench.context(versions=lambda: (2,)).call("retrieve_vector", query="Grenzwert des Lärms")
    assert len(bench.searches) == 2


def test_what_is_kept_is_kept_for_half_an_hour() -> None:
    now = [0.0]
    cache = ToolCache(2, TOOLS_KEPT_S, lambda: now[0])
    cache.put("a", 1)
    now[0] = 1_799.0
    assert cache.get("a") == 1
    now[0] = 1_800.0
    assert cache.get("a") is None
    for key in "bcd":
        cache.put(key, key)
    assert cache.get("b") is None and cache.get("d") == "d"


@pytest.mark.parametrize("problem", [StoresBusy("busy"), ValueError("secret"), None])
def test_a_tool_that_fails_or_takes_too_long_is_an_observation(
    bench: Bench, problem: Exception | None
) -> None:
    async def find(_: SearchRequest) -> SearchResult:
        if problem is None:
            await asyncio.sleep(5)
        raise problem or AssertionError

    found = bench.context(find=find).call("retrieve_vector", query="x")
    assert not found.found and is_dead_end(ToolCall(tool="retrieve_vector"), found)
    said = {StoresBusy: "busy", ValueError: "ValueError", type(None): "in 0.5 s"}[type(problem)]
    assert said in found.observation and "secret" not in found.observation


def test_only_the_last_two_steps_are_remembered_in_full() -> None:
    call = ToolCall(tool="retrieve_vector", arguments={"query": "x"})
    steps = [
        Thought(number=n, thought=f"t{n}", actions=(call,), observation=f"o{n}", reflection=f"r{n}")
        for n in (1, 2, 3)
    ]
    said = trimmed_history(steps)
    assert "t1" in said and "o1" not in said and "r1" not in said
    assert all(each in said for each in ("| o2", "r2", "| o3", "r3"))
    assert said.count('ACTION: retrieve_vector {"query": "x"}') == 3


def test_what_was_gathered_is_shared_out_and_capped() -> None:
    said = gathered_text(["a" * 4_000, "b" * 4_000, "a" * 4_000])
    assert len(said) <= 3_000 and said.count("|") == 2 and "bbb" in said
    assert quoted("x\nACTION: final_answer") == "| x\n| ACTION: final_answer"


def test_rulers_take_no_room_in_prompts() -> None:
    assert clipped("Title\n=====\ntext ... end", 99) == "Title text ... end"


def test_a_run_that_waits_since_an_older_version_is_restored_whole() -> None:
    """That version knew a field more."""
    fields = {"__module__": AgentRun.__module__, "__annotations__": {"repeats": int}, "repeats": 1}
    older = type("AgentRun", (AgentRun,), fields)
    waiting = older(steps=(Thought(number=1, thought="a"),), gathered=("b",), count=1)
    serializer = JsonPlusSerializer(allowed_msgpack_modules=[AgentRun])
    restored = serializer.loads_typed(serializer.dumps_typed(waiting))
    assert restored == AgentRun(steps=(Thought(number=1, thought="a"),), gathered=("b",), count=1)


def test_a_slower_model_is_said_to_take_longer() -> None:
    fast, slow = ScriptedModel(), ScriptedModel()
    slow.prompt_tokens_per_s, slow.output_tokens_per_s = 40.0, 8.0
    assert estimate_s(fast, 3) < estimate_s(slow, 3) < estimate_s(slow, MOST_STEPS)
    assert usual_s(ScriptedModel(slots=1)) < usual_s(ScriptedModel(slots=4))
