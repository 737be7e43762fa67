"""Runs: their questions, progress and reports."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cache
from types import EllipsisType
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    Text,
    and_,
    cast,
    delete,
    exists,
    func,
    select,
    true,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, defer

from services.catalog import ids
from services.catalog.database import BATCH, Repository, one_of, table_of
from services.catalog.deletions import drop_readings
from services.catalog.queue import OPEN
from services.catalog.threads import acquire_lease, release_lease, replace_events, require_lease
from services.catalog.values import JsonObject
from services.catalog.work_models import (
    AnswerRow,
    DraftRow,
    EventRow,
    FeedbackRow,
    GridCellRow,
    GridRowRow,
    LeaseRow,
    ModelReplyRow,
    PlanCaseRow,
    QueuedJobRow,
    ReviewRow,
    RunRow,
)
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound
from services.domain.events import (
    EVENT,
    EventRecord,
    ExecutionComplete,
    ModelCalled,
    PhaseTimes,
    Waiting,
    phase_times,
    total_seconds,
)
from services.domain.notices import Notice
from services.domain.runs import RunCost, RunInfo, RunKind, RunStatus

RESERVED = ":"
"""Marks ids in the event log that are no runs, so that nobody can choose such an id."""
TITLE_LENGTH = 200
COST_KINDS = ("model_called", "phase_finished", "execution_complete")

OF_THREAD = (
    GridCellRow, GridRowRow, FeedbackRow, ReviewRow, EventRow, AnswerRow, DraftRow, ModelReplyRow,
    PlanCaseRow, LeaseRow, RunRow,
)  # fmt: skip


class Runs(Repository):
    """Runs by thread id. Only their owner and admins see them."""

    def counts(self) -> dict[str, int]:
        """Return the number of threads by status."""
        query = select(RunRow.status, func.count()).group_by(RunRow.status)
        return dict(self._database.rows(query))

    def kinds(self) -> Sequence[Row[str, str]]:
        """Return id and kind of every thread of every user."""
        query = select(RunRow.thread_id, RunRow.kind).order_by(RunRow.thread_id)
        return self._database.rows(query)

    def create(
        self,
        thread_id: str,
        principal: Principal,
        question: str,
        collections: Sequence[str],
        options: JsonObject,
        kind: RunKind = "research",
        *,
        collection_ids: Sequence[str] = (),
        **more: str | None,
    ) -> RunInfo:
        """Record a new thread as queued; raise InvalidInput if its id is taken or has a colon.

        ``more`` are the further fields of a fork.
        """
        if RESERVED in thread_id:
            raise InvalidInput(
                "The thread id {thread!r} contains a colon. Choose another id.", thread=thread_id
            )
        now = ids.now()
        row = RunRow(
            thread_id=thread_id,
            owner=principal.user,
            kind=kind,
            question=question,
            collections=list(collections),
            collection_ids=list(collection_ids),
            options=options,
            status="queued",
            created_at=now,
            updated_at=now,
            **more,
        )
        try:
            with self._database.write(journal=True) as session:
                session.add(row)
                session.flush()
                return as_run(row, live=True)
        except IntegrityError as error:
            raise InvalidInput(
                "Thread {thread!r} already exists. Resume it, or choose another id.",
                thread=thread_id,
            ) from error

    def fork(
        self, source: RunInfo, thread_id: str, checkpoint: str, principal: Principal
    ) -> RunInfo:
        """Record a run that continues a checkpoint of another; raises as ``create`` does."""
        copied = {"question", "collections", "collection_ids", "options", "kind", "title"}
        fields, parent = source.model_dump(include=copied), source.thread_id
        return self.create(
            thread_id, principal, **fields, parent_thread=parent, parent_checkpoint=checkpoint
        )

    def get(self, principal: Principal, thread_id: str) -> RunInfo:
        """Return a run that ``principal`` may see, with its present ``status``; raise NotFound."""
        runs = self._list(with_lease(principal).where(RunRow.thread_id == thread_id))
        if not runs:
            raise unknown_thread(thread_id)
        return runs[0]

    def poll(
        self, principal: Principal, thread_id: str, after: int
    ) -> tuple[RunInfo, list[EventRecord]]:
        """Return a run and its next events after ``seq``, at most ``BATCH``; raise NotFound."""
        is_new = and_(EventRow.thread_id == RunRow.thread_id, EventRow.seq > after)
        query = with_lease(principal).add_columns(EventRow).outerjoin(EventRow, is_new)
        query = query.where(RunRow.thread_id == thread_id).order_by(EventRow.seq).limit(BATCH)
        with self._database.read() as session:
            rows = session.execute(query).all()
            if not rows:
                raise unknown_thread(thread_id)
            run, live, _ = rows[0]
            events = [event for _, _, event in rows if event is not None]
            records = [EventRecord.model_validate(event, from_attributes=True) for event in events]
            return as_run(run, live=live), records

    def marks(self, threads: Collection[str]) -> dict[str, tuple[object, ...]]:
        """Return a value for each thread that changes whenever the result of ``poll`` does."""
        last = select(func.max(EventRow.seq)).where(EventRow.thread_id == RunRow.thread_id)
        lease = and_(LeaseRow.thread_id == RunRow.thread_id, LeaseRow.live)
        query = select(RunRow.thread_id, RunRow.updated_at, LeaseRow.live, last.scalar_subquery())
        query = query.outerjoin(LeaseRow, lease)
        with self._database.read() as session:
            rows = session.execute(query.where(one_of(session, RunRow.thread_id, threads)))
            return {thread: tuple(mark) for thread, *mark in rows}

    def report(self, principal: Principal, thread_id: str) -> JsonObject | None:
        """Return the report of a run, None before there is one; raise NotFound as ``get``."""
        query = select(RunRow.report).where(RunRow.thread_id == thread_id, seen_by(principal))
        reports = self._database.scalars(query)
        if not reports:
            raise unknown_thread(thread_id)
        return reports[0]

    def naming(self, principal: Principal, document_id: str) -> list[tuple[RunInfo, JsonObject]]:
        """Return the runs of ``list`` whose reports name a document, with these reports."""
        has_id = cast(RunRow.report, Text).contains(document_id)
        query = with_lease(principal).where(has_id)
        with self._database.read() as session:
            rows = session.execute(query.order_by(RunRow.created_at.desc()))
            return [(as_run(row, live=live), row.report or {}) for row, live in rows]

    def start(self, thread_id: str, holder: str, options: JsonObject | None = None) -> int:
        """Take the lease of a run and let it count as running; return the epoch.

        ``options`` replace those of the run, unless None. Raises NotFound or StoresBusy.
        """
        values = {} if options is None else {"options": options}
        with self._database.write(journal=True) as session:
            epoch = acquire_lease(session, thread_id, holder)
            _change(session, thread_id, status="running", pending=None, error=None, **values)
            return epoch

    def update(
        self,
        thread_id: str,
        *,
        epoch: int | None = None,
        status: RunStatus | None = None,
        phase: str | None = None,
        pending: Waiting | EllipsisType | None = ...,
        error: Notice | None = None,
        report: JsonObject | None = None,
        options: JsonObject | None = None,
        events: Sequence[EventRecord] = (),
        release: bool = False,
    ) -> list[EventRecord]:
        """Change what is given; None leaves a field as it is, but clears ``pending``.

        A new status without an error clears the error. ``epoch`` is of the writer's lease on the
        thread, None for who writes without one. ``events`` are written in the same transaction, and
        with ``release`` the lease ends. Returns the events with their ``seq``; raises NotFound or
        StaleLease.
        """
        fields = {"status": status, "phase": phase, "report": report, "options": options}
        values: dict[str, Any] = {
            name: value for name, value in fields.items() if value is not None
        }
        if error is not None or status is not None:
            values["error"] = error
        if not isinstance(pending, EllipsisType):
            values["pending"] = None if pending is None else pending.model_dump(mode="json")
        with self._database.write(journal=True) as session:
            if epoch is not None:
                require_lease(session, thread_id, epoch)
            written = replace_events(session, events) if events else []
            _change(session, thread_id, **values)
            if release and epoch is not None:
                release_lease(session, thread_id, epoch)
            return written

    def rename(self, principal: Principal, thread_id: str, title: str) -> None:
        """Give a run a title, or none if empty; raise NotFound, or InvalidInput if too long."""
        self.get(principal, thread_id)
        name = " ".join(title.split())
        if len(name) > TITLE_LENGTH:
            raise InvalidInput(
                "The title has {length} characters; at most {most} are allowed. Shorten it.",
                length=len(name),
                most=TITLE_LENGTH,
            )
        row = update(RunRow).where(RunRow.thread_id == thread_id)
        self._database.execute(row.values(title=name or None))

    def delete(self, thread_id: str, *, by: int | None = None) -> None:
        """Delete a run with all rows of its thread, and its jobs except ``by``, which deletes it.

        Edited plans and readings that another grid shows stay. Access has been checked.
        """
        jobs = (QueuedJobRow.thread_id == thread_id) & QueuedJobRow.id.is_distinct_from(by)
        with self._database.write() as session:
            session.execute(delete(QueuedJobRow).where(jobs))
            for model in OF_THREAD:
                of_thread = model.thread_id == thread_id
                if model is PlanCaseRow:
                    of_thread &= ~PlanCaseRow.edited
                session.execute(delete(model).where(of_thread))
            drop_readings(session)

    def costs(self, principal: Principal, *threads: str) -> dict[str, RunCost]:
        """Return time and tokens of these runs, or of all of ``principal``, that have any."""
        listed = EventRow.thread_id.in_(threads) if threads else true()
        query = (
            select(EventRow.thread_id, EventRow.at, EventRow.event)
            .join(RunRow, RunRow.thread_id == EventRow.thread_id)
            .where(EventRow.kind.in_(COST_KINDS), seen_by(principal), listed)
        )
        by_thread: defaultdict[str, list[tuple[str, JsonObject]]] = defaultdict(list)
        for thread_id, at, event in self._database.rows(query):
            by_thread[thread_id].append((at, event))
        return {thread_id: _cost(events) for thread_id, events in by_thread.items()}

    def phase_times(self, thread_id: str) -> PhaseTimes:
        """Return how long each phase of a thread took, all its branches together."""
        query = select(EventRow.at, EventRow.event).where(
            EventRow.thread_id == thread_id, EventRow.kind == "phase_finished"
        )
        with self._database.read() as session:
            events = [(at, EVENT.validate_python(event)) for at, event in session.execute(query)]
        return phase_times(events)

    def _list(self, query: Select[RunRow, bool]) -> list[RunInfo]:
        with self._database.read() as session:
            rows = session.execute(query.order_by(RunRow.created_at.desc(), RunRow.thread_id))
            return [as_run(row, live=live) for row, live in rows]

    def list(self, principal: Principal) -> list[RunInfo]:
        """Return the runs of ``principal``, for an admin those of everybody, newest first."""
        return self._list(with_lease(principal))

    def active(self, principal: Principal) -> Sequence[RunInfo]:
        """Return the runs of ``list`` that are queued or running in some process."""
        is_open = RunRow.status.in_(("queued", "running"))
        runs = self._list(with_lease(principal).where(is_open))
        return [run for run in runs if run.status != "interrupted"]


def _change(session: Session, thread_id: str, **values: object) -> None:
    """Set columns of a run, on the table: a report is large, and need not be read for that."""
    rows = table_of(RunRow)
    change = update(rows).where(rows.c.thread_id == thread_id)
    changed = session.connection().execute(change.values(**values, updated_at=ids.now()))
    if not changed.rowcount:
        raise unknown_thread(thread_id)


def _cost(events: Sequence[tuple[str, JsonObject]]) -> RunCost:
    """Return the total cost; the time of steps that ran in parallel counts once."""
    parsed = [(at, EVENT.validate_python(event)) for at, event in events]
    calls = [event for _, event in parsed if isinstance(event, ModelCalled)]
    turns = [event.duration_ms for _, event in parsed if isinstance(event, ExecutionComplete)]
    return RunCost(
        seconds=sum(turns) / 1e3 + total_seconds(phase_times(parsed).wall),
        tokens=sum(event.prompt_tokens + event.completion_tokens for event in calls),
    )


def seen_by(principal: Principal) -> ColumnElement[bool]:
    return true() if principal.role == "admin" else RunRow.owner == principal.user


def with_lease(principal: Principal) -> Select[RunRow, bool]:
    """Select runs that a principal may see, without reports, and whether one is being worked on."""
    return _with_lease().where(seen_by(principal))


@cache
def _with_lease() -> Select[RunRow, bool]:
    """Building this takes milliseconds, and each page runs it several times."""
    leased = exists().where(LeaseRow.thread_id == RunRow.thread_id, LeaseRow.live)
    queued = exists().where(
        QueuedJobRow.thread_id == RunRow.thread_id, QueuedJobRow.status.in_(OPEN)
    )
    return select(RunRow, leased | queued).options(defer(RunRow.report))


def as_run(row: RunRow, *, live: bool) -> RunInfo:
    run = RunInfo.model_validate(row, from_attributes=True)
    if row.status in ("queued", "running") and not live:
        return run.model_copy(update={"status": "interrupted"})
    return run


def own_id(principal: Principal, chosen: str) -> str:
    """Return the thread id for a chosen name; nobody learns the names that others have chosen."""
    if principal.user == Principal().user:
        return chosen
    return f"{chosen}-{hashlib.sha256(principal.user.encode()).hexdigest()[:8]}"


def unknown_thread(thread_id: str) -> NotFound:
    return NotFound(
        "You have no thread {thread!r}. `rabbithole runs list` shows your threads.",
        thread=thread_id,
    )
