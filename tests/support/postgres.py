"""A PostgreSQL server of the tests' own, in a temporary folder, with durability switched off."""

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL, make_url

SYSTEM_USER = "postgres"
"""Root may not run the server; Debian's package has this user."""
FAST = "-c listen_addresses='' -c fsync=off -c synchronous_commit=off -c full_page_writes=off"


@cache
def programs() -> Path | None:
    """Where ``initdb`` and ``pg_ctl`` are, of the newest version that is installed."""
    if found := shutil.which("initdb"):
        return Path(found).parent
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda each: int(each.parts[4]))
    return debian[-1] if debian else None


def runnable() -> bool:
    """Whether this user may run the server; root gives it to another one, who has to be there."""
    if os.getuid() != 0:
        return True
    users = {each.pw_name for each in pwd.getpwall()}
    return SYSTEM_USER in users and shutil.which("runuser") is not None


needs_postgres = pytest.mark.skipif(
    programs() is None or not runnable() or importlib.util.find_spec("psycopg") is None,
    reason="needs PostgreSQL (on Debian: apt-get install postgresql) and the extra `server`",
)


@contextmanager
def server() -> Iterator[URL]:
    """A server that ends with the block; it listens to a socket in its folder alone."""
    folder = Path(tempfile.mkdtemp(prefix="rabbithole-pg-"))
    if os.getuid() == 0:
        shutil.chown(folder, SYSTEM_USER)
    data = str(folder / "data")
    _run("initdb", "-D", data, "-A", "trust", "-U", "rabbithole", "-E", "UTF8", "--locale=C.UTF-8")
    options, log = f"-k {folder} {FAST}", str(folder / "log")
    _run("pg_ctl", "-D", data, "-o", options, "-l", log, "-w", "start")
    try:
        yield make_url(f"postgresql+psycopg://rabbithole@/postgres?host={folder}")
    finally:
        _run("pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


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


def _run(program: str, *arguments: str) -> None:
    folder = programs()
    assert folder is not None, "no PostgreSQL is installed"
    command: Sequence[str] = [str(folder / program), *arguments]
    if os.getuid() == 0:
        command = ["runuser", "-u", SYSTEM_USER, "--", *command]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")
