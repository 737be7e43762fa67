"""Drive the threads of a graph: take the lease, run the graph, write down how it ends."""

import asyncio
import logging
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Final, Literal

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Durability, Interrupt, StateSnapshot

from agent.context import CanRead, Context, build_context
from agent.engine.checkpoints import before_steps, unusable
from agent.engine.events import MAIN, EventLog
from agent.engine.jobs import ALREADY_ANSWERED
from agent.engine.reports import answers_of
from agent.engine.workers import WorkerHeartbeat
from services.build import Services
from services.catalog import StaleLease
from services.domain import Principal
from services.domain.errors import (
    AlreadyAnswered,
    AskPerson,
    Broken,
    IncompatibleThread,
    InvalidInput,
    RabbitholeError,
)
from services.domain.events import Event, EventKey, RunFinished, Waiting
from services.domain.plan_cases import PlanCase
from services.domain.runs import ACTIVE, RunInfo
from services.models.base import ChatModel
from services.models.factory import NO_MODEL

logger = logging.getLogger(__name__)
RETRY_S: Final = 1.0
"""Seconds until a failed write to the catalog is tried again, as with a full disk."""
ENDED: Final = ("done", "cancelled", "failed")
Ending = Literal["done", "cancelled", "paused", "failed"]
Graph = CompiledStateGraph[Any, Any, Any, Any]
Prepare = Callable[[Context], Awaitable[None]]
"""Work on a thread under its lease, before its graph goes on."""


class Threads(ABC):
    """The threads of one graph. Each is driven by a task of its own, and by one at a time.

    A job calls the methods with its principal, its thread and its other fields. After a kill, a
    thread with the durability ``sync`` continues at its last step; one with ``exit`` starts its run
    again, and reports no phases.
    """

    durability: ClassVar[Durability] = "sync"
    most_steps: ClassVar[int] = 100

    def __init__(
        self,
        services: Services,
        saver: BaseCheckpointSaver[str],
        can_read: CanRead,
        heartbeat: WorkerHeartbeat | None = None,
    ) -> None:
        self._heartbeat = heartbeat
        self._can_read = can_read
        self._services = services
        self._catalog = services.catalog
        self._graph = self.build(saver)
        self._telemetry = services.telemetry
        self._driving: dict[str, asyncio.Task[None]] = {}
        self.logs: dict[str, EventLog] = {}
        """The event logs of the threads that are driven, by thread id."""
        self._hands_over = False

    @staticmethod
    @abstractmethod
    def build(checkpointer: BaseCheckpointSaver[str]) -> Graph:
        """Return the graph, which keeps its checkpoints in ``checkpointer``."""

    @abstractmethod
    def _report(self, run: RunInfo, state: Mapping[str, Any], model: str) -> dict[str, Any]:
        """Return the report that a final state leaves in the catalog."""

    def _case(
        self, run: RunInfo, state: Mapping[str, Any], report: Mapping[str, Any]
    ) -> PlanCase | None:
        """Return the plan of a finished run for plan memory, if it is worth keeping."""
        return None

    @abstractmethod
    async def resume(
        self, principal: Principal, run: RunInfo, interrupt_id: str | None = None
    ) -> None:
        """Continue with the stored answer to an open question, or where the thread stopped.

        Raises AlreadyAnswered if the question is no longer the open one, InvalidInput if the thread
        waits for an answer, or has ended.
        """

    def drive(
        self,
        run: RunInfo,
        principal: Principal,
        entry: Any,
        *,
        prepare: Prepare | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        """Take the lease and run the graph in a task; the thread counts as running at once.

        ``entry`` is the graph's input; None continues from the last checkpoint. ``prepare`` is
        awaited first, under the lease. ``options`` replace those of the thread. Raises
        AlreadyAnswered if the thread is running here, StoresBusy if another process drives it.
        """
        if run.thread_id in self._driving:
            raise AlreadyAnswered("Thread {thread} is already running.", thread=run.thread_id)
        holder = self._catalog.workers.holder
        epoch = self._catalog.runs.start(run.thread_id, holder, options)
        task = asyncio.create_task(self._run(run, principal, entry, epoch, prepare))
        self._driving[run.thread_id] = task
        task.add_done_callback(lambda _: self._driving.pop(run.thread_id, None))

    async def halted(self, thread_id: str) -> bool:
        """Cancel the task of a thread; return whether it was running here."""
        task = self._driving.get(thread_id)
        await _cancel([task] if task else [])
        return task is not None

    async def settled(self) -> None:
        """Wait until the threads that are driven now end, stop or ask a person."""
        await asyncio.gather(*self._driving.values(), return_exceptions=True)

    @property
    def driven(self) -> int:
        """The number of threads that are driven."""
        return len(self._driving)

    async def pause_all(self, *, stopping: bool = False) -> None:
        """Cancel every driven thread; each can be resumed from its last checkpoint.

        Where several processes work in the home, another continues the threads of one that is
        ``stopping`` or has lost its place among the workers.
        """
        self._hands_over = self._heartbeat is not None and self._heartbeat.hands_over(
            stopping=stopping
        )
        await _cancel(self._driving.values())
        self._hands_over = False

    async def _run(
        self, run: RunInfo, principal: Principal, entry: Any, epoch: int, prepare: Prepare | None
    ) -> None:
        handed_over = False
        async with self._logging(run, epoch) as log:
            try:
                context = await self._context(run, principal, log)
                if prepare is not None:
                    await prepare(context)
                    context = replace(context, branch=await self._branch(run))
                log.branch = context.branch
                with before_steps(partial(self._keep_log, run, log)):
                    await self._stream(run, entry, context, log)
                await self._settle(run, context, log)
            except asyncio.CancelledError:
                if not (handed_over := self._hands_over):
                    with suppress(StaleLease):
                        self._record(run, log, status="paused")
                raise
            except StaleLease as error:
                logger.warning("%s", error)
            except Exception as error:  # noqa: BLE001 - reported, or left to another process
                handed_over = self._heartbeat is not None and self._heartbeat.loses(error)
                if not handed_over:
                    await self._fail(run, self._error_of(run, error), log)
            finally:
                if not (handed_over or log.released):
                    self._catalog.leases.release(run.thread_id, epoch)

    @asynccontextmanager
    async def _logging(self, run: RunInfo, epoch: int) -> AsyncIterator[EventLog]:
        """Open the log of a thread while it is driven, and write it every now and then."""
        log = self.logs[run.thread_id] = EventLog(self._catalog.events, epoch)
        writing = asyncio.create_task(log.keep_writing())
        try:
            yield log
        finally:
            writing.cancel()
            del self.logs[run.thread_id]
            log.close()

    def _keep_log(self, run: RunInfo, log: EventLog) -> None:
        """Write the events of a step before its checkpoint; raises StaleLease."""
        log.write()
        if self._heartbeat is not None and log.epoch is not None:
            self._catalog.leases.check(run.thread_id, log.epoch)

    async def _fail(self, run: RunInfo, error: RabbitholeError, log: EventLog) -> None:
        """Write down why a thread failed, as soon as the catalog takes it."""
        while True:
            try:
                with suppress(StaleLease):
                    self.end(run, "failed", error, log=log)
            except AskPerson:
                log.problem = error
                await asyncio.sleep(RETRY_S)
            else:
                return

    def _error_of(self, run: RunInfo, error: Exception) -> RabbitholeError:
        if isinstance(error, RabbitholeError):
            return error
        logger.exception("thread %s failed", run.thread_id, exc_info=error)
        return unusable(self._services.settings, error) or RabbitholeError(
            "unexpected {error}: {what}", error=type(error).__name__, what=error
        )

    async def conclude(self, run: RunInfo, principal: Principal, prepare: Prepare) -> None:
        """Bring a thread to a report without model calls, and wait for it."""
        epoch = self._catalog.leases.acquire(run.thread_id, self._catalog.workers.holder)
        try:
            async with self._logging(run, epoch) as log:
                context = await self._context(run, principal, log, with_model=False)
                await prepare(context)
                await self._stream(run, None, context, log)
                model = await self._services.chat_model()
                report = self._make_report(run, await self.snapshot(run.thread_id), model, log)
                self._catalog.runs.update(run.thread_id, epoch=epoch, report=report)
        finally:
            self._catalog.leases.release(run.thread_id, epoch)

    async def _stream(self, run: RunInfo, entry: Any, context: Context, log: EventLog) -> None:
        """Run the graph to its end or to a question, and note each phase that it reaches."""
        updates = self._graph.astream(
            entry,
            config_of(run.thread_id) | {"recursion_limit": self.most_steps},
            context=context,
            stream_mode="updates",
            durability=self.durability,
        )
        phase = ""
        async for update in updates:
            for name in update if self.durability == "sync" else ():
                if not name.startswith("__") and name != phase:
                    self._catalog.runs.update(run.thread_id, epoch=log.epoch, phase=(phase := name))

    async def _settle(self, run: RunInfo, context: Context, log: EventLog) -> None:
        """Ask the person, or keep the report, once the graph has stopped.

        A cancelled thread stays cancelled though dropped evidence was restored: its search never
        ended.
        """
        snapshot = await self.snapshot(run.thread_id)
        if snapshot.interrupts:
            self._wait(run, snapshot.interrupts[0], log)
            return
        report = self._make_report(run, snapshot, context.tasks.model, log)
        ending: Ending = "cancelled" if snapshot.values.get("cancelled") else "done"
        case = self._case(run, snapshot.values, report)
        if case is not None and ending == "done" and snapshot.values["options"].plan_memory:
            case = case.model_copy(update={"collections": context.scope.collections})
            await asyncio.to_thread(self._services.plan_memory.keep, run.owner, case)
        self.end(run, ending, report=report, log=log)

    def _make_report(
        self, run: RunInfo, snapshot: StateSnapshot, model: ChatModel | None, log: EventLog
    ) -> dict[str, Any]:
        log.write()  # a report sums up what the events say
        return self._report(run, snapshot.values, model.name if model else NO_MODEL)

    async def _context(
        self, run: RunInfo, principal: Principal, log: EventLog, *, with_model: bool = True
    ) -> Context:
        return await build_context(
            self._services,
            run,
            principal,
            await self._branch(run),
            log.add,
            self._can_read,
            with_model=with_model,
        )

    async def _branch(self, run: RunInfo) -> str:
        """Return the branch under which events of the next steps are kept."""
        snapshot = await self.snapshot(run.thread_id)
        return str(snapshot.values.get("branch", MAIN))

    def end(
        self,
        run: RunInfo,
        status: Ending,
        error: RabbitholeError | None = None,
        *,
        report: dict[str, Any] | None = None,
        log: EventLog | None = None,
    ) -> None:
        """Write the final event, status and report; raises StaleLease if the ``log`` has lost its
        lease.
        """
        log, notice = log or EventLog(self._catalog.events), error.notice if error else None
        event = RunFinished(
            status=status,
            error=notice,
            error_type=type(error).__name__ if error else None,
            final=isinstance(error, Broken | IncompatibleThread),
        )
        closing = closing_key(run, f"end-{status}", log.branch), event
        self._record(run, log, closing, status=status, pending=None, error=notice, report=report)
        if self._telemetry is not None:
            answer = str(answers_of(report)[-1]["answer"]) if report else ""
            self._telemetry.export(run, self._catalog.events.iterate(run.thread_id), answer)

    def _record(
        self,
        run: RunInfo,
        log: EventLog,
        closing: tuple[EventKey, Event] | None = None,
        **changes: Any,
    ) -> None:
        """Write what is left of the log, change the run and end the lease in one transaction."""
        if closing is not None:
            log.add_last(*closing)
        release = log.epoch is not None
        update = partial(self._catalog.runs.update, run.thread_id, epoch=log.epoch, **changes)
        log.write(lambda events: update(events=events, release=release))
        log.released = release

    def require_open(self, run: RunInfo, interrupt_id: str | None) -> None:
        """Raises AlreadyAnswered: the question was answered, and the thread has stopped since."""
        if interrupt_id is not None and run.pending is None and run.status not in ACTIVE:
            raise AlreadyAnswered(ALREADY_ANSWERED)

    async def answered(self, run: RunInfo, interrupt_id: str | None) -> Command[Any]:
        """Return the stored answer to the open question, with which a thread continues.

        Raises AlreadyAnswered if ``interrupt_id`` is not that of the open question, InvalidInput if
        nobody has answered it.
        """
        snapshot = await self.snapshot(run.thread_id)
        pending = snapshot.interrupts[0] if snapshot.interrupts else None
        if pending is None or interrupt_id not in (None, pending.id):
            raise AlreadyAnswered(ALREADY_ANSWERED)
        answer = self._catalog.answers.get(run.thread_id, pending.id)
        if answer is None:
            raise InvalidInput(
                "Thread {thread} is waiting for you: answer its question, or approve its plan.",
                thread=run.thread_id,
            )
        return Command(resume={pending.id: answer["value"]})

    def waits_again(self, run: RunInfo, snapshot: StateSnapshot) -> bool:
        """Ask the open question again if the thread was paused while it waited; return whether it
        was.
        """
        pending, answers = snapshot.interrupts[0], self._catalog.answers
        if run.pending is not None or answers.get(run.thread_id, pending.id) is not None:
            return False
        self._wait(run, pending, EventLog(self._catalog.events))
        return True

    def _wait(self, run: RunInfo, pending: Interrupt, log: EventLog) -> None:
        """Write down the open question of a thread, as front ends show it."""
        question = pending.value
        fields = {name: question[name] for name in Waiting.model_fields if name in question}
        waiting = Waiting.model_validate({**fields, "interrupt_id": pending.id})
        closing = closing_key(run, f"waiting-{pending.id}"), waiting
        self._record(run, log, closing, status="waiting", pending=waiting)

    async def snapshot(self, thread_id: str) -> StateSnapshot:
        """Return the thread at its last checkpoint.

        Raises IncompatibleThread if another version wrote it or its checkpoints are damaged, Broken
        if the file of all checkpoints is damaged.
        """
        try:
            snapshot = await self._graph.aget_state(config_of(thread_id))
            if not all(isinstance(interrupt, Interrupt) for interrupt in snapshot.interrupts):
                raise TypeError("an interrupt is none")
        except Exception as error:  # a checkpoint that cannot be read fails with any type
            if problem := unusable(self._services.settings, error):
                raise problem from error
            if isinstance(error, sqlite3.Error):
                raise
            logger.warning("the checkpoints of thread %s are damaged: %r", thread_id, error)
            raise IncompatibleThread(
                "The checkpoints of thread {thread} are damaged, so it cannot be continued. "
                "Its report, if any, can still be shown; start a new thread.",
                thread=thread_id,
            ) from error
        if isinstance(snapshot.values.get("options"), dict):
            raise IncompatibleThread(
                "Thread {thread} was written by another version of Rabbithole and cannot be "
                "continued. Its report, if any, can still be shown; start a new thread.",
                thread=thread_id,
            )
        return snapshot


async def _cancel(tasks: Iterable[asyncio.Task[Any]]) -> None:
    for task in (tasks := list(tasks)):
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def config_of(thread_id: str) -> RunnableConfig:
    """Return the configuration with which langgraph runs or reads a thread."""
    return {"configurable": {"thread_id": thread_id}, "recursion_limit": 100}


def closing_key(run: RunInfo, name: str, branch: str = MAIN) -> EventKey:
    """Return the key of an event that no step of the graph emits, as of a run's end."""
    return EventKey(thread_id=run.thread_id, branch=branch, checkpoint=name, n=0)
