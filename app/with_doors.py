"""The app with the doors for programs beside it, on the same port."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.starlette import App

from app.api.doors import Doors
from app.api.server import Beside, make_app
from app.shared import engine_of_process
from services.settings import Settings

FRAMES = (
    (b"content-security-policy", b"frame-ancestors 'self'"),
    (b"x-frame-options", b"SAMEORIGIN"),
)


class Unframed:
    """Tells browsers that no other site may show the app in a frame and catch its clicks."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *FRAMES]
            await send(message)

        await self._app(scope, receive, told)


doors = make_app(Doors(engine_of_process, Settings(), app=True))


@asynccontextmanager
async def opened(_: App) -> AsyncIterator[None]:
    """The doors while the app is served."""
    async with doors.router.lifespan_context(doors):
        yield


app = App(
    Path(__file__).with_name("streamlit_app.py"),
    middleware=[Middleware(Unframed), Middleware(Beside, doors=doors)],
    lifespan=opened,
)
