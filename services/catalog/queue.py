"""Jobs for the owner of the stores, records of ingestions, and how long outcomes stay."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, NamedTuple

from pydantic import JsonValue
from sqlalchemy import (
    ColumnElement,
    Select,
    String,
    case,
    cast,
    delete,
    exists,
    func,
    literal,
    select,
    true,
    update,
)
from sqlalchemy.orm import InstrumentedAttribute, aliased

from services.catalog import ids
from services.catalog.database import Repository
from services.catalog.values import LOG_OF_JOB, WAITER, JsonObject, QueuedJob
from services.catalog.work_models import (
    EventRow,
    IngestionRow,
    LeaseRow,
    ModelReplyRow,
    QueuedJobRow,
    RunRow,
    WorkerRow,
)
from services.catalog.workers import is_alive, new_job, notify
from services.domain import CollectionInfo, Principal
from services.domain.errors import AskPerson, Interrupted, NotFound, RabbitholeError
from services.domain.notices import Notice
from services.domain.runs import IngestionCounts, IngestionInfo

OPEN: Final = ("queued", "running")
MOST_DEATHS: Final = 3


class Share(NamedTuple):
    """What one of several processes may claim.

    It may claim any job of a thread that it drives. Other jobs it may claim while it has less than
    ``most`` at work, no dedicated worker has less to do, and all processes together have less than
    ``per_person`` under way for the person.

    Jobs of the kind ``piece`` are short ones that a thread waits for. They do not count for the
    limit of a person, and a process that has the choice keeps room for one other job.
    """

    holder: str
    at_work: int
    most: int
    per_person: int
    piece: str


class JobQueue(Repository):
    """Jobs in the order in which they were submitted; each is claimed by one process."""

    _empty_at: tuple[int, int] | None = None

    def submit(
        self, principal: Principal, kind: str, payload: JsonObject, waiter: str | None = None
    ) -> int:
        """Queue a job, for which a process named ``waiter`` may wait, and return its id."""
        (id,) = self.submit_all(
            principal, kind, [payload if waiter is None else payload | {WAITER: waiter}]
        )
        return id

    def submit_all(
        self, principal: Principal, kind: str, payloads: Sequence[JsonObject]
    ) -> list[int]:
        """Queue jobs in one transaction, and return their ids."""
        rows = [new_job(principal, kind, payload) for payload in payloads]
        with self._database.write() as session:
            session.add_all(rows)
            session.flush()
            notify(session)
            return [row.id for row in rows]

    def collect(self, ids: Collection[int]) -> list[QueuedJob]:
        """Return those of some jobs that have an outcome, and delete them."""
        return self._delete(QueuedJobRow.id.in_(ids) & QueuedJobRow.status.not_in(OPEN))

    def withdraw(self, ids: Collection[int]) -> None:
        """Delete jobs; who is doing one sees that it is not open any more."""
        self._delete(QueuedJobRow.id.in_(ids))

    def _delete(self, condition: ColumnElement[bool]) -> list[QueuedJob]:
        query = delete(QueuedJobRow).where(condition).returning(QueuedJobRow)
        with self._database.write() as session:
            rows = session.scalars(query).all()
            return [QueuedJob.model_validate(row, from_attributes=True) for row in rows]

    def claim(
        self, share: Share | None = None, *, last: Sequence[int] = (), never: Sequence[int] = ()
    ) -> QueuedJob | None:
        """Claim the oldest queued job, None if there is none.

        Cheap to poll: SQLite is not queried again before somebody has written to the catalog, and
        the write lock is taken only if there is a job. Of a ``share`` the person with the least
        work under way comes first; the jobs ``last`` come after all others, and ``never`` are left
        to others.
        """
        version = self._database.lookup_version()  # before the query: later commits change it
        if version is not None and version == self._empty_at:
            return None
        queued = select(QueuedJobRow).where(QueuedJobRow.status == "queued").limit(1)
        if share is None:
            id = QueuedJobRow.id
            oldest = queued.where(id.not_in(never)).order_by(id.in_(last), id)
        else:
            oldest = _shared(queued, share)
        if self._database.scalar(oldest) is None:
            self._empty_at = version
            return None
        locked = oldest.with_for_update(skip_locked=True, of=QueuedJobRow)
        with self._database.write() as session:
            row = session.scalars(locked).first()
            if row is None:
                return None
            row.status, row.holder = "running", share.holder if share else None
            return QueuedJob.model_validate(row, from_attributes=True)

    def unchanged(self) -> bool:
        """Return whether ``claim`` would find nothing, because nothing was written since it did.

        Takes microseconds and never blocks an event loop. On PostgreSQL it is always False. While
        something is being written the version is unknown, which counts as unchanged.
        """
        if self._empty_at is None:
            return False
        return self._database.lookup_version() in (None, self._empty_at)

    def begin(self, id: int) -> None:
        """Note that a job starts: until it ends, its error counts the processes that it killed.

        Raises Interrupted if it was given up, AskPerson if it has killed too many processes.
        """
        with self._database.write() as session:
            row = session.get(QueuedJobRow, id, with_for_update=True)  # or it is withdrawn
            if row is None or row.status != "running":
                raise Interrupted(
                    "The job was cancelled because nobody is waiting for its result any more."
                )
            deaths = int(str(row.error.fields["times"])) if row.error else 0
            if row.error and deaths >= MOST_DEATHS:
                raise AskPerson(row.error)
            row.error = _died(deaths + 1)

    def requeue(self, id: int, *, holder: str | None = None) -> None:
        """Queue a job of ``holder`` again that stopped without killing its process."""
        with self._database.write() as session:
            row = session.get(QueuedJobRow, id, with_for_update=True)  # or it is withdrawn
            if row is not None and (row.status, row.holder) == ("running", holder):
                row.status, row.holder = "queued", None
                row.error = row.error and _died(0)  # it has begun
                notify(session)

    def put(self, id: int, payload: JsonObject) -> None:
        """Add to the payload of a job."""
        with self._database.write() as session:
            if (row := session.get(QueuedJobRow, id)) is not None:
                row.payload = row.payload | payload

    def finish(
        self,
        id: int,
        result: JsonValue,
        error: RabbitholeError | None = None,
        *,
        holder: str | None = None,
    ) -> None:
        """Record the outcome of a job: done, or failed if there is an error.

        Has no effect if the job belongs to another holder now, or has an outcome.
        """
        done = {"status": "done", "result": result, "error": None}
        values = done if error is None else _failed(error)
        held = (QueuedJobRow.id == id) & (QueuedJobRow.holder.is_not_distinct_from(holder))
        self._change(held & QueuedJobRow.status.in_(OPEN), **values)

    def get(self, id: int) -> QueuedJob:
        """Return a job by id; raise NotFound."""
        jobs = self._list(QueuedJobRow.id == id)
        if not jobs:
            raise NotFound("You have no job {number}.", number=id)
        return jobs[0]

    def of(self, principal: Principal, kinds: Sequence[str], *, most: int) -> list[QueuedJob]:
        """Return the newest jobs of these kinds that the principal submitted, newest first."""
        return self._list(_submitted_by(principal, kinds), most)

    def unfinished(self, principal: Principal | None, kinds: Sequence[str]) -> list[QueuedJob]:
        """Return open jobs of these kinds of the principal, or of anybody, newest first."""
        return self._list(_submitted_by(principal, kinds) & QueuedJobRow.status.in_(OPEN))

    def counts(self) -> dict[str, int]:
        """Return how many jobs are queued and running."""
        status = QueuedJobRow.status
        query = select(status, func.count()).where(status.in_(OPEN)).group_by(status)
        return dict.fromkeys(OPEN, 0) | dict(self._database.rows(query))

    def open_jobs(self) -> list[QueuedJob]:
        """Return all jobs without an outcome, newest first."""
        return self._list(QueuedJobRow.status.in_(OPEN))

    def _list(self, condition: ColumnElement[bool], most: int | None = None) -> list[QueuedJob]:
        query = select(QueuedJobRow).where(condition).order_by(QueuedJobRow.id.desc()).limit(most)
        return self._database.values(QueuedJob, query)

    def is_open(self, id: int) -> bool:
        """Return whether a job has no outcome and was not given up."""
        return self._database.scalar(select(QueuedJobRow.status).filter_by(id=id)) in OPEN

    def give_up(self, id: int, error: RabbitholeError, *, begun: bool = True) -> bool:
        """Fail an open job (or, without ``begun``, an unbegun one); return whether it was one."""
        condition = (QueuedJobRow.id == id) & QueuedJobRow.status.in_(OPEN)
        if not begun:
            condition &= QueuedJobRow.error.is_(None)
        return self._change(condition, **_failed(error)) > 0

    def give_up_all(self, error: RabbitholeError) -> None:
        """Give up all open jobs, whose submitters do not exist in this home."""
        self._change(QueuedJobRow.status.in_(OPEN), **_failed(error))

    def requeue_running(self) -> None:
        """Queue again what a dead owner left running, for a new owner before it claims jobs."""
        self._change(QueuedJobRow.status == "running", status="queued")

    def _change(self, condition: ColumnElement[bool], **values: object) -> int:
        return self._database.execute(update(QueuedJobRow).where(condition).values(values))


def _shared(queued: Select[QueuedJobRow], share: Share) -> Select[QueuedJobRow]:
    """Select the jobs that a process may claim; those of a thread in order where it is driven."""
    other, job = aliased(QueuedJobRow), QueuedJobRow
    lease = (LeaseRow.thread_id == job.thread_id) & LeaseRow.live
    here = exists().where(lease, LeaseRow.holder == share.holder)
    elsewhere = exists().where(lease, LeaseRow.holder != share.holder)
    earlier = (other.status == "queued") & (other.id < job.id)
    running_elsewhere = (other.status == "running") & (other.holder != share.holder)
    waits = exists().where(other.thread_id == job.thread_id, earlier | running_elsewhere)
    driven = select(func.count()).where(
        LeaseRow.live, LeaseRow.thread_id == RunRow.thread_id, RunRow.owner == job.user
    )
    running = select(func.count()).where(other.status == "running", other.user == job.user)
    others = running.where(other.kind != share.piece)
    limited = driven.scalar_subquery() + others.scalar_subquery()
    under_way = driven.scalar_subquery() + running.scalar_subquery()
    is_piece = job.kind == share.piece
    leases = select(func.count()).where(LeaseRow.live, LeaseRow.holder == WorkerRow.holder)
    jobs = select(func.count()).where(other.status == "running", other.holder == WorkerRow.holder)
    workload = leases.scalar_subquery() + jobs.scalar_subquery()
    idler = exists().where(
        WorkerRow.holder != share.holder, WorkerRow.dedicated, is_alive(), workload < share.at_work
    )
    free = ~idler & (is_piece | (limited < share.per_person))
    if share.at_work >= max(share.most - 1, 1):
        free &= ~is_piece
    allowed = here | free if share.at_work < share.most else here
    order = (case((here, 0), else_=1), under_way, case((is_piece, 1), else_=0), job.id)
    return queued.where(~elsewhere, ~waits, allowed).order_by(*order)


def _submitted_by(principal: Principal | None, kinds: Sequence[str]) -> ColumnElement[bool]:
    submitter = true() if principal is None else QueuedJobRow.user == principal.user
    return submitter & QueuedJobRow.kind.in_(kinds)


def _died(times: int) -> Notice:
    return Notice.of(
        "The process crashed {times} times during this job, so the job was cancelled. Split the "
        "work into smaller jobs or give the process more memory, then start it again.",
        times=times,
    )


def _failed(error: RabbitholeError) -> dict[str, object]:
    return {"status": "failed", "error": error.notice, "error_type": type(error).__name__}


MOST_LISTED: Final = 20


class Ingestions(Repository):
    """Progress and outcome of ingestions, written by the process that ingests."""

    def begin(self, user: str, collection: CollectionInfo, files_total: int) -> int:
        """Record that an ingestion has begun; return its id, which is less than later ids."""
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
        """Record the progress of an ingestion."""
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
        """Record the outcome of an ingestion; ``error`` says why it failed."""
        self.update(job_id, counts, status=status, error=error, ended_at=ids.now())

    def interrupt_running(self, user: str | None = None) -> list[IngestionInfo]:
        """Mark what a dead process left running as interrupted, and return it, oldest first.

        For a new owner, before it ingests, or for the only process that ingests for ``user``.
        """
        of_user = true() if user is None else IngestionRow.user == user
        running = (
            select(IngestionRow)
            .where(IngestionRow.status == "running", of_user)
            .order_by(IngestionRow.job_id)
        )
        if self._database.scalar(running) is None:  # mostly there is nothing to write
            return []
        with self._database.write() as session:
            rows = session.scalars(running).all()
            for row in rows:
                row.status = "interrupted"
            return [IngestionInfo.model_validate(row, from_attributes=True) for row in rows]

    def list(self, principal: Principal, *, most: int = MOST_LISTED) -> list[IngestionInfo]:
        """Return the principal's ingestions, for an admin everybody's, newest first."""
        visible = true() if principal.role == "admin" else IngestionRow.user == principal.user
        query = select(IngestionRow).where(visible).order_by(IngestionRow.job_id.desc())
        return self._database.values(IngestionInfo, query.limit(most))


MOST: Final = 20_000
"""Rows of a table that stay, the newest, however young the others are."""


class Retention(Repository):
    """Outcomes and progress of jobs, and the model replies that a replay of a trace needs."""

    def clear(self, days: int, most: int = MOST) -> int:
        """Delete what is older than ``days`` or beyond the newest ``most``; return how many rows.

        What is under way stays, and so does all that a thread shows.
        """
        before = (datetime.now(UTC) - timedelta(days=days)).isoformat()
        job, ingestion, reply = QueuedJobRow, IngestionRow, ModelReplyRow

        def is_old(
            at: InstrumentedAttribute[str], n: InstrumentedAttribute[int]
        ) -> ColumnElement[bool]:
            return (at < before) | (n <= select(func.max(n)).scalar_subquery() - most)

        ended = job.status.not_in(OPEN) & is_old(job.created_at, job.id)
        logs = select(literal(LOG_OF_JOB) + cast(job.id, String)).where(ended)
        done = (ingestion.status != "running") & is_old(ingestion.started_at, ingestion.job_id)
        return self._database.execute(
            delete(EventRow).where(EventRow.thread_id.in_(logs)),
            delete(job).where(ended),
            delete(ingestion).where(done),
            delete(reply).where(is_old(reply.at, reply.seq)),
        )
