"""The ASGI application of the HTTP API, OpenAI's endpoint, MCP and the operators' endpoints."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Final

from anyio import TASK_STATUS_IGNORED, create_task_group, sleep_forever, to_thread
from anyio.abc import TaskGroup, TaskStatus
from fastapi import APIRouter, FastAPI
from fastapi.responses import JSONResponse, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Gauge,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from agent.engine.engine import Engine
from app.api import grids, library, openai, threads
from app.api.gateway import Admin, ApiGateway, Gateway, Requires, TokenFirst
from app.api.problems import (
    ALWAYS,
    BodyLimit,
    GuardedConnection,
    Json,
    Problem,
    answer,
    handle_errors,
    refusal,
)
from services.domain.errors import RabbitholeError
from services.settings import Settings

PATHS: Final = ("/api/", "/v1/", "/mcp", "/healthz", "/readyz", "/metrics")
GRACE_S: Final = 5
"""Seconds for open requests when the server is told to end."""
ABOUT: Final = """\
Answers from your own documents, with the source of every sentence. Every call needs a token
(`rabbithole tokens create NAME --scope read|write|admin`), sent as `Authorization: Bearer TOKEN`;
it reads and changes what its person may, and nothing else. Errors are `application/problem+json`
whose `code` is the name of the error. What takes long answers with 202 and is followed by its
events."""


def make_app(gateway: ApiGateway) -> FastAPI:
    """Return the HTTP API below ``/api``, OpenAI's endpoint below ``/v1``, MCP at ``/mcp``."""
    mcp = McpEndpoint(gateway)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(gateway.open())
            await stack.enter_async_context(mcp.open())
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
        # Only our own settings turn telemetry on.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.gateway = gateway
    for router in (library.router, threads.router, threads.answers, grids.router, library.graph):
        app.include_router(router, prefix="/api/v1", responses=ALWAYS)
    app.include_router(openai.router)
    app.include_router(operators)
    app.add_middleware(BodyLimit, upload_bytes=gateway.settings.api_upload_mb * 1_000_000)
    app.router.routes.append(Route("/mcp", endpoint=mcp))
    handle_errors(app)
    _describe(app)
    return app


operators = APIRouter(route_class=TokenFirst, include_in_schema=False)


@operators.get("/healthz")
def alive() -> dict[str, str]:
    """Return 200 while the process answers."""
    return {"status": "ok"}


@operators.get("/readyz")
def ready(gateway: Gateway) -> Response:
    """Return 200 while the catalog answers; 503 says why it does not."""
    try:
        gateway.engine.activity()
    except Exception as problem:  # noqa: BLE001 - whatever it is, it is not ready
        code = problem.code if isinstance(problem, RabbitholeError) else "broken"
        return answer("/readyz", 503, code, str(problem))
    return JSONResponse({"status": "ready"})


@operators.get("/metrics")
def metrics(engine: Admin) -> Response:
    """Return runs and jobs by status, and the resources of the process, for Prometheus."""
    registry = CollectorRegistry()
    for collector in (ProcessCollector, PlatformCollector):
        collector(registry=registry)
    for name, counts in engine.activity():
        gauge = Gauge(f"rabbithole_{name}", f"{name} by status", ["status"], registry=registry)
        for status, count in counts.items():
            gauge.labels(status).set(count)
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


def _describe(app: FastAPI) -> None:
    """Add the schema of our errors, which replaces FastAPI's own."""
    described = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            schemas = described()["components"]["schemas"]
            schemas["Problem"] = Problem.model_json_schema()
        return described()

    app.openapi = openapi  # type: ignore[method-assign]


class McpEndpoint:
    """MCP over streamable HTTP with tokens; loaded by the first request, since that is slow."""

    def __init__(self, gateway: ApiGateway) -> None:
        self._gateway = gateway
        self._loading = asyncio.Lock()
        self._loaded: ASGIApp | None = None
        self._group: TaskGroup

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Serve sessions inside the block."""
        async with create_task_group() as self._group:
            yield
            self._group.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            caller = await Requires("read").authenticate(Request(scope))
        except RabbitholeError as problem:
            await refusal("/mcp", problem)(scope, receive, send)
            return
        async with self._loading:
            if self._loaded is None:
                self._loaded = await self._group.start(self._load)
        await self._loaded({**scope, "rabbithole": caller}, receive, send)

    async def _load(self, *, task_status: TaskStatus[ASGIApp] = TASK_STATUS_IGNORED) -> None:
        def make() -> AbstractAsyncContextManager[ASGIApp]:
            from app.api.mcp import make_server, over_http

            return over_http(make_server(self._gateway, None))

        async with await to_thread.run_sync(make) as app:
            task_status.started(app)
            await sleep_forever()


class PathDispatcher:
    """Sends requests below the paths of the API to it, and all others to the app."""

    def __init__(self, app: ASGIApp, api: ASGIApp) -> None:
        self._app, self._api = app, api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        to_api = scope["type"] == "http" and scope["path"].startswith(PATHS)
        await (self._api if to_api else self._app)(scope, receive, send)


def serve(engine: Engine, settings: Settings, host: str, port: int) -> None:
    """Serve the API alone until the process is told to end."""
    import uvicorn

    logging.getLogger("mcp").setLevel(logging.WARNING)
    app = make_app(ApiGateway(lambda: engine, settings))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family, backlog=2048) as listening:
        config = uvicorn.Config(
            app,
            http=GuardedConnection,
            access_log=False,
            log_level="warning",
            timeout_graceful_shutdown=GRACE_S,
        )
        uvicorn.Server(config).run(sockets=[listening])
