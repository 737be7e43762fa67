"""Doing jobs: one coroutine for each kind, in the process that owns the stores."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from agent.ask.threads import AskThreads
from agent.engine import jobs
from agent.engine.checkpoints import damage, damaged, forget, open_checkpoints, salvage
from agent.engine.crew import Crew, Turns
from agent.engine.driver import Threads
from agent.engine.events import EventLog, ProgressLog
from agent.engine.jobs import Change, Job, ThreadJob
from agent.engine.tracing.replay import Replay
from agent.engine.tracing.trace import read_trace
from agent.examination import Examiner
from agent.research.threads import ResearchThreads
from services.build import Services
from services.domain import CacheStatistics, IngestReport, Principal, SearchResult
from services.domain.errors import (
    AskPerson,
    Interrupted,
    InvalidInput,
    NoModel,
)
from services.domain.model_checks import EmbedderCheck, ModelCheck, ModelReading, ModelState
from services.domain.notices import Notice
from services.graph.values import BuildReport, FactsCost
from services.home import exposure
from services.models.base import ChatModel
from services.models.setup import check_embedder, check_model
from services.ownership import is_present

if TYPE_CHECKING:
    from agent.engine.checkpoints import Saver

P = ParamSpec("P")
R = TypeVar("R")
logger = logging.getLogger(__name__)
LEFT_BEHIND_S: Final = 10.0
INGESTIONS: Final = 8
"""So many people are served at once; each has a process that reads files."""
WARM_UP_AFTER_S: Final = 1.5
"""The page that is looked at is drawn first."""


@asynccontextmanager
async def open_handlers(
    services: Services, stopping: Callable[[], bool], crew: Crew | None = None
) -> AsyncIterator["Handlers"]:
    """Handlers on the runner's loop, until every thread is paused.

    ``stopping`` says whether the process is going down: work under way then breaks off. ``crew`` is
    there where several processes work in the home.
    """
    async with open_checkpoints(services.settings) as saver:
        of_saver = asyncio.all_tasks()
        if crew is None:
            services.catalog.leases.release_all()
        handlers = Handlers(services, stopping, saver, crew)
        try:
            yield handlers
        finally:
            handlers.stop_warming()
            await handlers.pause_all(stopping=True)
            await _writes_left_behind(of_saver)


class Handlers:
    """Does what jobs ask for; each method is the kind of a job, and raises why it cannot be done.

    A change is carried out by the library; a job of a thread without a method here is done by the
    threads of its kind.
    """

    def __init__(
        self,
        services: Services,
        stopping: Callable[[], bool],
        saver: "Saver",
        crew: Crew | None,
    ) -> None:
        self._crew = crew
        self._examiner = Examiner(services)
        self._services = services
        self._library = services.library
        self._catalog = services.catalog
        self._stopping = stopping
        self._saver = saver
        kinds: dict[str, type[Threads]] = {"research": ResearchThreads, "ask": AskThreads}
        self._threads = {
            kind: threads(services, saver, self._examiner.reads, crew)
            for kind, threads in kinds.items()
        }
        self._turns = Turns(self._catalog, stopping, shared=crew is not None)
        self._ingesting = ThreadPoolExecutor(INGESTIONS)
        self._retiring: set[asyncio.Task[None]] = set()
        self._holding: set[asyncio.Future[None]] = set()
        self._warming: asyncio.Task[None] | None = None

    @property
    def driven(self) -> int:
        """How many threads are driven."""
        return sum(each.driven for each in self._threads.values())

    def log(self, thread_id: str) -> EventLog | None:
        """The log of a thread that is driven."""
        found = (each.logs.get(thread_id) for each in self._threads.values())
        return next(filter(None, found), None)

    async def pause_all(self, *, stopping: bool = False) -> None:
        """Pauses every thread that is driven; ``stopping`` where it may go on elsewhere."""
        await self._examiner.stop()
        for each in self._threads.values():
            await each.pause_all(stopping=stopping)

    async def handle(self, principal: Principal, job: Job[Any], number: int) -> Any:
        """What comes of a job; its progress is logged under ``number``.

        Raises:
            Interrupted: the process is going down; the job is to be done again.
            RabbitholeError: it cannot be done, and why.
        """
        if not isinstance(job, Change | jobs.BuildGraph):  # these wait for their turn first
            await self._begin(job, number)
        if (handler := getattr(self, job.kind, None)) is not None:
            return await handler(principal, job, number)
        if isinstance(job, Change):
            return await self._change(principal, job, number)
        assert isinstance(job, ThreadJob), job.kind
        run = self._catalog.runs.get(principal, job.thread_id)
        steered = getattr(self._threads[run.kind], job.kind, None)
        if steered is None:
            raise InvalidInput(
                "Thread {thread} is a conversation of quick answers; only research can "
                "be forked and its evidence restored. Turn its question into a research: "
                "rabbithole research QUESTION.",
                thread=job.thread_id,
            )
        arguments = {name: value for name, value in job if name != "thread_id"}
        return await steered(principal, run, **arguments)

    async def delete_run(self, principal: Principal, job: jobs.DeleteThread, number: int) -> None:
        """Deletes a thread with all it left; cut short, the next owner does the rest."""
        if not job.begun:
            self._catalog.runs.get(principal, job.thread_id)  # or it is no thread of theirs
            if self._catalog.leases.holder(job.thread_id) is not None:
                raise InvalidInput(
                    "Thread {thread} is running. Pause or cancel it, then delete.",
                    thread=job.thread_id,
                )
            begun = job.model_copy(update={"begun": True})
            self._catalog.queue.put(number, begun.model_dump(mode="json"))
        await forget(self._saver, job.thread_id)
        await asyncio.to_thread(self._catalog.runs.delete, job.thread_id, by=number)
        for remembered in (self._services.answers, self._services.searches):
            remembered.clear()
        while not await asyncio.to_thread(self._catalog.clear_log):
            self._check_goes_on()

    async def check(
        self, principal: Principal, job: jobs.CheckIndexes, number: int
    ) -> jobs.Checked:
        """Checks the indexes, the home, and with all collections the steps of threads."""
        checked = await self._change(principal, job, number)
        steps = await self._check_steps(repair=job.repair) if job.collection is None else None
        home = exposure(self._services.settings.home)
        return checked.model_copy(update={"steps": steps, "home": home})

    async def _check_steps(self, *, repair: bool) -> Notice | None:
        """What is wrong with the file of steps; or, repaired, which threads are not in it now."""
        path = self._services.settings.checkpoints_path
        found = await asyncio.to_thread(damage, path)
        if found is None:
            return None
        if not repair:
            return damaged(path, found).notice
        await self.pause_all()
        runs = {run.thread_id: run for run in self._catalog.runs.list(Principal(role="admin"))}
        kept, lost = await _whole(salvage, path, runs)
        gone = AskPerson(
            "The steps of the thread were damaged and are set aside in {file}. Its report, if any, "
            "stays; resumed, it begins anew.",
            file=kept,
        )
        for run in (runs[each] for each in lost):
            if run.status not in ("done", "cancelled"):
                self._threads[run.kind].end(run, "failed", gone)
        return Notice.of(
            "Damaged steps of threads are set aside in {file}. Threads whose steps are kept: "
            "{kept}; that begin anew when resumed: {lost}",
            file=kept,
            kept=len(runs) - len(lost),
            lost=", ".join(lost) or "none",
        )

    async def _change(self, principal: Principal, job: Change[R], number: int) -> R:
        """Lets the library change the stores in a thread.

        Deleting what another work is about to use would leave halves behind.
        """
        with self._progress(number) as progress:
            async with self._turns.work(principal.user), self._turns.alone():
                await self._begin(job, number)
                decided = await asyncio.to_thread(job.decided, self._library, principal)
                if decided != job:
                    self._catalog.queue.put(number, decided.model_dump(mode="json"))
                return await _whole(decided.carry_out, self._library, principal, progress.record)

    async def _begin(self, job: Job[Any], number: int) -> None:
        """Notes that a job of the queue is at work; one that is done at once has no number.

        What only waits as the process dies is not what it died of.

        Raises:
            Interrupted: whoever waited for it has left before it began.
        """

        def begin() -> None:
            queue, home = self._catalog.queue, self._services.settings.home
            waiter = queue.get(number).waiter
            if waiter is not None and not is_present(home, waiter):
                queue.give_up(number, jobs.given_up(job), begun=job.needs_waiter)
            queue.begin(number)

        if number:
            await asyncio.to_thread(begin)

    async def ingest(self, principal: Principal, job: jobs.Ingest, number: int) -> IngestReport:
        """Takes files in, in a thread that has the stores alone only while it writes."""
        loop = asyncio.get_running_loop()
        alone = partial(self._turns.alone_in_thread, loop)
        with self._progress(number) as progress:
            async with self._turns.work(principal.user):
                await self._begin(job, number)
                given = self._library, principal, progress.record, alone
                under_way = loop.run_in_executor(self._ingesting, job.carry_out, *given)
                return await _ended(under_way)

    def _check_goes_on(self) -> None:
        """Raises Interrupted: the process is going down."""
        if self._stopping():
            raise Interrupted("The program is ending. Do it again once it runs.")

    def _progress(self, number: int, *, while_wanted: bool = False) -> ProgressLog:
        """The log of a job; with ``while_wanted`` it also ends what was given up."""

        def stopping() -> bool:
            given_up = while_wanted and not self._catalog.queue.is_open(number)
            return self._stopping() or given_up

        return ProgressLog(self._catalog.events, number, stopping=stopping)

    async def search(self, principal: Principal, job: jobs.Search, _: int) -> SearchResult:
        with self._model_held():
            return await self._library.find(principal, job.request)

    async def build_graph(
        self, principal: Principal, job: jobs.BuildGraph, number: int
    ) -> BuildReport:
        """Builds what is missing.

        The structure waits its turn among the works. Reading facts takes long and keeps nobody
        waiting: every passage is kept as soon as it has been read.

        Raises:
            NoModel: facts are wanted and no language model is set.
        """
        with self._progress(number, while_wanted=True) as progress:
            record = progress.record
            async with self._turns.work(principal.user), self._turns.alone():
                await self._begin(job, number)
                report = await _whole(self._library.build_graph, principal, job.collection, record)
            if not job.facts:
                return report
            self._check_goes_on()
            model = await self._services.chat_model()
            if model is None:
                raise NoModel("RABBITHOLE_LLM=none names no language model")
            with self._model_held():
                read = await self._library.read_facts(principal, job.collection, model, record)
        warnings = (*report.warnings, *read.warnings)
        return report.model_copy(update={**read._asdict(), "warnings": warnings})

    async def estimate_facts(
        self, principal: Principal, job: jobs.EstimateFacts, _: int
    ) -> FactsCost:
        model = await self._services.chat_model()
        return await asyncio.to_thread(self._library.facts_cost, principal, job.collection, model)

    async def replay(
        self, principal: Principal, job: jobs.ReplayTrace, _: int
    ) -> jobs.ReplayReport:
        trace = await asyncio.to_thread(read_trace, Path(job.file))
        return await Replay(self._services, principal, trace).run()

    async def show_model(self, _: Principal, job: jobs.ShowModel, __: int) -> ModelState:
        slot = self._services.model
        if job.again:
            await slot.stop_warming()
            retired = asyncio.create_task(self._retire(await slot.take()))
            self._retiring.add(retired)
            retired.add_done_callback(self._retiring.discard)
        if job.warm:
            slot.warm()
            self._warming = self._warming or asyncio.create_task(self._warm_up())
        return slot.state()

    async def _warm_up(self) -> None:
        """Loads the search beside; what goes wrong with it is for the first question to say."""
        await asyncio.sleep(WARM_UP_AFTER_S)
        try:  # what is under way in its thread ends before the stores are closed
            await asyncio.shield(asyncio.to_thread(self._services.warm_up))
        except Exception:
            logger.warning("the search could not be loaded ahead", exc_info=True)

    def stop_warming(self) -> None:
        """The process is going down: what has not begun to load is not loaded any more."""
        if self._warming is not None:
            self._warming.cancel()

    async def _retire(self, model: ChatModel | None) -> None:
        """Closes a model that was replaced, once nothing that began with it is at work."""
        for threads in self._threads.values():
            await threads.all_settled()
        await asyncio.gather(*self._holding)
        if model is not None:
            await model.close()

    @contextmanager
    def _model_held(self) -> Iterator[None]:
        """The model is not closed meanwhile; threads are waited for without it."""
        done = asyncio.get_running_loop().create_future()
        self._holding.add(done)
        try:
            yield
        finally:
            self._holding.discard(done)
            done.set_result(None)

    async def check_model(self, *_: object) -> ModelCheck:
        deadline_s = self._services.settings.call_deadline_s
        with self._model_held():
            return await check_model(await self._services.chat_model(), deadline_s=deadline_s)

    async def examine_model(
        self, _: Principal, job: jobs.ExamineModel, __: int
    ) -> ModelReading | None:
        with self._model_held():
            model = await self._services.chat_model()
            if model is None:
                return None
            return await self._examiner.examined(model, again=job.again)

    async def check_embedder(self, principal: Principal, *_: object) -> EmbedderCheck:
        check = await check_embedder(self._services.embedder)
        foreign = await asyncio.to_thread(self._foreign, principal, check.fingerprint)
        return check.model_copy(update={"foreign": foreign})

    def _foreign(self, principal: Principal, fingerprint: str) -> tuple[str, ...]:
        """Names of readable collections that another embedding model indexed."""
        return tuple(
            info.name
            for info in self._library.collections(principal)
            if info.fingerprint not in (None, fingerprint)
        )

    async def cache(self, _: Principal, job: jobs.ShowCache, __: int) -> CacheStatistics:
        searches = self._services.searches
        if job.clear:
            searches.clear()
        return searches.statistics()


async def _whole(work: Callable[P, R], *args: P.args, **options: P.kwargs) -> R:
    """What comes of a work in a thread, as of ``_ended``."""
    return await _ended(asyncio.create_task(asyncio.to_thread(work, *args, **options)))


async def _ended(under_way: asyncio.Future[R]) -> R:
    """What comes of a work in a thread, whoever is cancelled meanwhile.

    The stores are its own till then. It ends early where it tells its progress.
    """
    while not under_way.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([under_way])
    return under_way.result()


async def _writes_left_behind(others: set[asyncio.Task[Any]]) -> None:
    """Waits for what langgraph still writes, so that the connection is not closed beneath it.

    Cancelled steps note their fate in the checkpoints from callbacks that nobody awaits. Nothing
    but ``others`` is left on the runner's loop when this is called.
    """
    left = asyncio.all_tasks() - others - {asyncio.current_task()}
    if left:
        _, late = await asyncio.wait(left, timeout=LEFT_BEHIND_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
