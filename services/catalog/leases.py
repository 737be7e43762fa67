"""Leases: which process may write to a thread.

A holder that was taken for dead may still be running. It is stopped by the epoch: every
event it appends names the epoch of its lease, and an older one is refused. There is no
expiry by time: a local owner holds an OS lock, whose next holder calls ``release_all``.
"""

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from services.catalog.database import Database, insert_missing, table_of
from services.catalog.values import StaleLease
from services.catalog.work_models import LeaseRow
from services.errors import StoresBusy

_TABLE = table_of(LeaseRow)
_HELD = (
    select(_TABLE.c.epoch)
    .where(_TABLE.c.thread_id == bindparam("thread_id"), _TABLE.c.live)
    .with_for_update()
)
"""Written down once: it is asked before every event."""


class Leases:
    """Take, give back and check leases."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def acquire(self, thread_id: str, holder: str) -> int:
        """Take the lease; whoever holds it already gets a new epoch.

        Returns:
            The epoch: 1 for the first lease of the thread, growing with each.

        Raises:
            StoresBusy: somebody else holds it.
        """
        free = {"thread_id": thread_id, "holder": "", "epoch": 0, "live": False}
        with self._database.write() as session:
            insert_missing(session, LeaseRow, [free])
            row = session.get_one(LeaseRow, thread_id, with_for_update=True)
            if row.live and row.holder != holder:
                raise StoresBusy(
                    f"Another process ({row.holder}) works on the thread {thread_id!r}. "
                    "Follow it there, or pause it first."
                )
            row.holder, row.epoch, row.live = holder, row.epoch + 1, True
            return row.epoch

    def release(self, thread_id: str, epoch: int) -> None:
        """Give the lease back; without effect when it has passed to another since."""
        with self._database.write() as session:
            session.execute(
                update(LeaseRow)
                .where(LeaseRow.thread_id == thread_id, LeaseRow.epoch == epoch)
                .values(live=False)
            )

    def valid(self, thread_id: str, epoch: int) -> bool:
        """Whether this epoch still holds the thread."""
        with self._database.read() as session:
            return holds(session, thread_id, epoch)

    def release_all(self, except_holder: str) -> None:
        """Free what other holders left behind: for a new owner, whose lock proves them dead."""
        with self._database.write() as session:
            session.execute(
                update(LeaseRow).where(LeaseRow.holder != except_holder).values(live=False)
            )


def holds(session: Session, thread_id: str, epoch: int) -> bool:
    """The same within a transaction; on PostgreSQL the row is locked until its end."""
    return session.connection().scalar(_HELD, {"thread_id": thread_id}) == epoch


def require(session: Session, thread_id: str, epoch: int) -> None:
    """Raise StaleLease unless the epoch holds the thread."""
    if not holds(session, thread_id, epoch):
        raise StaleLease(
            f"The thread {thread_id!r} was taken over by another process (lease {epoch} is "
            "over). Follow it there."
        )
