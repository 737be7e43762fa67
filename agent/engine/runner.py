"""The process-wide owner of stores and runs: carries out commands on an event loop of its own.

Front ends never run a graph. They put commands into the catalog (agent/engine) and read the
event log; this runner claims the commands, drives the threads and writes what happens.
"""

import asyncio
import contextlib
import logging
import os
import threading
from collections.abc import Coroutine, Sequence
from concurrent import futures
from typing import Any

from pydantic import ValidationError

from agent.engine.commands import COMMAND, AnyCommand
from agent.engine.graph_building import facts_ended, for_who_waits
from agent.engine.handlers import CommandHandlers, Result
from agent.engine.threads import Threads
from services.build import Services
from services.catalog.values import Command, IngestionInfo, JsonObject
from services.domain import Principal, Value
from services.domain.errors import Broken, Interrupted, RabbitholeError

POLL_S = 0.1
RETRY_S = 1.0
"""Seconds until the catalog is tried again when it took nothing, as with a full disk."""
logger = logging.getLogger(__name__)


class Runner:
    """Runs in a thread of its own between ``start`` and ``stop``."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._catalog = services.catalog
        self._loop = asyncio.new_event_loop()
        self._wake = asyncio.Event()
        self._stopping = False
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._unclaimed: Exception | None = None
        self._unrecorded: dict[int, Exception] = {}
        self._handlers: CommandHandlers
        self._running: set[asyncio.Task[Any]] = set()
        self._thread = threading.Thread(target=self._main, name="rabbithole-runner", daemon=True)

    def start(self) -> None:
        """Starts the loop; returns when commands are being claimed.

        Raises:
            RabbitholeError: if the checkpoints cannot be opened.
        """
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            raise self._failure

    def wake(self) -> None:
        """Says that a command was submitted, so that it need not wait for the next poll."""
        self._unclaimed = None  # the catalog took the command: it may let it be claimed too
        self._loop.call_soon_threadsafe(self._wake.set)

    def problem(self, command: Command) -> Exception | None:
        """Why the catalog will not tell how a command goes on; for whoever waits for it here."""
        queued = command.status == "queued"
        return self._unclaimed if queued else self._unrecorded.get(command.id)

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
        holder = f"{os.getpid()}"
        async with contextlib.AsyncExitStack() as stack:
            try:
                threads = Threads(self._services, holder)
                await stack.enter_async_context(threads)
                self._catalog.leases.release_all(except_holder=holder)
                report_interrupted(self._catalog.ingestions.interrupt_running())
                self._take_up()
                self._handlers = CommandHandlers(self._services, threads, lambda: self._stopping)
            except BaseException as error:
                self._failure = error
                raise
            finally:
                self._ready.set()
            await self._claim_until_stopped()
            await self._finish(threads)

    def _take_up(self) -> None:
        """What a dead owner left is done again, but for what somebody waited for."""
        for command in self._catalog.queue.running():
            if for_who_waits(command.kind, command.payload):
                self._catalog.queue.give_up(command.id, facts_ended())
        self._catalog.queue.requeue_running()

    async def _claim_until_stopped(self) -> None:
        # When the main thread has ended, Python takes no new work for threads: the process is
        # going down, and what runs here stays resumable.
        while not self._stopping and threading.main_thread().is_alive():
            if not self._catalog.queue.unchanged():
                try:
                    command = await asyncio.to_thread(self._catalog.queue.claim)
                    self._unclaimed = None
                except Exception as problem:
                    if self._unclaimed is None:
                        logger.exception("no command can be claimed")
                    self._unclaimed = problem
                    await asyncio.sleep(RETRY_S)
                    continue
                if command is not None:
                    self._spawn(self._execute(command))
                    continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await self._wake.wait()
            self._wake.clear()

    async def _finish(self, threads: Threads) -> None:
        await threads.pause_all()
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._services.aclose()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def call(self, principal: Principal, payload: AnyCommand) -> Result:
        """Carries out a short command at once: it is not kept, and lost with this process.

        Raises:
            Interrupted: the process is going down.
            RabbitholeError: it cannot be done, and why.
        """
        work = self._at_once(principal, payload)
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

    async def _at_once(self, principal: Principal, payload: AnyCommand) -> Result:
        if (task := asyncio.current_task()) is not None:
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        return await self._handled(principal, payload)

    async def _handled(self, principal: Principal, payload: AnyCommand, number: int = 0) -> Result:
        try:
            return await self._handlers.carry_out(principal, payload, number)
        except RabbitholeError:
            raise
        except Exception as problem:
            logger.exception("command %s failed", payload.kind)
            raise Broken(f"unexpected {type(problem).__name__}: {problem}") from problem

    async def _execute(self, command: Command) -> None:
        """Carries out one command; its outcome, good or bad, ends up in the catalog."""
        result: JsonObject | None = None
        error: tuple[str, str] | None = None
        try:
            payload = COMMAND.validate_python({**command.payload, "kind": command.kind})
            done = await self._handled(command.principal, payload, command.id)
            result = done.model_dump(mode="json") if isinstance(done, Value) else done
        except Interrupted:
            return  # it counts as running, so that the next owner does it again
        except RabbitholeError as problem:
            error = str(problem), type(problem).__name__
        except ValidationError as problem:
            error = f"unexpected {type(problem).__name__}: {problem}", Broken.__name__
        await self._record(command.id, result, *(error or (None, None)))

    async def _record(
        self, number: int, result: JsonObject | None, message: str | None, kind: str | None
    ) -> None:
        """Writes an outcome down, as soon as the catalog takes it; till then it has a problem."""
        while True:
            try:
                await asyncio.to_thread(self._catalog.queue.finish, number, result, message, kind)
            except Exception as problem:
                if number not in self._unrecorded:
                    logger.exception("the outcome of command %d is not recorded", number)
                self._unrecorded[number] = problem
                await asyncio.sleep(RETRY_S)
            else:
                self._unrecorded.pop(number, None)
                return


def report_interrupted(jobs: Sequence[IngestionInfo]) -> None:
    """Says which ingestions a dead process left; their commands are about to be done again."""
    for job in jobs:
        logger.warning(
            "rabbithole: an ingestion into %r was interrupted after %d of %d files; "
            "it is taken up again.",
            job.collection,
            job.files_done + job.files_failed,
            job.files_total,
        )
