"""Research threads: start, resume by interrupt id, pause, cancel with what there is."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any, Self

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Interrupt, StateSnapshot

from agent.commands import StartRun
from agent.context import Context
from agent.graph import build_research_graph
from agent.models import RunOptions
from agent.report import as_json
from agent.state import ResearchState
from services.build import Services
from services.catalog.values import RunInfo
from services.errors import AlreadyAnswered, IncompatibleThread, InvalidInput, RabbitholeError
from services.events import Event, EventKey, PlanItem, RunFinished, RunStarted, Waiting
from services.ingestion.registry import Registry
from services.llm.tasks import TaskRunner
from services.types import Principal

logger = logging.getLogger(__name__)


class ResearchThreads:
    """All threads of this process. Use as an async context manager on the runner's loop."""

    def __init__(self, services: Services, holder: str) -> None:
        self._services = services
        self._catalog = services.catalog
        self._holder = holder
        self._driving: dict[str, asyncio.Task[None]] = {}
        self._stack = AsyncExitStack()
        self._graph: CompiledStateGraph[Any, Context, Any, Any]

    async def __aenter__(self) -> Self:
        path = self._services.settings.checkpoints_path
        path.parent.mkdir(parents=True, exist_ok=True)
        saver = await self._stack.enter_async_context(AsyncSqliteSaver.from_conn_string(str(path)))
        self._graph = build_research_graph(saver)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.pause_all()
        await self._stack.aclose()

    async def start(self, principal: Principal, command: StartRun) -> dict[str, Any]:
        """Starts a new thread; returns as soon as it is under way."""
        run = self._catalog.runs.get(principal, command.thread_id)
        state = ResearchState(query=command.question, options=command.options)
        self._drive(run, principal, state, begin=True)
        return {"thread_id": run.thread_id}

    async def resume(
        self, principal: Principal, thread_id: str, interrupt_id: str | None
    ) -> dict[str, Any]:
        """Continues a thread: with the stored answer to its open question, or where it stopped.

        Raises:
            AlreadyAnswered: the question is no longer the open one.
            InvalidInput: the thread waits for an answer, or has ended.
        """
        run = self._catalog.runs.get(principal, thread_id)
        if thread_id in self._driving:
            raise AlreadyAnswered(f"Thread {thread_id} is running already.")
        snapshot = await self._snapshot(thread_id)
        pending = snapshot.interrupts[0] if snapshot.interrupts else None
        if pending is not None:
            self._drive(run, principal, self._answer(run, pending, interrupt_id))
        elif snapshot.next:
            self._drive(run, principal, None)
        elif not snapshot.values:
            options = RunOptions.model_validate(run.options)
            self._drive(run, principal, ResearchState(query=run.question, options=options))
        else:
            raise InvalidInput(f"Thread {thread_id} has ended; its report can be shown.")
        return {"thread_id": thread_id}

    def _answer(self, run: RunInfo, pending: Interrupt, interrupt_id: str | None) -> Command[Any]:
        if interrupt_id is not None and pending.id != interrupt_id:
            raise AlreadyAnswered("This question was answered before; the thread went on.")
        answer = self._catalog.answers.get(run.thread_id, pending.id)
        if answer is None:
            raise InvalidInput(
                f"Thread {run.thread_id} waits for an answer: give one, or approve its plan."
            )
        return Command(resume={pending.id: answer["value"]})

    async def halt(self, principal: Principal, thread_id: str, *, cancel: bool) -> dict[str, Any]:
        """Stops a thread between or within steps; cancelling reports what there is."""
        run = self._catalog.runs.get(principal, thread_id)
        driving = self._driving.get(thread_id)
        if driving is not None:
            driving.cancel()
            await asyncio.gather(driving, return_exceptions=True)
        elif run.status in ("done", "cancelled", "failed"):
            raise InvalidInput(f"Thread {thread_id} has ended already.")
        if cancel:
            await self._conclude(run, principal)
        else:
            self._end(run, "paused")
        return {"thread_id": thread_id}

    async def pause_all(self) -> None:
        """Cancels every driven thread; each stays resumable at its last checkpoint."""
        tasks = list(self._driving.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _drive(
        self, run: RunInfo, principal: Principal, entry: Any, *, begin: bool = False
    ) -> None:
        """Takes the lease and lets the graph run; the thread counts as running at once."""
        epoch = self._catalog.leases.acquire(run.thread_id, self._holder)
        self._catalog.runs.update(run.thread_id, status="running", pending=None, error=None)
        task = asyncio.get_running_loop().create_task(
            self._run(run, principal, entry, epoch, begin=begin)
        )
        self._driving[run.thread_id] = task
        task.add_done_callback(lambda _: self._driving.pop(run.thread_id, None))

    async def _run(
        self, run: RunInfo, principal: Principal, entry: Any, epoch: int, *, begin: bool
    ) -> None:
        """Streams the graph until it ends or waits; every outcome is written down."""
        try:
            context = await self._context(run, principal, epoch)
            if begin:
                self._record_start(run, context)
            await self._stream(run, entry, context)
            await self._settle(run, epoch)
        except asyncio.CancelledError:
            self._catalog.runs.update(run.thread_id, status="paused")
            raise
        except RabbitholeError as problem:
            self._fail(run, str(problem))
        except Exception as problem:
            logger.exception("thread %s failed", run.thread_id)
            self._fail(run, f"unexpected {type(problem).__name__}: {problem}")
        finally:
            self._catalog.leases.release(run.thread_id, epoch)

    async def _stream(self, run: RunInfo, entry: Any, context: Context) -> None:
        parts = self._graph.astream(
            entry,
            self._config(run.thread_id),
            context=context,
            stream_mode="updates",
            durability="sync",
        )
        async for part in parts:
            for name in part:
                if not name.startswith("__"):
                    self._catalog.runs.update(run.thread_id, phase=name)

    async def _settle(self, run: RunInfo, epoch: int) -> None:
        """After the stream: either a person is asked, or the report is kept."""
        snapshot = await self._snapshot(run.thread_id)
        if snapshot.interrupts:
            waiting = as_waiting(snapshot.interrupts[0])
            key = self._closing_key(run, f"waiting-{waiting.interrupt_id}")
            self._recorder(epoch)(key, waiting)
            self._catalog.runs.update(run.thread_id, status="waiting", pending=waiting)
            return
        await self._keep_report(run, snapshot)
        self._end(run, "done")

    async def _keep_report(self, run: RunInfo, snapshot: StateSnapshot) -> None:
        model = await self._services.chat_model()
        report = as_json(run, snapshot.values, model.name if model else "none")
        self._catalog.runs.update(run.thread_id, report=report)

    async def _conclude(self, run: RunInfo, principal: Principal) -> None:
        """A report from the evidence so far, without further model calls.

        Finished siblings of an interrupted fan-out have left their results beside the
        checkpoint; they are taken in before validation goes on.
        """
        snapshot = await self._snapshot(run.thread_id)
        if "query_anchor" not in snapshot.values or snapshot.values.get("final_report"):
            self._end(run, "cancelled")
            return
        epoch = self._catalog.leases.acquire(run.thread_id, self._holder)
        try:
            await self._take_in_finished(run, snapshot)
            context = await self._context(run, principal, epoch, with_model=False)
            await self._stream(run, None, context)
            await self._keep_report(run, await self._snapshot(run.thread_id))
        finally:
            self._catalog.leases.release(run.thread_id, epoch)
        self._end(run, "cancelled")

    async def _take_in_finished(self, run: RunInfo, snapshot: StateSnapshot) -> None:
        update: dict[str, Any] = {
            "evidence": {},
            "references": [],
            "preserved_quotes": [],
            "task_summaries": [],
            "usage": [],
            "warnings": ["The run was cancelled: the report rests on what was found until then."],
        }
        for task in snapshot.tasks:
            if task.name == "execute_task" and isinstance(task.result, dict):
                update["evidence"] |= task.result["evidence"]
                for name in ("references", "preserved_quotes", "task_summaries", "usage"):
                    update[name] = [*update[name], *task.result[name]]
        await self._graph.aupdate_state(self._config(run.thread_id), update, as_node="execute_task")

    async def _context(
        self, run: RunInfo, principal: Principal, epoch: int, *, with_model: bool = True
    ) -> Context:
        scope = self._catalog.collections.scope(principal, run.collections)
        aliases = await asyncio.to_thread(self._catalog.references.aliases, scope)
        retriever = await asyncio.to_thread(lambda: self._services.retriever)
        model = await self._services.chat_model() if with_model else None
        settings = self._services.settings
        return Context(
            catalog=self._catalog,
            retriever=retriever,
            similarity=self._services.similarity,
            registry=Registry(aliases),
            tasks=TaskRunner(model, deadline_s=settings.model_deadline_s),
            scope=scope,
            collections=run.collections,
            record=self._recorder(epoch),
        )

    def _recorder(self, epoch: int) -> Callable[[EventKey, Event], None]:
        def record(key: EventKey, event: Event) -> None:
            self._catalog.events.append(key, event, epoch=epoch)

        return record

    def _record_start(self, run: RunInfo, context: Context) -> None:
        model = context.tasks.model
        event = RunStarted(
            question=run.question,
            model=model.name if model else "none",
            collections=run.collections,
        )
        context.record(self._closing_key(run, "start"), event)

    def _end(self, run: RunInfo, status: Any, error: str | None = None) -> None:
        """Writes the final event and the status; the event tells followers to stop."""
        key = self._closing_key(run, f"end-{status}")
        self._catalog.events.append(key, RunFinished(status=status, error=error), epoch=None)
        self._catalog.runs.update(run.thread_id, status=status, pending=None, error=error)

    def _fail(self, run: RunInfo, error: str) -> None:
        self._end(run, "failed", error)

    @staticmethod
    def _closing_key(run: RunInfo, name: str) -> EventKey:
        return EventKey(thread_id=run.thread_id, checkpoint=name, n=0)

    @staticmethod
    def _config(thread_id: str) -> RunnableConfig:
        return {"configurable": {"thread_id": thread_id}, "recursion_limit": 100}

    async def _snapshot(self, thread_id: str) -> StateSnapshot:
        snapshot = await self._graph.aget_state(self._config(thread_id))
        if isinstance(snapshot.values.get("options"), dict):
            raise IncompatibleThread(
                f"Thread {thread_id} was written by another version of Rabbithole and cannot "
                "be continued. Its report, if any, can still be shown; start a new run."
            )
        return snapshot


def as_waiting(interrupt: Interrupt) -> Waiting:
    """The open question of a thread as front ends see it."""
    value = interrupt.value
    return Waiting(
        interrupt_id=interrupt.id,
        interrupt=value["interrupt"],
        questions=tuple(value.get("questions", ())),
        found=tuple(value.get("found", ())),
        items=tuple(PlanItem(**item) for item in value.get("items", ())),
    )
