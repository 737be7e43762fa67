"""The graphs that langgraph.json names, for LangGraph's development server.

Nodes are given services, which no program can send. Here each graph gets those of the home that
the environment names, reading what the local user reads. Input is JSON: ``{"question": …}`` for
``ask``, ``{"query": …}`` for ``research``, each with ``options`` if wanted. The server keeps the
threads; nothing of them is left in the home.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from functools import cache
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph

from agent.ask.graph import build_ask_graph
from agent.ask.models import AskOptions
from agent.ask.state import next_turn
from agent.context import Context, ToolCache, build_context
from agent.examination import Examiner
from agent.models import RunOptions
from agent.research.graph import build_research_graph
from services.build import Services
from services.catalog import ids
from services.domain import Principal
from services.domain.errors import StoresBusy
from services.domain.runs import RunInfo, RunKind
from services.home import make_private
from services.ownership import OwnerLock
from services.settings import Settings

LOCAL: Final = Principal()
Graph = CompiledStateGraph[Any, Any, Any, Any]
Entry = Callable[[Mapping[str, Any], int], Mapping[str, Any]]


@cache
def owned() -> tuple[Services, OwnerLock]:
    """The services of the home, which this process owns until its end; raises StoresBusy."""
    settings = Settings(record_replies=False)
    make_private(settings.home)
    lock = OwnerLock(settings.home)
    if not lock.acquire():
        raise StoresBusy(
            "Process {process} owns {home}. End it, then start again.",
            process=lock.owner_pid(),
            home=settings.home,
        )
    return Services(settings), lock


def of_home() -> Services:
    return owned()[0]


async def context_of(services: Services, kind: RunKind, thread: str) -> Context:
    """What the nodes of a thread are given; events go nowhere."""
    at, found = ids.now(), services.catalog.collections.list(LOCAL)
    run = RunInfo(
        thread_id=thread, owner=LOCAL.user, kind=kind, question="", title=None, phase=None,
        parent_thread=None, parent_checkpoint=None, pending=None, error=None, options={},
        collections=tuple(each.collection_id for each in found), status="running",
        created_at=at, updated_at=at,
    )  # fmt: skip
    can_read, tools = Examiner(services).reads, ToolCache()
    return await build_context(
        services, run, LOCAL, "main", lambda *_: None, can_read, tools, with_model=True
    )


def ask_graph(services: Callable[[], Services] = of_home) -> Graph:
    """Quick answers, one turn a run."""

    def entry(sent: Mapping[str, Any], turn: int) -> Mapping[str, Any]:
        options = AskOptions.model_validate(sent.get("options", {}))
        return next_turn(sent["question"], turn, options)

    return _given(build_ask_graph(), "ask", entry, services)


def research_graph(services: Callable[[], Services] = of_home) -> Graph:
    """A research: its questions are answered with a text, its plan with ``{"items": null}``."""

    def entry(sent: Mapping[str, Any], _: int) -> Mapping[str, Any]:
        options = RunOptions.model_validate(sent.get("options", {}))
        return {"query": sent["query"], "options": options}

    return _given(build_research_graph(), "research", entry, services)


def _given(graph: Graph, kind: RunKind, entry: Entry, services: Callable[[], Services]) -> Graph:
    """A graph that makes its own context, and its state of what is sent."""

    class Given(CompiledStateGraph[Any, Any, Any, Any]):
        async def astream(  # type: ignore[override]
            self, input: Any, config: RunnableConfig, *, context: object = None, **options: Any
        ) -> AsyncIterator[Any]:
            if isinstance(input, Mapping):
                known = (await self.aget_state(config)).values
                input = entry(input, len(known.get("conversation", ())) + 1)
            made = await context_of(services(), kind, config["configurable"]["thread_id"])
            async for part in super().astream(input, config, context=made, **options):
                yield part

    graph.__class__ = Given
    return graph.copy({"context_schema": None})


ask, research = ask_graph(), research_graph()
