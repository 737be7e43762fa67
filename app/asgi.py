"""The ASGI application of `rabbithole serve`: the app, and the API on the same port."""

import json
import os
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
from app.api.gateway import ApiGateway
from app.api.problems import BodyLimit
from app.api.server import PathDispatcher, make_app
from app.shared import engine_of_process
from services.domain import Principal
from services.login import Login, read_login
from services.settings import FOLDER, Settings

UPLOADS: Final = "/_stcore/upload_file/"
UPLOAD_BYTES: Final = 110_000_000
"""The size of an upload: the limit in ``streamlit.toml`` and the form around the file."""
FRAME_HEADERS: Final = (
    (b"content-security-policy", b"frame-ancestors 'self'"),
    (b"x-frame-options", b"SAMEORIGIN"),
)


class FrameOptionsMiddleware:
    """Forbids other sites to show the app in a frame, where they could catch clicks."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_framed(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *FRAME_HEADERS]
            await send(message)

        await self._app(scope, receive, send_framed)


class SameOrigin:
    """Opens WebSockets for the app's own pages only; Streamlit does for any local port."""

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
    """Where there is a login, accepts uploads only with one; Streamlit asks just for a session."""

    def __init__(self, app: ASGIApp, login: Login | None) -> None:
        self._app, self._login = app, login

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        uploads = scope["type"] == "http" and scope["path"].startswith(UPLOADS)
        if self._login is None or not uploads or self._person(HTTPConnection(scope).cookies):
            await self._app(scope, receive, send)
        else:
            await Response("Log in first.", 403)(scope, receive, send)

    def _person(self, cookies: Mapping[str, str]) -> Principal | None:
        """Return the person in the cookie that Streamlit signed."""
        assert self._login is not None
        secret = self._login.auth.cookie_secret

        def signed(name: str) -> bytes | None:
            return decode_signed_value(secret, name, cookies.get(name, ""))

        cookie = get_cookie_with_chunks(signed, USER_COOKIE_NAME)
        return self._login.people.admitted(json.loads(cookie), time.time()) if cookie else None


BASE_URL_SCRIPT: Final = b"""<head><script>window.__streamlit = {
  BACKEND_BASE_URL: location.origin, MAIN_PAGE_BASE_URL: location.origin
}</script>"""


class BaseUrlMiddleware:
    """Tells each page the URL of its server; it would first ask below its own path, for a 404."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "." in scope["path"]:
            await self._app(scope, receive, send)
            return
        messages: list[Message] = []

        async def send_page(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_page(message):
                messages.append(message)
            elif messages:
                messages.append(message)
                if not message.get("more_body"):
                    body = b"".join(chunk.get("body", b"") for chunk in messages[1:])
                    body = body.replace(b"<head>", BASE_URL_SCRIPT, 1)
                    MutableHeaders(scope=messages[0])["content-length"] = str(len(body))
                    await send(messages[0])
                    await send({"type": "http.response.body", "body": body})
            else:
                await send(message)

        headers = [header for header in scope["headers"] if header[0] != b"accept-encoding"]
        await self._app({**scope, "headers": headers}, receive, send_page)


def _is_page(start: Message) -> bool:
    media_type = MutableHeaders(scope=start).get("content-type", "")
    return start["status"] == 200 and media_type.startswith("text/html")


PRELOADED: Final = (
    "agent.engine.handlers",
    "agent.ask.threads",
    "agent.research.threads",
    "pandas",
)
"""Modules that the first page or question would wait for."""

for module in PRELOADED:
    import_module(module)
os.chdir(os.environ.get(FOLDER, "."))  # Streamlit has read its options by now
settings = Settings()
api = make_app(ApiGateway(engine_of_process, settings, app=True))


@asynccontextmanager
async def lifespan(_: App) -> AsyncIterator[None]:
    """Serve the API as long as the app."""
    async with api.router.lifespan_context(api):
        memory.release()
        yield


app = App(
    Path(__file__).with_name("streamlit_app.py"),
    middleware=[
        Middleware(FrameOptionsMiddleware),
        Middleware(SameOrigin),
        Middleware(PathDispatcher, api=api),
        Middleware(LoggedIn, login=read_login(settings.login) if settings.login else None),
        Middleware(BodyLimit, upload_bytes=UPLOAD_BYTES),
        Middleware(BaseUrlMiddleware),
    ],
    lifespan=lifespan,
)
