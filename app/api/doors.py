"""What all doors of a process share: the engine, who may pass, how fast, and what is new."""

import asyncio
import functools
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple, TypeVar
from weakref import WeakValueDictionary

from anyio import CapacityLimiter, to_thread
from cachetools import LRUCache
from fastapi.concurrency import run_in_threadpool

from agent.engine.engine import Engine
from agent.engine.jobs import JobState
from app import uploads
from services.domain.errors import Forbidden, Interrupted, TooManyRequests, Unauthorized
from services.domain.events import EventRecord
from services.domain.runs import ACTIVE, RunInfo
from services.domain.tokens import TokenInfo, TokenScope
from services.settings import Settings

TICK_S: Final = 0.02
"""How often the catalog is asked whether anything has changed, while somebody waits."""
SILENCE_S: Final = 15.0
"""After so long without news a stream says that it is still there."""
KNOWN_CALLERS: Final = 10_000
LOOKS_AT_ONCE: Final = 4
"""Of those who follow events: they have threads of their own, so that no request holds them up."""


Records = list[EventRecord]


S = TypeVar("S", RunInfo, JobState)
T = TypeVar("T")
Look = Callable[[int], tuple[S, Records]]
News = AsyncIterator[tuple[S, Records]]
Marks = Callable[[AbstractSet[str]], Mapping[str, object]]


class Admitted(NamedTuple):
    """Who passed: the engine that acts for them, and their token."""

    engine: Engine
    token: TokenInfo


class Doors:
    """One object a server.

    Args:
        connect: hands out the connection that the process has, which it may open for the first.
        settings: for the limits.
        app: whether the app is served beside, and opens the pages of documents.
    """

    def __init__(
        self, connect: Callable[[], Engine], settings: Settings, *, app: bool = False
    ) -> None:
        self._connect = connect
        self.settings, self.app = settings, app
        self._buckets = Buckets(settings.api_requests_per_minute)
        self._starting: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._tidying: set[asyncio.Task[None]] = set()
        self.bell = Bell(
            lambda: self.engine.version(), lambda keys: self.engine.threads.marks(keys)
        )
        self._looking = CapacityLimiter(LOOKS_AT_ONCE)

    @property
    def engine(self) -> Engine:
        """The connection to the home, opened when it is first needed."""
        return self._connect()

    def admit(self, token: str | None, scope: TokenScope, address: str) -> Admitted:
        """Lets a program in.

        Raises:
            Unauthorized: it shows no token that holds.
            Forbidden: the token does not suffice for ``scope``.
            TooManyRequests: it asks too fast.
        """
        try:
            known = self.engine.tokens.holder(token or "")
        except Unauthorized:
            self._buckets.take(f"@{address}")
            raise
        self._buckets.take(f"{known.user}/{known.name}")
        if not known.admits(scope):
            raise Forbidden(
                "The token {name!r} may {scope}, and this needs one that may {needed}: "
                "`rabbithole tokens create NAME --scope {needed}`.",
                name=known.name,
                scope=known.scope,
                needed=scope,
            )
        return Admitted(self.engine.acting_as(known.principal), known)

    async def starting(self, engine: Engine, start: Callable[[], T]) -> T:
        """Has a thread started; of each person one after the other, and so many at work at most.

        Raises:
            TooManyRequests: the person has as many at work already.
        """
        user, most = engine.principal.user, self.settings.api_threads_at_once
        async with self._starting.setdefault(user, asyncio.Lock()):
            active = await run_in_threadpool(engine.threads.active)
            if sum(run.owner == user for run in active) >= most:
                raise TooManyRequests(
                    "{most} threads of yours are at work. Wait until one has ended; "
                    "RABBITHOLE_API_THREADS_AT_ONCE sets how many.",
                    most=most,
                )
            return await run_in_threadpool(start)

    async def news(self, key: str, look: Look[S], after: int) -> News[S]:
        """A thread or a job with its events as they come, until it is not at work any more.

        Without events at the end, and where nothing came for a while. A server that stops ends
        it too, and ``after`` goes on where it stopped.
        """
        silent_since = time.monotonic()
        while not self.bell.stopped:
            heard = self.bell.listen(key)
            state, records = await to_thread.run_sync(look, after, limiter=self._looking)
            ended = not records and state.status not in ACTIVE
            if records or ended or time.monotonic() - silent_since > SILENCE_S:
                silent_since = time.monotonic()
                yield state, records
            if ended:
                return
            if records:
                after = records[-1].seq
            else:
                await self.bell.wait(heard, SILENCE_S)

    def thread(self, engine: Engine, thread: str, after: int = 0) -> News[RunInfo]:
        """What is new of a thread."""
        return self.news(thread, functools.partial(engine.threads.poll, thread), after)

    def job(self, engine: Engine, number: int, after: int = 0) -> News[JobState]:
        """What is new of a job."""
        key = f"job {number}"  # no thread is called that
        return self.news(key, functools.partial(engine.poll_job, number), after)

    def tidy(self, engine: Engine, number: int, paths: Sequence[Path]) -> None:
        """Removes uploaded files when the job that takes them in has ended."""

        async def when_done() -> None:
            async for _ in self.job(engine, number):
                pass
            if not self.bell.stopped:
                await run_in_threadpool(uploads.discard, self.settings.home, paths)

        task = asyncio.create_task(when_done())
        self._tidying.add(task)
        task.add_done_callback(self._tidying.discard)

    async def finish(self, engine: Engine, thread: str, after: int = 0) -> RunInfo:
        """Waits until a thread waits for a person or has ended."""
        latest = None
        async for run, _ in self.thread(engine, thread, after):
            latest = run
        return ended(latest)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Ends the streams when the server is told to stop: it would wait for them."""
        loop = asyncio.get_running_loop()
        if threading.current_thread() is threading.main_thread():
            for each in (signal.SIGINT, signal.SIGTERM):
                before = signal.getsignal(each)
                signal.signal(each, functools.partial(self._stop, loop, before))
        try:
            yield
        finally:
            self.bell.stop()

    def _stop(self, loop: asyncio.AbstractEventLoop, then: object, *told: object) -> None:
        loop.call_soon_threadsafe(self.bell.stop)
        if callable(then):
            then(*told)


def ended(run: RunInfo | None) -> RunInfo:
    """A thread that was followed; raises Interrupted where the server stops before its end."""
    if run is None or run.status in ACTIVE:
        raise Interrupted("The server is ending. Ask again when it is back.")
    return run


class Bell:
    """Wakes those who wait for something when it has changed; one look for all of them.

    Args:
        version: of the catalog; None where only a look tells whether anything has changed.
        marks: of those of the keys that have one, which is another after each change.
    """

    def __init__(self, version: Callable[[], int | None], marks: Marks) -> None:
        self._version, self._marks = version, marks
        self._rings: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()
        self._seen: LRUCache[str, object] = LRUCache(KNOWN_CALLERS)
        self._waiting = 0
        self._watch: asyncio.Task[None] | None = None
        self.stopped = False

    def listen(self, key: str) -> asyncio.Event:
        """To be called before a look: ``wait`` misses nothing that comes after this."""
        return self._rings.setdefault(key, asyncio.Event())

    async def wait(self, heard: asyncio.Event, seconds: float) -> None:
        """Waits for a change since ``listen``, but no longer than so many seconds."""
        self._waiting += 1
        if self._watch is None or self._watch.done():
            self._watch = asyncio.create_task(self._look())
        try:
            await asyncio.wait_for(heard.wait(), seconds)
        except TimeoutError:
            pass
        finally:
            self._waiting -= 1

    def stop(self) -> None:
        """Wakes all for good."""
        self.stopped = True
        self._ring(list(self._rings))

    def _ring(self, keys: Iterable[str]) -> None:
        for key in keys:
            if (rung := self._rings.pop(key, None)) is not None:
                rung.set()

    async def _look(self) -> None:
        """Rings for what it never saw too: that may have changed while nobody watched."""
        seen: int | None = None
        while self._waiting and not self.stopped:
            version, keys = await run_in_threadpool(self._version), set(self._rings)
            if version is None or version != seen or not keys <= self._seen.keys():
                seen = version
                marks = await run_in_threadpool(self._marks, keys)
                self._ring(k for k in keys if k not in marks or marks[k] != self._seen.get(k))
                self._seen.update({key: marks.get(key) for key in keys})
            await asyncio.sleep(TICK_S if version is not None else 5 * TICK_S)


class Buckets:
    """How many requests each caller has left: so many at once, and so many a minute."""

    def __init__(self, per_minute: int) -> None:
        self._most, self._per_s = float(per_minute), per_minute / 60
        self._left: LRUCache[str, tuple[float, float]] = LRUCache(KNOWN_CALLERS)
        self._lock = threading.Lock()

    def take(self, caller: str) -> None:
        """Counts a request; raises TooManyRequests where none is left."""
        with self._lock:
            now = time.monotonic()
            left, at = self._left.get(caller, (self._most, now))
            left = min(self._most, left + (now - at) * self._per_s)
            self._left[caller] = (max(left - 1, 0.0) if left >= 1 else left, now)
        if left < 1:
            raise TooManyRequests(
                "More than {most} requests a minute. Wait a little; "
                "RABBITHOLE_API_REQUESTS_PER_MINUTE sets how many.",
                most=int(self._most),
            )
