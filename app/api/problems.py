"""Limits of what clients send, and errors as problem+json (RFC 9457), below /v1 as OpenAI's."""

import asyncio
import json
import re
import time
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from pydantic_core import to_jsonable_python
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from services.domain import errors
from services.domain.errors import RabbitholeError
from services.locale import rendered

MEDIA_TYPE: Final = "application/problem+json"
STATUS: Final[Mapping[type[RabbitholeError], int]] = {
    errors.Unauthorized: 401,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.AlreadyAnswered: 409,
    errors.IncompatibleThread: 409,
    errors.EmbeddingMismatch: 409,
    errors.TooLarge: 413,
    errors.TooManyRequests: 429,
    errors.NoModel: 503,
    errors.AskPerson: 422,
    errors.TryAgain: 503,
    errors.BadGeneration: 502,
    errors.RabbitholeError: 500,
}
"""The status of the first class that fits an error is used."""
HEADERS: Final = {401: {"WWW-Authenticate": "Bearer"}, 429: {"Retry-After": "1"}}
CODES: Final = {404: "not-found", 405: "method-not-allowed", 408: "too-slow", 413: "too-large"}
PATH_SHOWN: Final = 8
"""Steps of the path to a malformed field, which may be nested without end."""


class Problem(BaseModel):
    """What went wrong and what to do; ``code`` is the name of the error."""

    type: str = "about:blank"
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    code: str = Field(examples=["not-found"])
    detail: str = Field(
        examples=["You have no thread 'x'. `rabbithole runs list` shows your threads."]
    )


def responses(*statuses: int, media_type: str = MEDIA_TYPE) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI description of errors with these statuses; JSON is OpenAI's shape."""
    ours = media_type == MEDIA_TYPE
    schema = {"$ref": "#/components/schemas/Problem"} if ours else {"type": "object"}
    content = {media_type: {"schema": schema}}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": content}
        for status in statuses
    }


ALWAYS: Final = responses(401, 403, 404, 409, 413, 422, 429, 503)
"""The errors of every call of the API."""


def handle_errors(app: FastAPI) -> None:
    """Have an app answer all errors like this."""

    @app.exception_handler(RabbitholeError)
    def ours(request: Request, problem: RabbitholeError) -> Response:
        return refusal(request.url.path, problem)

    @app.exception_handler(RequestValidationError)
    def malformed(request: Request, problem: RequestValidationError) -> Response:
        first = problem.errors()[0]
        where = ".".join(map(str, first["loc"][:PATH_SHOWN]))
        return answer(request.url.path, 422, "invalid-input", f"{where}: {first['msg']}.")

    @app.exception_handler(HTTPException)
    def plain(request: Request, problem: HTTPException) -> Response:
        if problem.status_code == 400:  # nested too deep, no text, a number without end
            detail = f"The body cannot be read: {problem.__cause__ or problem.detail}."
            return answer(request.url.path, 422, "invalid-input", detail)
        code = CODES.get(problem.status_code, "invalid-input")
        response = answer(request.url.path, problem.status_code, code, str(problem.detail))
        response.headers.update(problem.headers or {})
        return response


def refusal(path: str, problem: RabbitholeError) -> Response:
    """Return an error of the engine as a response."""
    status = next(status for kind, status in STATUS.items() if isinstance(problem, kind))
    return answer(path, status, problem.code, str(problem))


def answer(path: str, status: int, code: str, detail: str) -> Response:
    """Return an error as a response."""
    headers = HEADERS.get(status)
    if path.startswith("/v1/"):
        error = {"message": detail, "type": code, "code": code, "param": None}
        return Json({"error": error}, status, headers)
    title = HTTPStatus(status).phrase
    problem = Problem(title=title, status=status, code=code, detail=detail)
    return Json(problem.model_dump(), status, headers, MEDIA_TYPE)


class Json(JSONResponse):
    """JSON with each notice as a sentence; characters that UTF-8 cannot encode are escaped."""

    def render(self, content: Any) -> bytes:
        value = rendered(to_jsonable_python(content))
        return json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace")


JSON_BYTES: Final = 4_000_000
"""The largest body that is not files."""
UPLOADS: Final = re.compile(r"POST /.*/documents|PUT /_stcore/upload_file/.*", re.DOTALL)
"""Requests whose body is files; these are written to disk, other bodies are held in memory."""
PATIENCE_S: Final = 30.0
"""Seconds that a body may take beyond those that its bytes need at the slowest rate."""
SLOWEST: Final = 10_000
"""The slowest rate, in bytes a second."""


class BodyLimit:
    """Refuses bodies that are too large or too slow; of files, ``upload_bytes`` are allowed."""

    def __init__(self, app: ASGIApp, upload_bytes: int) -> None:
        self._app, self._upload = app, upload_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        form = headers.get(b"content-type", b"").startswith(b"multipart/")
        files = form and UPLOADS.fullmatch(f"{scope['method']} {scope['path']}")
        body = _Body(receive, self._upload if files else JSON_BYTES)
        declared = headers.get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > body.most:
            refusal = answer(scope["path"], 413, "too-large", body.too_large.detail)
            await refusal(scope, receive, send)
            return
        await self._app(scope, body.receive, send)


class _Body:
    """Receives a body, and raises an HTTPException if it is too large or too slow."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self.most = receive, most
        self._read, self._waited, self._complete = 0, 0.0, False
        detail = f"A body may have up to {most:,} bytes. Send less at a time."
        self.too_large = HTTPException(413, detail)

    async def receive(self) -> Message:
        if self._complete:  # the next message is the end of the connection
            return await self._receive()
        begun = time.monotonic()
        try:
            async with asyncio.timeout(PATIENCE_S + self._read / SLOWEST - self._waited):
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


class GuardedConnection(H11Protocol):
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
