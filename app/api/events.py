"""Server-sent events from the event log, and what wakes a stream when there are new ones."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import Annotated, Any, Final, TypeVar
from weakref import WeakValueDictionary

from cachetools import LRUCache
from fastapi import Depends, Header
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from pydantic_core import to_jsonable_python

from agent.engine.jobs import JobState
from app.api.values import After
from services.domain.errors import NotFound
from services.domain.events import EventRecord
from services.domain.runs import ACTIVE, RunInfo
from services.locale import rendered

POLL_S: Final = 0.02
"""Seconds between two looks at the version of the catalog, while a stream waits."""
KEYS_REMEMBERED: Final = 10_000

State = TypeVar("State", RunInfo, JobState)
Updates = AsyncIterator[tuple[State, list[EventRecord]]]
Marks = Callable[[AbstractSet[str]], Mapping[str, object]]

STREAM: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Events: `id` is their `seq`, `event` their kind, `data` JSON. The last "
        "one, `end`, tells the status.",
        "content": {
            "text/event-stream": {
                "schema": {"type": "object", "description": "One event."},
                "example": {"id": "7", "event": "phase_started", "data": '{"phase": "plan"}'},
            }
        },
    }
}


def last_event(
    after: After = 0,
    last_event_id: Annotated[
        str | None, Header(pattern=r"^[0-9]{1,15}$", description="Goes on after this event.")
    ] = None,
) -> int:
    """Return the event to continue after; the header of a browser that reconnects wins."""
    return int(last_event_id) if last_event_id else after


LastEvent = Annotated[int, Depends(last_event)]


def as_stream(lines: AsyncIterator[str]) -> StreamingResponse:
    """Return a stream that no proxy stores or buffers."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(lines, media_type="text/event-stream", headers=headers)


async def stream_of(updates: Updates[State]) -> AsyncIterator[str]:
    """Yield each event, a comment if nothing comes for a while, and the status at the end.

    If the server stops or the thread is deleted, the stream ends without a status; so the
    program reconnects.
    """
    with suppress(NotFound):
        async for state, records in updates:
            for record in records:
                data = rendered(to_jsonable_python(record.event))
                yield message(record.event.kind, data | {"at": record.at}, record.seq)
            if not records:
                at_work = state.status in ACTIVE
                yield ": at work\n\n" if at_work else message("end", {"status": state.status})


def message(kind: str, data: object, seq: int | None = None) -> str:
    """Return one event as it is sent."""
    number = "" if seq is None else f"id: {seq}\n"
    return f"{number}event: {kind}\ndata: {json.dumps(data, ensure_ascii=True)}\n\n"


class ChangeNotifier:
    """Wakes the tasks that wait for a thread or a job; one poll of the catalog serves them all.

    ``version`` returns the version of the catalog, None if it has none to compare; ``marks``
    returns a mark for some of the keys, which differs after each change.
    """

    def __init__(self, version: Callable[[], int | None], marks: Marks) -> None:
        self._version, self._marks = version, marks
        self._signals: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()
        self._last_marks: LRUCache[str, object] = LRUCache(KEYS_REMEMBERED)
        self._waiting = 0
        self._poller: asyncio.Task[None] | None = None
        self.stopped = False

    def listen(self, key: str) -> asyncio.Event:
        """Return the signal for a key; call it before reading, and ``wait`` misses no change."""
        return self._signals.setdefault(key, asyncio.Event())

    async def wait(self, signal: asyncio.Event, seconds: float) -> None:
        """Wait for a change since ``listen``, for at most so many seconds."""
        self._waiting += 1
        if self._poller is None or self._poller.done():
            self._poller = asyncio.create_task(self._poll())
        try:
            await asyncio.wait_for(signal.wait(), seconds)
        except TimeoutError:
            pass
        finally:
            self._waiting -= 1

    def stop(self) -> None:
        """Wake all tasks for good."""
        self.stopped = True
        self._notify(list(self._signals))

    def _notify(self, keys: Iterable[str]) -> None:
        for key in keys:
            if (signal := self._signals.pop(key, None)) is not None:
                signal.set()

    async def _poll(self) -> None:
        """Notify of changes; also of keys without a last mark, which may have changed before."""
        last_version: int | None = None
        while self._waiting and not self.stopped:
            version, keys = await run_in_threadpool(self._version), set(self._signals)
            if version is None or version != last_version or not keys <= self._last_marks.keys():
                last_version = version
                marks = await run_in_threadpool(self._marks, keys)
                self._notify(
                    key for key in keys
                    if key not in marks or marks[key] != self._last_marks.get(key)
                )  # fmt: skip
                self._last_marks.update({key: marks.get(key) for key in keys})
            await asyncio.sleep(POLL_S if version is not None else 5 * POLL_S)
