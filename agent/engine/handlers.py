"""Carrying out commands: which work stands behind each, and what it says when it is done."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from agent.engine.commands import (
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
from agent.engine.graph_building import build_graph
from agent.engine.progress_log import ProgressLog
from agent.engine.threads import Threads
from agent.engine.tracing.replay import Replay
from agent.engine.tracing.trace import read_trace
from services.build import Services
from services.domain import Principal, Value
from services.domain.errors import InvalidInput
from services.models.checks import check_embedder, check_model

Result = dict[str, Any] | Value
R = TypeVar("R", bound=Result)


class CommandHandlers:
    """Does what commands ask for, on the event loop that claims them.

    ``stopping`` says whether the process is going down: work under way then breaks off.
    """

    def __init__(self, services: Services, threads: Threads, stopping: Callable[[], bool]) -> None:
        self._services = services
        self._catalog = services.catalog
        self._threads = threads
        self._stopping = stopping
        self._changing = asyncio.Lock()

    async def carry_out(self, principal: Principal, payload: AnyCommand, number: int) -> Result:
        """The result of a command; its progress is logged under ``number``.

        Raises:
            Interrupted: the process is going down; the command is to be done again.
            RabbitholeError: it cannot be done, and why.
        """
        threads, settings = self._threads, self._services.settings
        match payload:
            case StartRun():
                return await threads.research.start(principal, payload)
            case ResumeRun():
                kind = threads.of(principal, payload.thread_id)
                return await kind.resume(principal, payload.thread_id, payload.interrupt_id)
            case AskQuestion():
                return await threads.asks.ask(principal, payload)
            case StopRun():
                kind = threads.of(principal, payload.thread_id)
                return await kind.halt(principal, payload.thread_id, cancel=payload.cancel)
            case RestoreEvidence():
                research = threads.research_of(principal, payload.thread_id)
                return await research.restore(principal, payload)
            case ListCheckpoints():
                research = threads.research_of(principal, payload.thread_id)
                return await research.checkpoints(principal, payload.thread_id)
            case ForkRun():
                research = threads.research_of(principal, payload.thread_id)
                return await research.fork(principal, payload)
            case DeleteRun():
                return await threads.delete(principal, payload.thread_id)
            case IngestFiles():
                return await self._change(self._ingest, number, principal, payload)
            case SearchCorpus():
                return await self._services.library.find(principal, payload)
            case RemoveDocument():
                return await self._change(self._remove, principal, payload)
            case ClearDeleted():
                return await self._change(self._clear)
            case CheckIndexes():
                return await self._change(self._check, number, principal, payload)
            case BuildGraph():
                progress = self._progress(number, while_wanted=True)
                return await build_graph(self._services, principal, payload, progress, self._change)
            case RestoreCollection():
                return await self._change(self._restore, number, principal, payload)
            case ReplayTrace():
                return await self._replay(principal, payload)
            case NameModel():
                model = await self._services.chat_model()
                return {"model": model.name if model else "none"}
            case CheckModel():
                model, deadline_s = await self._services.chat_model(), settings.call_deadline_s
                return await check_model(model, deadline_s=deadline_s)
            case CheckEmbedder():
                return await self._check_embedder(principal)
            case ShowCache():
                return self._cache(payload)
        raise InvalidInput(f"unknown command {payload.kind}")

    async def _change(self, work: Callable[..., R], *arguments: object) -> R:
        """Runs what changes the stores in a thread, one such work at a time.

        Deleting what another work is about to use would leave halves behind.
        """
        async with self._changing:
            return await asyncio.to_thread(work, *arguments)

    async def _replay(self, principal: Principal, payload: ReplayTrace) -> Result:
        trace = await asyncio.to_thread(read_trace, Path(payload.file))
        return await Replay(self._services, f"{os.getpid()}", principal, trace).run()

    async def _check_embedder(self, principal: Principal) -> Result:
        check = await check_embedder(self._services.embedder)
        foreign = await asyncio.to_thread(self._foreign, principal, check.fingerprint)
        return check.model_copy(update={"foreign": foreign})

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
        return searches.statistics()

    def _ingest(self, command_id: int, principal: Principal, payload: IngestFiles) -> Result:
        with self._progress(command_id) as progress:
            return self._services.library.ingest(
                principal,
                [Path(path) for path in payload.paths],
                payload.collection,
                language=payload.language,
                chunking=payload.chunking,
                prune=payload.prune,
                on_event=progress.record,
            )

    def _progress(self, command_id: int, *, while_wanted: bool = False) -> ProgressLog:
        """The log of a command; with ``while_wanted`` it also ends what was given up."""

        def stopping() -> bool:
            given_up = while_wanted and not self._catalog.queue.is_open(command_id)
            return self._stopping() or given_up

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
            return self._services.library.restore_collection(
                principal, Path(payload.file), payload.name, progress.record
            )
