"""How much, how slowly and how often others may send: bodies, and the connections they come by."""

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
"""Where a body is files: these go to disk as they come, all else to memory."""
PATIENCE_S: Final = 30.0
"""How long a body may keep its reader waiting, beyond what its bytes take at the slowest."""
SLOWEST: Final = 10_000
"""Bytes a second."""


class BodyLimit:
    """Refuses bodies that are too large or too slow, before they are read and meanwhile.

    Args:
        app: what reads the bodies.
        upload_bytes: the most where a body is files.
        json_bytes: the most elsewhere.
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
    """A body as it comes in; its reader is told when it is too large or too slow."""

    def __init__(self, receive: Receive, most: int, patience_s: float) -> None:
        self._receive, self.most, self._patience_s = receive, most, patience_s
        self._read, self._waited, self._whole = 0, 0.0, False
        said = f"A body may have up to {most:,} bytes. Send less at a time."
        self.too_large = HTTPException(413, said)

    async def receive(self) -> Message:
        if self._whole:  # what comes is the end of the connection
            return await self._receive()
        begun = time.monotonic()
        try:
            async with asyncio.timeout(self._patience_s + self._read / SLOWEST - self._waited):
                message = await self._receive()
        except TimeoutError:
            said = f"The body comes too slowly. Send at least {SLOWEST:,} bytes a second."
            raise HTTPException(408, said, {"Connection": "close"}) from None
        self._waited += time.monotonic() - begun
        self._read += len(message.get("body", b""))
        self._whole = not message.get("more_body")
        if self._read > self.most:
            raise self.too_large
        return message


class Connection(H11Protocol):
    """A connection of the server, one of so many, that waits for no other side without end.

    That is: for headers, of which h11 takes 64 KB, for the rest of a body that has been refused,
    or for an answer to be taken.
    """

    most = 500
    """Half of the files that a process may usually have open."""
    look_s = 20.0
    """What has not moved between two looks is ended."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._look_at: asyncio.TimerHandle | None = None
        if len(self.connections) > self.most:
            transport.abort()
        else:
            self._look(None)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._look_at is not None:
            self._look_at.cancel()
        super().connection_lost(exc)

    def _look(self, before: tuple[object, int] | None) -> None:
        if self not in self.connections:  # it has become a WebSocket, whose pings tell
            return
        waits = self.cycle is None or self.cycle.response_complete or self.flow.write_paused
        now = (self.cycle, self.transport.get_write_buffer_size()) if waits else None
        if now is not None and now == before:
            self.transport.abort()
        else:
            self._look_at = self.loop.call_later(self.look_s, self._look, now)
