"""The one way in: every front end calls an engine.

The first process becomes the owner of the stores and runs the runner; others put their jobs into
the catalog and the owner does them. Both look the same from here. When an owner goes away while
a job waits, this process takes over.
"""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Self

from agent.engine.answers import AnswersPart, ReviewsPart
from agent.engine.connection import Connection, EnginePart, OnEvent
from agent.engine.graph import GraphPart
from agent.engine.jobs import LISTED, Job, JobState, log_thread
from agent.engine.library import LibraryPart
from agent.engine.runner import TakeUp
from agent.engine.settings import PlansPart, SettingsPart, TokensPart
from agent.engine.threads import ThreadsPart
from services.build import Services
from services.domain import Principal
from services.domain.errors import AskPerson, NotFound
from services.domain.events import EventRecord
from services.domain.runs import Activity
from services.home import is_read_only, make_private, readable_copy
from services.settings import Settings

SHOWN_JOBS = 20
logger = logging.getLogger(__name__)


class Engine(EnginePart):
    """A principal's view of one home, by subject; safe to share among threads. Use ``connect``.

    The methods are synchronous, as Streamlit and the command line are; an asynchronous front end
    calls them in threads.
    """

    def __init__(self, connection: Connection, principal: Principal) -> None:
        super().__init__(connection, principal)
        self.library = LibraryPart(connection, principal)
        self.threads = ThreadsPart(connection, principal)
        self.answers = AnswersPart(connection, principal)
        self.plans = PlansPart(connection, principal)
        self.reviews = ReviewsPart(connection, principal)
        self.graph = GraphPart(connection, principal)
        self.settings = SettingsPart(connection, principal)
        self.tokens = TokensPart(connection, principal)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Pauses what runs here and gives the stores up."""
        self._connection.close()

    @property
    def owner(self) -> bool:
        """Whether this process owns the stores; decided by the first job."""
        return self._connection.owned

    @property
    def principal(self) -> Principal:
        """Whom this engine acts for."""
        return self._principal

    def acting_as(self, principal: Principal) -> "Engine":
        """The same connection for another person."""
        return Engine(self._connection, principal)

    def work(self) -> None:
        """Does jobs from now on, until ``close``; raises StoresBusy where another process does."""
        self._connection.work()

    def version(self) -> int | None:
        """A number that is another after every change by any process; None where unknown.

        Whoever watches many threads looks at it before looking at each.
        """
        return self._catalog.version()

    def activity(self) -> Activity:
        """How much is to be done, of all people together."""
        return Activity(jobs=self._catalog.queue.counts(), runs=self._catalog.runs.counts())

    def submit(self, job: Job[Any]) -> int:
        """Has a job done without waiting for it; its number."""
        return self._submit(job)

    def jobs(self) -> list[JobState]:
        """The last jobs of one's own that change the stores, newest first."""
        queue = self._catalog.queue
        return [JobState.of(each) for each in queue.of(self._principal, LISTED, most=SHOWN_JOBS)]

    def open_jobs(self) -> list[JobState]:
        """Those that are still to be done, newest first; made to be asked for by every page."""
        queue = self._catalog.queue
        return [JobState.of(each) for each in queue.unfinished(self._principal, LISTED)]

    def awaited_files(self) -> set[str]:
        """Paths that jobs still to be done, of all people together, are to read."""
        waiting = map(JobState.of, self._catalog.queue.unfinished(None, LISTED))
        return {path for each in waiting for path in each.job.files}

    def job(self, number: int) -> JobState:
        """One of these; raises NotFound where there is none of one's own."""
        queued = self._catalog.queue.get(number)
        if queued.principal.user != self._principal.user or queued.kind not in LISTED:
            raise NotFound("There is no work {number} among yours.", number=number)
        return JobState.of(queued)

    def wait(self, number: int, on_event: OnEvent | None = None) -> Any:
        """Waits for what comes of a job of one's own."""
        job = self.job(number).job
        return job.result_of(self._connection.outcome(number, on_event))

    def poll_job(self, number: int, after: int = 0) -> tuple[JobState, list[EventRecord]]:
        """A job of one's own, and its next events with ``seq > after``, oldest first."""
        state = self.job(number)
        if state.open:
            self._connection.take_over()
        return state, self._catalog.events.since(log_thread(number), after)


def connect(
    settings: Settings,
    principal: Principal | None = None,
    *,
    take_up: TakeUp = "last",
    worker: str | None = None,
) -> Engine:
    """Opens a home, as its owner if nobody else is; ``take_up`` says when it does what a killed
    owner left.

    A ``worker`` of this name does nothing but work, where several may: see `agent.engine.crew`.

    Raises:
        AskPerson: the folder cannot be made or written.
    """
    make_private(settings.home)
    if is_read_only(settings):
        raise AskPerson(
            "{home} is read-only, so nothing can be changed there. Let this user write there, or "
            "set RABBITHOLE_HOME to another folder.",
            home=settings.home,
        )
    connection = Connection(Services(settings), worker, take_up=take_up)
    return Engine(connection, principal or Principal())


@contextmanager
def looking(
    settings: Settings, principal: Principal, *, take_up: TakeUp = "last"
) -> Iterator[Engine]:
    """As ``connect``, and for a read-only home to a copy of which nothing is kept."""
    with ExitStack() as stack:
        if is_read_only(settings):
            logger.warning("rabbithole: %s is read-only; nothing is kept.", settings.home)
            settings = stack.enter_context(readable_copy(settings))
        yield stack.enter_context(connect(settings, principal, take_up=take_up))


def connect_to(services: Services, principal: Principal, worker: str | None = None) -> Engine:
    """``connect`` for services that were built elsewhere."""
    return Engine(Connection(services, worker), principal)
