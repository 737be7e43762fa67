"""The context of every node: services, the reader's scope, and the record of events.

It is built whenever a thread begins or goes on.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Final

from agent.passages import PassageMemory
from services.build import Services
from services.caches import LazyByKey
from services.catalog import Catalog
from services.domain import Principal, Scope, SearchRequest, SearchResult
from services.domain.events import Event, EventKey
from services.domain.notices import Notice
from services.domain.plan_cases import PlanCase
from services.domain.runs import RunInfo
from services.graph.search import KnowledgeGraph
from services.library.parameters import KnowledgeParameters
from services.library.relations import Relations
from services.library.thresholds import Thresholds
from services.models.base import ChatModel
from services.models.recording import RECORDING, RecordingModel, read_recording, recorded_model
from services.models.tasks import TaskRunner
from services.references.registry import Registry
from services.retrieval.retriever import Retriever

TEMPERATURE: Final = 0.3
"""Of the agent: low, so that it chooses tools consistently; 0 with deterministic settings."""
Before = tuple[tuple[int, ...], str, KnowledgeParameters]
"""Versions of content and of the graph, and what the parameters say."""
Record = Callable[[EventKey, Event], None]
CanRead = Callable[[ChatModel, Callable[[Notice], None]], Awaitable[bool]]
"""Returns whether a model passes the reading test.

Its second argument is called when a person has to wait, and when the result is unknown.
"""


@dataclass
class GridProgress:
    """Cells that a grid or a sweep has, and of which a reading is stored, while it is driven.

    ``gone`` is why the model of another process was given up.
    """

    read: int = 0
    cells: int = 0
    gone: Notice | None = None


@dataclass(frozen=True)
class Context:
    """Injected into nodes by the runner; never part of a checkpoint."""

    services: Services
    principal: Principal
    registry: Registry
    tasks: TaskRunner
    scope: Scope
    collections: tuple[str, ...] = ()
    record: Record = lambda key, event: None
    documents: tuple[str, ...] = ()
    branch: str = "main"
    graph: KnowledgeGraph | None = None
    can_read: CanRead | None = None
    recall: Callable[..., tuple[PlanCase, ...]] | None = None
    """Finds earlier plans for a kind, question and language; None without plan memory."""
    hand_out: Callable[..., Awaitable[None]] | None = None
    """Has the rows of a state read by all workers of a shared home, for a step."""
    progress: GridProgress = field(default_factory=GridProgress)
    once: LazyByKey[Before] = field(default_factory=LazyByKey)
    """What ``before`` was first asked for, by profile."""

    @property
    def catalog(self) -> Catalog:
        return self.services.catalog

    @property
    def retriever(self) -> Retriever:
        return self.services.retriever

    @property
    def searched(self) -> tuple[str, ...]:
        """The names of what is searched: the chosen documents, else the collections."""
        return self.documents or self.collections

    @cached_property
    def passages(self) -> PassageMemory:
        """The passages that have been read."""
        return PassageMemory(self.catalog, self.scope)

    @cached_property
    def relations(self) -> Relations:
        """What documents of the scope replace, amend or repeal."""
        return self.services.relations(self.scope)

    @property
    def agent_temperature(self) -> float:
        return 0.0 if self.services.settings.deterministic else TEMPERATURE

    def before(self, profile: str | None) -> Before:
        """The versions and parameters that there are before the search of a turn."""
        return self.once.get(profile, lambda: self._before(profile))

    def _before(self, profile: str | None) -> Before:
        graph = self.graph.version(self.scope) if self.graph else ""
        effective = self.services.configuration.effective(self.principal, profile)
        return self.versions(), graph, effective.values()

    async def find(self, request: SearchRequest) -> SearchResult:
        """Search for the person, within the documents of the thread."""
        chosen = request.model_copy(update={"documents": self.scope.documents or ()})
        return await self.services.library.find(self.principal, chosen)

    def thresholds(self, profile: str | None) -> Thresholds:
        """Return the scores from which questions are answered more deeply."""
        return self.services.feedback.thresholds(self.principal, self.scope, profile)

    def versions(self) -> tuple[int, ...]:
        """Return the current content versions of the scope."""
        return self.catalog.collections.versions(self.scope)


def reading_model(context: Context) -> ChatModel:
    """Return the model in use; raises ValueError without one."""
    if context.tasks.model is None:
        raise ValueError("reading needs a model")
    return context.tasks.model


async def build_context(
    services: Services,
    run: RunInfo,
    principal: Principal,
    branch: str,
    record: Record,
    can_read: CanRead,
    *,
    with_model: bool,
) -> Context:
    """Build the context of a thread, within the scope that its owner may read now.

    ``principal`` steers it; its events are kept under ``branch`` and taken by ``record``. Without
    ``with_model`` it goes on without model calls. Raises NoModel if none is configured and none can
    be reached, NotFound if a collection or document of the thread is gone or may no longer be read.
    """
    scope, principal = services.catalog.scope_of(principal, run), run.reader(principal)
    recorded = str(run.options.get("recorded", ""))
    model = await _recorded_model(services, run, recorded) if with_model else None
    built = await asyncio.to_thread(lambda: services.graph.has_graph(scope))

    return await make_context(
        services,
        principal,
        scope,
        model,
        collections=run.collections,
        documents=run.documents,
        record=record,
        branch=branch,
        graph=services.graph if built else None,
        can_read=_has_passed if recorded else can_read,
        recall=_recall(services, run, principal),
    )


async def make_context(
    services: Services, principal: Principal, scope: Scope, model: ChatModel | None, **fields: Any
) -> Context:
    """Return the context of what a model does for a person, with other ``fields`` of `Context`."""
    aliases = await asyncio.to_thread(services.catalog.references.aliases, scope)
    await asyncio.to_thread(lambda: services.retriever)  # opens the stores
    tasks = TaskRunner(
        model,
        deadline_s=services.settings.call_deadline_s,
        parallel=model.slots if model else 1,
        caller=principal.user,
    )
    return Context(services, principal, Registry(aliases), tasks, scope, **fields)


async def _has_passed(model: ChatModel, tell: object) -> bool:
    return True


async def _recorded_model(services: Services, run: RunInfo, sample: str) -> ChatModel | None:
    """Return the model in use, which records its replies for a trace if the settings say so.

    For a ``sample`` return the model of its recorded replies.
    """
    if sample:
        file = services.settings.samples / sample / RECORDING
        return recorded_model(await asyncio.to_thread(read_recording, file))
    model = await services.chat_model()
    if model is None:
        return None
    records = services.settings.record_replies and run.kind in ("research", "ask")
    put = partial(services.catalog.replies.put, run.thread_id)
    return RecordingModel(model, put if records else lambda reply: None)


def _recall(
    services: Services, run: RunInfo, principal: Principal
) -> Callable[..., tuple[PlanCase, ...]] | None:
    """Return the plan memory of the thread's owner; None for another person.

    A thread over chosen documents has none either: earlier plans name sections of others.
    """
    enabled = run.options.get("plan_memory", True) and principal.user == run.owner
    if not enabled or run.documents:
        return None
    return partial(services.plan_memory.recall, principal)
