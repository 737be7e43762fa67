"""The process-wide owner of stores and runs: it does jobs on an event loop of its own.

Front ends never run a graph. They submit jobs (`agent.engine.connection`) and read the event log;
this runner claims the jobs and writes their results.
"""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent import futures
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic import JsonValue, ValidationError

from agent.engine.changes import ClearDeleted
from agent.engine.jobs import SHUTTING_DOWN, job_of
from agent.engine.workers import WorkerHeartbeat
from services.build import Services
from services.catalog.values import QueuedJob
from services.domain import Principal
from services.domain.errors import Broken, Interrupted, RabbitholeError, StoresBusy, TryAgain
from services.home import translate_disk_errors
from services.ownership import present

if TYPE_CHECKING:
    from agent.engine.handlers import Handlers

R = TypeVar("R")
TakeUp = Literal["first", "last", "never"]
"""When the jobs of a dead owner are done: before or after those of this process, or never."""

POLL_S = 0.1
NOTIFIED_POLL_S = 1.0
"""The same where other processes notify this one."""
RETRY_S = 1.0
"""Seconds until a failed write to the catalog is tried again, as with a full disk."""
CLEAR_AFTER_S = 60.0
DAY_S = 24 * 3600.0
logger = logging.getLogger(__name__)


class Runner:
    """Runs in a thread of its own between ``start`` and ``stop``.

    ``take_up`` says when it does the jobs of a dead owner that nobody waits for. Where several
    processes work in the home, this one is a worker of this ``name`` and does its share of them.
    """

    def __init__(
        self, services: Services, name: str | None = None, *, take_up: TakeUp = "last"
    ) -> None:
        self._services = services
        shared = services.settings.shared
        self._heartbeat = (
            WorkerHeartbeat(services, name, take_up=take_up != "never") if shared else None
        )
        self._take_up = take_up
        self._catalog = services.catalog
        self._left: Sequence[int] = ()
        self._loop = asyncio.new_event_loop()
        self._wake = asyncio.Event()
        self._stopping = False
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._unclaimed: Exception | None = None
        self._unrecorded: dict[int, Exception] = {}
        self.handlers: Handlers
        """Do the jobs; set as soon as this has started."""
        self._running: set[asyncio.Task[Any]] = set()
        self._thread = threading.Thread(target=self._main, name="rabbithole-runner", daemon=True)

    def start(self) -> None:
        """Start the loop and wait until jobs are claimed; raises if the checkpoints cannot be
        opened.
        """
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            raise self._failure

    def wake(self) -> None:
        """Look for a submitted job now instead of with the next poll."""
        self._unclaimed = None  # the catalog took the job: it may let it be claimed too
        self._wake_up()

    def _wake_up(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._wake.set)

    def problem(self, queued: QueuedJob) -> Exception | None:
        """Return why the catalog does not show how a job goes on, for whoever waits for it."""
        unclaimed = queued.status == "queued"
        return self._unclaimed if unclaimed else self._unrecorded.get(queued.id)

    def stop(self) -> None:
        """Pause running threads, which can be resumed later, and end the loop."""
        self._stopping = True
        self.wake()
        self._thread.join()

    def _main(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        async with contextlib.AsyncExitStack() as stack:
            try:
                from agent.engine.handlers import open_handlers  # langgraph is slow to import

                if self._heartbeat is not None:
                    stack.callback(self._heartbeat.leave)
                    await asyncio.to_thread(self._heartbeat.join, self._wake_up)
                opening = open_handlers(self._services, self._breaks_off, self._heartbeat)
                self.handlers = await stack.enter_async_context(opening)
                self._take_over()
            except BaseException as error:  # noqa: BLE001
                self._failure = error
                return
            finally:
                self._ready.set()
            clearing = self._loop.create_task(self._clear_daily())  # no work that a share counts
            await self._claim_until_stopped()
            for task in (clearing, *self._running):
                task.cancel()
            await asyncio.gather(clearing, *self._running, return_exceptions=True)
        await self._services.aclose()

    def _breaks_off(self) -> bool:
        """Whether jobs under way are to end: another process does them again, or a later one."""
        return self._stopping or (self._heartbeat is not None and self._heartbeat.lost)

    def _take_over(self) -> None:
        queue, waiters = self._catalog.queue, present(self._services.settings.home)
        if self._heartbeat is None and (unfinished := queue.open_jobs()):
            queue.requeue_running()
            self._left = [queued.id for queued in unfinished if queued.waiter not in waiters]
        if self._take_up == "never":
            return
        if self._heartbeat is None:
            for ingestion in self._catalog.ingestions.interrupt_running():
                logger.warning(
                    "rabbithole: an ingestion into %r was interrupted after %d of %d files; it is "
                    "taken up again.",
                    ingestion.collection,
                    ingestion.files_done + ingestion.files_failed,
                    ingestion.files_total,
                )
        if self._catalog.deletions.pending():
            queue.submit(Principal(), ClearDeleted.kind, {})

    async def _clear_daily(self) -> None:
        queue, days = self._catalog.queue, self._services.settings.keep_days
        await asyncio.sleep(CLEAR_AFTER_S)
        while True:
            try:
                if days:
                    await asyncio.to_thread(self._catalog.retention.clear, days)
                every_trace = ClearDeleted(traces=True).model_dump(mode="json")
                await asyncio.to_thread(queue.submit, Principal(), ClearDeleted.kind, every_trace)
            except RabbitholeError as problem:
                logger.warning("what nobody needs any more was not deleted: %s", problem)
            await asyncio.sleep(DAY_S)

    async def _claim_until_stopped(self) -> None:
        # When the main thread has ended, Python takes no new work for threads: the process is
        # about to end, and what runs here can be resumed.
        poll_s = POLL_S if self._heartbeat is None else NOTIFIED_POLL_S
        while not self._stopping and threading.main_thread().is_alive():
            if self._heartbeat is not None and self._heartbeat.lost:
                await self._join_again(self._heartbeat)
            if not self._catalog.queue.unchanged():
                try:
                    queued = await asyncio.to_thread(self._claim)
                    self._unclaimed = None
                except Exception as problem:
                    if self._unclaimed is None:
                        unforeseen = not isinstance(problem, RabbitholeError)
                        logger.error("no job can be claimed: %s", problem, exc_info=unforeseen)
                    self._unclaimed = problem
                    await asyncio.sleep(RETRY_S)
                    continue
                if queued is not None:
                    self._cancel_at_end(self._loop.create_task(self._execute(queued)))
                    continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(poll_s):
                    await self._wake.wait()
            self._wake.clear()

    def _claim(self) -> QueuedJob | None:
        if not self._catalog.try_own(shared=self._heartbeat is not None):  # the database was away
            raise another_home(self._services.settings.home)
        if self._heartbeat is None:
            return self._catalog.queue.claim(
                last=self._left if self._take_up == "last" else (),
                never=self._left if self._take_up == "never" else (),
            )
        share = self._heartbeat.share(len(self._running) + self.handlers.threads.count)
        return share and self._catalog.queue.claim(share)

    async def _join_again(self, heartbeat: WorkerHeartbeat) -> None:
        """Let go of everything, and join again as soon as the database answers."""
        await self.handlers.pause_all()
        await asyncio.gather(*self._running, return_exceptions=True)
        while not self._stopping:
            try:
                return await asyncio.to_thread(heartbeat.join, self._wake_up)
            except TryAgain:
                await asyncio.sleep(RETRY_S)

    def _cancel_at_end(self, task: asyncio.Task[Any]) -> None:
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def call(self, work: Callable[[], Awaitable[R]]) -> R:
        """Do work on the loop without the queue, and return its result; not kept after a kill.

        Raises Interrupted if the process is about to end, and a RabbitholeError if the work cannot
        be done.
        """
        coroutine = self._called(work)
        try:
            future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
            while not future.done():
                futures.wait([future], timeout=RETRY_S)
                if not self._thread.is_alive():  # it may have come too late for the loop
                    future.cancel()
            return future.result()
        except (futures.CancelledError, RuntimeError) as stopped:
            coroutine.close()
            raise Interrupted(SHUTTING_DOWN) from stopped

    async def _called(self, work: Callable[[], Awaitable[R]]) -> R:
        if (task := asyncio.current_task()) is not None:
            self._cancel_at_end(task)
        return await self._translated(work)

    async def _translated(self, work: Callable[[], Awaitable[R]]) -> R:
        """Do work; raise a RabbitholeError for every other error."""
        try:
            with translate_disk_errors(self._services.settings.home):
                return await work()
        except RabbitholeError:
            raise
        except Exception as problem:
            logger.exception("a job failed")
            raise _broken(problem) from problem

    @property
    def _holder(self) -> str | None:
        return self._catalog.workers.holder if self._heartbeat else None

    async def _execute(self, queued: QueuedJob) -> None:
        result: JsonValue = None
        error: RabbitholeError | None = None
        try:
            job = job_of(queued)
            work = partial(self.handlers.handle, queued.principal, job, queued.id)
            result = job.stored(await self._translated(work))
        except (Interrupted, asyncio.CancelledError):
            with contextlib.suppress(RabbitholeError):  # the next owner looks for it anyway
                self._catalog.queue.requeue(queued.id, holder=self._holder)
            return
        except RabbitholeError as problem:
            if self._heartbeat is not None and self._heartbeat.loses(problem):
                return  # so that it is done again
            error = problem
        except (KeyError, ValidationError) as problem:
            error = _broken(problem)
        await self._record(queued.id, result, error)

    async def _record(self, number: int, result: JsonValue, error: RabbitholeError | None) -> None:
        """Write an outcome as soon as the catalog takes it; until then ``problem`` says why not."""
        finish = partial(self._catalog.queue.finish, number, result, error, holder=self._holder)
        while True:
            try:
                await asyncio.to_thread(finish)
            except Exception as problem:
                if number not in self._unrecorded:
                    logger.exception("the outcome of job %d is not recorded", number)
                self._unrecorded[number] = problem
                await asyncio.sleep(RETRY_S)
            else:
                self._unrecorded.pop(number, None)
                return


def another_home(home: Path) -> StoresBusy:
    """Return the error of a database on which another home works."""
    return StoresBusy(
        "Another data folder is using the database of {home}, but each data folder needs its own. "
        "Stop the processes that use the other one, or set RABBITHOLE_DATABASE to another "
        "database.",
        home=home,
    )


def _broken(problem: Exception) -> Broken:
    return Broken("unexpected {error}: {what}", error=type(problem).__name__, what=problem)
