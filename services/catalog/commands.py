"""Work that is ordered and done: commands between processes, and records of ingestions."""

from collections.abc import Sequence
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, select, true, update

from services.catalog import ids
from services.catalog.database import Repository
from services.catalog.values import Command, IngestionCounts, JsonObject
from services.catalog.work_models import IngestionRow, QueuedJobRow
from services.domain import CollectionInfo, Principal
from services.domain.errors import NotFound, RabbitholeError
from services.domain.notices import Notice
from services.domain.runs import IngestionInfo

SHOWN: Final = 20
_OPEN: Final = ("queued", "running")


class Commands(Repository):
    """How a process reaches the one that owns the stores: each is claimed by one, in order."""

    _empty_at: int | None = None

    def submit(self, principal: Principal, kind: str, payload: JsonObject) -> int:
        """Queue a command; returns its id."""
        row = QueuedJobRow(
            **principal.model_dump(include={"user", "role"}),
            kind=kind,
            payload=payload,
            status="queued",
            created_at=ids.now(),
        )
        with self._database.write() as session:
            session.add(row)
            session.flush()
            return row.id

    def claim(self) -> Command | None:
        """Take the oldest queued command; nobody else gets it. None when there is none.

        Made to be polled: on SQLite nothing is asked again before somebody has written to the
        catalog, and the write lock is taken only when there is something to claim.
        """
        version = self._database.version()  # before the look: what comes after it counts as new
        if self._is_still_empty(version):
            return None
        queued = QueuedJobRow.status == "queued"
        oldest = select(QueuedJobRow).where(queued).order_by(QueuedJobRow.id).limit(1)
        if self._database.scalar(oldest) is None:
            self._empty_at = version
            return None
        with self._database.write() as session:
            row = session.scalars(oldest.with_for_update(skip_locked=True)).first()
            if row is None:
                return None
            row.status = "running"
            return Command.model_validate(row, from_attributes=True)

    def unchanged(self) -> bool:
        """Whether ``claim`` would find nothing, as nothing was written since it did.

        Takes microseconds and waits for nobody, so an event loop may ask; never so on PostgreSQL.
        """
        return self._empty_at is not None and self._is_still_empty(self._database.version())

    def _is_still_empty(self, version: int | None) -> bool:
        return version is not None and version == self._empty_at

    def finish(
        self, id: int, result: JsonObject | None, error: Notice | None, error_type: str | None
    ) -> None:
        """Record what became of a command: done, or failed when there is an error."""
        status = "done" if error is None else "failed"
        change = (
            update(QueuedJobRow).where(QueuedJobRow.id == id).values(status=status, result=result)
        )
        self._database.execute(change.values(error=error, error_type=error_type))

    def get(self, id: int) -> Command:
        """A command by id.

        Raises:
            NotFound: there is none.
        """
        found = self._list(QueuedJobRow.id == id)
        if not found:
            raise NotFound("There is no command {number}.", number=id)
        return found[0]

    def of(self, principal: Principal, kinds: Sequence[str], *, most: int) -> list[Command]:
        """The newest commands of these kinds that the principal gave, newest first."""
        return self._list(_given_by(principal, kinds), most)

    def unfinished(self, principal: Principal, kinds: Sequence[str]) -> list[Command]:
        """Commands of these kinds that the principal gave and that are not done, newest first."""
        return self._list(_given_by(principal, kinds) & QueuedJobRow.status.in_(_OPEN))

    def running(self) -> list[Command]:
        """The commands that are being done, oldest first."""
        return self._list(QueuedJobRow.status == "running")[::-1]

    def _list(self, which: ColumnElement[bool], most: int | None = None) -> list[Command]:
        query = select(QueuedJobRow).where(which).order_by(QueuedJobRow.id.desc()).limit(most)
        return self._database.values(Command, query)

    def is_open(self, id: int) -> bool:
        """Whether a command is still to be done: it has no outcome, and nobody gave it up."""
        return self._database.scalar(select(QueuedJobRow.status).filter_by(id=id)) in _OPEN

    def give_up(self, id: int, error: RabbitholeError) -> None:
        """Record that nobody wants the outcome of a command any more, unless there is one."""
        still = (QueuedJobRow.id == id) & QueuedJobRow.status.in_(_OPEN)
        values = {"status": "failed", "error": error.notice, "error_type": type(error).__name__}
        self._database.execute(update(QueuedJobRow).where(still).values(values))

    def requeue_running(self) -> None:
        """Queue again what a dead owner left running: for a new owner, before it claims."""
        running = QueuedJobRow.status == "running"
        self._database.execute(update(QueuedJobRow).where(running).values(status="queued"))


def _given_by(principal: Principal, kinds: Sequence[str]) -> ColumnElement[bool]:
    return (QueuedJobRow.user == principal.user) & QueuedJobRow.kind.in_(kinds)


class Jobs(Repository):
    """Ingestions, how far they came and how they ended: written by the process that ingests."""

    def begin(self, user: str, collection: CollectionInfo, files_total: int) -> int:
        """Record that an ingestion is under way; returns its id, which later ones exceed."""
        row = IngestionRow(
            user=user,
            collection_id=collection.collection_id,
            collection=collection.name,
            status="running",
            started_at=ids.now(),
            files_total=files_total,
            **IngestionCounts().model_dump(),
        )
        with self._database.write() as session:
            session.add(row)
            session.flush()
            return row.job_id

    def update(self, job_id: int, counts: IngestionCounts, **more: Any) -> None:
        """Record how far it is."""
        values = counts.model_dump() | more
        self._database.execute(
            update(IngestionRow).where(IngestionRow.job_id == job_id).values(values)
        )

    def end(
        self,
        job_id: int,
        counts: IngestionCounts,
        status: Literal["done", "failed", "interrupted"],
        error: Notice | None = None,
    ) -> None:
        """Record how it ended; ``error`` says why it failed."""
        self.update(job_id, counts, status=status, error=error, ended_at=ids.now())

    def interrupt_running(self) -> list[IngestionInfo]:
        """Recognise what a dead process left running: for a new owner, before it ingests.

        Returns:
            These ingestions, oldest first. When they ended nobody knows: ``ended_at`` stays None.
        """
        running = (
            select(IngestionRow)
            .where(IngestionRow.status == "running")
            .order_by(IngestionRow.job_id)
        )
        if self._database.scalar(running) is None:  # most times there is nothing to write
            return []
        with self._database.write() as session:
            rows = session.scalars(running).all()
            for row in rows:
                row.status = "interrupted"
            return [IngestionInfo.model_validate(row, from_attributes=True) for row in rows]

    def list(self, principal: Principal, *, most: int = SHOWN) -> list[IngestionInfo]:
        """The principal's ingestions, for an admin everybody's, newest first."""
        mine = true() if principal.role == "admin" else IngestionRow.user == principal.user
        query = select(IngestionRow).where(mine).order_by(IngestionRow.job_id.desc()).limit(most)
        return self._database.values(IngestionInfo, query)
