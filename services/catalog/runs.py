"""Research runs: what was asked, how far it is, what came out."""

from collections.abc import Sequence
from types import EllipsisType

from sqlalchemy import Select, and_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import defer

from services.catalog import ids
from services.catalog.database import Database
from services.catalog.events import as_record
from services.catalog.values import JsonObject, RunInfo, RunStatus
from services.catalog.work_models import EventRow, LeaseRow, RunRow
from services.errors import InvalidInput, NotFound
from services.events import EventRecord, Waiting
from services.types import Principal


class Runs:
    """Runs by thread id. Only their owner and admins see them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(
        self,
        thread_id: str,
        principal: Principal,
        question: str,
        collections: Sequence[str],
        options: JsonObject,
    ) -> RunInfo:
        """Record a new run as queued.

        Raises:
            InvalidInput: the thread id is taken.
        """
        created = ids.now()
        row = RunRow(
            thread_id=thread_id,
            owner=principal.user,
            question=question,
            collections=list(collections),
            options=options,
            status="queued",
            created_at=created,
            updated_at=created,
        )
        try:
            with self._database.write() as session:
                session.add(row)
                session.flush()
                return as_run(row, live=True)
        except IntegrityError as error:
            raise InvalidInput(
                f"There is a thread {thread_id!r} already. Resume it, or choose another id."
            ) from error

    def get(self, principal: Principal, thread_id: str) -> RunInfo:
        """One run.

        Raises:
            NotFound: there is none that ``principal`` may see.
        """
        with self._database.read() as session:
            query = with_lease(principal).where(RunRow.thread_id == thread_id)
            found = session.execute(query.options(defer(RunRow.report))).first()
            if found is None:
                raise unknown_thread(thread_id)
            row, live = found
            return as_run(row, live=bool(live))

    def look(
        self, principal: Principal, thread_id: str, after: int, limit: int = 500
    ) -> tuple[RunInfo, list[EventRecord]]:
        """A run and its next events after ``seq``, at most ``limit``, oldest first; one query.

        Raises:
            NotFound: there is no run that ``principal`` may see.
        """
        news = and_(EventRow.thread_id == RunRow.thread_id, EventRow.seq > after)
        query = (
            with_lease(principal)
            .add_columns(EventRow)
            .outerjoin(EventRow, news)
            .where(RunRow.thread_id == thread_id)
            .order_by(EventRow.seq)
            .limit(limit)
            .options(defer(RunRow.report))
        )
        with self._database.read() as session:
            rows = session.execute(query).all()
            if not rows:
                raise unknown_thread(thread_id)
            run, live, _ = rows[0]
            records = [as_record(event) for _, _, event in rows if event is not None]
            return as_run(run, live=bool(live)), records

    def report(self, principal: Principal, thread_id: str) -> JsonObject | None:
        """The report of a run, None before there is one; raises NotFound as ``get`` does."""
        with self._database.read() as session:
            query = with_lease(principal).where(RunRow.thread_id == thread_id)
            found = session.execute(query).first()
            if found is None:
                raise unknown_thread(thread_id)
            return found[0].report

    def update(
        self,
        thread_id: str,
        *,
        status: RunStatus | None = None,
        phase: str | None = None,
        pending: Waiting | EllipsisType | None = ...,
        error: str | None = None,
        report: JsonObject | None = None,
    ) -> None:
        """Change what is given; None leaves a field as it is.

        ``pending`` can be cleared with None. A new status without an error clears the error.

        Raises:
            NotFound: there is no such run.
        """
        with self._database.write() as session:
            row = session.get(RunRow, thread_id)
            if row is None:
                raise unknown_thread(thread_id)
            row.status = status or row.status
            row.phase = phase or row.phase
            row.report = row.report if report is None else report
            if error is not None or status is not None:
                row.error = error
            if not isinstance(pending, EllipsisType):
                row.pending = None if pending is None else pending.model_dump(mode="json")
            row.updated_at = ids.now()

    def list(self, principal: Principal) -> list[RunInfo]:
        """The runs of ``principal``, an admin's those of everybody; newest first."""
        query = with_lease(principal).order_by(RunRow.created_at.desc(), RunRow.thread_id)
        with self._database.read() as session:
            rows = session.execute(query.options(defer(RunRow.report)))
            return [as_run(row, live=bool(live)) for row, live in rows]


def with_lease(principal: Principal) -> Select[RunRow, bool | None]:
    """Runs that a principal may see, each with whether a process works on it."""
    lease = and_(LeaseRow.thread_id == RunRow.thread_id, LeaseRow.live)
    query = select(RunRow, LeaseRow.live).outerjoin(LeaseRow, lease)
    return query if principal.role == "admin" else query.where(RunRow.owner == principal.user)


def as_run(row: RunRow, *, live: bool) -> RunInfo:
    fields = {name: getattr(row, name) for name in RunInfo.model_fields}
    if row.status in ("queued", "running") and not live:
        fields["status"] = "interrupted"
    return RunInfo.model_validate(fields)


def unknown_thread(thread_id: str) -> NotFound:
    return NotFound(
        f"There is no thread {thread_id!r} among your runs. `rabbithole runs list` shows them."
    )
