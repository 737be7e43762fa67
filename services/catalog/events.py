"""The event log of threads: what a run said, once for each step, in an order that grows."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, insert, literal, select

from services.catalog import ids
from services.catalog.database import Database
from services.catalog.leases import require
from services.catalog.work_models import EventRow
from services.events import EVENT, Event, EventKey, EventRecord


class Events:
    """Append events and read them in order of ``seq``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, key: EventKey, event: Event, *, epoch: int | None) -> int:
        """Add an event in the place of an earlier one with the same key.

        Args:
            epoch: of the writer's lease on the thread; None for threads without a lease.

        Returns:
            Its ``seq``, greater than any before it.

        Raises:
            StaleLease: the thread has passed to another process.
        """
        row = EventRow(**key.model_dump(), **_columns(event, ids.now()))
        with self._database.write() as session:
            if epoch is not None:
                require(session, key.thread_id, epoch)
            session.execute(delete(EventRow).where(same_key(key)))
            session.add(row)
            session.flush()
            return row.seq

    def replace_all(self, events: Mapping[EventKey, Event]) -> None:
        """`append` many at once, in their order, to threads without a lease."""
        at = ids.now()
        with self._database.write() as session:
            for key, event in events.items():
                session.execute(delete(EventRow).where(same_key(key)))
                values = key.model_dump() | _columns(event, at)
                session.execute(insert(EventRow).values(**values))

    def copy(self, thread_id: str, target: str, checkpoints: Sequence[str]) -> None:
        """Give another thread, which has none, the events of some checkpoints, in their order."""
        wanted = {"thread_id": literal(target)}
        names = [column.name for column in EventRow.__table__.columns if column.name != "seq"]
        columns = [wanted.get(name, getattr(EventRow, name)) for name in names]
        source = (
            select(*columns)
            .where(EventRow.thread_id == thread_id, EventRow.checkpoint.in_(checkpoints))
            .order_by(EventRow.seq)
        )
        with self._database.write() as session:
            session.execute(insert(EventRow).from_select(names, source))

    def since(self, thread_id: str, seq: int, limit: int = 500) -> list[EventRecord]:
        """The next events after ``seq``, at most ``limit``, oldest first."""
        query = (
            select(EventRow)
            .where(EventRow.thread_id == thread_id, EventRow.seq > seq)
            .order_by(EventRow.seq)
            .limit(limit)
        )
        with self._database.read() as session:
            return [as_record(row) for row in session.scalars(query)]

    def last(self, thread_id: str) -> EventRecord | None:
        """The newest event of a thread."""
        query = select(EventRow).where(EventRow.thread_id == thread_id)
        with self._database.read() as session:
            row = session.scalars(query.order_by(EventRow.seq.desc()).limit(1)).first()
            return None if row is None else as_record(row)


def _columns(event: Event, at: str) -> dict[str, Any]:
    return {"at": at, "kind": event.kind, "event": event.model_dump(mode="json")}


def same_key(key: EventKey) -> ColumnElement[bool]:
    return and_(*(getattr(EventRow, name) == value for name, value in key))


def as_record(row: EventRow) -> EventRecord:
    key = EventKey.model_validate({name: getattr(row, name) for name in EventKey.model_fields})
    return EventRecord(seq=row.seq, key=key, at=row.at, event=EVENT.validate_python(row.event))
