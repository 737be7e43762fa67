"""What the parts of an engine rest on: who asks, the catalog, and jobs for the owner."""

import functools
from collections.abc import Callable, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import Any, Concatenate, ParamSpec, TypeVar

from agent.engine.connection import Connection, OnEvent
from agent.engine.jobs import Job
from services.catalog.runs import own_id
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound
from services.domain.runs import IngestionInfo, RunInfo

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")
W = TypeVar("W", RunInfo, IngestionInfo)


class Part:
    """One subject of an engine, for one principal.

    What needs the catalog alone happens here, in any process; the rest through jobs.
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

    def _seen(self, listed: Sequence[W]) -> list[W]:
        """Works as they are: what a process that was killed left under way is interrupted."""
        under_way = [each.status in ("queued", "running") for each in listed]
        if not any(under_way) or not self._connection.orphaned:
            return list(listed)
        dead = {"status": "interrupted"}
        return [
            each.model_copy(update=dead) if runs else each
            for each, runs in zip(listed, under_way, strict=True)
        ]

    def _named(self, thread_id: str) -> RunInfo | None:
        """The thread that has this id, or was given it by this person; None without one."""
        for name in (thread_id, own_id(self._principal, thread_id)):
            with suppress(NotFound):
                return self._catalog.runs.get(self._principal, name)
        return None

    def _searched(
        self, wanted: tuple[str, ...] | None, documents: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """The collections that are wanted, else all that one may read.

        Raises:
            InvalidInput: there are none.
            NotFound: one, or one of the documents in them, is unknown or may not be read.
        """
        readable = self._services.library.collections
        names = wanted or tuple(info.name for info in readable(self._principal))
        scope = self._catalog.collections.scope(self._principal, names)
        self._catalog.filters.narrowed(scope, documents if names else ())
        if not names:
            raise InvalidInput(
                "There are no documents yet. Add some: rabbithole ingest PATH... --collection NAME"
            )
        return names


def via(
    place: str, method: Callable[Concatenate[Any, Principal, P], T]
) -> Callable[Concatenate[Part, P], T]:
    """A method of what stands at a place of the services, with its principal given."""
    found = attrgetter(place)

    @functools.wraps(method)
    def acting(part: Part, *args: P.args, **options: P.kwargs) -> T:
        return method(found(part._services), part._principal, *args, **options)

    return acting
