"""Event logs: what a thread or a job tells is written in batches, and heard in this process."""

import asyncio
import time
from collections.abc import Callable
from threading import Condition
from typing import Final, Self

from agent.engine.jobs import log_thread
from services.catalog import ids
from services.catalog.threads import Events
from services.domain.errors import Interrupted
from services.domain.events import DocumentProgress, Event, EventKey, EventRecord, IngestProgress

MAIN: Final = "main"
PAUSE_S: Final = 0.1
"""Seconds between two writes: a thousand unchanged files are passed over in two seconds."""


class EventLog:
    """Collects events and writes those of a short while in one transaction; thread-safe.

    Args:
        events: where the rows go.
        epoch: of the lease on the thread, which every write checks; None without a lease.

    ``branch`` is that of the thread's closing events; ``problem`` is why it failed, as long as the
    catalog does not take that.
    """

    def __init__(self, events: Events, epoch: int | None = None) -> None:
        self._events = events
        self.epoch = epoch
        self.branch = MAIN
        self.problem: Exception | None = None
        self._changed = Condition()
        self._waiting: dict[EventKey, EventRecord] = {}
        self._written: dict[EventKey, EventRecord] = {}
        self._failure: Exception | None = None
        self._closed = False

    def add(self, key: EventKey, event: Event) -> None:
        """Take an event, in the place of an unwritten one with the same key.

        Raises:
            StaleLease: the thread has passed to another process.
            AskPerson: earlier events could not be written, as with a full disk.
        """
        with self._changed:
            if self._failure is not None:
                raise self._failure
            self._waiting.pop(key, None)  # so that the newest comes last
            self._waiting[key] = EventRecord(seq=0, key=key, at=ids.now(), event=event)

    def tell(self, key: EventKey, event: Event) -> None:
        """Write an event at once, even where an earlier write failed. Raises as ``add``."""
        self._failure = None
        self.add(key, event)
        self.write()

    def write(self) -> None:
        """Write what was taken; what cannot be written stays. Raises as ``add``."""
        with self._changed:
            if self._waiting:
                records = tuple(self._waiting.values())
                for record in self._events.replace_all(records, self.epoch):
                    self._written.pop(record.key, None)
                    self._written[record.key] = record
                self._waiting.clear()
                self._changed.notify_all()

    async def keep_writing(self) -> None:
        """Write every now and then, until it is cancelled or a write fails."""
        while self._failure is None:
            await asyncio.sleep(PAUSE_S)
            try:
                if self._waiting:
                    await asyncio.to_thread(self.write)
            except Exception as failure:  # noqa: BLE001 - whoever adds the next event is told
                self._failure = failure

    def close(self) -> None:
        """Tell those who wait for news that none comes any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def news(self, after: int, wait_s: float) -> list[EventRecord]:
        """Return the events written here with ``seq > after``; wait for one for some seconds."""

        def fresh() -> list[EventRecord]:
            return [each for each in self._written.values() if each.seq > after]

        with self._changed:
            self._changed.wait_for(lambda: self._closed or fresh(), timeout=wait_s)
            return fresh()


class ProgressLog(EventLog):
    """What a job that changes the stores is doing, for whoever waits for it.

    Keeps one row a file and stage, and one for the whole, overwritten as they move. What it holds
    is written at exit.

    Args:
        events: where the rows go.
        number: of the job; its thread of the log is ``log_thread(number)``.
        stopping: whether this process is about to end.
        clock: tells the seconds.
    """

    def __init__(
        self,
        events: Events,
        number: int,
        *,
        stopping: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(events)
        self._stopping = stopping
        self._thread_id = log_thread(number)
        self._clock = clock
        self._next = clock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.write()

    def record(self, event: Event) -> None:
        """Take progress; other events are passed over. Raises Interrupted when all is to end."""
        if self._stopping():
            raise Interrupted("Rabbithole is ending. The next start takes this up again.")
        if isinstance(event, DocumentProgress):
            place = {"checkpoint": event.stage, "task": event.document}
        elif isinstance(event, IngestProgress):
            place = {"checkpoint": event.kind}
        else:
            return
        self.add(EventKey(thread_id=self._thread_id, n=0, **place), event)
        if self._clock() >= self._next:
            self.write()
            self._next = self._clock() + PAUSE_S
