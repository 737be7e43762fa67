"""The queue of jobs, by which a process reaches the one that owns the stores."""

from collections.abc import Sequence
from typing import Final

from pydantic import JsonValue
from sqlalchemy import ColumnElement, func, select, update

from services.catalog import ids
from services.catalog.database import Repository
from services.catalog.values import JsonObject, QueuedJob
from services.catalog.work_models import QueuedJobRow
from services.domain import Principal
from services.domain.errors import NotFound, RabbitholeError

_OPEN: Final = ("queued", "running")


class JobQueue(Repository):
    """Jobs in the order in which they were submitted; each is claimed by one process."""

    _empty_at: int | None = None

    def submit(self, principal: Principal, kind: str, payload: JsonObject) -> int:
        """Queue a job; returns its id."""
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

    def claim(self) -> QueuedJob | None:
        """Take the oldest queued job; nobody else gets it. None when there is none.

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
            return QueuedJob.model_validate(row, from_attributes=True)

    def unchanged(self) -> bool:
        """Whether ``claim`` would find nothing, as nothing was written since it did.

        Takes microseconds and waits for nobody, so an event loop may ask; never so on PostgreSQL.
        """
        return self._empty_at is not None and self._is_still_empty(self._database.version())

    def _is_still_empty(self, version: int | None) -> bool:
        return version is not None and version == self._empty_at

    def put(self, id: int, payload: JsonObject) -> None:
        """Keep more of what a job is to do."""
        self._database.execute(
            update(QueuedJobRow).where(QueuedJobRow.id == id).values(payload=payload)
        )

    def finish(self, id: int, result: JsonValue, error: RabbitholeError | None = None) -> None:
        """Record what became of a job: done, or failed when there is an error."""
        values = {"status": "done", "result": result} if error is None else _failed(error)
        self._database.execute(update(QueuedJobRow).where(QueuedJobRow.id == id).values(values))

    def get(self, id: int) -> QueuedJob:
        """A job by id.

        Raises:
            NotFound: there is none.
        """
        found = self._list(QueuedJobRow.id == id)
        if not found:
            raise NotFound("There is no command {number}.", number=id)
        return found[0]

    def of(self, principal: Principal, kinds: Sequence[str], *, most: int) -> list[QueuedJob]:
        """The newest jobs of these kinds that the principal submitted, newest first."""
        return self._list(_given_by(principal, kinds), most)

    def unfinished(self, principal: Principal, kinds: Sequence[str]) -> list[QueuedJob]:
        """Those of these kinds that the principal submitted and that are not done, newest first."""
        return self._list(_given_by(principal, kinds) & QueuedJobRow.status.in_(_OPEN))

    def counts(self) -> dict[str, int]:
        """How many jobs are to be done and being done."""
        status = QueuedJobRow.status
        counted = select(status, func.count()).where(status.in_(_OPEN)).group_by(status)
        return dict.fromkeys(_OPEN, 0) | {each[0]: each[1] for each in self._database.rows(counted)}

    def running(self) -> list[QueuedJob]:
        """The jobs that are being done, oldest first."""
        return self._list(QueuedJobRow.status == "running")[::-1]

    def _list(self, which: ColumnElement[bool], most: int | None = None) -> list[QueuedJob]:
        query = select(QueuedJobRow).where(which).order_by(QueuedJobRow.id.desc()).limit(most)
        return self._database.values(QueuedJob, query)

    def is_open(self, id: int) -> bool:
        """Whether a job is still to be done: it has no outcome, and nobody gave it up."""
        return self._database.scalar(select(QueuedJobRow.status).filter_by(id=id)) in _OPEN

    def give_up(self, id: int, error: RabbitholeError) -> None:
        """Record that nobody wants the outcome of a job any more, unless there is one."""
        still = (QueuedJobRow.id == id) & QueuedJobRow.status.in_(_OPEN)
        self._database.execute(update(QueuedJobRow).where(still).values(_failed(error)))

    def give_up_all(self, error: RabbitholeError) -> None:
        """Record of all that is open that nobody will do it: who submitted it is not known here."""
        still = QueuedJobRow.status.in_(_OPEN)
        self._database.execute(update(QueuedJobRow).where(still).values(_failed(error)))

    def requeue_running(self) -> None:
        """Queue again what a dead owner left running: for a new owner, before it claims."""
        running = QueuedJobRow.status == "running"
        self._database.execute(update(QueuedJobRow).where(running).values(status="queued"))


def _given_by(principal: Principal, kinds: Sequence[str]) -> ColumnElement[bool]:
    return (QueuedJobRow.user == principal.user) & QueuedJobRow.kind.in_(kinds)


def _failed(error: RabbitholeError) -> dict[str, object]:
    return {"status": "failed", "error": error.notice, "error_type": type(error).__name__}
