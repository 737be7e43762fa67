"""What the nodes of a run are given: built anew whenever a thread begins or goes on."""

import asyncio
from collections.abc import Callable

from agent.context import Context
from services.build import Services
from services.domain import Principal, Scope
from services.domain.events import Event, EventKey
from services.domain.runs import RunInfo
from services.graph.search import KnowledgeGraph
from services.ingestion.registry import Registry
from services.models.base import ChatModel
from services.models.recording import RecordingModel
from services.models.tasks import TaskRunner


class ContextBuilder:
    """Opens what a thread needs, within the scope that its person may read now."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._catalog = services.catalog

    async def build(
        self, run: RunInfo, principal: Principal, branch: str, epoch: int, *, with_model: bool
    ) -> Context:
        """The context of a run.

        Args:
            run: the thread.
            principal: for whom it reads.
            branch: under which its events are kept.
            epoch: of the lease that every event is checked against.
            with_model: False where it is to be done without model calls.

        Raises:
            NoModel: none is configured and none can be reached.
            NotFound: a collection of the thread is gone or may no longer be read.
        """
        scope = self._catalog.collections.scope(principal, run.collections)
        aliases = await asyncio.to_thread(self._catalog.references.aliases, scope)
        retriever = await asyncio.to_thread(lambda: self._services.retriever)
        model = await self._services.chat_model() if with_model else None
        settings = self._services.settings
        return Context(
            catalog=self._catalog,
            retriever=retriever,
            judge=self._services.judge,
            registry=Registry(aliases),
            tasks=TaskRunner(self._recorded(model, run), deadline_s=settings.call_deadline_s),
            scope=scope,
            collections=run.collections,
            record=self._recorder(epoch),
            branch=branch,
            graph=await asyncio.to_thread(self._graph_of, scope),
        )

    def _recorded(self, model: ChatModel | None, run: RunInfo) -> ChatModel | None:
        """The model, with its replies kept for a trace of the thread."""
        if model is None or not self._services.settings.record_replies:
            return model
        return RecordingModel(model, lambda reply: self._catalog.replies.put(run.thread_id, reply))

    def _graph_of(self, scope: Scope) -> KnowledgeGraph | None:
        """The knowledge graph, where anything of the scope has been built."""
        graph = self._services.graph
        return graph if graph.has_graph(scope) else None

    def _recorder(self, epoch: int) -> Callable[[EventKey, Event], None]:
        def record(key: EventKey, event: Event) -> None:
            self._catalog.events.append(key, event, epoch=epoch)

        return record
