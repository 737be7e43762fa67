"""The process-wide owner of stores and runs: does jobs on an event loop of its own.

Front ends never run a graph. They submit jobs (`agent.engine.connection`) and read the event log;
this runner claims the jobs and writes what came of them.
"""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Sequence
from concurrent import futures
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic import JsonValue, ValidationError

from agent.engine.crew import Crew
from agent.engine.events import EventLog
from agent.engine.jobs import ClearDeleted, Job, job_of
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
"""When what a dead owner left is done: before or after the jobs of this process, or not at all."""

POLL_S = 0.1
HEARING_S = 1.0
"""The same where others tell that there is something to do."""
RETRY_S = 1.0
"""Seconds until the catalog is tried again when it took nothing, as with a full disk."""
logger = logging.getLogger(__name__)


class Runner:
    """Runs in a thread of its own between ``start`` and ``stop``.

    ``take_up`` says when it does what an owner left and nobody waits for. Where
    several processes work in the home, its crew, in which it has this ``name``, says what is this
    one's to do.
    """

    def __init__(
        self, services: Services, name: str | None = None, *, take_up: TakeUp = "last"
    ) -> None:
        self._services = services
        shared = services.settings.shared
        self._crew = Crew(services, name, take_up=take_up != "never") if shared else None
        self._when = take_up
        self._catalog = services.catalog
        self._left: Sequence[int] = ()
        self._loop = asyncio.new_event_loop()
        self._wake = asyncio.Event()
        self._stopping = False
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._unclaimed: Exception | None = None
        self._unrecorded: dict[int, Exception] = {}
        self._handlers: Handlers
        self._running: set[asyncio.Task[Any]] = set()
        self._thread = threading.Thread(target=self._main, name="rabbithole-runner", daemon=True)

    def start(self) -> None:
        """Starts the loop; returns when jobs are being claimed.

        Raises:
            RabbitholeError: if the checkpoints cannot be opened.
        """
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            raise self._failure

    def wake(self) -> None:
        """Says that a job was submitted, so that it need not wait for the next poll."""
        self._unclaimed = None  # the catalog took the job: it may let it be claimed too
        self._wake_up()

    def _wake_up(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._wake.set)

    def problem(self, queued: QueuedJob) -> Exception | None:
        """Why the catalog will not tell how a job goes on; for whoever waits for it here."""
        unclaimed = queued.status == "queued"
        return self._unclaimed if unclaimed else self._unrecorded.get(queued.id)

    def log(self, thread_id: str) -> EventLog | None:
        """The log of a thread that is driven here; for whoever follows it here."""
        return self._handlers.log(thread_id)

    def stop(self) -> None:
        """Pauses running threads (they resume later) and ends the loop."""
        self._stopping = True
        self.wake()
        self._thread.join()

    def _main(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        from agent.engine.handlers import open_handlers  # langgraph is slow to import

        async with contextlib.AsyncExitStack() as stack:
            try:
                if self._crew is not None:
                    stack.callback(self._crew.leave)
                    await asyncio.to_thread(self._crew.join, self._wake_up)
                opened = open_handlers(self._services, self._breaks_off, self._crew)
                self._handlers = await stack.enter_async_context(opened)
                self._take_up()
            except BaseException as error:  # noqa: BLE001
                self._failure = error
                return
            finally:
                self._ready.set()
            await self._claim_until_stopped()
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
        await self._services.aclose()

    def _breaks_off(self) -> bool:
        """Whether works under way are to end: they are done again by another, or later."""
        return self._stopping or (self._crew is not None and self._crew.lost)

    def _take_up(self) -> None:
        """What an owner left under way is to be done again."""
        queue, waiters = self._catalog.queue, present(self._services.settings.home)
        if self._crew is None and (unfinished := queue.open_jobs()):
            queue.requeue_running()
            self._left = [each.id for each in unfinished if each.waiter not in waiters]
        if self._when == "never":
            return
        if self._crew is None:
            self._tell_interrupted()
        if self._catalog.deletions.pending():
            queue.submit(Principal(), ClearDeleted.kind, {})

    def _tell_interrupted(self) -> None:
        for left in self._catalog.ingestions.interrupt_running():
            logger.warning(
                "rabbithole: an ingestion into %r was interrupted after %d of %d files; "
                "it is taken up again.",
                left.collection,
                left.files_done + left.files_failed,
                left.files_total,
            )

    async def _claim_until_stopped(self) -> None:
        # When the main thread has ended, Python takes no new work for threads: the process is
        # going down, and what runs here stays resumable.
        while not self._stopping and threading.main_thread().is_alive():
            if self._crew is not None and self._crew.lost:
                await self._begin_anew(self._crew)
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
                    self._keep(self._loop.create_task(self._execute(queued)))
                    continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(POLL_S if self._crew is None else HEARING_S):
                    await self._wake.wait()
            self._wake.clear()

    def _claim(self) -> QueuedJob | None:
        if not self._catalog.own(shared=self._crew is not None):  # the database was away
            raise another_home(self._services.settings.home)
        if self._crew is None:
            left, when = self._left, self._when
            return self._catalog.queue.claim(
                last=left if when == "last" else (), never=left if when == "never" else ()
            )
        share = self._crew.share(len(self._running) + self._handlers.driven)
        return share and self._catalog.queue.claim(share)

    async def _begin_anew(self, crew: Crew) -> None:
        """Lets go of everything, and takes part again as soon as the database answers."""
        await self._handlers.pause_all()
        await asyncio.gather(*self._running, return_exceptions=True)
        while not self._stopping:
            try:
                return await asyncio.to_thread(crew.join, self._wake_up)
            except TryAgain:
                await asyncio.sleep(RETRY_S)

    def _keep(self, task: asyncio.Task[Any]) -> None:
        """Work that is ended with the loop."""
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def call(self, principal: Principal, job: Job[R]) -> R:
        """Does a short job at once: it is not kept, and lost with this process.

        Raises:
            Interrupted: the process is going down.
            RabbitholeError: it cannot be done, and why.
        """
        work = self._at_once(principal, job)
        try:
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
            while not future.done():
                futures.wait([future], timeout=RETRY_S)
                if not self._thread.is_alive():  # it may have come too late for the loop
                    future.cancel()
            return future.result()
        except (futures.CancelledError, RuntimeError) as stopped:
            work.close()
            raise Interrupted("The program is ending. Do it again once it runs.") from stopped

    async def _at_once(self, principal: Principal, job: Job[R]) -> R:
        if (task := asyncio.current_task()) is not None:
            self._keep(task)
        return await self._handled(principal, job)

    async def _handled(self, principal: Principal, job: Job[R], number: int = 0) -> R:
        try:
            with translate_disk_errors(self._services.settings.home):
                done: R = await self._handlers.handle(principal, job, number)
        except RabbitholeError:
            raise
        except Exception as problem:
            logger.exception("job %s failed", job.kind)
            raise _broken(problem) from problem
        return done

    @property
    def _holder(self) -> str | None:
        return self._catalog.workers.holder if self._crew else None

    async def _execute(self, queued: QueuedJob) -> None:
        """Does one job of the queue; its outcome, good or bad, ends up in the catalog."""
        result: JsonValue = None
        error: RabbitholeError | None = None
        try:
            job = job_of(queued)
            result = job.stored(await self._handled(queued.principal, job, queued.id))
        except (Interrupted, asyncio.CancelledError):
            with contextlib.suppress(RabbitholeError):  # the next owner looks for it anyway
                self._catalog.queue.let_go(queued.id, holder=self._holder)
            return
        except RabbitholeError as problem:
            if self._crew is not None and self._crew.loses(problem):
                return  # so that it is done again
            error = problem
        except (KeyError, ValidationError) as problem:
            error = _broken(problem)
        await self._record(queued.id, result, error)

    async def _record(self, number: int, result: JsonValue, error: RabbitholeError | None) -> None:
        """Writes an outcome down, as soon as the catalog takes it; till then it has a problem."""
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
    return StoresBusy(
        "Another home folder works on the database of {home}; one home has a database "
        "to itself. End what works there, or name another in RABBITHOLE_DATABASE.",
        home=home,
    )


def _broken(problem: Exception) -> Broken:
    return Broken("unexpected {error}: {what}", error=type(problem).__name__, what=problem)
