"""The interface of every front end: an engine.

The first process becomes the owner of the stores; others put their jobs into the catalog, where the
owner finds them. Callers see no difference. When an owner ends while a job waits, this process
takes over.
"""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Self

from agent.engine.answers import AnswersPart, ReviewsPart
from agent.engine.connection import Connection, EnginePart, OnEvent
from agent.engine.graph import GraphPart
from agent.engine.grids import GridsPart
from agent.engine.jobs import LISTED, Job, JobState
from agent.engine.library import LibraryPart
from agent.engine.runner import TakeUp
from agent.engine.settings import PlansPart, SettingsPart, TokensPart
from agent.engine.threads import ThreadsPart
from services.build import Services
from services.catalog.values import log_thread
from services.domain import Principal
from services.domain.errors import AskPerson, NotFound
from services.domain.events import EventRecord
from services.domain.runs import Activity
from services.home import is_read_only, make_private, readable_copy
from services.settings import Settings

SHOWN_JOBS = 20
logger = logging.getLogger(__name__)


class Engine(EnginePart):
    """A home as one principal sees it, by subject; thread-safe. ``connect`` makes one.

    The methods block; an asynchronous front end calls them in threads.
    """

    def __init__(self, connection: Connection, principal: Principal) -> None:
        super().__init__(connection, principal)
        self.library = LibraryPart(connection, principal)
        self.threads = ThreadsPart(connection, principal)
        self.answers = AnswersPart(connection, principal)
        self.plans = PlansPart(connection, principal)
        self.reviews = ReviewsPart(connection, principal)
        self.graph = GraphPart(connection, principal)
        self.grids = GridsPart(connection, principal)
        self.settings = SettingsPart(connection, principal)
        self.tokens = TokensPart(connection, principal)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Pause what runs here and give the stores up."""
        self._connection.close()

    def work(self) -> None:
        """Do jobs until ``close``; raises StoresBusy if another process is the only owner."""
        self._connection.work()

    def version(self) -> int | None:
        """Return a number that changes with every commit of any process; None if unknown."""
        return self._catalog.version()

    @property
    def owner(self) -> bool:
        """Whether this process owns the stores; decided by the first job."""
        return self._connection.owned

    @property
    def principal(self) -> Principal:
        """For whom this engine acts."""
        return self._principal

    def acting_as(self, principal: Principal) -> "Engine":
        """Return an engine over the same connection for another person."""
        return Engine(self._connection, principal)

    def activity(self) -> Activity:
        """Count the open jobs and runs of all people together."""
        return Activity(jobs=self._catalog.queue.counts(), runs=self._catalog.runs.counts())

    def submit(self, job: Job[Any]) -> int:
        """Queue a job without waiting for it; return its number."""
        return self._submit(job)

    def jobs(self) -> list[JobState]:
        """Return the person's last jobs that change the stores, newest first."""
        queued = self._catalog.queue.of(self._principal, LISTED, most=SHOWN_JOBS)
        return list(map(JobState.of, queued))

    def open_jobs(self) -> list[JobState]:
        """Return those of ``jobs`` that are not done, newest first; cheap enough for every page."""
        return list(map(JobState.of, self._catalog.queue.unfinished(self._principal, LISTED)))

    def awaited_files(self) -> set[str]:
        """Return the paths that the open jobs of all people are going to read."""
        states = map(JobState.of, self._catalog.queue.unfinished(None, LISTED))
        return {path for state in states for path in state.job.files}

    def job(self, number: int) -> JobState:
        """Return a job of the person; raises NotFound without one."""
        queued = self._catalog.queue.get(number)
        if queued.principal.user != self._principal.user or queued.kind not in LISTED:
            raise NotFound("You have no job {number}.", number=number)
        return JobState.of(queued)

    def wait(self, number: int, on_event: OnEvent | None = None) -> Any:
        """Wait for a job of the person and return its result."""
        job = self.job(number).job
        return job.result_of(self._connection.outcome(number, on_event))

    def poll_job(self, number: int, after: int = 0) -> tuple[JobState, list[EventRecord]]:
        """Return a job of the person, and its next events with ``seq > after``, oldest first."""
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
    """Open a home, as its owner if nobody else is.

    ``take_up`` says when the jobs of a killed owner are done; ``worker`` names a dedicated worker
    of a shared home, see `agent.engine.workers`. Raises AskPerson if the folder cannot be made or
    written.
    """
    make_private(settings.home)
    if is_read_only(settings):
        raise AskPerson(
            "{home} is read-only, so nothing can be changed there. Make the folder writable, or "
            "set RABBITHOLE_HOME to another one.",
            home=settings.home,
        )
    connection = Connection(Services(settings), worker, take_up=take_up)
    return Engine(connection, principal or Principal())


@contextmanager
def looking(
    settings: Settings, principal: Principal, *, take_up: TakeUp = "last"
) -> Iterator[Engine]:
    """Open a home as ``connect`` does; of a read-only home a copy, which is deleted afterwards."""
    with ExitStack() as stack:
        if is_read_only(settings):
            logger.warning("rabbithole: %s is read-only; nothing is kept.", settings.home)
            settings = stack.enter_context(readable_copy(settings))
        yield stack.enter_context(connect(settings, principal, take_up=take_up))


def connect_to(services: Services, principal: Principal) -> Engine:
    """Return an engine over services that were built elsewhere."""
    return Engine(Connection(services), principal)
