"""Driving threads: lease, graph, and every outcome written down."""

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
from agent.engine.crew import Crew
from agent.engine.events import MAIN, EventLog
from agent.engine.reports import answers_of
from agent.engine.tracing.trace import all_events
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
from services.domain.events import EventKey, PhaseTimes, RunFinished, Waiting
from services.domain.plans import PlanCase
from services.domain.runs import RunInfo
from services.models.base import ChatModel

logger = logging.getLogger(__name__)
RETRY_S: Final = 1.0
"""Seconds until the catalog is tried again when it took nothing, as with a full disk."""
Ending = Literal["done", "cancelled", "paused", "failed"]
Graph = CompiledStateGraph[Any, Any, Any, Any]
Prepare = Callable[[Context], Awaitable[None]]
"""What is done to a thread under its lease, before the graph goes on."""


class Threads(ABC):
    """The threads of one graph, each driven by a task of its own, one task a thread.

    The methods that a job calls are given whose it is, the thread, and the fields of the job.
    With the durability ``exit`` only the end of a run is kept, and no phase is told on the way.
    """

    durability: ClassVar[Durability] = "sync"

    def __init__(
        self,
        services: Services,
        saver: BaseCheckpointSaver[str],
        can_read: CanRead,
        crew: Crew | None = None,
    ) -> None:
        self._crew = crew
        self._can_read = can_read
        self._services = services
        self._catalog = services.catalog
        self._graph = self._build(saver)
        self._telemetry = services.telemetry
        self._driving: dict[str, asyncio.Task[None]] = {}
        self.logs: dict[str, EventLog] = {}
        """Of the threads that are driven here."""
        self._hands_over = False

    @staticmethod
    @abstractmethod
    def _build(checkpointer: BaseCheckpointSaver[str]) -> Graph:
        """The graph, with what keeps its steps."""

    @abstractmethod
    def _report(
        self, run: RunInfo, state: Mapping[str, Any], model: str, times: PhaseTimes
    ) -> dict[str, Any]:
        """What is kept of the final state, with the times of its phases."""

    @abstractmethod
    def _case(
        self, run: RunInfo, state: Mapping[str, Any], report: Mapping[str, Any]
    ) -> PlanCase | None:
        """The plan of a run that answered, for plan memory."""

    @abstractmethod
    async def resume(
        self, principal: Principal, run: RunInfo, interrupt_id: str | None = None
    ) -> None:
        """Goes on with the stored answer to an open question, or where the thread stopped.

        Raises:
            AlreadyAnswered: the question is no longer the open one.
            InvalidInput: the thread waits for an answer, or has ended.
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
        """Takes the lease and lets the graph run; the thread counts as running at once.

        Args:
            run: the thread.
            principal: for whom it reads.
            entry: input of the graph; None goes on from the last checkpoint.
            prepare: done first, under the lease.
            options: kept as those of the thread from now on.

        Raises:
            AlreadyAnswered: the thread is running.
            StoresBusy: another process works on it.
        """
        if run.thread_id in self._driving:
            raise AlreadyAnswered("Thread {thread} is running already.", thread=run.thread_id)
        epoch = self._catalog.leases.acquire(run.thread_id, self._catalog.workers.holder)
        self._catalog.runs.update(
            run.thread_id, epoch=epoch, status="running", pending=None, options=options
        )
        task = asyncio.create_task(self._run(run, principal, entry, epoch, prepare))
        self._driving[run.thread_id] = task
        task.add_done_callback(lambda _: self._driving.pop(run.thread_id, None))

    async def halted(self, thread_id: str) -> bool:
        """Cancels the task of a thread; whether it was running here."""
        driving = self._driving.get(thread_id)
        await _cancelled([driving] if driving else [])
        return driving is not None

    async def settled(self, thread_id: str) -> None:
        """Waits until a thread ends, stops or asks somebody."""
        if (driving := self._driving.get(thread_id)) is not None:
            await asyncio.gather(driving, return_exceptions=True)

    async def all_settled(self) -> None:
        """Waits for what is driven now; what starts meanwhile does not count."""
        await asyncio.gather(*self._driving.values(), return_exceptions=True)

    @property
    def driven(self) -> int:
        """How many threads are driven."""
        return len(self._driving)

    async def pause_all(self, *, stopping: bool = False) -> None:
        """Cancels every driven thread; each stays resumable at its last checkpoint.

        Where several work on the home, and this process stops or is lost, it goes on elsewhere.
        """
        self._hands_over = self._crew is not None and self._crew.hands_over(stopping=stopping)
        await _cancelled(list(self._driving.values()))
        self._hands_over = False

    async def _run(
        self,
        run: RunInfo,
        principal: Principal,
        entry: Any,
        epoch: int,
        prepare: Prepare | None,
    ) -> None:
        """Streams the graph until it ends or waits; every outcome is written down."""
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
                        log.write()
                        self._catalog.runs.update(run.thread_id, epoch=epoch, status="paused")
                raise
            except StaleLease as taken:
                logger.warning("%s", taken)
            except Exception as problem:  # noqa: BLE001 - told, or left to who takes it over
                handed_over = self._crew is not None and self._crew.loses(problem)
                if not handed_over:
                    await self._fail(run, self._telling(run, problem), log)
            finally:
                if not handed_over:
                    self._catalog.leases.release(run.thread_id, epoch)

    @asynccontextmanager
    async def _logging(self, run: RunInfo, epoch: int) -> AsyncIterator[EventLog]:
        """The log of a thread while it is driven, written every now and then."""
        log = self.logs[run.thread_id] = EventLog(self._catalog.events, epoch)
        writing = asyncio.create_task(log.keep_writing())
        try:
            yield log
        finally:
            writing.cancel()
            del self.logs[run.thread_id]
            log.close()

    def _keep_log(self, run: RunInfo, log: EventLog) -> None:
        """What a step has told is kept before the step; raises StaleLease."""
        log.write()
        if self._crew is not None and log.epoch is not None:
            self._catalog.leases.check(run.thread_id, log.epoch)

    async def _fail(self, run: RunInfo, error: RabbitholeError, log: EventLog) -> None:
        """Writes down why a thread failed, as soon as the catalog takes it."""
        while True:
            try:
                with suppress(StaleLease):
                    self.end(run, "failed", error, log=log)
            except AskPerson:
                log.problem = error
                await asyncio.sleep(RETRY_S)
            else:
                return

    def _telling(self, run: RunInfo, problem: Exception) -> RabbitholeError:
        """What a problem is called to whoever looks at the thread."""
        if isinstance(problem, RabbitholeError):
            return problem
        logger.exception("thread %s failed", run.thread_id, exc_info=problem)
        return unusable(self._services.settings, problem) or RabbitholeError(
            "unexpected {error}: {what}", error=type(problem).__name__, what=problem
        )

    async def conclude(self, run: RunInfo, principal: Principal, prepare: Prepare) -> None:
        """Goes on to a report from what there is, without model calls, and waits for it."""
        epoch = self._catalog.leases.acquire(run.thread_id, self._catalog.workers.holder)
        try:
            async with self._logging(run, epoch) as log:
                context = await self._context(run, principal, log, with_model=False)
                await prepare(context)
                await self._stream(run, None, context, log)
                model = await self._services.chat_model()
                await self._keep_report(run, await self.snapshot(run.thread_id), model, log)
        finally:
            self._catalog.leases.release(run.thread_id, epoch)

    async def _stream(self, run: RunInfo, entry: Any, context: Context, log: EventLog) -> None:
        parts = self._graph.astream(
            entry,
            config_of(run.thread_id),
            context=context,
            stream_mode="updates",
            durability=self.durability,
        )
        async for part in parts:
            for name in part if self.durability == "sync" else ():
                if not name.startswith("__"):
                    self._catalog.runs.update(run.thread_id, epoch=log.epoch, phase=name)

    async def _settle(self, run: RunInfo, context: Context, log: EventLog) -> None:
        """After the stream: either a person is asked, or the report is kept.

        What was cancelled stays so, though dropped evidence was restored: its search never ended.
        """
        snapshot = await self.snapshot(run.thread_id)
        if snapshot.interrupts:
            self._wait(run, snapshot.interrupts[0], log)
            return
        report = await self._keep_report(run, snapshot, context.tasks.model, log)
        ending: Ending = "cancelled" if snapshot.values.get("cancelled") else "done"
        case = self._case(run, snapshot.values, report)
        if case is not None and ending == "done" and snapshot.values["options"].plan_memory:
            case = case.model_copy(update={"collections": context.scope.collections})
            await asyncio.to_thread(self._services.plan_memory.keep, run.owner, case)
        self.end(run, ending, answer=str(answers_of(report)[-1]["answer"]), log=log)

    async def _keep_report(
        self, run: RunInfo, snapshot: StateSnapshot, model: ChatModel | None, log: EventLog
    ) -> dict[str, Any]:
        log.write()
        times = self._catalog.runs.phase_times(run.thread_id)
        name = model.name if model else "none"
        report = self._report(run, snapshot.values, name, times)
        self._catalog.runs.update(run.thread_id, epoch=log.epoch, report=report)
        return report

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
        """The branch of the thread's last checkpoint: events of its steps are kept under it."""
        snapshot = await self.snapshot(run.thread_id)
        return str(snapshot.values.get("branch", MAIN))

    def end(
        self,
        run: RunInfo,
        status: Ending,
        error: RabbitholeError | None = None,
        *,
        answer: str = "",
        log: EventLog | None = None,
    ) -> None:
        """Writes the final event and the status; the event tells followers to stop.

        Raises:
            StaleLease: the thread, which has this ``log``, has passed to another process.
        """
        log, notice = log or EventLog(self._catalog.events), error.notice if error else None
        final = isinstance(error, Broken | IncompatibleThread)
        kind = type(error).__name__ if error else None
        ended = RunFinished(status=status, error=notice, error_type=kind, final=final)
        log.tell(closing_key(run, f"end-{status}", log.branch), ended)
        self._catalog.runs.update(
            run.thread_id, epoch=log.epoch, status=status, pending=None, error=notice
        )
        if self._telemetry is not None:
            self._telemetry.export(run, all_events(self._catalog, run.thread_id), answer)

    async def answered(self, run: RunInfo, interrupt_id: str | None) -> Command[Any]:
        """What lets a waiting thread go on: the stored answer to its open question.

        Raises:
            AlreadyAnswered: ``interrupt_id`` is not that of the open question.
            InvalidInput: nobody has answered it.
        """
        snapshot = await self.snapshot(run.thread_id)
        pending = snapshot.interrupts[0] if snapshot.interrupts else None
        if pending is None or interrupt_id not in (None, pending.id):
            raise AlreadyAnswered("This question was answered before; the thread went on.")
        answer = self._catalog.answers.get(run.thread_id, pending.id)
        if answer is None:
            raise InvalidInput(
                "Thread {thread} waits for an answer: give one, or approve its plan.",
                thread=run.thread_id,
            )
        return Command(resume={pending.id: answer["value"]})

    def waits_again(self, run: RunInfo, snapshot: StateSnapshot) -> bool:
        """Whether a thread that was paused while it waited goes on by waiting for the same."""
        pending, answers = snapshot.interrupts[0], self._catalog.answers
        if run.pending is not None or answers.get(run.thread_id, pending.id) is not None:
            return False
        self._wait(run, pending)
        return True

    def _wait(self, run: RunInfo, pending: Interrupt, log: EventLog | None = None) -> None:
        """Writes the open question of a thread down, as front ends see it."""
        log, asked = log or EventLog(self._catalog.events), pending.value
        fields = {name: asked[name] for name in Waiting.model_fields if name in asked}
        waiting = Waiting.model_validate({**fields, "interrupt_id": pending.id})
        log.tell(closing_key(run, f"waiting-{pending.id}"), waiting)
        self._catalog.runs.update(run.thread_id, epoch=log.epoch, status="waiting", pending=waiting)

    async def snapshot(self, thread_id: str) -> StateSnapshot:
        """The thread at its last checkpoint.

        Raises:
            IncompatibleThread: another version wrote it, or its steps are damaged.
            Broken: the file of all threads' steps is damaged.
        """
        try:
            snapshot = await self._graph.aget_state(config_of(thread_id))
            if not all(isinstance(each, Interrupt) for each in snapshot.interrupts):
                raise TypeError("an interrupt is none")
        except Exception as error:  # whatever makes no sense of what was kept; it has no one type
            if problem := unusable(self._services.settings, error):
                raise problem from error
            if isinstance(error, sqlite3.Error):
                raise
            logger.warning("the steps of thread %s are damaged: %r", thread_id, error)
            raise IncompatibleThread(
                "The steps of thread {thread} are damaged, so it cannot be continued. Its report, "
                "if any, can still be shown; start a new run.",
                thread=thread_id,
            ) from error
        if isinstance(snapshot.values.get("options"), dict):
            raise IncompatibleThread(
                "Thread {thread} was written by another version of Rabbithole and cannot be "
                "continued. Its report, if any, can still be shown; start a new run.",
                thread=thread_id,
            )
        return snapshot


async def _cancelled(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancels tasks and waits for their end."""
    for task in (tasks := list(tasks)):
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def config_of(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id}, "recursion_limit": 100}


def closing_key(run: RunInfo, name: str, branch: str = MAIN) -> EventKey:
    """The place of an event in the log that no step of the graph tells."""
    return EventKey(thread_id=run.thread_id, branch=branch, checkpoint=name, n=0)
