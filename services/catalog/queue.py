"""The queue of jobs, by which a process reaches the one that owns the stores."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from pydantic import JsonValue
from sqlalchemy import ColumnElement, Select, case, exists, func, select, true, update
from sqlalchemy.orm import aliased

from services.catalog.database import Repository
from services.catalog.values import WAITER, JsonObject, QueuedJob
from services.catalog.work_models import LeaseRow, QueuedJobRow, RunRow, WorkerRow
from services.catalog.workers import is_alive, new_job, tell
from services.domain import Principal
from services.domain.errors import AskPerson, Interrupted, NotFound, RabbitholeError
from services.domain.notices import Notice

OPEN: Final = ("queued", "running")
MOST_DEATHS: Final = 3


class Share(NamedTuple):
    """What one of several processes may take.

    Of what belongs to no thread that it drives, only where it has less than ``most`` at work and
    no dedicated worker has less than it, and where less than ``per_person`` of the person's is
    under way in all of them together.
    """

    holder: str
    at_work: int
    most: int
    per_person: int


class JobQueue(Repository):
    """Jobs in the order in which they were submitted; each is claimed by one process."""

    _empty_at: tuple[int, int] | None = None

    def submit(
        self, principal: Principal, kind: str, payload: JsonObject, waiter: str | None = None
    ) -> int:
        """Queue a job, for a process that waits for it if there is a ``waiter``; returns its id."""
        row = new_job(principal, kind, payload if waiter is None else payload | {WAITER: waiter})
        with self._database.write() as session:
            session.add(row)
            session.flush()
            tell(session)
            return row.id

    def claim(
        self, share: Share | None = None, *, last: Sequence[int] = (), never: Sequence[int] = ()
    ) -> QueuedJob | None:
        """Take the oldest queued job; nobody else gets it. None when there is none.

        Made to be polled: on SQLite nothing is asked again before somebody has written to the
        catalog, and the write lock is taken only when there is something to claim.

        Args:
            share: what this process may take where several take jobs; then the jobs of the
                person of whom least is under way come first.
            last: jobs that come after all others.
            never: jobs that this process leaves alone.
        """
        version = self._database.lookup_version()  # before the look, so that news count as such
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
        """Whether ``claim`` would find nothing, as nothing was written since it did.

        Takes microseconds and waits for nobody, so an event loop may ask; never so on PostgreSQL.
        While something is being written there is no telling, and it counts as unchanged.
        """
        if self._empty_at is None:
            return False
        return self._database.lookup_version() in (None, self._empty_at)

    def begin(self, id: int) -> None:
        """Note that a job is at work now: until it ends, its error is that so many processes died
        of it.

        Raises:
            Interrupted: it was given up.
            AskPerson: the process has, so often that it is not done once more.
        """
        with self._database.write() as session:
            row = session.get(QueuedJobRow, id)
            if row is None or row.status != "running":
                raise Interrupted("Nobody waits for this any more, so it was given up.")
            died = int(str(row.error.fields["times"])) if row.error else 0
            if row.error and died >= MOST_DEATHS:
                raise AskPerson(row.error)
            row.error = _died(died + 1)

    def let_go(self, id: int, *, holder: str | None = None) -> None:
        """Queue a job of ``holder`` again that is not at work any more, and did not kill."""
        with self._database.write() as session:
            row = session.get(QueuedJobRow, id)
            if row is not None and (row.status, row.holder) == ("running", holder):
                row.status, row.holder = "queued", None
                row.error = row.error and _died(0)  # it has begun
                tell(session)

    def put(self, id: int, payload: JsonObject) -> None:
        """Keep more of what a job is to do."""
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
        """Record what became of a job: done, or failed when there is an error.

        Without effect where it is no longer the job of ``holder``, or has an outcome.
        """
        done = {"status": "done", "result": result, "error": None}
        values = done if error is None else _failed(error)
        mine = (QueuedJobRow.id == id) & (QueuedJobRow.holder.is_not_distinct_from(holder))
        unfinished = mine & QueuedJobRow.status.in_(OPEN)
        with self._database.write() as session:
            session.execute(update(QueuedJobRow).where(unfinished).values(values))

    def get(self, id: int) -> QueuedJob:
        """A job by id.

        Raises:
            NotFound: there is none.
        """
        found = self._list(QueuedJobRow.id == id)
        if not found:
            raise NotFound("There is no work {number} among yours.", number=id)
        return found[0]

    def of(self, principal: Principal, kinds: Sequence[str], *, most: int) -> list[QueuedJob]:
        """The newest jobs of these kinds that the principal submitted, newest first."""
        return self._list(_given_by(principal, kinds), most)

    def unfinished(self, principal: Principal | None, kinds: Sequence[str]) -> list[QueuedJob]:
        """Those of these kinds that are not done, newest first; of the principal, or of anybody."""
        return self._list(_given_by(principal, kinds) & QueuedJobRow.status.in_(OPEN))

    def counts(self) -> dict[str, int]:
        """How many jobs are to be done and being done."""
        status = QueuedJobRow.status
        counted = select(status, func.count()).where(status.in_(OPEN)).group_by(status)
        return dict.fromkeys(OPEN, 0) | dict(self._database.rows(counted))

    def open_jobs(self) -> list[QueuedJob]:
        """All that are not done, newest first."""
        return self._list(QueuedJobRow.status.in_(OPEN))

    def _list(self, which: ColumnElement[bool], most: int | None = None) -> list[QueuedJob]:
        query = select(QueuedJobRow).where(which).order_by(QueuedJobRow.id.desc()).limit(most)
        return self._database.values(QueuedJob, query)

    def is_open(self, id: int) -> bool:
        """Whether a job is still to be done: it has no outcome, and nobody gave it up."""
        return self._database.scalar(select(QueuedJobRow.status).filter_by(id=id)) in OPEN

    def give_up(self, id: int, error: RabbitholeError, *, begun: bool = True) -> bool:
        """Record that nobody wants the outcome of a job any more, unless there is one.

        Unless ``begun``, only where nobody has begun it. Whether it was given up.
        """
        wanted = (QueuedJobRow.id == id) & QueuedJobRow.status.in_(OPEN)
        which = wanted if begun else wanted & QueuedJobRow.error.is_(None)
        return self._change(which, **_failed(error)) > 0

    def give_up_all(self, error: RabbitholeError) -> None:
        """Record of all that is open that nobody will do it: who submitted it is not known here."""
        self._change(QueuedJobRow.status.in_(OPEN), **_failed(error))

    def requeue_running(self) -> None:
        """Queue again what a dead owner left running: for a new owner, before it claims."""
        self._change(QueuedJobRow.status == "running", status="queued")

    def _change(self, which: ColumnElement[bool], **values: object) -> int:
        return self._database.execute(update(QueuedJobRow).where(which).values(values))


def _shared(queued: Select[QueuedJobRow], share: Share) -> Select[QueuedJobRow]:
    """Those that a process may take: what happens to a thread happens where it is driven, and in
    the order in which it was wanted.
    """
    other, job = aliased(QueuedJobRow), QueuedJobRow
    lease = (LeaseRow.thread_id == job.thread_id) & LeaseRow.live
    here = exists().where(lease, LeaseRow.holder == share.holder)
    elsewhere = exists().where(lease, LeaseRow.holder != share.holder)
    earlier = (other.status == "queued") & (other.id < job.id)
    at_work = (other.status == "running") & (other.holder != share.holder)
    waits = exists().where(other.thread_id == job.thread_id, earlier | at_work)
    driven = select(func.count()).where(
        LeaseRow.live, LeaseRow.thread_id == RunRow.thread_id, RunRow.owner == job.user
    )
    done = select(func.count()).where(other.status == "running", other.user == job.user)
    under_way = driven.scalar_subquery() + done.scalar_subquery()
    of_worker = other.holder == WorkerRow.holder
    has = (
        select(func.count()).where(LeaseRow.live, LeaseRow.holder == WorkerRow.holder)
    ).scalar_subquery() + (
        select(func.count()).where(other.status == "running", of_worker)
    ).scalar_subquery()
    idler = exists().where(
        WorkerRow.holder != share.holder, WorkerRow.dedicated, is_alive(), has < share.at_work
    )
    free = ~idler & (under_way < share.per_person)
    allowed = here | free if share.at_work < share.most else here
    order = (case((here, 0), else_=1), under_way, job.id)
    return queued.where(~elsewhere, ~waits, allowed).order_by(*order)


def _given_by(principal: Principal | None, kinds: Sequence[str]) -> ColumnElement[bool]:
    theirs = true() if principal is None else QueuedJobRow.user == principal.user
    return theirs & QueuedJobRow.kind.in_(kinds)


def _died(times: int) -> Notice:
    return Notice.of(
        "The process ended {times} times while it did this, so it was given up. Have it do "
        "less at once or give it more memory, then ask for it again.",
        times=times,
    )


def _failed(error: RabbitholeError) -> dict[str, object]:
    return {"status": "failed", "error": error.notice, "error_type": type(error).__name__}
