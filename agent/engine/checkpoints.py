"""Checkpoints of threads, in a file of their own or in the catalog's PostgreSQL.

Types of earlier versions are read under their former names.
"""

import asyncio
import importlib
import logging
import shutil
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    closing,
    contextmanager,
    suppress,
)
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, LiteralString

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from services.catalog.connection import (
    UNUSABLE_CODES,
    in_postgresql,
    is_away,
    libpq,
    missing_package,
)
from services.catalog.database import MIGRATION_LOCK
from services.domain.errors import AskPerson, Broken, DatabaseAway, RabbitholeError
from services.home import dated_path, set_aside
from services.settings import Settings

if TYPE_CHECKING:
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    from psycopg import AsyncConnection
    from psycopg.rows import DictRow

    Saver = AsyncSqliteSaver | AsyncPostgresSaver

SETUP_S: Final = 0.1
TABLES: Final = ("checkpoints", "writes")
logger = logging.getLogger(__name__)

DAMAGED_CODES: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

MOVED: Final = {
    "services.types.answers": "services.domain.answers",
    "services.types.references": "services.domain.passages",
    "services.types.search": "services.domain.search",
    "services.answer_events": "services.domain.answer_events",
    "services.events": "services.domain.events",
    "services.knowledge_graph.values": "services.graph.values",
    "services.query.values": "services.language.query.values",
    "services.query.entities": "services.language.query.entities",
    "services.quantities.parse": "services.language.quantities.parse",
}
"""Modules with types in checkpoints: their paths in 0.1, and now."""

RENAMED: Final = {
    ("agent.models", "ContextEntry"): ("services.domain.passages", "Evidence"),
    ("agent.models", "FinalReport"): ("agent.models", "Report"),
    ("agent.ask.models", "Found"): ("agent.ask.models", "RetrievalSummary"),
}
"""Types in checkpoints: module and name until 0.2, and now."""


class Serializer(JsonPlusSerializer):
    """LangGraph's serializer, which restores declared types, also under their former paths."""

    def with_msgpack_allowlist(
        self, extra_allowlist: Iterable[tuple[str, ...] | type]
    ) -> JsonPlusSerializer:
        names = set(map(_name, extra_allowlist))
        moved = {(old, *name[1:]) for old, new in MOVED.items() for name in names if name[0] == new}
        renamed = {old for old, new in RENAMED.items() if new in names}
        return super().with_msgpack_allowlist([*names, *moved, *renamed])


def _name(declared: tuple[str, ...] | type) -> tuple[str, ...]:
    if isinstance(declared, tuple):
        return declared
    return declared.__module__, declared.__name__


_BEFORE_STEP: ContextVar[Callable[[], None]] = ContextVar("before_step", default=lambda: None)


@contextmanager
def before_steps(work: Callable[[], None]) -> Iterator[None]:
    """Call ``work`` in a thread before each checkpoint in the block; it prevents one by raising."""
    before = _BEFORE_STEP.set(work)
    try:
        yield
    finally:
        _BEFORE_STEP.reset(before)


class _AfterWork(BaseCheckpointSaver[Any]):
    """A mix-in for savers: writes after the work of `before_steps`."""

    async def aput(self, *arguments: Any) -> RunnableConfig:
        await asyncio.to_thread(_BEFORE_STEP.get())
        return await super().aput(*arguments)

    async def aput_writes(self, *arguments: Any) -> None:
        await asyncio.to_thread(_BEFORE_STEP.get())
        await super().aput_writes(*arguments)


class _SqliteSaver(_AfterWork, AsyncSqliteSaver):
    pass


@asynccontextmanager
async def open_checkpoints(settings: Settings) -> AsyncIterator["Saver"]:
    """Open the checkpoints of a home, made when missing; a file that is damaged is set aside.

    Raises InvalidInput if they are in PostgreSQL and its packages are not installed.
    """
    for old, new in MOVED.items():
        sys.modules.setdefault(old, importlib.import_module(new))
    for (module, name), (now, new) in RENAMED.items():
        setattr(importlib.import_module(module), name, getattr(importlib.import_module(now), new))
    async with _opened(settings) as saver:
        saver.serde = Serializer()
        if isinstance(saver, AsyncSqliteSaver):
            await saver.conn.execute("PRAGMA secure_delete = ON")
            await saver.conn.execute("PRAGMA synchronous = NORMAL")  # as the catalog
        yield saver


async def forget(saver: "Saver", thread_id: str) -> None:
    """Delete the checkpoints of a thread, also from the log beside the file."""
    await saver.setup()  # this home may never have had a checkpoint
    await saver.adelete_thread(thread_id)
    if isinstance(saver, AsyncSqliteSaver):
        await saver.conn.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")


def _opened(settings: Settings) -> "AbstractAsyncContextManager[Saver]":
    if in_postgresql(settings.catalog_url):
        return _of_database(settings.catalog_url)
    path = settings.checkpoints_path
    path.parent.mkdir(parents=True, exist_ok=True)
    set_aside_damaged(path)
    return _SqliteSaver.from_conn_string(str(path))


@asynccontextmanager
async def _of_database(url: str) -> AsyncIterator["AsyncPostgresSaver"]:
    try:
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
        from psycopg import AsyncConnection
        from psycopg.rows import DictRow, dict_row
        from psycopg_pool import AsyncConnectionPool
    except ModuleNotFoundError as error:
        raise missing_package(error) from error

    class PostgresSaver(_AfterWork, AsyncPostgresSaver):
        pass

    options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    async with AsyncConnectionPool(
        libpq(url),
        connection_class=AsyncConnection[DictRow],
        kwargs=options,
        min_size=1,
        max_size=8,
        check=AsyncConnectionPool.check_connection,  # after a restart of the server none is good
    ) as pool:
        saver = PostgresSaver(pool)
        async with pool.connection() as alone:
            got: LiteralString = f"SELECT pg_try_advisory_lock({MIGRATION_LOCK}) AS got"
            # Never waited for within a statement: an index is made once none is under way.
            while not await _got(alone, got):  # noqa: ASYNC110
                await asyncio.sleep(SETUP_S)
            await saver.setup()
            await alone.execute(f"SELECT pg_advisory_unlock({MIGRATION_LOCK})")
        yield saver


async def _got(connection: "AsyncConnection[DictRow]", lock: LiteralString) -> bool:
    row = await (await connection.execute(lock)).fetchone()
    return row is not None and bool(row["got"])


def set_aside_damaged(path: Path) -> None:
    """Move a file of checkpoints away that cannot be opened; other damage is found by thread."""
    try:
        with closing(sqlite3.connect(path)) as file:
            file.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF not in DAMAGED_CODES:
            raise
        damaged_file = set_aside(path, "damaged")
        logger.warning(
            "The checkpoints of the threads were damaged (%s) and have been moved to %s. Reports "
            "are kept; unfinished threads start over, unless you restore a backup.",
            error,
            damaged_file,
        )


def unusable(settings: Settings, error: Exception) -> RabbitholeError | None:
    """Translate an error of the store of checkpoints; None for another error."""
    if is_away(error):
        return DatabaseAway(
            "The database that stores the checkpoints of the threads does not respond "
            "({cause}). Continue when it does; nothing saved is lost.",
            cause=error,
        )
    path, code = settings.checkpoints_path, getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in UNUSABLE_CODES:
        return AskPerson(
            "The checkpoints of the threads cannot be saved in {file} ({cause}). Free some "
            "space, or make the folder writable; nothing saved is lost.",
            file=path,
            cause=error,
        )
    return damaged(path, error) if code in DAMAGED_CODES else None


def damaged(path: Path, cause: object) -> Broken:
    """Return the error of a file of checkpoints that is damaged further in."""
    return Broken(
        "The checkpoints of the threads in {file} are damaged ({cause}). `rabbithole doctor "
        "--repair` sets the file aside and saves what can be read; reports are kept.",
        file=path,
        cause=cause,
    )


def damage(path: Path) -> str | None:
    """Return the first damage that SQLite finds in a file; None if it is intact or missing."""
    if not path.exists():
        return None
    try:
        with closing(sqlite3.connect(path)) as file:
            (result,) = file.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if result == "ok" else str(result)


def salvage(path: Path, threads: Iterable[str]) -> tuple[Path, list[str]]:
    """Copy a damaged file aside and overwrite it with the threads that can be read completely.

    Processes may have the file open, but must not use it meanwhile. Return the path of the damaged
    file, and the threads that cannot be read completely.
    """
    damaged_file = dated_path(path, "damaged")
    for end in ("", "-wal"):
        with suppress(FileNotFoundError):
            copy = damaged_file.with_name(damaged_file.name + end)
            shutil.copy(path.with_name(path.name + end), copy)
    with (
        closing(sqlite3.connect(damaged_file)) as source,
        closing(sqlite3.connect(":memory:")) as salvaged,
        closing(sqlite3.connect(path)) as target,
    ):
        lost = _copy_threads(source, salvaged, threads)
        salvaged.backup(target)
    return damaged_file, lost


def _copy_threads(
    source: sqlite3.Connection, target: sqlite3.Connection, threads: Iterable[str]
) -> list[str]:
    """Copy the threads that can be read completely; return the others."""
    lost = []
    for (create,) in source.execute("SELECT sql FROM sqlite_master WHERE name IN (?, ?)", TABLES):
        target.execute(create)
    for thread in threads:
        try:
            tables = {table: _rows(source, table, thread) for table in TABLES}
        except sqlite3.DatabaseError:
            lost.append(thread)
            continue
        for table, rows in tables.items():
            marks = ", ".join("?" * len(rows[0])) if rows else ""
            target.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    target.commit()
    return lost


def _rows(source: sqlite3.Connection, table: str, thread: str) -> list[tuple[object, ...]]:
    """Return the rows of a thread, without the index if that is damaged."""
    for source_table in (table, f"{table} NOT INDEXED"):
        with suppress(sqlite3.DatabaseError):
            return source.execute(
                f"SELECT * FROM {source_table} WHERE thread_id = ?", [thread]
            ).fetchall()
    raise sqlite3.DatabaseError(table)
