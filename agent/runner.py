"""The process-wide owner of stores and runs: carries out commands on an event loop of its own.

Front ends never run a graph. They put commands into the catalog (agent/client.py) and read the
event log; this runner claims the commands, drives the threads and writes what happens.
"""

import asyncio
import contextlib
import logging
import os
import threading
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from agent.commands import (
    COMMAND,
    AnyCommand,
    AskQuestion,
    BuildGraph,
    CheckEmbedder,
    CheckIndexes,
    CheckModel,
    ClearDeleted,
    DeleteRun,
    ForkRun,
    IngestFiles,
    ListCheckpoints,
    NameModel,
    RemoveDocument,
    ReplayTrace,
    RestoreCollection,
    RestoreEvidence,
    ResumeRun,
    SearchCorpus,
    ShowCache,
    StartRun,
    StopRun,
)
from agent.graph_building import build_graph, facts_ended, for_who_waits
from agent.progress_log import ProgressLog
from agent.thread_kinds import Threads
from agent.tracing.replay import Replay
from agent.tracing.values import read_trace
from services.build import Services
from services.catalog.values import Command, JobInfo
from services.engine_checks import check_embedder, check_model
from services.errors import Interrupted, InvalidInput, RabbitholeError
from services.types import Principal

POLL_S = 0.1
logger = logging.getLogger(__name__)
Result = dict[str, Any]


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
        self._running: set[asyncio.Task[None]] = set()
        self._changing = asyncio.Lock()
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
        self._loop.call_soon_threadsafe(self._wake.set)

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
                report_interrupted(self._catalog.jobs.interrupt_running())
                self._take_up()
            except BaseException as error:
                self._failure = error
                raise
            finally:
                self._ready.set()
            await self._claim_until_stopped(threads)
            await self._finish(threads)

    def _take_up(self) -> None:
        """What a dead owner left is done again, but for what somebody waited for."""
        for command in self._catalog.commands.running():
            if for_who_waits(command.kind, command.payload):
                self._catalog.commands.give_up(command.id, facts_ended())
        self._catalog.commands.requeue_running()

    async def _claim_until_stopped(self, threads: Threads) -> None:
        # When the main thread has ended, Python takes no new work for threads: the process is
        # going down, and what runs here stays resumable.
        while not self._stopping and threading.main_thread().is_alive():
            if not self._catalog.commands.unchanged():
                command = await asyncio.to_thread(self._catalog.commands.claim)
                if command is not None:
                    self._spawn(self._execute(command, threads))
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

    async def _execute(self, command: Command, threads: Threads) -> None:
        """Carries out one command; its outcome, good or bad, ends up in the catalog."""
        result: Result | None = None
        error: tuple[str, str] | None = None
        try:
            payload = COMMAND.validate_python({**command.payload, "kind": command.kind})
            result = await self._dispatch(command, payload, threads)
        except Interrupted:
            return  # it counts as running, so that the next owner does it again
        except RabbitholeError as problem:
            error = str(problem), type(problem).__name__
        except Exception as problem:
            logger.exception("command %s failed", command.kind)
            error = f"unexpected {type(problem).__name__}: {problem}", "Broken"
        message, kind = error or (None, None)
        await asyncio.to_thread(self._catalog.commands.finish, command.id, result, message, kind)

    async def _dispatch(self, command: Command, payload: AnyCommand, threads: Threads) -> Result:
        principal = command.principal
        match payload:
            case StartRun():
                return await threads.start(principal, payload)
            case ResumeRun():
                return await threads.resume(principal, payload.thread_id, payload.interrupt_id)
            case AskQuestion():
                return await threads.ask(principal, payload)
            case StopRun():
                return await threads.halt(principal, payload.thread_id, cancel=payload.cancel)
            case RestoreEvidence():
                return await threads.restore(principal, payload)
            case ListCheckpoints():
                return await threads.checkpoints(principal, payload.thread_id)
            case ForkRun():
                return await threads.fork(principal, payload)
            case DeleteRun():
                return await threads.delete(principal, payload.thread_id)
            case IngestFiles():
                return await self._change(self._ingest, command.id, principal, payload)
            case SearchCorpus():
                found = await self._services.library.find(principal, payload)
                return found.model_dump(mode="json")
            case RemoveDocument():
                return await self._change(self._remove, principal, payload)
            case ClearDeleted():
                return await self._change(self._clear)
            case CheckIndexes():
                return await self._change(self._check, command.id, principal, payload)
            case BuildGraph():
                progress = self._progress(command.id, while_wanted=True)
                return await build_graph(self._services, principal, payload, progress, self._change)
            case RestoreCollection():
                return await self._change(self._restore, command.id, principal, payload)
            case ReplayTrace():
                return await self._replay(principal, payload)
            case NameModel():
                model = await self._services.chat_model()
                return {"model": model.name if model else "none"}
            case CheckModel():
                return await self._check_model()
            case CheckEmbedder():
                return await self._check_embedder(principal)
            case ShowCache():
                return self._cache(payload)
        raise InvalidInput(f"unknown command {command.kind}")

    async def _change(self, work: Callable[..., Result], *arguments: object) -> Result:
        """Runs what changes the stores in a thread, one such work at a time.

        Deleting what another work is about to use would leave halves behind.
        """
        async with self._changing:
            return await asyncio.to_thread(work, *arguments)

    async def _replay(self, principal: Principal, payload: ReplayTrace) -> Result:
        trace = await asyncio.to_thread(read_trace, Path(payload.file))
        return await Replay(self._services, f"{os.getpid()}", principal, trace).run()

    async def _check_model(self) -> Result:
        deadline_s = self._services.settings.model_deadline_s
        check = await check_model(await self._services.chat_model(), deadline_s=deadline_s)
        return check.model_dump(mode="json")

    async def _check_embedder(self, principal: Principal) -> Result:
        check = await check_embedder(self._services.embedder)
        foreign = await asyncio.to_thread(self._foreign, principal, check.fingerprint)
        return check.model_copy(update={"foreign": foreign}).model_dump(mode="json")

    def _foreign(self, principal: Principal, fingerprint: str) -> tuple[str, ...]:
        """Names of readable collections that another embedding model indexed."""
        collections = self._catalog.collections
        return tuple(
            info.name
            for info in self._services.library.collections(principal)
            if collections.fingerprint(info.collection_id) not in (None, fingerprint)
        )

    def _cache(self, payload: ShowCache) -> Result:
        searches = self._services.searches
        if payload.clear:
            searches.clear()
        return searches.statistics().model_dump(mode="json")

    def _ingest(self, command_id: int, principal: Principal, payload: IngestFiles) -> Result:
        with self._progress(command_id) as progress:
            report = self._services.library.ingest(
                principal,
                [Path(path) for path in payload.paths],
                payload.collection,
                language=payload.language,
                chunking=payload.chunking,
                prune=payload.prune,
                on_event=progress.record,
            )
        return report.model_dump(mode="json")

    def _progress(self, command_id: int, *, while_wanted: bool = False) -> ProgressLog:
        """The log of a command; with ``while_wanted`` it also ends what was given up."""

        def stopping() -> bool:
            given_up = while_wanted and not self._catalog.commands.is_open(command_id)
            return self._stopping or given_up

        return ProgressLog(self._catalog.events, command_id, stopping=stopping)

    def _remove(self, principal: Principal, payload: RemoveDocument) -> Result:
        removed = self._services.library.remove_document(
            principal, payload.collection, payload.document
        )
        return {"document": removed.model_dump(mode="json")}

    def _clear(self) -> Result:
        self._services.library.clear_deleted()
        return {}

    def _check(self, command_id: int, principal: Principal, payload: CheckIndexes) -> Result:
        library = self._services.library
        if payload.repair or payload.afresh:
            with ProgressLog(self._catalog.events, command_id) as progress:
                states = library.repair(
                    principal, payload.collection, progress.record, afresh=payload.afresh
                )
        else:
            states = library.health(principal, payload.collection)
        return {"collections": [state.model_dump(mode="json") for state in states]}

    def _restore(self, command_id: int, principal: Principal, payload: RestoreCollection) -> Result:
        with self._progress(command_id) as progress:
            report = self._services.library.restore_collection(
                principal, Path(payload.file), payload.name, progress.record
            )
        return report.model_dump(mode="json")


def report_interrupted(jobs: Sequence[JobInfo]) -> None:
    """Says which ingestions a dead process left; their commands are about to be done again."""
    for job in jobs:
        logger.warning(
            "rabbithole: an ingestion into %r was interrupted after %d of %d files; "
            "it is taken up again.",
            job.collection,
            job.files_done + job.files_failed,
            job.files_total,
        )
