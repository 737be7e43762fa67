"""Works that change the stores, as whoever ordered them follows them, in any process."""

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import JsonValue

from agent.engine.jobs import (
    COMMAND,
    CheckIndexes,
    ClearDeleted,
    Ingest,
    RemoveDocument,
    RestoreCollection,
)
from services.catalog.values import Command
from services.domain import CollectionHealth, IngestReport, Value
from services.domain.notices import Notice
from services.library.archive.values import RestoreReport as RestoreReport

Order = Ingest | RemoveDocument | CheckIndexes | RestoreCollection | ClearDeleted
KINDS: Final[Sequence[str]] = ("ingest", "remove", "check", "restore")
"""Those that are listed; of clearing up after a deletion there is nothing to tell."""


class Work(Value):
    """An order and what became of it; ``created_at`` is ISO 8601 in UTC.

    Works wait for each other, so one that is ``running`` may wait for its turn. ``result`` is
    read by the property of the order's kind, each None unless the work is done.
    """

    number: int
    order: Order
    status: Literal["queued", "running", "done", "failed"]
    created_at: str
    error: Notice | None
    result: dict[str, JsonValue] | None

    @property
    def open(self) -> bool:
        """Whether it is still to be done."""
        return self.status in ("queued", "running")

    @property
    def report(self) -> IngestReport | None:
        """What became of every file, of an ingestion."""
        if self.result is None or not isinstance(self.order, Ingest):
            return None
        return IngestReport.model_validate(self.result)

    @property
    def health(self) -> tuple[CollectionHealth, ...] | None:
        """How the collections are, of a check or repair."""
        if self.result is None or not isinstance(self.order, CheckIndexes):
            return None
        return _States.model_validate(self.result).collections

    @property
    def restored(self) -> RestoreReport | None:
        """What a restoration brought back."""
        if self.result is None or not isinstance(self.order, RestoreCollection):
            return None
        return RestoreReport.model_validate(self.result)


class _States(Value):
    collections: tuple[CollectionHealth, ...]


def work_of(command: Command) -> Work:
    """The work that a command orders."""
    fields = command.model_dump(exclude={"id", "kind", "payload", "principal", "error_type"})
    order = COMMAND.validate_python({**command.payload, "kind": command.kind})
    return Work.model_validate({**fields, "number": command.id, "order": order})
