"""The API over a desk, served in a thread on a free port of the loopback."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from hypothesis import HealthCheck, Phase, given, settings

from agent.engine.engine import Engine
from app.api.gateway import ApiGateway
from app.api.server import make_app
from services.domain import Principal
from services.domain.identity import TokenScope
from services.models.base import ChatModel
from services.settings import Settings
from tests.support.app_server import free_port
from tests.support.desk import open_desk
from tests.support.waiting import until


class Served:
    def __init__(self, engine: Engine, url: str) -> None:
        self.engine, self.url, self.sent = engine, url, 0

    def token(self, scope: TokenScope = "write", user: str = "local") -> str:
        acting = self.engine.acting_as(Principal(user=user))
        name = f"{scope} {len(acting.tokens.list())}"
        return acting.tokens.create(name, scope, None).token


@contextmanager
def served(home: Path, model: ChatModel | None = None, **settings: int) -> Iterator[Served]:
    """Serves a desk until the end of the block."""
    with (
        open_desk(home, model) as engine,
        serving(engine, Settings(home=home, llm="none", **settings)) as desk,
    ):
        yield desk


@contextmanager
def serving(engine: Engine, settings: Settings) -> Iterator[Served]:
    """Serves an engine until the end of the block."""
    port = free_port()
    app = make_app(ApiGateway(lambda: engine, settings))
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started)
    try:
        yield Served(engine, f"http://127.0.0.1:{port}")
    finally:
        server.should_exit = True
        thread.join(10)


def client(desk: Served, scope: TokenScope = "write", user: str = "local") -> httpx.Client:
    """A program that acts for somebody."""
    headers = {"Authorization": f"Bearer {desk.token(scope, user)}"}
    return httpx.Client(base_url=desk.url, headers=headers, timeout=60)


def events(http: httpx.Client, path: str, **headers: str) -> list[dict[str, str]]:
    """What a stream sends, each event by its fields."""
    text = http.get(path, headers=headers).text
    blocks = [each.splitlines() for each in text.split("\n\n") if each and each[0] != ":"]
    return [dict(line.split(": ", 1) for line in block) for block in blocks]


def broken_by(desk: Served, each: int, *, known: bool) -> list[str]:
    """What goes wrong, 5xx or an answer beyond the schema, when each operation is sent so often."""
    import schemathesis
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    required = [
        not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_schema_conformance,
    ]
    schema = schemathesis.openapi.from_url(f"{desk.url}/api/openapi.json")
    headers = {"Authorization": f"Bearer {desk.token(user='mallory')}"} if known else {}
    broken: list[str] = []
    desk.sent = 0
    for found in schema.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=each,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            database=None,
        )
        @given(case=operation.as_strategy())
        def send(case: Any) -> None:
            desk.sent += 1
            answer = case.call(headers=headers, timeout=60)
            try:
                case.validate_response(answer, checks=required)
            except BaseExceptionGroup as problem:
                broken.extend(f"{case.method} {case.path}: {e}" for e in problem.exceptions)

        send()
    return broken
