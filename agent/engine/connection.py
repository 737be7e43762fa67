"""How a process reaches the owner of the stores: it is it, or gives it jobs through the queue."""

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from agent.engine.jobs import Job, given_up, log_thread, needs_waiter
from services.build import Services
from services.catalog.values import JsonObject, QueuedJob
from services.domain import Principal, Value, errors
from services.domain.errors import RabbitholeError, StoresBusy
from services.domain.events import Event
from services.ownership import OwnerLock

if TYPE_CHECKING:
    from agent.engine.runner import Runner

R = TypeVar("R", bound=Value | None)
OnEvent = Callable[[Event], None]
POLL_S = 0.05
TAKE_OVER_AFTER_S = 1.0


class Owner(Protocol):
    """The process that does the jobs, as it is reached from here."""

    def do(self, principal: Principal, job: Job[R], on_event: OnEvent | None = None) -> R:
        """Waits for what comes of a job."""

    def submit(self, principal: Principal, job: Job[Any]) -> int:
        """Puts a job into the queue; its number."""


class Remote:
    """Another process owns the stores: it takes jobs from the catalog's queue.

    ``take_over`` is called when nobody claims a job in time, and gives the owner of then.
    """

    def __init__(self, services: Services, take_over: "Callable[[], Remote]") -> None:
        self._services = services
        self._queue = services.catalog.queue
        self._take_over = take_over

    def submit(self, principal: Principal, job: Job[Any]) -> int:
        return self._queue.submit(principal, job.kind, job.model_dump(mode="json"))

    def do(self, principal: Principal, job: Job[R], on_event: OnEvent | None = None) -> R:
        number = self.submit(principal, job)
        try:
            return job.result_of(self._outcome(number, on_event))
        except KeyboardInterrupt:
            if needs_waiter(self._queue.get(number)):
                self._queue.give_up(number, given_up())
            raise

    def _outcome(self, number: int, on_event: OnEvent | None) -> JsonObject | None:
        submitted = time.monotonic()
        seen, owner = 0, self
        while True:
            current = self._queue.get(number)
            if on_event is not None:
                for record in self._services.catalog.events.since(log_thread(number), seen):
                    seen = record.seq
                    on_event(record.event)
            if current.status in ("done", "failed"):
                return _result(current)
            owner.check(current)
            if current.status == "queued" and time.monotonic() - submitted > TAKE_OVER_AFTER_S:
                owner = self._take_over()
            time.sleep(POLL_S if on_event else POLL_S / 10)

    def check(self, queued: QueuedJob) -> None:
        """Raises why the outcome of a job cannot be had, if that is known here."""


class Local(Remote):
    """This process owns the stores: it calls what is short, and claims the rest itself.

    Other jobs stand in the queue all the same, so that they survive this process.
    """

    def __init__(
        self, services: Services, take_over: Callable[[], Remote], runner: "Runner"
    ) -> None:
        super().__init__(services, take_over)
        self._runner = runner

    def submit(self, principal: Principal, job: Job[Any]) -> int:
        number = super().submit(principal, job)
        self._runner.wake()
        return number

    def do(self, principal: Principal, job: Job[R], on_event: OnEvent | None = None) -> R:
        if job.short:
            return self._runner.call(principal, job)
        return super().do(principal, job, on_event)

    def check(self, queued: QueuedJob) -> None:
        if (problem := self._runner.problem(queued)) is not None:
            raise problem

    def stop(self) -> None:
        self._runner.stop()


class Connection:
    """What all engines of a process share: the services, and how the owner is reached."""

    def __init__(self, services: Services, lock: OwnerLock) -> None:
        self.services = services
        self._lock = lock
        self._owner: Remote = Remote(services, self._take_over)
        self._deciding = threading.Lock()

    @property
    def owned(self) -> bool:
        """Whether this process owns the stores; decided by the first job."""
        return isinstance(self._owner, Local)

    def owner(self) -> Owner:
        """Becomes the owner if nobody else is."""
        return self._decided()

    def _decided(self) -> Remote:
        with self._deciding:
            if not self.owned and self._lock.acquire():
                from agent.engine.runner import Runner  # langgraph is slow to import

                runner = Runner(self.services)
                try:
                    runner.start()
                except BaseException:
                    self._lock.release()
                    raise
                self._owner = Local(self.services, self._take_over, runner)
            return self._owner

    def _take_over(self) -> Remote:
        """Nobody claimed a job in time: its owner is gone or does not listen."""
        owner = self._decided()
        pid = None if self.owned else self._lock.owner_pid()
        if pid is not None:
            raise StoresBusy(
                "Process {process} owns {home} and does not answer. Wait until it has "
                "finished, or end it.",
                process=pid,
                home=self.services.settings.home,
            )
        return owner

    def close(self) -> None:
        """Pauses what runs here and gives the stores up."""
        with self._deciding:
            if isinstance(self._owner, Local):
                self._owner.stop()
                self._owner = Remote(self.services, self._take_over)
                self._lock.release()
            self.services.close()


def _result(done: QueuedJob) -> JsonObject | None:
    if done.status == "done":
        return done.result
    kind = getattr(errors, done.error_type or "", RabbitholeError)
    raise kind(done.error or "")
