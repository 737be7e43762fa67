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
    clipped,
    estimate_s,
    gathered_text,
    quoted,
    trimmed_history,
)
from agent.ask.react.search import CallBudget, Kit
from agent.ask.react.tools import call_tool, is_dead_end, offered
from agent.ask.react.values import MOST_STEPS, AgentRun, Thought, ToolCall, ToolResult
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
    )
    return Bench(kit, graph, searches)


@pytest.mark.parametrize(
    ("tool", "found", "observation", "lost"),
    [
        ("retrieve_graph", {"query": "Grenzwert"}, "Grenzwert stands beside Lärm", True),
        ("lookup_entity", {"name": "Grenzwert"}, "Grenzwert (term); was gilt", True),
        ("compare_entities", {"entities": "Grenzwert und Lärm"}, "Lärm (term)", False),
    ],
)
def test_the_tools_of_the_graph_find_or_say_that_they_do_not(
    bench: Bench, tool: str, found: dict[str, str], observation: str, lost: bool
) -> None:
    result = bench.call(tool, **found)
    assert observation in result.observation and result.entries and result.texts and result.found
    nothing = bench.call(tool, **dict.fromkeys(found, "Kuchen"))
    assert not nothing.found and is_dead_end(ToolCall(tool=tool), nothing) is lost
    bare = bench.context(graph=None)
    assert "keinen Wissensgraphen" in bare.call(tool, query="x").observation
    assert len(offered(bench.kit.context)) == 9 and len(offered(bare.kit.context)) == 6


def test_the_same_search_is_done_once_until_the_content_changes(bench: Bench) -> None:
    first = bench.call("retrieve_vector", query="Grenzwert des Lärms")
    again = bench.call("retrieve_vector", query="grenzwert des lärms")
    assert again.entries == first.entries
    assert bench.searches == ["Grenzwert des Lärms"]
    bench.context(versions=lambda: (2,)).call("retrieve_vector", query="Grenzwert des Lärms")
    assert len(bench.searches) == 2


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


def test_what_prompts_show_of_the_past_is_trimmed_and_behind_bars() -> None:
    call = ToolCall(tool="retrieve_vector", arguments={"query": "x"})
    steps = [
        Thought(number=n, thought=f"t{n}", actions=(call,), observation=f"o{n}", reflection=f"r{n}")
        for n in (1, 2, 3)
    ]
    history = trimmed_history(steps)
    assert "t1" in history and "o1" not in history and "r1" not in history
    assert all(each in history for each in ("| o2", "r2", "| o3", "r3"))
    assert history.count('ACTION: retrieve_vector {"query": "x"}') == 3
    shared = gathered_text(["a" * 4_000, "b" * 4_000, "a" * 4_000])
    assert len(shared) <= 3_000 and shared.count("|") == 2 and "bbb" in shared
    assert quoted("x\nACTION: final_answer") == "| x\n| ACTION: final_answer"
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
    assert estimate_s(ScriptedModel(slots=1)) < estimate_s(ScriptedModel(slots=4))
