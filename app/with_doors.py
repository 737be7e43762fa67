"""The app with the doors for programs beside it, on the same port."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.middleware import Middleware
from streamlit.starlette import App

from app.api.doors import Doors
from app.api.server import Beside, make_app
from app.shared import engine_of_process
from services.settings import Settings

doors = make_app(Doors(engine_of_process, Settings(), app=True))


@asynccontextmanager
async def opened(_: App) -> AsyncIterator[None]:
    """The doors while the app is served."""
    async with doors.router.lifespan_context(doors):
        yield


app = App(
    Path(__file__).with_name("streamlit_app.py"),
    middleware=[Middleware(Beside, doors=doors)],
    lifespan=opened,
)
