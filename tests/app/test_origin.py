"""Which pages may open a WebSocket to the app, or show it in a frame."""

import asyncio
from typing import Any

import pytest

from app.asgi import FrameOptionsMiddleware, SameOrigin


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


def test_no_other_site_may_show_the_app_in_a_frame() -> None:
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]})

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(FrameOptionsMiddleware(app)({"type": "http"}, None, send))  # type: ignore[arg-type]
    headers = dict(sent[0]["headers"])
    assert headers[b"a"] == b"b" and headers[b"x-frame-options"] == b"SAMEORIGIN"
    assert headers[b"content-security-policy"] == b"frame-ancestors 'self'"
