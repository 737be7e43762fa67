"""Do jobs: one coroutine for each kind of job, in the process that owns the stores."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from agent.engine import jobs
from agent.engine.changes import Change, Checked, CheckIndexes, Ingest
from agent.engine.checkpoints import damage, damaged, forget, open_checkpoints, salvage
from agent.engine.driven import DrivenThreads
from agent.engine.events import ProgressLog
from agent.engine.jobs import Job, ThreadJob
from agent.engine.workers import StoreTurns, WorkerHeartbeat
from agent.reading_test.tester import ReadingTester
from agent.relations import read_relations
from services.build import Services
from services.caches import Lazy
from services.domain import CacheStatistics, IngestReport, Principal, SearchResult
from services.domain.errors import AskPerson, Interrupted, InvalidInput, NoModel
from services.domain.model_checks import EmbedderCheck, ModelCheck, ModelReading, ModelState
from services.domain.notices import Notice
from services.graph.values import BuildReport, FactsCost
from services.home import exposure
from services.models.base import ChatModel
from services.models.setup import check_embedder, check_model
from services.ownership import is_present

if TYPE_CHECKING:
    from agent.engine.checkpoints import Saver
    from agent.engine.summaries import SummaryMaker

P = ParamSpec("P")
R = TypeVar("R")
logger = logging.getLogger(__name__)
LAST_WRITES_WITHIN_S: Final = 10.0
INGESTIONS: Final = 8
"""People who are served at once; each has a process that reads files."""
WARM_UP_AFTER_S: Final = 1.5
"""Seconds for the page in front of the person, which is drawn first."""


@asynccontextmanager
async def open_handlers(
    services: Services, stopping: Callable[[], bool], heartbeat: WorkerHeartbeat | None = None
) -> AsyncIterator["Handlers"]:
    """Handle jobs on the runner's loop; at the end every thread is paused.

    ``stopping`` says whether the process is about to end, so that jobs under way break off;
    ``heartbeat`` is that of this process, where several work in the home.
    """
    async with open_checkpoints(services.settings) as saver:
        tasks_of_saver = asyncio.all_tasks()
        if heartbeat is None:
            services.catalog.leases.release_all()
        handlers = Handlers(services, stopping, saver, heartbeat)
        try:
            yield handlers
        finally:
            handlers.stop_warming()
            await handlers.pause_all(stopping=True)
            await _finish_writes(tasks_of_saver)


class Handlers:
    """Does jobs: each method is named for the kind of a job, and raises why it cannot be done.

    The library carries changes out. The threads of a kind do the jobs of a thread that have no
    method here.
    """

    def __init__(
        self,
        services: Services,
        stopping: Callable[[], bool],
        saver: "Saver",
        heartbeat: WorkerHeartbeat | None,
    ) -> None:
        self._reading_tester = ReadingTester(services)
        self._services = services
        self._library = services.library
        self._catalog = services.catalog
        self._stopping = stopping
        self._saver = saver
        services.telemetry  # noqa: B018 - raises if its file cannot be written
        self.threads = DrivenThreads(services, saver, self._reading_tester.reads, heartbeat)
        self._turns = StoreTurns(self._catalog, stopping, shared=heartbeat is not None)
        self._ingesting = ThreadPoolExecutor(INGESTIONS)
        self._retiring: set[asyncio.Task[None]] = set()
        self._uses_of_model: set[asyncio.Future[None]] = set()
        self._warming: asyncio.Task[None] | None = None
        self._summaries = Lazy(self._make_summaries)

    def _make_summaries(self) -> "SummaryMaker":
        from agent.engine.summaries import SummaryMaker  # its steps are those of LangGraph

        reads = self._reading_tester.finally_reads
        return SummaryMaker(
            self._services, reads, lambda: self.threads.count > 0, self._use_of_model
        )

    async def pause_all(self, *, stopping: bool = False) -> None:
        """Pause every thread that is driven; ``stopping`` lets it go on elsewhere."""
        await self._reading_tester.stop()
        await self.threads.pause_all(stopping=stopping)

    async def handle(self, principal: Principal, job: Job[Any], number: int) -> Any:
        """Do a job and return its result; its progress is logged under ``number``.

        Raises Interrupted if the process is about to end and the job is to be done again, and any
        other RabbitholeError if it cannot be done.
        """
        if not isinstance(job, Change | jobs.BuildGraph):  # these wait for their turn first
            await self._begin(job, number)
        if (handler := getattr(self, job.kind, None)) is not None:
            return await handler(principal, job, number)
        if isinstance(job, Change):
            return await self._change(principal, job, number)
        assert isinstance(job, ThreadJob), job.kind
        run = self._catalog.runs.get(principal, job.thread_id)
        threads = await asyncio.to_thread(self.threads.of, run.kind)
        method = getattr(threads, job.kind, None)
        if method is None:
            raise InvalidInput(
                "Thread {thread} is not a research thread. Only a research thread can be branched "
                "or have its evidence restored. Start one: rabbithole research QUESTION.",
                thread=job.thread_id,
            )
        arguments = {name: value for name, value in job if name != "thread_id"}
        return await method(principal, run, **arguments)

    async def delete_run(self, principal: Principal, job: jobs.DeleteThread, number: int) -> None:
        """Delete a thread with everything of it; if cut short, the next owner finishes."""
        if not job.begun:
            self._catalog.runs.get(principal, job.thread_id)  # raises unless it is theirs
            if self._catalog.leases.holder(job.thread_id) is not None:
                raise InvalidInput(
                    "Thread {thread} is running. Pause or cancel it, then delete it.",
                    thread=job.thread_id,
                )
            begun = job.model_copy(update={"begun": True})
            self._catalog.queue.put(number, begun.model_dump(mode="json"))
        await forget(self._saver, job.thread_id)
        await asyncio.to_thread(self._catalog.runs.delete, job.thread_id, by=number)
        for cache in (self._services.answers, self._services.searches):
            cache.clear()
        while not await asyncio.to_thread(self._catalog.clear_log):
            self._require_running()

    async def check(self, principal: Principal, job: CheckIndexes, number: int) -> Checked:
        """Check the indexes and the home; with all collections the checkpoints too."""
        checked = await self._change(principal, job, number)
        steps = await self._check_steps(repair=job.repair) if job.collection is None else None
        home = exposure(self._services.settings.home)
        return checked.model_copy(update={"steps": steps, "home": home})

    async def _check_steps(self, *, repair: bool) -> Notice | None:
        """Return what is wrong with the file of checkpoints, or which threads a repair lost."""
        path = self._services.settings.checkpoints_path
        problem = await asyncio.to_thread(damage, path)
        if problem is None:
            return None
        if not repair:
            return damaged(path, problem).notice
        await self.pause_all()
        runs = {run.thread_id: run for run in self._catalog.runs.list(Principal(role="admin"))}
        damaged_file, lost = await _in_thread(salvage, path, runs)
        error = AskPerson(
            "The checkpoints of the thread were damaged and have been moved to {file}. Its "
            "report, if any, is kept; if you resume the thread, it starts over.",
            file=damaged_file,
        )
        for run in (runs[thread_id] for thread_id in lost):
            if run.status not in ("done", "cancelled"):
                self.threads.of(run.kind).end(run, "failed", error)
        return Notice.of(
            "Damaged checkpoints have been moved to {file}. Threads kept: {kept}; threads "
            "that start over when resumed: {lost}",
            file=damaged_file,
            kept=len(runs) - len(lost),
            lost=", ".join(lost) or "none",
        )

    async def _change(self, principal: Principal, job: Change[R], number: int) -> R:
        """Have the library change the stores alone: what another job is about to use may go."""
        with self._progress(number) as progress:
            async with self._turns.of_person(principal.user), self._turns.of_stores():
                await self._begin(job, number)
                decided = await asyncio.to_thread(job.decided, self._library, principal)
                if decided != job:
                    self._catalog.queue.put(number, decided.model_dump(mode="json"))
                carry_out = decided.carry_out
                return await _in_thread(carry_out, self._library, principal, progress.record)

    async def _begin(self, job: Job[Any], number: int) -> None:
        """Note that a job of the queue is at work; a job that is called has the number 0.

        A job that only waits as the process dies did not kill it. Raises Interrupted if whoever
        waited for it has left before it began.
        """

        def begin() -> None:
            queue, home = self._catalog.queue, self._services.settings.home
            waiter = queue.get(number).waiter
            if waiter is not None and not is_present(home, waiter):
                queue.give_up(number, job.abandoned(), begun=job.needs_waiter)
            queue.begin(number)

        if number:
            await asyncio.to_thread(begin)

    async def ingest(self, principal: Principal, job: Ingest, number: int) -> IngestReport:
        """Take files in, in a thread that has the stores alone only while it writes."""
        loop = asyncio.get_running_loop()
        alone = partial(self._turns.of_stores_in_thread, loop)
        with self._progress(number) as progress:
            async with self._turns.of_person(principal.user):
                await self._begin(job, number)
                arguments = self._library, principal, progress.record, alone
                ingesting = loop.run_in_executor(self._ingesting, job.carry_out, *arguments)
                report = await _uncancelled(ingesting)
        try:
            with self._use_of_model():
                await read_relations(report, job.collection, principal, self._services)
        except Exception:  # the documents are in
            logger.exception("the relations of new documents were not read")
        if self._services.settings.summaries:
            await asyncio.to_thread(self._queue_summaries, principal, report)
        return report

    def _queue_summaries(self, principal: Principal, report: IngestReport) -> None:
        ids = [file.document_id for file in report.files if file.document_id is not None]
        missing = self._catalog.summaries.missing(ids)
        if missing and self._services.may_have_model:
            job = jobs.Summarise(documents=missing)
            self._catalog.queue.submit(principal, job.kind, job.model_dump(mode="json"))

    async def summarise(self, principal: Principal, job: jobs.Summarise, number: int) -> None:
        def check() -> None:
            self._require_running()
            if not self._catalog.queue.is_open(number):
                raise Interrupted("The summaries were stopped.")

        summaries = await asyncio.to_thread(self._summaries.get)
        await summaries.make(principal, job.documents, check)

    def _require_running(self) -> None:
        if self._stopping():
            raise Interrupted(jobs.SHUTTING_DOWN)

    def _progress(self, number: int, *, needs_waiter: bool = False) -> ProgressLog:
        """Open the log of a job, which ends with the process or, if it ``needs_waiter``, when given
        up.
        """

        def stopping() -> bool:
            given_up = needs_waiter and not self._catalog.queue.is_open(number)
            return self._stopping() or given_up

        return ProgressLog(self._catalog.events, number, stopping=stopping)

    async def read_rows(
        self, principal: Principal, job: jobs.ReadRows, number: int
    ) -> jobs.RowsRead:
        run = self._catalog.runs.get(principal, job.grid)
        with self._use_of_model():
            is_open = partial(self._catalog.queue.is_open, number)
            threads = self.threads.of("grid")
            return await threads.read_piece(principal, run, job.state, is_open)

    async def search(self, principal: Principal, job: jobs.SearchJob, _: int) -> SearchResult:
        with self._use_of_model():
            return await self._library.find(principal, job.request)

    async def build_graph(
        self, principal: Principal, job: jobs.BuildGraph, number: int
    ) -> BuildReport:
        """Build what is missing of the graph.

        The structure waits for its turn at the stores. Reading facts takes long and blocks nobody:
        the facts of every passage are kept as soon as it has been read.
        """
        with self._progress(number, needs_waiter=True) as progress:
            record = progress.record
            async with self._turns.of_person(principal.user), self._turns.of_stores():
                await self._begin(job, number)
                build = self._library.build_graph
                report = await _in_thread(build, principal, job.collection, record)
            if not job.facts:
                return report
            self._require_running()
            model = await self._services.chat_model()
            if model is None:
                raise NoModel("no language model is in use (RABBITHOLE_LLM=none)")
            with self._use_of_model():
                facts = await self._library.read_facts(principal, job.collection, model, record)
        warnings = (*report.warnings, *facts.warnings)
        return report.model_copy(update={**facts._asdict(), "warnings": warnings})

    async def estimate_facts(
        self, principal: Principal, job: jobs.EstimateFacts, _: int
    ) -> FactsCost:
        model = await self._services.chat_model()
        return await asyncio.to_thread(self._library.facts_cost, principal, job.collection, model)

    async def replay(
        self, principal: Principal, job: jobs.ReplayTrace, _: int
    ) -> jobs.ReplayReport:
        from agent.engine.tracing import Replay, read_trace

        trace = await asyncio.to_thread(read_trace, Path(job.file))
        return await Replay(self._services, principal, trace).run()

    async def show_model(self, _: Principal, job: jobs.ShowModel, __: int) -> ModelState:
        slot = self._services.model
        if job.again:
            await slot.stop_warming()
            retiring = asyncio.create_task(self._retire(await slot.take()))
            self._retiring.add(retiring)
            retiring.add_done_callback(self._retiring.discard)
        if job.warm:
            slot.warm()
            self._warming = self._warming or asyncio.create_task(self._warm_up())
        return slot.state()

    async def _warm_up(self) -> None:
        """Load the search in the background; the first question raises what goes wrong with it."""
        await asyncio.sleep(WARM_UP_AFTER_S)
        try:  # what is under way in its thread ends before the stores are closed
            await asyncio.shield(asyncio.to_thread(self._services.warm_up))
        except Exception:
            logger.warning("the search could not be loaded ahead", exc_info=True)

    def stop_warming(self) -> None:
        """Load nothing more: the process is about to end."""
        if self._warming is not None:
            self._warming.cancel()

    async def _retire(self, model: ChatModel | None) -> None:
        """Close a model that was replaced, once nothing uses it any more."""
        await self.threads.settled()
        await asyncio.gather(*self._uses_of_model)
        if model is not None:
            await model.close()

    @contextmanager
    def _use_of_model(self) -> Iterator[None]:
        """Keep the model from being closed within the block; threads are waited for anyway."""
        done = asyncio.get_running_loop().create_future()
        self._uses_of_model.add(done)
        try:
            yield
        finally:
            self._uses_of_model.discard(done)
            done.set_result(None)

    async def check_model(self, *_: object) -> ModelCheck:
        deadline_s = self._services.settings.call_deadline_s
        with self._use_of_model():
            return await check_model(await self._services.chat_model(), deadline_s=deadline_s)

    async def take_reading_test(
        self, _: Principal, job: jobs.TakeReadingTest, __: int
    ) -> ModelReading | None:
        with self._use_of_model():
            model = await self._services.chat_model()
            if model is None:
                return None
            return await self._reading_tester.tested(model, again=job.again)

    async def check_embedder(self, principal: Principal, *_: object) -> EmbedderCheck:
        """Check the embedder and name the collections that another one indexed."""
        check = await check_embedder(self._services.embedder)
        collections = await asyncio.to_thread(self._library.collections, principal)
        current = (None, check.fingerprint)
        foreign = tuple(info.name for info in collections if info.fingerprint not in current)
        return check.model_copy(update={"foreign": foreign})

    async def cache(self, _: Principal, job: jobs.ShowCache, __: int) -> CacheStatistics:
        searches = self._services.searches
        if job.clear:
            searches.clear()
        return searches.statistics()


async def _in_thread(work: Callable[P, R], *args: P.args, **options: P.kwargs) -> R:
    return await _uncancelled(asyncio.create_task(asyncio.to_thread(work, *args, **options)))


async def _uncancelled(working: asyncio.Future[R]) -> R:
    """Return the result of work in a thread, even if the waiting task is cancelled.

    The work has the stores until it ends; it ends early when it reports progress.
    """
    while not working.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([working])
    return working.result()


async def _finish_writes(others: set[asyncio.Task[Any]]) -> None:
    """Wait for the last writes of langgraph, so that their connection is not closed too early.

    Cancelled steps write to the checkpoints from callbacks that nobody awaits. Only they and
    ``others`` are left on the runner's loop by now.
    """
    writes = asyncio.all_tasks() - others - {asyncio.current_task()}
    if writes:
        _, late = await asyncio.wait(writes, timeout=LAST_WRITES_WITHIN_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*writes, return_exceptions=True)
