"""How a process reaches the owner of the stores: it is it, or puts commands into the catalog."""

import functools
import threading
import time
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from agent.engine.commands import INGEST_THREAD, SHORT, AnyCommand
from agent.engine.graph_building import facts_ended, for_who_waits
from services.build import Services
from services.catalog.values import Command
from services.domain import Principal, errors
from services.domain.errors import RabbitholeError, StoresBusy
from services.domain.events import Event
from services.library.library import Library
from services.ownership import OwnerLock

P = ParamSpec("P")
R = TypeVar("R")
POLL_S = 0.05
TAKE_OVER_AFTER_S = 1.0


class Connection:
    """What all clients of a process share: the services, and the runner once it owns them."""

    def __init__(self, services: Services, lock: OwnerLock) -> None:
        self.services = services
        self.lock = lock
        self.runner: Any = None
        self._deciding = threading.Lock()

    def become_owner(self) -> bool:
        """Starts the runner if nobody else owns the home; whether it runs here."""
        with self._deciding:
            if self.runner is None and self.lock.acquire():
                from agent.engine.runner import Runner  # langgraph is slow to import

                runner = Runner(self.services)
                try:
                    runner.start()
                except BaseException:
                    self.lock.release()
                    raise
                self.runner = runner
            return self.runner is not None

    def close(self) -> None:
        with self._deciding:
            if self.runner is not None:
                self.runner.stop()
                self.runner = None
                self.lock.release()
            self.services.close()


class Connected:
    """What every part of a client rests on: who asks, the catalog, and commands to the owner."""

    def __init__(self, connection: Connection, principal: Principal) -> None:
        self._connection = connection
        self._services = connection.services
        self._catalog = connection.services.catalog
        self._principal = principal

    def _submit(self, command: AnyCommand) -> int:
        """Puts a command into the catalog; its number."""
        self._connection.become_owner()
        payload = command.model_dump(mode="json", exclude={"kind"})
        number = self._catalog.queue.submit(self._principal, command.kind, payload)
        if self._connection.runner is not None:
            self._connection.runner.wake()
        return number

    def _do(self, command: AnyCommand, on_event: Callable[[Event], None] | None = None) -> Any:
        """The result of a command: short ones are called where the stores are owned here.

        Others are submitted and waited for, so that they survive this process.
        """
        if isinstance(command, SHORT) and self._connection.become_owner():
            return self._connection.runner.call(self._principal, command)
        number = self._submit(command)
        try:
            return self._result(number, on_event)
        except KeyboardInterrupt:
            if for_who_waits(command.kind, command.model_dump()):
                self._catalog.queue.give_up(number, facts_ended())
            raise

    def _result(
        self, number: int, on_event: Callable[[Event], None] | None = None
    ) -> dict[str, Any]:
        submitted = time.monotonic()
        seen = 0
        while True:
            current = self._catalog.queue.get(number)
            if on_event is not None:
                for record in self._catalog.events.since(INGEST_THREAD.format(number), seen):
                    seen = record.seq
                    on_event(record.event)
            if current.status in ("done", "failed"):
                return _outcome(current)
            runner = self._connection.runner
            if runner is not None and (problem := runner.problem(current)) is not None:
                raise problem
            if current.status == "queued" and time.monotonic() - submitted > TAKE_OVER_AFTER_S:
                self._take_over()
            time.sleep(POLL_S if on_event else POLL_S / 10)

    def _take_over(self) -> None:
        """Nobody claimed the command in time: its owner is gone or does not listen."""
        if not self._connection.become_owner():
            pid = self._connection.lock.owner_pid()
            if pid is None:
                return
            raise StoresBusy(
                f"Process {pid} owns {self._services.settings.home} and does not answer. "
                "Wait until it has finished, or end it."
            )


def of_library(
    method: Callable[Concatenate[Library, Principal, P], R],
) -> Callable[Concatenate[Connected, P], R]:
    """A method of the library as one of a client, which says for whom it acts."""

    @functools.wraps(method)
    def acting(client: Connected, *args: P.args, **options: P.kwargs) -> R:
        return method(client._services.library, client._principal, *args, **options)

    return acting


def _outcome(command: Command) -> dict[str, Any]:
    if command.status == "done":
        return command.result or {}
    kind = getattr(errors, command.error_type or "", RabbitholeError)
    raise kind(command.error)
