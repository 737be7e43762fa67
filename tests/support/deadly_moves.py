"""Moves of a home to PostgreSQL and back, each to be done by a process that may be killed."""

import asyncio
import atexit
import hashlib
import json
import re
from functools import cache
from typing import Any, Final

from pydantic import SecretStr
from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL

from agent.engine.checkpoints import open_checkpoints
from agent.engine.moving import _reader, move
from agent.models import RunOptions
from services.catalog import Catalog
from services.catalog.archiving import _seal
from services.catalog.connection import file_of
from services.catalog.database import Database
from services.catalog.migrate import TABLES, revision
from services.settings import Settings
from tests.support import postgres
from tests.support.deadly_works import LAWS, Place, Work, write_files
from tests.support.desk import QUESTION, until_ended, until_waiting

MOVED: Final = "moved"
KEPT: Final = "kept"
"""What a database is made like that is to be moved back."""


@cache
def server() -> URL:
    """A server for this process and what is forked from it."""
    running = postgres.server()
    url = running.__enter__()
    atexit.register(running.__exit__, None, None, None)
    return url


def address(database: str) -> str:
    return server().set(database=database).render_as_string(hide_password=False)


def made(name: str, like: str = "template0") -> None:
    engine = create_engine(server(), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {like}"))
    engine.dispose()


def as_kept() -> None:
    engine = create_engine(server())
    with engine.connect() as connection:
        known = connection.scalars(text("SELECT datname FROM pg_database")).all()
    engine.dispose()
    made(MOVED, KEPT if KEPT in known else "template0")


def with_threads(place: Place) -> None:
    """A home with a conversation, and a research that waits for its plan."""
    write_files(place)
    with place.engine() as engine:
        until_ended(engine, engine.answers.ask(QUESTION).thread_id)
        until_waiting(engine, engine.threads.start(QUESTION, options=RunOptions(clarify=False)))
        assert engine.library.collections()[0].name == LAWS


def settings_of(place: Place, database: str | None) -> Settings:
    url = None if database is None else SecretStr(address(database))
    return Settings(home=place.home, llm="none", database=url)


def moved_before(place: Place) -> None:
    with_threads(place)
    made(KEPT)
    move(settings_of(place, None), address(KEPT))


def there(place: Place) -> None:
    move(settings_of(place, None), address(MOVED))


def back(place: Place) -> None:
    move(settings_of(place, MOVED), settings_of(place, None).catalog_url)


def seen(place: Place, database: str | None) -> dict[str, Any]:
    """The rows and steps of the catalog that is moved to, and the files of the home by name."""
    settings = settings_of(place, database)
    names = sorted(re.sub(r"\d{8}-\d{6}", "", each.name) for each in place.home.iterdir())
    found: dict[str, Any] = {"files": [name for name in names if not name.startswith("owner.")]}
    file = file_of(settings.catalog_url)
    if file is not None and not file.exists():
        return found
    database_ = Database(settings.catalog_url)
    try:
        with database_.read() as session:
            if revision(session.connection()) is None:
                return found
            connection = session.connection()
            found |= {each.name: str(_seal(connection, each)) for each in TABLES.sorted_tables}
    finally:
        database_.close()
    return found | {"steps": asyncio.run(_steps(settings))}


async def _steps(settings: Settings) -> list[list[str]]:
    with Catalog.open(settings.catalog_url) as catalog:
        threads = catalog.runs.kinds()
    found = []
    async with open_checkpoints(settings) as saver:
        for thread, kind in threads:
            async for step in _reader(kind, saver).alist({"configurable": {"thread_id": thread}}):
                left = sorted(map(repr, step.pending_writes or ()))
                kept = [step.checkpoint, step.metadata, step.parent_config, left]
                told = json.dumps(kept, sort_keys=True, default=repr)
                found.append([thread, hashlib.sha256(told.encode()).hexdigest()[:16]])
    return found


MOVES: Final = {
    "move": Work(
        with_threads,
        there,
        by_hand=True,
        look=lambda place: seen(place, MOVED),
        reset=lambda: made(MOVED),
    ),
    "move back": Work(
        moved_before,
        back,
        by_hand=True,
        look=lambda place: seen(place, None),
        reset=as_kept,
    ),
}
