"""The app with the doors for programs beside it, on the same port."""

import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.auth_util import get_cookie_with_chunks
from streamlit.starlette import App
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from app import memory
from app.api.doors import Doors
from app.api.limits import BodyLimit
from app.api.server import PathDispatcher, make_app
from app.shared import engine_of_process
from services.domain import Principal
from services.login import Login, read_login
from services.settings import Settings

UPLOADS: Final = "/_stcore/upload_file/"
UPLOAD_BYTES: Final = 110_000_000
"""What ``streamlit.toml`` lets a file have, and what frames it."""
FRAMES = (
    (b"content-security-policy", b"frame-ancestors 'self'"),
    (b"x-frame-options", b"SAMEORIGIN"),
)


class FrameOptionsMiddleware:
    """Tells browsers that no other site may show the app in a frame and catch its clicks."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_framed(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *FRAMES]
            await send(message)

        await self._app(scope, receive, send_framed)


class SameOrigin:
    """Opens a WebSocket to pages of the app alone; Streamlit would to those of any local port."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope) if scope["type"] == "websocket" else {}
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != headers.get("host"):
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self._app(scope, receive, send)


class LoggedIn:
    """Takes files only from who is logged in, where people log in; Streamlit would from anybody.

    Whoever looks at the page of the login has a session, which is all that it asks for.
    """

    def __init__(self, app: ASGIApp, login: Login | None) -> None:
        self._app, self._login = app, login

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sends = scope["type"] == "http" and scope["path"].startswith(UPLOADS)
        if self._login is None or not sends or self._person(HTTPConnection(scope).cookies):
            await self._app(scope, receive, send)
        else:
            await Response("Log in first.", 403)(scope, receive, send)

    def _person(self, cookies: Mapping[str, str]) -> Principal | None:
        """Whom the cookie names that Streamlit has signed."""
        assert self._login is not None
        secret = self._login.auth.cookie_secret

        def signed(name: str) -> bytes | None:
            return decode_signed_value(secret, name, cookies.get(name, ""))

        kept = get_cookie_with_chunks(signed, USER_COOKIE_NAME)
        return self._login.people.admitted(json.loads(kept), time.time()) if kept else None


HERE = b"""<head><script>window.__streamlit = {
  BACKEND_BASE_URL: location.origin, MAIN_PAGE_BASE_URL: location.origin
}</script>"""


class BaseUrlMiddleware:
    """Tells each page where its server is: it would ask below its own address first, for a 404."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "." in scope["path"]:
            await self._app(scope, receive, send)
            return
        held: list[Message] = []

        async def send_page(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_page(message):
                held.append(message)
            elif held:
                held.append(message)
                if not message.get("more_body"):
                    body = b"".join(part.get("body", b"") for part in held[1:])
                    body = body.replace(b"<head>", HERE, 1)
                    MutableHeaders(scope=held[0])["content-length"] = str(len(body))
                    await send(held[0])
                    await send({"type": "http.response.body", "body": body})
            else:
                await send(message)

        plain = [each for each in scope["headers"] if each[0] != b"accept-encoding"]
        await self._app({**scope, "headers": plain}, receive, send_page)


def _is_page(start: Message) -> bool:
    kind = MutableHeaders(scope=start).get("content-type", "")
    return start["status"] == 200 and kind.startswith("text/html")


AHEAD: Final = ("agent.engine.handlers", "pandas")
"""What a first page would wait for: what the owner of the stores is made of, and tables."""

for slow in AHEAD:
    import_module(slow)
settings = Settings()
doors = make_app(Doors(engine_of_process, settings, app=True))


@asynccontextmanager
async def opened(_: App) -> AsyncIterator[None]:
    """The doors while the app is served."""
    async with doors.router.lifespan_context(doors):
        memory.release()
        yield


app = App(
    Path(__file__).with_name("streamlit_app.py"),
    middleware=[
        Middleware(FrameOptionsMiddleware),
        Middleware(SameOrigin),
        Middleware(PathDispatcher, doors=doors),
        Middleware(LoggedIn, login=read_login(settings.login) if settings.login else None),
        Middleware(BodyLimit, upload_bytes=UPLOAD_BYTES),
        Middleware(BaseUrlMiddleware),
    ],
    lifespan=opened,
)
