"""Which pages may open a WebSocket to the app."""

import asyncio
from typing import Any

import pytest

from app.with_doors import SameOrigin


@pytest.mark.parametrize(
    ("origin", "opens"),
    [
        ("http://127.0.0.1:8501", True),
        (None, True),  # no browser
        ("http://127.0.0.1:9000", False),
        ("http://localhost:8501", False),
        ("null", False),
        ("https://example.org", False),
    ],
)
def test_only_the_app_s_own_pages_open_its_websocket(origin: str | None, opens: bool) -> None:
    reached, sent = [], []

    async def app(*_: Any) -> None:
        reached.append(True)

    async def send(message: Any) -> None:
        sent.append(message["type"])

    headers = [(b"host", b"127.0.0.1:8501")]
    headers += [(b"origin", origin.encode())] if origin else []
    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": headers}
    asyncio.run(SameOrigin(app)(scope, None, send))  # type: ignore[arg-type]
    assert (bool(reached), sent) == ((True, []) if opens else (False, ["websocket.close"]))
