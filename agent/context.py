"""What every node is given: services, the reader's scope, and where events go.

It is built anew whenever a thread begins or goes on.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Final

from agent.passages import PassageMemory
from services.build import Services
from services.caches import LazyByKey
from services.catalog import Catalog
from services.domain import Principal, Scope, SearchRequest, SearchResult
from services.domain.events import Event, EventKey
from services.domain.notices import Notice
from services.domain.plans import PlanCase
from services.domain.runs import RunInfo
from services.evidence.ranking import Judge
from services.graph.search import KnowledgeGraph
from services.ingestion.registry import Registry
from services.library.parameters import KnowledgeParameters
from services.library.thresholds import Thresholds
from services.models.base import ChatModel
from services.models.recording import (
    RECORDING,
    RecordingModel,
    read_recording,
    recorded_model,
)
from services.models.tasks import TaskRunner
from services.retrieval.retriever import Retriever

TEMPERATURE: Final = 0.3
"""Of the agent: low, so that it chooses tools steadily; 0 where the settings want determinism."""


Before = tuple[tuple[int, ...], str, KnowledgeParameters]
"""Versions of content and of the graph, and what the parameters say."""

Record = Callable[[EventKey, Event], None]

CanRead = Callable[[ChatModel, Callable[[Notice], None]], Awaitable[bool]]
"""Says whether a model reads.

What it is given besides hears when somebody has to wait, and why nothing is known.
"""


@dataclass(frozen=True)
class Context:
    """Injected into nodes by the runner; never part of a checkpoint."""

    services: Services
    principal: Principal
    catalog: Catalog
    retriever: Retriever
    judge: Judge
    registry: Registry
    tasks: TaskRunner
    scope: Scope
    collections: tuple[str, ...]
    record: Record
    documents: tuple[str, ...] = ()
    branch: str = "main"
    graph: KnowledgeGraph | None = None
    can_read: CanRead | None = None
    recall: Callable[..., tuple[PlanCase, ...]] | None = None
    """Finds earlier plans for a kind, question and language; None where none are to help."""
    once: LazyByKey[Before] = field(default_factory=LazyByKey)
    """What ``before`` was first asked for, by profile."""

    @property
    def searched(self) -> tuple[str, ...]:
        """What is searched, for people: the chosen documents, else the collections."""
        return self.documents or self.collections

    @cached_property
    def passages(self) -> PassageMemory:
        """The passages that have been read, each once."""
        return PassageMemory(self.catalog, self.scope)

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
        """What a search of the person finds."""
        chosen = request.model_copy(update={"documents": self.scope.documents or ()})
        return await self.services.library.find(self.principal, chosen)

    def thresholds(self, profile: str | None) -> Thresholds:
        """The scores from which on a question is answered more deeply."""
        return self.services.feedback.thresholds(self.principal, self.scope, profile)

    def versions(self) -> tuple[int, ...]:
        """The content versions of the scope, read anew each time."""
        return self.catalog.collections.versions(self.scope)


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
    """Opens what a thread needs, within the scope that its person may read now.

    Args:
        services: of this process.
        run: the thread.
        principal: for whom it reads.
        branch: under which its events are kept.
        record: takes its events.
        can_read: says whether the model in use reads.
        with_model: False where it is to be done without model calls.

    Raises:
        NoModel: none is configured and none can be reached.
        NotFound: a collection or document of the thread is gone or may no longer be read.
    """
    catalog = services.catalog
    scope = catalog.scope_of(principal, run)
    aliases = await asyncio.to_thread(catalog.references.aliases, scope)
    retriever = await asyncio.to_thread(lambda: services.retriever)
    recorded = str(run.options.get("recorded", ""))
    model = await _recorded_model(services, run.thread_id, recorded) if with_model else None
    built = await asyncio.to_thread(lambda: services.graph.has_graph(scope))

    return Context(
        services=services,
        principal=principal,
        catalog=catalog,
        retriever=retriever,
        judge=services.judge,
        registry=Registry(aliases),
        tasks=TaskRunner(
            model,
            deadline_s=services.settings.call_deadline_s,
            parallel=model.slots if model else 1,
            caller=principal.user,
        ),
        scope=scope,
        collections=run.collections,
        documents=run.documents,
        record=record,
        branch=branch,
        graph=services.graph if built else None,
        can_read=_reads if recorded else can_read,
        recall=_recall(services, run, principal),
    )


async def _reads(model: ChatModel, tell: object) -> bool:
    """What was recorded was read."""
    return True


async def _recorded_model(services: Services, thread_id: str, sample: str) -> ChatModel | None:
    """The model in use, which keeps its replies for a trace of the thread where that is set.

    With a ``sample`` the one whose replies are recorded beside it.
    """
    if sample:
        file = services.settings.samples / sample / RECORDING
        return recorded_model(await asyncio.to_thread(read_recording, file))
    model = await services.chat_model()
    if model is None:
        return None
    put = partial(services.catalog.replies.put, thread_id)
    return RecordingModel(model, put if services.settings.record_replies else lambda reply: None)


def _recall(
    services: Services, run: RunInfo, principal: Principal
) -> Callable[..., tuple[PlanCase, ...]] | None:
    """That of the thread's owner; who acts on another's thread brings no plans along.

    Nor does a thread over chosen documents: earlier plans name what stands in others.
    """
    wanted = run.options.get("plan_memory", True) and principal.user == run.owner
    wanted = wanted and not run.documents
    return partial(services.plan_memory.recall, principal) if wanted else None
