"""Reach the owner of the stores: this process, or another one through the queue."""

import threading
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from pydantic import JsonValue

from agent.ask.models import AskOptions
from agent.engine.events import EventLog
from agent.engine.jobs import SHUTTING_DOWN, AskQuestion, Job, error_of
from agent.engine.runner import Runner, TakeUp, another_home
from agent.models import Options
from services.build import Services
from services.catalog.runs import own_id
from services.catalog.values import log_thread
from services.domain import Principal
from services.domain.collections import unique_names
from services.domain.errors import Interrupted, InvalidInput, RabbitholeError, StoresBusy
from services.domain.events import Event
from services.domain.runs import ACTIVE, IngestionInfo, RunInfo, RunKind
from services.library.configuration import EffectiveConfiguration
from services.ownership import OwnerLock, Presence

R = TypeVar("R")
W = TypeVar("W", RunInfo, IngestionInfo)
Chosen = TypeVar("Chosen", bound=Options)
OnEvent = Callable[[Event], None]
POLL_S = 0.05
TAKE_OVER_AFTER_S = 1.0
ANSWERS_WITHIN_S = 20.0
"""An owner claims nothing while it begins or ends, which takes seconds on a busy machine."""


class Connection:
    """Shared by all engines of a process: the services, and access to the owner.

    The owner does short jobs at once and takes the others from the catalog's queue, where they
    survive this process. Other processes put all jobs there, and take over when the owner is gone.
    A home shared by several workers has as many owners; one with a ``name`` is a dedicated worker.
    """

    def __init__(
        self, services: Services, name: str | None = None, *, take_up: TakeUp = "last"
    ) -> None:
        self.services = services
        self._shared = services.settings.shared
        self._name = name
        self._takes_up = take_up
        self._lock = OwnerLock(services.settings.home)
        self._presence = Presence(services.settings.home)
        self._runner: Runner | None = None
        self._deciding = threading.Lock()
        self._closing = False

    @property
    def owned(self) -> bool:
        """Whether this process owns the stores; decided by the first job."""
        return self._runner is not None

    @property
    def orphaned(self) -> bool:
        """Whether no process owns the stores: what the catalog calls running was killed."""
        if self._shared:
            return not self.services.catalog.workers.alive()
        return not self.owned and self._lock.free()

    def work(self) -> None:
        """Become an owner now; raises StoresBusy if another process is the only owner."""
        if self._owner() is None:
            raise StoresBusy(
                "Process {process} is using {home}, and no other process can use it at the "
                "same time. To run several workers, move the catalog, vectors and keywords to"
                " PostgreSQL: see docs/operations.md.",
                process=self._lock.owner_pid(),
                home=self.services.settings.home,
            )

    def do(self, principal: Principal, job: Job[R], on_event: OnEvent | None = None) -> R:
        """Do a job and return its result; a short one needs no queue in the owner."""
        if job.short and (runner := self._owner()) is not None:
            return runner.call(partial(runner.handlers.handle, principal, job, 0))
        number = self.submit(principal, job, None if self._shared else self._presence.show())
        try:
            result = job.result_of(self.outcome(number, on_event))
            if job.short:  # it may quote documents
                with suppress(RabbitholeError):
                    self.services.catalog.queue.withdraw([number])
            return result
        except KeyboardInterrupt as stop:
            raise KeyboardInterrupt(self._leave(job, number)) from stop
        except BaseException:
            self._leave(job, number)
            raise

    def ask(self, principal: Principal, run: RunInfo, question: str, options: AskOptions) -> int:
        """Begin a turn of a conversation; return its number.

        The only owner of a home begins it at once: after a kill whoever asked asks again. Several
        workers, and other processes, share their questions by the queue.
        """
        if not self._shared and (runner := self._owner()) is not None:
            ask = runner.handlers.threads.of("ask").ask
            return runner.call(partial(ask, principal, run, question, options))
        job = AskQuestion(thread_id=run.thread_id, question=question, options=options)
        return self.do(principal, job)

    def log(self, thread_id: str) -> EventLog | None:
        """Return the log of a thread that is driven here."""
        return self._runner.handlers.threads.log(thread_id) if self._runner else None

    def _leave(self, job: Job[Any], number: int) -> str:
        """Give up a job that nobody waits for any more; return what to tell the person of it."""
        begun = job.needs_waiter
        with suppress(RabbitholeError):  # whoever is to begin it sees that nobody waits
            if self.services.catalog.queue.give_up(number, job.abandoned(), begun=begun):
                return "" if begun else "stopped before it began; nothing was changed."
            if not self.owned and self.orphaned:
                return "stopped; the next command finishes what was begun."
            if not self.owned:
                owner = self._lock.owner_pid()
                other = "another process" if owner is None else f"process {owner}"
                return f"stopped waiting; {other} finishes what it has begun."
        return ""

    def submit(self, principal: Principal, job: Job[Any], waiter: str | None = None) -> int:
        """Put a job into the queue, for the ``waiter`` if named; return its number."""
        runner = self.take_over()
        queue = self.services.catalog.queue
        number = queue.submit(principal, job.kind, job.model_dump(mode="json"), waiter)
        if runner is not None:
            runner.wake()
        return number

    def take_over(self) -> Runner | None:
        """Return the owner here, which this process becomes if nobody else is.

        None if another process is, or while dedicated workers do the jobs of the queue.
        """
        waits = self._shared and self._runner is None and self._name is None
        if waits and self.services.catalog.workers.alive(dedicated=True):
            return None
        return self._owner()

    def _owner(self) -> Runner | None:
        """Return the runner of this process, which becomes the owner if nobody else is."""
        with self._deciding:
            if self._runner is None and (self._shared or self._lock.acquire()):
                try:
                    self._own_catalog()
                    runner = Runner(self.services, self._name, take_up=self._takes_up)
                    runner.start()
                except BaseException:
                    self.services.catalog.disown()
                    self._lock.release()
                    raise
                self._runner = runner
            return self._runner

    def _own_catalog(self) -> None:
        """Raises StoresBusy: another home works on the same database."""
        deadline = time.monotonic() + TAKE_OVER_AFTER_S
        while not self.services.catalog.try_own(shared=self._shared):  # a killed owner may linger
            if time.monotonic() > deadline:
                raise another_home(self.services.settings.home)
            time.sleep(POLL_S)

    def outcome(self, number: int, on_event: OnEvent | None = None) -> JsonValue:
        """Wait for a job of the queue and return its result; become the owner if nobody is.

        Raises StoresBusy if the owner does not claim it, Interrupted if this process is about to
        end.
        """
        self.take_over()
        catalog, last_seq = self.services.catalog, 0
        current, looked_at = catalog.queue.get(number), None
        claimed = tried = time.monotonic()
        while True:
            version = catalog.version()  # before the look: what comes after it counts as new
            if version is None or version != looked_at:
                current, looked_at = catalog.queue.get(number), version
                if on_event is not None:
                    for record in catalog.events.since(log_thread(number), last_seq):
                        last_seq = record.seq
                        on_event(record.event)
                if current.status == "done":
                    return current.result
                if current.status == "failed":
                    raise error_of(current)
            if self._runner and (problem := self._runner.problem(current)) is not None:
                raise problem
            if self._closing:
                raise Interrupted(SHUTTING_DOWN)
            now = time.monotonic()
            if current.status == "running":
                claimed = now
            if now - tried > TAKE_OVER_AFTER_S:
                tried = now
                if self.take_over() is None and now - claimed > ANSWERS_WITHIN_S:
                    self._complain()
            time.sleep(POLL_S if on_event or self._shared else POLL_S / 10)

    def _complain(self) -> None:
        """Raises StoresBusy if there is an owner: it does not answer."""
        if (pid := self._lock.owner_pid()) is not None:
            raise StoresBusy(
                "Process {process} is using {home} and does not respond. Wait until it has "
                "finished, or stop it.",
                process=pid,
                home=self.services.settings.home,
            )

    def close(self) -> None:
        """Pause what runs here and give the stores up."""
        self._closing = True
        with self._deciding:
            if self._runner is not None:
                self._runner.stop()
                self._runner = None
                self._lock.release()
            self._presence.hide()
            self.services.close()


class EnginePart:
    """One subject of an engine, for one principal: it uses the catalog in any process, and jobs for
    everything that needs the stores.
    """

    def __init__(self, connection: Connection, principal: Principal) -> None:
        self._connection = connection
        self._services = connection.services
        self._catalog = connection.services.catalog
        self._principal = principal

    def _do(self, job: Job[R], on_event: OnEvent | None = None) -> R:
        return self._connection.do(self._principal, job, on_event)

    def _submit(self, job: Job[Any]) -> int:
        return self._connection.submit(self._principal, job)

    def _with_interrupted(self, runs: Sequence[W]) -> list[W]:
        """Return the runs, with those that a killed process left under way as interrupted."""
        if not any(run.status in ACTIVE for run in runs) or not self._connection.orphaned:
            return list(runs)
        dead = {"status": "interrupted"}
        return [run.model_copy(update=dead) if run.status in ACTIVE else run for run in runs]

    def _effective(self, profile: str | None) -> EffectiveConfiguration:
        """Return the parameters of a profile; raises InvalidInput if it is switched off."""
        return self._services.configuration.for_request(self._principal, profile)

    def _create(
        self,
        kind: RunKind,
        question: str,
        options: Options,
        collections: tuple[str, ...] | None,
        thread_id: str | None,
        **more_options: str,
    ) -> RunInfo:
        """Create a thread over the named collections, or over all that the person may read.

        Raises InvalidInput if there are none, NotFound if one, or one of the documents in them, is
        unknown or may not be read.
        """
        infos = self._services.library.collections(self._principal)
        keys = [info.collection_id for info in infos]
        names_of = dict(zip(keys, unique_names(infos), strict=True))
        names = [names_of.get(name, name) for name in collections or keys]
        scope = self._catalog.collections.scope(self._principal, collections or keys)
        self._catalog.filters.narrowed(scope, options.documents if names else ())
        if not names:
            raise InvalidInput(
                "There are no documents yet. Add some: rabbithole ingest PATH... --collection NAME"
            )
        new = own_id(self._principal, thread_id) if thread_id else uuid.uuid4().hex[:12]
        stored = {**options.model_dump(mode="json"), **more_options}
        return self._catalog.runs.create(
            new,
            self._principal,
            question,
            names,
            stored,
            kind=kind,
            collection_ids=scope.collections,
        )


def with_parameters(options: Chosen, effective: EffectiveConfiguration) -> Chosen:
    """Return the options with the parameters as they are now; the thread keeps them."""
    parameters = dict(effective.values())
    parameters["min_relevance"] = parameters["min_relevance_score"]
    parameters["synthesis_prompt"] = parameters["synthesis_prompt_override"]
    names = parameters.keys() & type(options).model_fields.keys()
    return options.model_copy(update={name: parameters[name] for name in names})
