"""The processes that work in one home, if its database allows several.

Each reports every few seconds that it is alive. If one has not for ``ALIVE_S``, the others take
over its work. The database's clock is used, so the clocks of the machines need not agree.
"""

import os
import platform
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Final

from sqlalchemy import ColumnElement, Interval, delete, func, literal, select, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from services.catalog import ids
from services.catalog.connection import libpq, translate
from services.catalog.database import Repository
from services.catalog.values import JsonObject
from services.catalog.work_models import LeaseRow, QueuedJobRow, RunRow, WorkerRow
from services.domain import Principal

ALIVE_S: Final = 10.0
LOOK_S: Final = 0.5
CHANNEL: Final = "rabbithole"


class Workers(Repository):
    """The registered processes; everything but ``holder`` needs PostgreSQL.

    ``holder`` is the name under which this process holds leases and jobs. Every ``join`` changes
    it, so that this process does not continue what it lost under the old name.
    """

    holder = str(os.getpid())

    def join(self, name: str | None = None) -> None:
        """Register this process under a new holder's name; with a ``name`` it is dedicated."""
        old, dedicated = self.holder, name is not None
        new = f"{name or platform.node()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        with self._database.write() as session:
            session.execute(delete(WorkerRow).where(WorkerRow.holder == old))
            session.add(WorkerRow(holder=new, dedicated=dedicated, alive_until=_deadline()))
        self.holder = new

    def renew(self) -> bool:
        """Report that this process is alive; return False if the others took it for dead."""
        row = update(WorkerRow).where(WorkerRow.holder == self.holder, is_alive())
        return self._database.execute(row.values(alive_until=_deadline())) > 0

    def leave(self) -> None:
        """Unregister this process; the others take over its work."""
        self._database.execute(delete(WorkerRow).where(WorkerRow.holder == self.holder))

    def alive(self, *, dedicated: bool = False) -> list[str]:
        """Return the names of the living holders, or only of the ``dedicated`` workers."""
        condition = is_alive() & WorkerRow.dedicated if dedicated else is_alive()
        return self._database.scalars(select(WorkerRow.holder).where(condition))

    def reap_dead_workers(self, continuation: str) -> int:
        """Requeue the jobs of dead workers; return how many threads were freed, to be continued."""
        with self._database.write() as session:
            session.execute(delete(WorkerRow).where(~is_alive()))
            living = select(WorkerRow.holder)
            orphaned = (QueuedJobRow.status == "running") & (
                QueuedJobRow.holder.is_(None) | QueuedJobRow.holder.not_in(living)
            )
            requeued = update(QueuedJobRow).where(orphaned).values(status="queued", holder=None)
            session.execute(requeued)
            dead = LeaseRow.live & LeaseRow.holder.not_in(living)
            freed = update(LeaseRow).where(dead).values(live=False).returning(LeaseRow.thread_id)
            threads = session.scalars(freed).all()
            notify(session)
            for thread in threads:
                _continue_thread(session, thread, continuation)
            return len(threads)

    def notifications(self, ended: Callable[[], bool]) -> Iterator[None]:
        """Yield whenever any process calls ``notify``, until ``ended``; raise DatabaseAway."""
        import psycopg

        url = self._database.engine.url.render_as_string(hide_password=False)
        try:
            with psycopg.connect(libpq(url), autocommit=True) as connection:
                connection.execute(f"LISTEN {CHANNEL}")
                while not ended():
                    for _ in connection.notifies(timeout=LOOK_S):
                        yield
        except psycopg.Error as error:
            raise translate(DBAPIError(None, None, error), self._database.engine) from error


def notify(session: Session) -> None:
    """Wake all processes once this transaction is committed. Has no effect on SQLite."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_notify(CHANNEL, "")))


def new_job(principal: Principal, kind: str, payload: JsonObject) -> QueuedJobRow:
    return QueuedJobRow(
        **principal.model_dump(),
        kind=kind,
        payload=payload,
        thread_id=payload.get("thread_id"),
        status="queued",
        created_at=ids.now(),
    )


def _deadline() -> ColumnElement[object]:
    return func.clock_timestamp() + literal(timedelta(seconds=ALIVE_S), Interval())


def is_alive() -> ColumnElement[bool]:
    return WorkerRow.alive_until > func.clock_timestamp()


def _continue_thread(session: Session, thread: str, kind: str) -> None:
    """Queue a job that continues a running thread, for its last submitter, unless one is queued."""
    run = session.get(RunRow, thread)
    if run is None or run.status != "running":
        return
    jobs = select(QueuedJobRow).where(QueuedJobRow.thread_id == thread)
    last = session.scalars(jobs.order_by(QueuedJobRow.id.desc()).limit(1)).first()
    if last is not None and last.status == "queued":
        return
    submitter = last.principal if last else Principal(user=run.owner)
    session.add(new_job(submitter, kind, {"thread_id": thread}))
