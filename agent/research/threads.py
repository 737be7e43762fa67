"""Research threads: start, resume by interrupt id, stop, restore evidence, fork."""

import asyncio
import functools
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import StateSnapshot

from agent.context import Context
from agent.engine.driver import Driver, Graph, Workflow, config_of
from agent.models import RunOptions
from agent.research import history, restoring
from agent.research.checkpoint_info import CheckpointInfo
from agent.research.graph import build_research_graph
from agent.research.state import ResearchState
from services.build import Services
from services.domain import Principal
from services.domain.errors import InvalidInput
from services.domain.events import EventKey, EvidenceRestored
from services.domain.notices import Notice
from services.domain.runs import RunInfo

ENDED = ("done", "cancelled", "failed")
CANCELLED = Notice.of("The run was cancelled: the report rests on what was found until then.")


class ResearchThreads:
    """All research threads of this process; agent/engine/workflows.py says which thread is one."""

    def __init__(self, services: Services, holder: str, saver: BaseCheckpointSaver[str]) -> None:
        self._services = services
        self._catalog = services.catalog
        self._graph: Graph = build_research_graph(saver)
        self._driver = Driver(services, holder, Workflow(self._graph))

    async def pause_all(self) -> None:
        """Stops every running thread; each stays resumable at its last checkpoint."""
        await self._driver.pause_all()

    async def settled(self, thread_id: str) -> None:
        """Waits until a thread ends, stops or asks somebody."""
        await self._driver.settled(thread_id)

    async def start(self, principal: Principal, thread_id: str) -> None:
        """Starts a thread that the catalog knows; returns as soon as it is under way."""
        self._begin(self._catalog.runs.get(principal, thread_id), principal)

    def _begin(self, run: RunInfo, principal: Principal) -> None:
        options = RunOptions.model_validate(run.options)
        state = ResearchState(query=run.question, options=options)
        self._driver.drive(run, principal, state, begin=True)

    async def resume(self, principal: Principal, thread_id: str, interrupt_id: str | None) -> None:
        """Continues a thread: with the stored answer to its open question, or where it stopped.

        A step that failed is done again. Of a thread that was stopped after its last step only
        the report is kept.

        Raises:
            AlreadyAnswered: the question is no longer the open one.
            InvalidInput: the thread waits for an answer, or has ended.
        """
        run = self._catalog.runs.get(principal, thread_id)
        snapshot = await self._driver.snapshot(thread_id)
        if snapshot.interrupts:
            self._driver.drive(run, principal, await self._driver.answered(run, interrupt_id))
        elif not snapshot.values:
            self._begin(run, principal)
        elif snapshot.next or run.status not in ("done", "cancelled"):
            self._driver.drive(run, principal, None)
        else:
            raise InvalidInput(
                "Thread {thread} has ended; its report can be shown.", thread=thread_id
            )

    async def stop(self, principal: Principal, thread_id: str, *, cancel: bool) -> None:
        """Stops a thread between or within steps; cancelling reports what there is."""
        run = self._catalog.runs.get(principal, thread_id)
        stopped = await self._driver.stop(thread_id)
        if not stopped and run.status in ENDED:
            raise InvalidInput("Thread {thread} has ended already.", thread=thread_id)
        if cancel:
            await self._cancel(run, principal)
        else:
            self._driver.end(run, "paused")

    async def _cancel(self, run: RunInfo, principal: Principal) -> None:
        """A report from the evidence so far, without further model calls.

        Finished siblings of an interrupted fan-out have left their results beside the
        checkpoint; they are taken in before validation goes on.
        """
        snapshot = await self._driver.snapshot(run.thread_id)
        if "query_anchor" in snapshot.values and not snapshot.values.get("final_report"):
            take_in = functools.partial(self._take_in_finished, run, snapshot)
            await self._driver.conclude(run, principal, take_in)
        self._driver.end(run, "cancelled")

    async def _take_in_finished(self, run: RunInfo, snapshot: StateSnapshot, _: Context) -> None:
        tasks = (task.result for task in snapshot.tasks if task.name == "execute_task")
        finished = [result for result in tasks if isinstance(result, dict)]
        names = ("references", "preserved_quotes", "task_summaries", "usage")
        update: dict[str, Any] = {
            "cancelled": True,
            "warnings": [] if snapshot.values.get("cancelled") else [CANCELLED.model_dump()],
            "evidence": {key: each for one in finished for key, each in one["evidence"].items()},
            **{name: [each for one in finished for each in one[name]] for name in names},
        }
        await self._graph.aupdate_state(config_of(run.thread_id), update, as_node="execute_task")

    async def restore(
        self, principal: Principal, thread_id: str, chunk_ids: tuple[str, ...]
    ) -> None:
        """Lets dropped evidence count again and judges and writes anew; returns when under way.

        The report before stays until there is the new one.

        Raises:
            InvalidInput: the thread has not ended with a report, or the evidence counts already.
            NotFound: a chunk is no evidence of the thread, or a collection of it is gone.
        """
        run = self._catalog.runs.get(principal, thread_id)
        after = await self._driver.snapshot(run.thread_id)
        if after.next or not after.values.get("final_report"):
            raise InvalidInput(
                "Thread {thread} has no finished report yet. Let it finish, then restore.",
                thread=run.thread_id,
            )
        self._catalog.collections.scope(principal, run.collections)
        state: Any = after.values
        restoring.checked(state, chunk_ids)
        prepare = functools.partial(self._take_back, run, after, chunk_ids)
        self._driver.drive(run, principal, None, prepare=prepare)

    async def _take_back(
        self, run: RunInfo, after: StateSnapshot, chunk_ids: tuple[str, ...], context: Context
    ) -> None:
        """Branches off before validation, with the evidence marked as a person's choice."""
        before = await history.before_validation(self._graph, run.thread_id)
        update = await asyncio.to_thread(restoring.update, before, after, chunk_ids, context)
        config = await self._graph.aupdate_state(before.config, update, as_node="execute_task")
        checkpoint = config["configurable"]["checkpoint_id"]
        for n, entry in enumerate(update["evidence"].values(), start=1):
            key = EventKey(
                thread_id=run.thread_id, branch=update["branch"], checkpoint=checkpoint, n=n
            )
            event = EvidenceRestored(
                chunk_id=entry.chunk_id, document=entry.document, section=entry.section
            )
            context.record(key, event)

    async def checkpoints(self, principal: Principal, thread_id: str) -> list[CheckpointInfo]:
        """Where a thread can be forked, oldest first."""
        self._catalog.runs.get(principal, thread_id)
        await self._driver.snapshot(thread_id)
        return await history.checkpoints(self._graph, thread_id)

    async def fork(
        self, principal: Principal, thread_id: str, checkpoint_id: str, new_thread_id: str
    ) -> None:
        """Makes a thread of a checkpoint and lets it go on; returns when it is under way.

        Raises:
            NotFound: there is no such checkpoint, or a collection of the thread is gone.
            InvalidInput: the new thread id is taken.
        """
        source = self._catalog.runs.get(principal, thread_id)
        await self._driver.snapshot(source.thread_id)
        self._catalog.collections.scope(principal, source.collections)
        line = await history.ancestry(self._graph, source.thread_id, checkpoint_id)
        await history.copy(self._graph, source.thread_id, new_thread_id, line)
        run = self._catalog.runs.fork(source, new_thread_id, checkpoint_id, principal)
        self._catalog.events.copy(source.thread_id, run.thread_id, ["start", *line[1:]])
        self._driver.drive(run, principal, None)
