"""What all requests of a server share: the engine, who may call it, how often, and its events."""

import asyncio
import functools
import signal
import threading
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeVar
from weakref import WeakValueDictionary

from anyio import CapacityLimiter, to_thread
from cachetools import LRUCache
from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from agent.engine.engine import Engine
from agent.engine.jobs import JobState
from app import uploads
from app.api.events import ChangeNotifier, State, Updates
from services.domain.errors import Forbidden, Interrupted, TooManyRequests, Unauthorized
from services.domain.events import EventRecord
from services.domain.identity import Principal, TokenInfo, TokenScope
from services.domain.runs import ACTIVE, RunInfo
from services.login import read_login
from services.settings import Settings

KEEP_ALIVE_S: Final = 15.0
"""Seconds without an event after which a stream says that it is still there."""
CALLERS_REMEMBERED: Final = 10_000
FOLLOWER_THREADS: Final = 4
"""Threads that read events for streams, so that these hold up no other request."""

T = TypeVar("T")


class Caller(NamedTuple):
    """The engine that acts for a caller, and the caller's token."""

    engine: Engine
    token: TokenInfo


class ApiGateway:
    """Authenticates requests, starts threads within limits, and follows them; one a server.

    ``connect`` returns the connection of the process, opened by the first call; ``app`` says
    whether the app is served too, and can open the pages of documents.
    """

    def __init__(
        self, connect: Callable[[], Engine], settings: Settings, *, app: bool = False
    ) -> None:
        self._connect = connect
        self.settings, self.app = settings, app
        self._rate = RateLimiter(settings.api_requests_per_minute)
        self._start_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._cleanups: set[asyncio.Task[None]] = set()
        self._changes = ChangeNotifier(
            lambda: self.engine.version(), lambda keys: self.engine.threads.marks(keys)
        )
        self._followers = CapacityLimiter(FOLLOWER_THREADS)

    @property
    def engine(self) -> Engine:
        """Return the connection to the home, opened when it is first needed."""
        return self._connect()

    def authenticate(self, token: str | None, scope: TokenScope, address: str) -> Caller:
        """Return who calls.

        Raises:
            Unauthorized: there is no token, or it is not valid.
            Forbidden: the token does not include ``scope``.
            TooManyRequests: the caller, or the address without a valid token, is too fast.
        """
        try:
            info = self.holder(token)
        except Unauthorized:
            self._rate.take(f"@{address}")
            raise
        self._rate.take(f"{info.user}/{info.name}")
        if not info.admits(scope):
            raise Forbidden(
                "The token {name!r} allows {scope}, but this needs {needed}: `rabbithole tokens "
                "create NAME --scope {needed}`.",
                name=info.name,
                scope=info.scope,
                needed=scope,
            )
        return Caller(self.engine.acting_as(info.principal), info)

    def holder(self, token: str | None) -> TokenInfo:
        """Return a token; raise Unauthorized if it is not valid, or its person has no access."""
        info = self.engine.tokens.holder(token or "")
        login = self.settings.login
        people = read_login(login).people if login and info.user != Principal().user else None
        if people and not people.admits(info.user):
            raise Unauthorized("{person} has no access to this server.", person=info.user)
        return info

    async def while_valid(self, token: str | None, sent: AsyncIterable[Any]) -> AsyncIterator[Any]:
        """Yield what a response sends, until the token that it was asked for is not valid."""
        checked = time.monotonic()
        async for chunk in sent:
            if time.monotonic() - checked > KEEP_ALIVE_S:
                try:
                    await run_in_threadpool(self.holder, token)
                except Unauthorized:
                    return
                checked = time.monotonic()
            yield chunk

    async def start(self, engine: Engine, start: Callable[[], T]) -> T:
        """Start a thread; raise TooManyRequests if the user has too many active ones.

        Those of one user start one after the other.
        """
        user, most = engine.principal.user, self.settings.api_threads_at_once
        async with self._start_locks.setdefault(user, asyncio.Lock()):
            active = await run_in_threadpool(engine.threads.active)
            if sum(run.owner == user for run in active) >= most:
                raise TooManyRequests(
                    "You have {most} running threads. Wait until one has finished; "
                    "RABBITHOLE_API_THREADS_AT_ONCE sets the limit.",
                    most=most,
                )
            return await run_in_threadpool(start)

    def follow_thread(self, engine: Engine, thread: str, after: int = 0) -> Updates[RunInfo]:
        """Yield a thread with its new events until it waits for a person or has ended."""
        return self._follow(thread, functools.partial(engine.threads.poll, thread), after)

    def follow_job(self, engine: Engine, number: int, after: int = 0) -> Updates[JobState]:
        """Yield a job with its new events until it has ended."""
        key = f"job {number}"  # no thread has such an id
        return self._follow(key, functools.partial(engine.poll_job, number), after)

    async def _follow(
        self, key: str, poll: Callable[[int], tuple[State, list[EventRecord]]], after: int
    ) -> Updates[State]:
        """Yield the state with new events; without events at the end, and to keep a stream alive.

        It ends early if the server stops; a later call with ``after`` continues.
        """
        last_yield = time.monotonic()
        while not self._changes.stopped:
            changed = self._changes.listen(key)
            state, records = await to_thread.run_sync(poll, after, limiter=self._followers)
            ended = not records and state.status not in ACTIVE
            if records or ended or time.monotonic() - last_yield > KEEP_ALIVE_S:
                last_yield = time.monotonic()
                yield state, records
            if ended:
                return
            if records:
                after = records[-1].seq
            else:
                await self._changes.wait(changed, KEEP_ALIVE_S)

    async def finish(self, engine: Engine, thread: str, after: int = 0) -> RunInfo:
        """Return a thread once it waits for a person or has ended."""
        latest = None
        async for run, _ in self.follow_thread(engine, thread, after):
            latest = run
        return require_ended(latest)

    def remove_after(self, engine: Engine, number: int, paths: Sequence[Path]) -> None:
        """Remove uploaded files when the job that reads them has ended."""

        async def when_done() -> None:
            async for _ in self.follow_job(engine, number):
                pass
            if not self._changes.stopped:
                await run_in_threadpool(uploads.discard, self.settings.home, paths)

        task = asyncio.create_task(when_done())
        self._cleanups.add(task)
        task.add_done_callback(self._cleanups.discard)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """End the streams when the server is told to stop, which would wait for them."""
        loop = asyncio.get_running_loop()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                handler = signal.getsignal(number)
                signal.signal(number, functools.partial(self._stop, loop, handler))
        try:
            yield
        finally:
            self._changes.stop()

    def _stop(self, loop: asyncio.AbstractEventLoop, handler: object, *signalled: object) -> None:
        loop.call_soon_threadsafe(self._changes.stop)
        if callable(handler):
            handler(*signalled)


def require_ended(run: RunInfo | None) -> RunInfo:
    """Return a thread that was followed; raise Interrupted if the server stopped before its end."""
    if run is None or run.status in ACTIVE:
        raise Interrupted("Rabbithole is shutting down. Ask again when it is running again.")
    return run


class RateLimiter:
    """A token bucket for each caller: so many requests at once, and so many a minute."""

    def __init__(self, per_minute: int) -> None:
        self._capacity, self._per_s = float(per_minute), per_minute / 60
        self._buckets: LRUCache[str, tuple[float, float]] = LRUCache(CALLERS_REMEMBERED)
        self._lock = threading.Lock()

    def take(self, caller: str) -> None:
        """Count a request; raise TooManyRequests if none is left."""
        with self._lock:
            now = time.monotonic()
            left, at = self._buckets.get(caller, (self._capacity, now))
            left = min(self._capacity, left + (now - at) * self._per_s)
            self._buckets[caller] = (max(left - 1, 0.0) if left >= 1 else left, now)
        if left < 1:
            raise TooManyRequests(
                "More than {most} requests per minute. Wait a little; "
                "RABBITHOLE_API_REQUESTS_PER_MINUTE sets the limit.",
                most=int(self._capacity),
            )


_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="A token of `rabbithole tokens create NAME --scope read|write|admin`.",
)
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


async def token_of(request: Request) -> str | None:
    """Return the token that a request sends."""
    credentials = await _bearer(request)
    return credentials.credentials.strip() if credentials else None


def gateway_of(request: Request) -> ApiGateway:
    """Return the gateway of the server."""
    gateway: ApiGateway = request.app.state.gateway
    return gateway


Gateway = Annotated[ApiGateway, Depends(gateway_of)]


@dataclass(frozen=True)
class Requires:
    """Requires a token with a scope; as a dependency, it is the engine that acts for the caller."""

    scope: TokenScope

    async def authenticate(self, request: Request) -> Caller:
        """Check the token of a request; see `ApiGateway.authenticate` for what it raises."""
        address = request.client.host if request.client else ""
        authenticate = gateway_of(request).authenticate
        return await run_in_threadpool(authenticate, await token_of(request), self.scope, address)

    def __call__(self, request: Request, _: Credentials) -> Engine:
        caller: Caller = request.scope["rabbithole"]
        return caller.engine


class TokenFirst(APIRoute):
    """Checks the token before the body is read, unlike FastAPI; a stream ends with its token."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        calls = (dependency.call for dependency in self.dependant.dependencies)
        required = [call for call in calls if isinstance(call, Requires)]

        async def authenticate_first(request: Request) -> Response:
            for requirement in required:
                request.scope["rabbithole"] = await requirement.authenticate(request)
            response = await handle(request)
            if required and isinstance(response, StreamingResponse):
                valid = gateway_of(request).while_valid
                response.body_iterator = valid(await token_of(request), response.body_iterator)
            return response

        return authenticate_first


Reader = Annotated[Engine, Depends(Requires("read"))]
"""May read, search, ask and verify."""
Writer = Annotated[Engine, Depends(Requires("write"))]
"""May also change the library, and start and steer research."""
Admin = Annotated[Engine, Depends(Requires("admin"))]
"""May see and change what belongs to anybody."""
