"""What the parts of an engine rest on: who asks, the catalog, and jobs for the owner."""

import functools
import uuid
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Concatenate, ParamSpec, TypeVar

from agent.engine.connection import Connection, OnEvent
from agent.engine.jobs import Job
from agent.models import Options
from services.catalog.runs import own_id
from services.domain import Principal
from services.domain.collections import told_apart
from services.domain.errors import InvalidInput
from services.domain.runs import ACTIVE, IngestionInfo, RunInfo, RunKind
from services.library.configuration import EffectiveConfiguration

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")
W = TypeVar("W", RunInfo, IngestionInfo)
Chosen = TypeVar("Chosen", bound=Options)


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
        if not any(each.status in ACTIVE for each in listed) or not self._connection.orphaned:
            return list(listed)
        dead = {"status": "interrupted"}
        return [each.model_copy(update=dead) if each.status in ACTIVE else each for each in listed]

    def _effective(self, profile: str | None) -> EffectiveConfiguration:
        """What counts for a thread; raises InvalidInput for a profile that is switched off."""
        return self._services.configuration.for_request(self._principal, profile)

    def _create(
        self,
        kind: RunKind,
        question: str,
        options: Options,
        collections: tuple[str, ...] | None,
        thread_id: str | None,
        **kept: str,
    ) -> RunInfo:
        """A thread over the collections that are wanted, else over all that one may read.

        What is ``kept`` besides stands among its options.

        Raises:
            InvalidInput: there are none.
            NotFound: one, or one of the documents in them, is unknown or may not be read.
        """
        readable = self._services.library.collections
        names = collections or told_apart(readable(self._principal))
        scope = self._catalog.collections.scope(self._principal, names)
        self._catalog.filters.narrowed(scope, options.documents if names else ())
        if not names:
            raise InvalidInput(
                "There are no documents yet. Add some: rabbithole ingest PATH... --collection NAME"
            )
        new = own_id(self._principal, thread_id) if thread_id else uuid.uuid4().hex[:12]
        chosen = {**options.model_dump(mode="json"), **kept}
        return self._catalog.runs.create(new, self._principal, question, names, chosen, kind=kind)


def with_parameters(options: Chosen, effective: EffectiveConfiguration) -> Chosen:
    """The options with what the parameters say now; the thread keeps it to its end."""
    said = dict(effective.values())
    said["min_relevance"] = said["min_relevance_score"]
    said["synthesis_prompt"] = said["synthesis_prompt_override"]
    known = type(options).model_fields
    return options.model_copy(update={name: said[name] for name in said if name in known})


def at(place: str, method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Part, P], T]:
    """A method of what stands at a place of the services."""
    found = attrgetter(place)

    @functools.wraps(method)
    def calling(part: Part, *args: P.args, **options: P.kwargs) -> T:
        return method(found(part._services), *args, **options)

    return calling


def via(
    place: str, method: Callable[Concatenate[Any, Principal, P], T]
) -> Callable[Concatenate[Part, P], T]:
    """A method of what stands at a place of the services, which is told who asks."""
    found = attrgetter(place)

    @functools.wraps(method)
    def acting(part: Part, *args: P.args, **options: P.kwargs) -> T:
        return method(found(part._services), part._principal, *args, **options)

    return acting
