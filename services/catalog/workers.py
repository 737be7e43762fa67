"""The processes that work in one home, where its database lets there be several.

Each says every few seconds that it is alive; of one that has not for ``ALIVE_S`` the others take
over what it did. The database's clock counts, so those of the machines need not agree.
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
    """Who is at work; all but ``holder`` needs PostgreSQL.

    ``holder`` is the name by which this process holds leases and jobs. It is another after every
    ``join``, so that what was lost with the old one cannot be mistaken for one's own.
    """

    holder = str(os.getpid())

    def join(self, name: str | None = None) -> None:
        """Be one of them from now on, by a holder's name of its own; the old one counts as dead.

        One with a ``name`` is dedicated to it.
        """
        old, dedicated = self.holder, name is not None
        new = f"{name or platform.node()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        with self._database.write() as session:
            session.execute(delete(WorkerRow).where(WorkerRow.holder == old))
            session.add(WorkerRow(holder=new, dedicated=dedicated, alive_until=_in_time()))
        self.holder = new

    def renew(self) -> bool:
        """Say that this process is alive; False if the others have taken it for dead."""
        mine = update(WorkerRow).where(WorkerRow.holder == self.holder, is_alive())
        return self._database.execute(mine.values(alive_until=_in_time())) > 0

    def leave(self) -> None:
        """Be none of them any more; what is left is for the others."""
        self._database.execute(delete(WorkerRow).where(WorkerRow.holder == self.holder))

    def alive(self, *, dedicated: bool = False) -> list[str]:
        """Names of the holders that are alive; ``dedicated``, of those that do nothing else."""
        which = is_alive() & WorkerRow.dedicated if dedicated else is_alive()
        return self._database.scalars(select(WorkerRow.holder).where(which))

    def reap_dead_workers(self, goes_on: str) -> int:
        """Queue again what dead ones did, and free their threads; how many threads.

        A thread that was running gets a job of the kind ``goes_on``, which continues it.
        """
        with self._database.write() as session:
            session.execute(delete(WorkerRow).where(~is_alive()))
            here = select(WorkerRow.holder)
            lost = (QueuedJobRow.status == "running") & (
                QueuedJobRow.holder.is_(None) | QueuedJobRow.holder.not_in(here)
            )
            session.execute(update(QueuedJobRow).where(lost).values(status="queued", holder=None))
            dead = LeaseRow.live & LeaseRow.holder.not_in(here)
            freed = update(LeaseRow).where(dead).values(live=False).returning(LeaseRow.thread_id)
            threads = session.scalars(freed).all()
            tell(session)
            for thread in threads:
                _go_on(session, thread, goes_on)
            return len(threads)

    def notes(self, ended: Callable[[], bool]) -> Iterator[None]:
        """Yield whenever any process calls ``tell``, from now until ``ended``.

        Raises:
            DatabaseAway: the connection is lost, and what was said meanwhile with it.
        """
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


def tell(session: Session) -> None:
    """Have all processes hear, once this is committed, that there may be something to do.

    Without effect on SQLite.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_notify(CHANNEL, "")))


def new_job(principal: Principal, kind: str, payload: JsonObject) -> QueuedJobRow:
    """A job that is to be done, for who asks for it."""
    return QueuedJobRow(
        **principal.model_dump(),
        kind=kind,
        payload=payload,
        thread_id=payload.get("thread_id"),
        status="queued",
        created_at=ids.now(),
    )


def _in_time() -> ColumnElement[object]:
    return func.clock_timestamp() + literal(timedelta(seconds=ALIVE_S), Interval())


def is_alive() -> ColumnElement[bool]:
    return WorkerRow.alive_until > func.clock_timestamp()


def _go_on(session: Session, thread: str, kind: str) -> None:
    """Queues a job that continues a running thread, unless one is queued, for who last asked."""
    run = session.get(RunRow, thread)
    if run is None or run.status != "running":
        return
    about = select(QueuedJobRow).where(QueuedJobRow.thread_id == thread)
    last = session.scalars(about.order_by(QueuedJobRow.id.desc()).limit(1)).first()
    if last is not None and last.status == "queued":
        return
    asked = last.principal if last else Principal(user=run.owner)
    session.add(new_job(asked, kind, {"thread_id": thread}))
