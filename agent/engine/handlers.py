"""Doing jobs: one coroutine for each type of job."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from agent.engine import jobs
from agent.engine.jobs import Job
from agent.engine.progress_log import ProgressLog
from agent.engine.tracing.replay import Replay
from agent.engine.tracing.trace import read_trace
from agent.engine.workflows import Workflows
from services.build import Services
from services.domain import CacheStatistics, IngestReport, Principal, SearchResult, Value
from services.domain.errors import NoModel
from services.domain.model_checks import EmbedderCheck, ModelCheck
from services.graph.values import BuildReport, FactsCost
from services.library.archive.values import RestoreReport
from services.models.checks import check_embedder, check_model

R = TypeVar("R", bound=Value | None)
T = TypeVar("T")


class Handlers:
    """Does what jobs ask for, on the event loop that claims them.

    ``stopping`` says whether the process is going down: work under way then breaks off.
    """

    def __init__(
        self, services: Services, workflows: Workflows, stopping: Callable[[], bool]
    ) -> None:
        self._services = services
        self._catalog = services.catalog
        self._workflows = workflows
        self._stopping = stopping
        self._changing = asyncio.Lock()
        self._handlers: dict[type[Job[Any]], Callable[..., Awaitable[Any]]] = {
            jobs.StartThread: self._start,
            jobs.ResumeThread: self._resume,
            jobs.AskQuestion: self._ask,
            jobs.StopThread: self._stop,
            jobs.RestoreEvidence: self._restore_evidence,
            jobs.ListCheckpoints: self._checkpoints,
            jobs.ForkThread: self._fork,
            jobs.DeleteThread: self._delete,
            jobs.Ingest: self._ingest,
            jobs.Search: self._search,
            jobs.RemoveDocument: self._remove,
            jobs.ClearDeleted: self._clear,
            jobs.CheckIndexes: self._check,
            jobs.BuildGraph: self._build_graph,
            jobs.EstimateFacts: self._estimate_facts,
            jobs.RestoreCollection: self._restore_collection,
            jobs.ReplayTrace: self._replay,
            jobs.NameModel: self._name_model,
            jobs.CheckModel: self._check_model,
            jobs.CheckEmbedder: self._check_embedder,
            jobs.ShowCache: self._cache,
        }

    async def handle(self, principal: Principal, job: Job[R], number: int) -> R:
        """What comes of a job; its progress is logged under ``number``.

        Raises:
            Interrupted: the process is going down; the job is to be done again.
            RabbitholeError: it cannot be done, and why.
        """
        done: R = await self._handlers[type(job)](principal, job, number)
        return done

    async def _start(self, principal: Principal, job: jobs.StartThread, _: int) -> None:
        await self._workflows.research.start(principal, job.thread_id)

    async def _resume(self, principal: Principal, job: jobs.ResumeThread, _: int) -> None:
        threads = self._workflows.of(principal, job.thread_id)
        await threads.resume(principal, job.thread_id, job.interrupt_id)

    async def _ask(self, principal: Principal, job: jobs.AskQuestion, _: int) -> jobs.TurnBegun:
        asks = self._workflows.asks
        turn = await asks.ask(principal, job.thread_id, job.question, job.options)
        return jobs.TurnBegun(turn=turn)

    async def _stop(self, principal: Principal, job: jobs.StopThread, _: int) -> None:
        threads = self._workflows.of(principal, job.thread_id)
        await threads.stop(principal, job.thread_id, cancel=job.cancel)

    async def _restore_evidence(
        self, principal: Principal, job: jobs.RestoreEvidence, _: int
    ) -> None:
        research = self._workflows.research_of(principal, job.thread_id)
        await research.restore(principal, job.thread_id, job.chunk_ids)

    async def _checkpoints(
        self, principal: Principal, job: jobs.ListCheckpoints, _: int
    ) -> jobs.Checkpoints:
        research = self._workflows.research_of(principal, job.thread_id)
        found = await research.checkpoints(principal, job.thread_id)
        return jobs.Checkpoints(checkpoints=tuple(found))

    async def _fork(self, principal: Principal, job: jobs.ForkThread, _: int) -> None:
        research = self._workflows.research_of(principal, job.thread_id)
        await research.fork(principal, job.thread_id, job.checkpoint_id, job.new_thread_id)

    async def _delete(self, principal: Principal, job: jobs.DeleteThread, _: int) -> None:
        await self._workflows.delete(principal, job.thread_id)

    async def _change(self, work: Callable[[], T]) -> T:
        """Runs what changes the stores in a thread, one such work at a time.

        Deleting what another work is about to use would leave halves behind.
        """
        async with self._changing:
            return await asyncio.to_thread(work)

    def _progress(self, number: int, *, while_wanted: bool = False) -> ProgressLog:
        """The log of a job; with ``while_wanted`` it also ends what was given up."""

        def stopping() -> bool:
            given_up = while_wanted and not self._catalog.queue.is_open(number)
            return self._stopping() or given_up

        return ProgressLog(self._catalog.events, number, stopping=stopping)

    async def _ingest(self, principal: Principal, job: jobs.Ingest, number: int) -> IngestReport:
        def ingest() -> IngestReport:
            with self._progress(number) as progress:
                return self._services.library.ingest(
                    principal,
                    [Path(path) for path in job.paths],
                    job.collection,
                    language=job.language,
                    chunking=job.chunking,
                    prune=job.prune,
                    on_event=progress.record,
                )

        return await self._change(ingest)

    async def _search(self, principal: Principal, job: jobs.Search, _: int) -> SearchResult:
        return await self._services.library.find(principal, job.request)

    async def _remove(self, principal: Principal, job: jobs.RemoveDocument, _: int) -> jobs.Removed:
        def remove() -> jobs.Removed:
            library = self._services.library
            found = library.remove_document(principal, job.collection, job.document)
            return jobs.Removed(document=found)

        return await self._change(remove)

    async def _clear(self, *_: object) -> None:
        await self._change(self._services.library.clear_deleted)

    async def _check(
        self, principal: Principal, job: jobs.CheckIndexes, number: int
    ) -> jobs.Checked:
        library = self._services.library

        def check() -> jobs.Checked:
            if not job.repair and not job.afresh:
                return jobs.Checked(collections=tuple(library.health(principal, job.collection)))
            with ProgressLog(self._catalog.events, number) as progress:
                states = library.repair(
                    principal, job.collection, progress.record, afresh=job.afresh
                )
            return jobs.Checked(collections=tuple(states))

        return await self._change(check)

    async def _build_graph(
        self, principal: Principal, job: jobs.BuildGraph, number: int
    ) -> BuildReport:
        """Builds what is missing.

        The structure waits its turn among the works. Reading facts takes long and keeps nobody
        waiting: every passage is kept as soon as it has been read.

        Raises:
            NoModel: facts are wanted and no language model is set.
        """
        library = self._services.library
        with self._progress(number, while_wanted=True) as progress:
            record = progress.record
            report = await self._change(
                lambda: library.build_graph(principal, job.collection, record)
            )
            if not job.facts:
                return report
            model = await self._services.chat_model()
            if model is None:
                raise NoModel("RABBITHOLE_LLM=none names no language model")
            read = await library.read_facts(principal, job.collection, model, record)
        warnings = (*report.warnings, *read.warnings)
        return report.model_copy(update={**read._asdict(), "warnings": warnings})

    async def _estimate_facts(
        self, principal: Principal, job: jobs.EstimateFacts, _: int
    ) -> FactsCost:
        library, model = self._services.library, await self._services.chat_model()
        return await asyncio.to_thread(library.facts_cost, principal, job.collection, model)

    async def _restore_collection(
        self, principal: Principal, job: jobs.RestoreCollection, number: int
    ) -> RestoreReport:
        def restore() -> RestoreReport:
            with self._progress(number) as progress:
                return self._services.library.restore_collection(
                    principal, Path(job.file), job.name, progress.record
                )

        return await self._change(restore)

    async def _replay(
        self, principal: Principal, job: jobs.ReplayTrace, _: int
    ) -> jobs.ReplayReport:
        trace = await asyncio.to_thread(read_trace, Path(job.file))
        return await Replay(self._services, f"{os.getpid()}", principal, trace).run()

    async def _name_model(self, *_: object) -> jobs.ModelName:
        model = await self._services.chat_model()
        return jobs.ModelName(model=model.name if model else "none")

    async def _check_model(self, *_: object) -> ModelCheck:
        deadline_s = self._services.settings.call_deadline_s
        return await check_model(await self._services.chat_model(), deadline_s=deadline_s)

    async def _check_embedder(self, principal: Principal, *_: object) -> EmbedderCheck:
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

    async def _cache(self, _: Principal, job: jobs.ShowCache, __: int) -> CacheStatistics:
        searches = self._services.searches
        if job.clear:
            searches.clear()
        return searches.statistics()
