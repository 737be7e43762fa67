"""The event log of threads: what a run said, once for each step, in an order that grows."""

from collections.abc import Mapping, Sequence

from sqlalchemy import bindparam, delete, insert, literal, select
from sqlalchemy.orm import Session

from services.catalog import ids
from services.catalog.database import Database, table_of
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
        with self._database.write() as session:
            if epoch is not None:
                require(session, key.thread_id, epoch)
            return _put(session, key, event, ids.now())

    def replace_all(self, events: Mapping[EventKey, Event]) -> None:
        """`append` many at once, in their order, to threads without a lease."""
        at = ids.now()
        with self._database.write() as session:
            for key, event in events.items():
                _put(session, key, event, at)

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


# Written down once: a turn of a conversation tells seven events in a tenth of a second, and to
# build these statements, and objects for their rows, took longer than to carry them out.
_TABLE = table_of(EventRow)
_DROP = delete(_TABLE).where(*(_TABLE.c[name] == bindparam(name) for name in EventKey.model_fields))
_ADD = insert(_TABLE)


def _put(session: Session, key: EventKey, event: Event, at: str) -> int:
    """Writes an event in the place of one with the same key; its ``seq``."""
    names = key.model_dump()
    told = {"at": at, "kind": event.kind, "event": event.model_dump(mode="json")}
    connection = session.connection()
    connection.execute(_DROP, names)
    added = connection.execute(_ADD, names | told).inserted_primary_key
    assert added is not None
    return int(added[0])


def as_record(row: EventRow) -> EventRecord:
    key = EventKey.model_validate({name: getattr(row, name) for name in EventKey.model_fields})
    return EventRecord(seq=row.seq, key=key, at=row.at, event=EVENT.validate_python(row.event))
