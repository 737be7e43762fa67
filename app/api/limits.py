"""Limits of what clients send: the size and speed of bodies, and the number of connections."""

import asyncio
import re
import time
from typing import Final

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from app.api.problems import answer

JSON_BYTES: Final = 4_000_000
UPLOADS: Final = re.compile(r"POST /.*/documents|PUT /_stcore/upload_file/.*", re.DOTALL)
"""Requests whose body is files; these are written to disk, other bodies are held in memory."""
PATIENCE_S: Final = 30.0
"""Seconds that a body may take beyond those that its bytes need at the slowest rate."""
SLOWEST: Final = 10_000
"""The slowest rate, in bytes a second."""


class BodyLimit:
    """Refuses bodies that are too large or too slow, before and while they are read.

    Args:
        app: the application that reads the bodies.
        upload_bytes: the largest body of files.
        json_bytes: the largest other body.
        patience_s: see ``PATIENCE_S``.
    """

    def __init__(
        self,
        app: ASGIApp,
        upload_bytes: int,
        json_bytes: int = JSON_BYTES,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._app, self._upload, self._json = app, upload_bytes, json_bytes
        self._patience_s = patience_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        form = headers.get(b"content-type", b"").startswith(b"multipart/")
        files = form and UPLOADS.fullmatch(f"{scope['method']} {scope['path']}")
        body = _Body(receive, self._upload if files else self._json, self._patience_s)
        declared = headers.get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > body.most:
            refusal = answer(scope["path"], 413, "too-large", body.too_large.detail)
            await refusal(scope, receive, send)
            return
        await self._app(scope, body.receive, send)


class _Body:
    """Receives a body, and raises an HTTPException if it is too large or too slow."""

    def __init__(self, receive: Receive, most: int, patience_s: float) -> None:
        self._receive, self.most, self._patience_s = receive, most, patience_s
        self._read, self._waited, self._complete = 0, 0.0, False
        detail = f"A body may have up to {most:,} bytes. Send less at a time."
        self.too_large = HTTPException(413, detail)

    async def receive(self) -> Message:
        if self._complete:  # the next message is the end of the connection
            return await self._receive()
        begun = time.monotonic()
        try:
            async with asyncio.timeout(self._patience_s + self._read / SLOWEST - self._waited):
                message = await self._receive()
        except TimeoutError:
            detail = f"The body comes too slowly. Send at least {SLOWEST:,} bytes a second."
            raise HTTPException(408, detail, {"Connection": "close"}) from None
        self._waited += time.monotonic() - begun
        self._read += len(message.get("body", b""))
        self._complete = not message.get("more_body")
        if self._read > self.most:
            raise self.too_large
        return message


class Connection(H11Protocol):
    """A connection that is closed if the client stalls, or if there are too many already.

    A client stalls if it does not send its headers (h11 takes 64 KB) or the remainder of a refused
    body, or does not read its response.
    """

    most = 500
    """Connections; half of the files that a process may usually have open."""
    check_s = 20.0
    """Seconds between two checks; a connection without progress in between is closed."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._next_check: asyncio.TimerHandle | None = None
        if len(self.connections) > self.most:
            transport.abort()
        else:
            self._check(None)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._next_check is not None:
            self._next_check.cancel()
        super().connection_lost(exc)

    def _check(self, before: tuple[object, int] | None) -> None:
        if self not in self.connections:  # it has become a WebSocket, which has pings
            return
        waits = self.cycle is None or self.cycle.response_complete or self.flow.write_paused
        now = (self.cycle, self.transport.get_write_buffer_size()) if waits else None
        if now is not None and now == before:
            self.transport.abort()
        else:
            self._next_check = self.loop.call_later(self.check_s, self._check, now)
