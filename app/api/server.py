"""All doors as one ASGI application, alone or beside the app."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Final

from anyio import TASK_STATUS_IGNORED, create_task_group, sleep_forever, to_thread
from anyio.abc import TaskGroup, TaskStatus
from fastapi import FastAPI
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from agent.engine.engine import Engine
from app.api import graph, judging, library, openai, operators, threads
from app.api.access import Needs
from app.api.doors import Doors
from app.api.limits import BodyLimit, Connection
from app.api.problems import ALWAYS, Json, Problem, handle_errors, refusal
from services.domain.errors import RabbitholeError
from services.settings import Settings

PATHS: Final = ("/api/", "/v1/", "/mcp", "/healthz", "/readyz", "/metrics")
GRACE_S: Final = 5
ABOUT: Final = """\
Answers from your own documents, with the source of every sentence. Every call needs a token
(`rabbithole tokens create NAME --scope read|write|admin`), sent as `Authorization: Bearer TOKEN`;
it reads and changes what its person may, and nothing else. Errors are `application/problem+json`
whose `code` is the name of the error. What takes long answers with 202 and is followed by its
events."""


def make_app(doors: Doors) -> FastAPI:
    """The HTTP API below ``/api``, OpenAI's shapes below ``/v1``, MCP at ``/mcp``."""
    settings = doors.settings
    tools = Tools(doors)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(doors.open())
            await stack.enter_async_context(tools.open())
            yield

    app = FastAPI(
        title="Rabbithole",
        version="1",
        description=ABOUT,
        openapi_url="/api/openapi.json",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        default_response_class=Json,
        lifespan=lifespan,
        redirect_slashes=False,
        # Nothing is told to anybody unless a setting of ours says so.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.doors = doors
    for part in (library, threads, judging, graph):
        app.include_router(part.router, prefix="/api/v1", responses=ALWAYS)
    for other in (openai, operators):
        app.include_router(other.router)
    app.add_middleware(BodyLimit, upload_bytes=settings.api_upload_mb * 1_000_000)
    app.router.routes.append(Route("/mcp", endpoint=tools))
    handle_errors(app)
    _describe(app)
    return app


def _describe(app: FastAPI) -> None:
    """Has OpenAPI name our errors in the place of FastAPI's own."""
    described = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            schemas = described()["components"]["schemas"]
            schemas["Problem"] = Problem.model_json_schema()
        return described()

    app.openapi = openapi  # type: ignore[method-assign]


class Tools:
    """MCP over streamable HTTP; each request shows a token.

    Loaded by the first whose token holds: that takes as long as a quarter of a server's start.
    """

    def __init__(self, doors: Doors) -> None:
        self._doors = doors
        self._loading = asyncio.Lock()
        self._loaded: ASGIApp | None = None
        self._group: TaskGroup

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Serves sessions meanwhile."""
        async with create_task_group() as self._group:
            yield
            self._group.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            admitted = await Needs("read").admit(Request(scope))
        except RabbitholeError as problem:
            await refusal("/mcp", problem)(scope, receive, send)
            return
        async with self._loading:
            if self._loaded is None:
                self._loaded = await self._group.start(self._load)
        await self._loaded({**scope, "rabbithole": admitted}, receive, send)

    async def _load(self, *, task_status: TaskStatus[ASGIApp] = TASK_STATUS_IGNORED) -> None:
        def made() -> AbstractAsyncContextManager[ASGIApp]:
            from app.api.mcp import make_server, over_http

            return over_http(make_server(self._doors, None))

        async with await to_thread.run_sync(made) as tools:
            task_status.started(tools)
            await sleep_forever()


class PathDispatcher:
    """An application with the doors beside it: what is below their paths is theirs."""

    def __init__(self, app: ASGIApp, doors: ASGIApp) -> None:
        self._app, self._doors = app, doors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        ours = scope["type"] == "http" and scope["path"].startswith(PATHS)
        await (self._doors if ours else self._app)(scope, receive, send)


def serve(engine: Engine, settings: Settings, host: str, port: int) -> None:
    """Serves the doors alone until the process is told to end."""
    import uvicorn

    logging.getLogger("mcp").setLevel(logging.WARNING)
    app = make_app(Doors(lambda: engine, settings))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family, backlog=2048) as listening:
        config = uvicorn.Config(
            app,
            http=Connection,
            access_log=False,
            log_level="warning",
            timeout_graceful_shutdown=GRACE_S,
        )
        uvicorn.Server(config).run(sockets=[listening])
