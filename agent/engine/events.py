"""Event logs: the events of a thread or job are written in batches and followed in this process."""

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from threading import Condition
from typing import Final, Self

from services.catalog import ids
from services.catalog.threads import Events
from services.catalog.values import log_thread
from services.domain.errors import Interrupted
from services.domain.events import DocumentProgress, Event, EventKey, EventRecord, IngestProgress

MAIN: Final = "main"
PAUSE_S: Final = 0.1
"""Seconds between two writes: a thousand unchanged files are passed over in two seconds."""
Store = Callable[[Sequence[EventRecord]], Sequence[EventRecord]]
"""Writes events in one transaction; returns them with their ``seq``."""


class EventLog:
    """Collects events and writes those of a short while in one transaction; thread-safe.

    ``epoch`` is that of the lease on the thread, which every write checks; None without a lease.
    ``branch`` is that of the thread's closing events, ``released`` says that the lease ended with
    them. ``problem`` is why the thread failed, as long as the catalog does not take that.
    """

    def __init__(self, events: Events, epoch: int | None = None) -> None:
        self._store: Store = partial(events.replace_all, epoch=epoch)
        self.epoch = epoch
        self.branch = MAIN
        self.released = False
        self.problem: Exception | None = None
        self._changed = Condition()
        self._waiting: dict[EventKey, EventRecord] = {}
        self._written: dict[EventKey, EventRecord] = {}
        self._failure: Exception | None = None
        self._closed = False

    def add(self, key: EventKey, event: Event) -> None:
        """Take an event, in the place of an unwritten one with the same key.

        Raises StaleLease if the thread has passed to another process, AskPerson if earlier events
        could not be written, as with a full disk.
        """
        with self._changed:
            if self._failure is not None:
                raise self._failure
            self._waiting.pop(key, None)  # so that the newest comes last
            self._waiting[key] = EventRecord(seq=0, key=key, at=ids.now(), event=event)

    def add_last(self, key: EventKey, event: Event) -> None:
        """Take a closing event, even where an earlier write failed."""
        self._failure = None
        self.add(key, event)

    def write(self, store: Store | None = None) -> None:
        """Write the events taken so far, with ``store`` if given; if it raises, as ``add``, they
        stay.
        """
        with self._changed:
            if self._waiting or store is not None:
                for record in (store or self._store)(tuple(self._waiting.values())):
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
            except Exception as failure:  # noqa: BLE001 - the next ``add`` raises it
                self._failure = failure

    def close(self) -> None:
        """Wake up those who wait for news: none comes any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def news(self, after: int, wait_s: float) -> list[EventRecord]:
        """Return the events written here with ``seq > after``; wait some seconds for the first."""

        def unread() -> list[EventRecord]:
            return [record for record in self._written.values() if record.seq > after]

        with self._changed:
            self._changed.wait_for(lambda: self._closed or unread(), timeout=wait_s)
            return unread()


class ProgressLog(EventLog):
    """The progress of a job that changes the stores, for whoever waits for it.

    Keeps one row for each file and stage, and one for the whole job, under ``log_thread(number)``;
    they are overwritten as the job goes on. ``stopping`` says whether this process is about to end,
    ``clock`` returns seconds. A context manager, which writes what is left at its end.
    """

    def __init__(
        self,
        events: Events,
        number: int,
        *,
        stopping: Callable[[], bool],
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
        """Take progress and ignore other events; raises Interrupted when the process stops."""
        if self._stopping():
            raise Interrupted(
                "Rabbithole is shutting down. The job will continue after the next start."
            )
        if isinstance(event, DocumentProgress):
            key = {"checkpoint": event.stage, "task": event.document}
        elif isinstance(event, IngestProgress):
            key = {"checkpoint": event.kind}
        else:
            return
        self.add(EventKey(thread_id=self._thread_id, n=0, **key), event)
        if self._clock() >= self._next:
            self.write()
            self._next = self._clock() + PAUSE_S
