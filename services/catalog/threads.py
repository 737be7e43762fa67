"""What hangs on a thread: its lease, event log, answers, drafts and model replies."""

from collections.abc import Iterator, Sequence

from sqlalchemy import Select, bindparam, delete, insert, literal, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from services.catalog import ids
from services.catalog.database import Repository, insert_missing, table_of, upsert
from services.catalog.values import JsonObject, StaleLease
from services.catalog.work_models import AnswerRow, DraftRow, EventRow, LeaseRow, ModelReplyRow
from services.catalog.workers import notify
from services.domain import Principal
from services.domain.errors import AlreadyAnswered, StoresBusy
from services.domain.events import EventKey, EventRecord
from services.models.recording import RecordedReply

# Built once: a turn of a conversation writes seven events in a tenth of a second, and building
# these statements, and objects for their rows, took longer than executing them.
_LEASES, _EVENTS = table_of(LeaseRow), table_of(EventRow)
_HELD = (
    select(_LEASES.c.epoch)
    .where(_LEASES.c.thread_id == bindparam("thread_id"), _LEASES.c.live)
    .with_for_update()
)
_DROP = delete(_EVENTS).where(
    *(_EVENTS.c[name] == bindparam(name) for name in EventKey.model_fields)
)
_ADD = insert(_EVENTS).prefix_with("OR REPLACE", dialect="sqlite").returning(_EVENTS.c.seq)


class Leases(Repository):
    """Leases: which process may write to a thread.

    A holder that was taken for dead may still be running. It is stopped by the epoch: every event
    it appends, and every change to the run, names the epoch of its lease, and an older one is
    refused. A lease ends with its holder: where one process owns the home, the next owner calls
    ``release_all``; where several work, `Workers.reap_dead_workers` frees what a dead one held.
    """

    def acquire(self, thread_id: str, holder: str) -> int:
        """Take the lease, again or for the first time; return its epoch; raise StoresBusy."""
        with self._database.write(journal=True) as session:
            return acquire_lease(session, thread_id, holder)

    def holder(self, thread_id: str) -> str | None:
        """Who may write to a thread, None while nobody may."""
        return self._database.scalar(_holder_of(thread_id))

    def check(self, thread_id: str, epoch: int) -> None:
        """Raise StaleLease if the thread has passed to another process."""
        with self._database.read() as session:
            require_lease(session, thread_id, epoch)

    def release(self, thread_id: str, epoch: int) -> None:
        """Give the lease back; without effect when it has passed to another since."""
        with self._database.write(journal=True) as session:
            release_lease(session, thread_id, epoch)

    def release_all(self) -> None:
        """Free every lease, for a new owner, whose lock proves that the holders are dead."""
        self._database.execute(update(LeaseRow).values(live=False))


def _holder_of(thread_id: str) -> Select[str]:
    return select(LeaseRow.holder).where(LeaseRow.thread_id == thread_id, LeaseRow.live)


def acquire_lease(session: Session, thread_id: str, holder: str) -> int:
    mine = {"thread_id": thread_id, "holder": holder, "live": True}
    free = ~_LEASES.c.live | (_LEASES.c.holder == holder)
    epoch = session.scalar(
        upsert(session, LeaseRow)
        .values(epoch=1, **mine)
        .on_conflict_do_update(
            index_elements=[_LEASES.c.thread_id],
            set_={**mine, "epoch": _LEASES.c.epoch + 1},
            where=free,
        )
        .returning(_LEASES.c.epoch)
    )
    if epoch is None:
        raise StoresBusy(
            "Another process ({process}) is working on thread {thread!r}. Wait until it has "
            "finished, or pause the thread first.",
            process=session.scalar(_holder_of(thread_id)),
            thread=thread_id,
        )
    return epoch


def release_lease(session: Session, thread_id: str, epoch: int) -> None:
    mine = (LeaseRow.thread_id == thread_id) & (LeaseRow.epoch == epoch)
    session.execute(update(LeaseRow).where(mine).values(live=False))
    notify(session)


def require_lease(session: Session, thread_id: str, epoch: int) -> None:
    """Raise StaleLease unless the epoch holds the thread, which PostgreSQL locks until the end."""
    if session.connection().scalar(_HELD, {"thread_id": thread_id}) != epoch:
        raise StaleLease(
            f"The thread {thread_id!r} was taken over by another process (lease {epoch} is over). "
            "Follow it there."
        )


class Events(Repository):
    """The event log of runs: one event for each step, in the order of the growing ``seq``."""

    def replace_all(
        self, records: Sequence[EventRecord], epoch: int | None = None
    ) -> list[EventRecord]:
        """Add events of one thread in their order, replacing earlier ones with the same keys.

        ``epoch`` is of the writer's lease, None for a thread without one; raises StaleLease if it
        is over. The returned events have their ``seq``, greater than any before them.
        """
        with self._database.write(journal=True) as session:
            if epoch is not None:
                require_lease(session, records[0].key.thread_id, epoch)
            return replace_events(session, records)

    def copy(self, thread_id: str, target: str, checkpoints: Sequence[str]) -> None:
        """Copy the events of some checkpoints, in their order, to a thread without events."""
        columns = {column.name: column for column in _EVENTS.c if column.name != "seq"}
        source = (
            select(*(columns | {"thread_id": literal(target)}).values())
            .where(EventRow.thread_id == thread_id, EventRow.checkpoint.in_(checkpoints))
            .order_by(EventRow.seq)
        )
        self._database.execute(insert(EventRow).from_select(list(columns), source))

    def since(self, thread_id: str, seq: int, limit: int = 500) -> list[EventRecord]:
        """Return the next events after ``seq``, at most ``limit``, oldest first."""
        later = (EventRow.thread_id == thread_id) & (EventRow.seq > seq)
        query = select(EventRow).where(later).order_by(EventRow.seq).limit(limit)
        return self._database.values(EventRecord, query)

    def iterate(self, thread_id: str) -> Iterator[EventRecord]:
        """Yield all events of a thread, oldest first."""
        after = 0
        while records := self.since(thread_id, after):
            yield from records
            after = records[-1].seq

    def last(self, thread_id: str) -> EventRecord | None:
        """Return the newest event of a thread."""
        query = select(EventRow).where(EventRow.thread_id == thread_id)
        query = query.order_by(EventRow.seq.desc()).limit(1)
        return next(iter(self._database.values(EventRecord, query)), None)


def replace_events(session: Session, records: Sequence[EventRecord]) -> list[EventRecord]:
    keys = [record.key.model_dump() for record in records]
    rows = [
        {
            **key,
            "at": record.at,
            "kind": record.event.kind,
            "event": record.event.model_dump(mode="json"),
        }
        for key, record in zip(keys, records, strict=True)
    ]
    connection = session.connection()
    if connection.dialect.name != "sqlite":
        connection.execute(_DROP, keys)
    numbers = sorted(connection.scalars(_ADD, rows))  # given in the order of the rows
    return [
        record.model_copy(update={"seq": number})
        for record, number in zip(records, numbers, strict=True)
    ]


class Answers(Repository):
    """Answers of people to interrupts; a unique key admits only the first one."""

    def put(
        self, thread_id: str, interrupt_id: str, payload: JsonObject, principal: Principal
    ) -> None:
        """Record the answer; raise AlreadyAnswered if there is one."""
        key = {"thread_id": thread_id, "interrupt_id": interrupt_id, "user": principal.user}
        try:
            with self._database.write() as session:
                session.add(AnswerRow(**key, payload=payload, created_at=ids.now()))
        except IntegrityError as error:
            raise AlreadyAnswered(
                "This question in thread {thread!r} has already been answered. Open the "
                "thread to see how it continued.",
                thread=thread_id,
            ) from error

    def get(self, thread_id: str, interrupt_id: str) -> JsonObject | None:
        """Return the answer, None while there is none."""
        return self._database.scalar(
            select(AnswerRow.payload).filter_by(thread_id=thread_id, interrupt_id=interrupt_id)
        )


class Drafts(Repository):
    """Drafts of answers to open questions; the last version counts."""

    def put(
        self, thread_id: str, interrupt_id: str, payload: JsonObject, principal: Principal
    ) -> None:
        """Store the draft, replacing an earlier one."""
        key = {"thread_id": thread_id, "interrupt_id": interrupt_id, "user": principal.user}
        content: dict[str, object] = {"payload": payload, "updated_at": ids.now()}
        with self._database.write() as session:
            insert_missing(session, DraftRow, [{**key, **content}])
            session.execute(update(DraftRow).filter_by(**key).values(content))

    def get(self, thread_id: str, interrupt_id: str, principal: Principal) -> JsonObject | None:
        """Return the draft, None if there is none."""
        key = {"thread_id": thread_id, "interrupt_id": interrupt_id, "user": principal.user}
        return self._database.scalar(select(DraftRow.payload).filter_by(**key))

    def forget(self, thread_id: str, interrupt_id: str) -> None:
        """Delete everybody's drafts of an answered question."""
        question = {"thread_id": thread_id, "interrupt_id": interrupt_id}
        self._database.execute(delete(DraftRow).filter_by(**question))


class Replies(Repository):
    """Replies of models in a thread, so that it can be replayed. Access has been checked."""

    def put(self, thread_id: str, reply: RecordedReply) -> None:
        """Store a reply; `Retention` deletes old ones."""
        with self._database.write(journal=True) as session:
            session.add(ModelReplyRow(thread_id=thread_id, at=ids.now(), **reply.model_dump()))

    def of_thread(self, thread_id: str) -> list[RecordedReply]:
        """Return the replies of a thread, oldest first."""
        query = select(ModelReplyRow).where(ModelReplyRow.thread_id == thread_id)
        return self._database.values(RecordedReply, query.order_by(ModelReplyRow.seq))
