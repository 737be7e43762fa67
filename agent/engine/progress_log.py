"""The log of what a job that changes the stores is doing, for whoever waits for it."""

import time
from collections.abc import Callable
from typing import Final, Self

from agent.engine.jobs import log_thread
from services.catalog.threads import Events
from services.domain.errors import Interrupted
from services.domain.events import DocumentProgress, Event, EventKey, IngestProgress

PAUSE_S: Final = 0.1
"""Seconds between two writes: a thousand unchanged files are passed over in two seconds."""


class ProgressLog:
    """Keeps one row a file and stage, and one for the whole, overwritten as they move.

    What it holds is written at exit.

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
        self._stopping = stopping
        self._events = events
        self._thread_id = log_thread(number)
        self._clock = clock
        self._written = clock() - PAUSE_S
        self._waiting: dict[EventKey, Event] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._write()

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
        key = EventKey(thread_id=self._thread_id, n=0, **place)
        self._waiting.pop(key, None)  # so that the newest comes last
        self._waiting[key] = event
        if self._clock() - self._written >= PAUSE_S:
            self._write()

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, {}
        if waiting:
            self._events.replace_all(waiting)
        self._written = self._clock()
