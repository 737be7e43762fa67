"""Connections to the catalog's database: engines for its URL, and its errors in our terms."""

import re
import sqlite3
import sys
import time
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, TimeoutError

from services.domain.errors import (
    AskPerson,
    CorruptCatalog,
    DatabaseAway,
    InvalidInput,
    RabbitholeError,
    StoresBusy,
)
from services.domain.notices import Notice
from services.secrets import scrubbed

BUSY_TIMEOUT_MS = 10_000

IDLE_TIMEOUT_S = 60
"""Seconds after which PostgreSQL ends an idle transaction: its process may be stopped or cut off,
while others wait for its locks."""

DAMAGED = re.compile(r"no such (table|column)|already exists|could not decode", re.IGNORECASE)
UNUSABLE_CODES = frozenset(
    {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN}
)

POSTGRES_PACKAGES = "'rabbithole[server]'"
"""What to install for the catalog and the checkpoints in PostgreSQL."""


def make_engine(url: str, connections: int = 32) -> Engine:
    """Make an engine for an SQLAlchemy URL, and a folder for SQLite; raise InvalidInput."""
    try:
        parsed = make_url(url)
        dialect = parsed.get_dialect()
        if dialect.name not in ("sqlite", "postgresql") or dialect.is_async:
            raise ArgumentError(parsed.drivername)
        if dialect.name == "postgresql":
            timeout = {"options": f"-c idle_in_transaction_session_timeout={IDLE_TIMEOUT_S}s"}
            options = {} if "options" in parsed.query else timeout
            return create_engine(parsed, pool_pre_ping=True, connect_args=options)
    except ArgumentError as error:
        raise InvalidInput(
            "RABBITHOLE_DATABASE is not the address of a database that can store the catalog. "
            "Write it as postgresql+psycopg://USER:PASSWORD@HOST/NAME or sqlite:////PATH, or unset "
            "it."
        ) from error
    except ModuleNotFoundError as error:
        raise missing_package(error) from error
    if parsed.database:
        make_folder(Path(parsed.database).parent)
    pooled = min(connections, 8)
    engine = create_engine(parsed, pool_size=pooled, max_overflow=connections - pooled)
    event.listen(engine, "connect", set_up_sqlite)
    event.listen(engine, "begin", begin_sqlite)
    return engine


def set_up_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # the driver begins no transaction: begin_sqlite does
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    write_ahead(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # not every SQLite is built so
    connection.execute("PRAGMA case_sensitive_like = ON")  # as in PostgreSQL: A.eml is not a.eml


def write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to write-ahead logging; SQLite itself does not wait for others when it switches."""
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def begin_sqlite(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("immediate", False)
    # By the driver itself: through SQLAlchemy it takes as long as many a query.
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    driver.execute("BEGIN IMMEDIATE" if immediate else "BEGIN")


def in_postgresql(url: str) -> bool:
    """Return whether a catalog's URL names a PostgreSQL server."""
    return make_url(url).get_backend_name() == "postgresql"


def file_of(url: str) -> Path | None:
    """Return the file of an SQLite catalog, None for a server."""
    parsed = make_url(url)
    return Path(parsed.database) if not in_postgresql(url) and parsed.database else None


def libpq(url: str) -> str:
    """Return the URL of a catalog in PostgreSQL in the form that its own library reads."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def missing_package(error: ModuleNotFoundError) -> InvalidInput:
    """Return the error that says what to install for the database of the settings."""
    of_postgres = (error.name or "").startswith(("psycopg", "langgraph"))
    return InvalidInput(
        "The database of RABBITHOLE_DATABASE needs the package {package}, which is not "
        "installed. Install it with: pip install {package}, or unset the variable.",
        package=POSTGRES_PACKAGES if of_postgres else error.name,
    )


def make_folder(folder: Path, mode: int = 0o777) -> None:
    """Create a folder unless it exists; raise AskPerson if it cannot be created."""
    try:
        folder.mkdir(mode, parents=True, exist_ok=True)
    except OSError as error:
        raise AskPerson(
            "The folder {folder} cannot be created ({cause}). Set RABBITHOLE_HOME to a writable "
            "folder.",
            folder=folder,
            cause=error.strerror,
        ) from error


def translate(error: Exception, engine: Engine) -> RabbitholeError | Exception:
    """Return our error for a database error, or the same error if none of ours fits."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    if isinstance(error, TimeoutError) or not isinstance(cause, sqlite3.Error):
        message = scrubbed(str(cause), [engine.url.password or ""])
        if isinstance(error, DataError):
            return InvalidInput("The database rejected the value: {cause}.", cause=message)
        away = isinstance(error, TimeoutError) or is_away(cause)
        kind = DatabaseAway if away else StoresBusy
        return kind(
            Notice.of("The catalog database does not respond ({cause}). Try again.", cause=message)
        )
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoresBusy(
            "The catalog is locked by another process (waited {seconds} s). Try again.",
            seconds=BUSY_TIMEOUT_MS // 1000,
        )
    if code in UNUSABLE_CODES:
        return AskPerson(
            "The catalog {file} cannot be used ({cause}). Free some space, or set RABBITHOLE_HOME "
            "to a writable folder.",
            file=engine.url.database,
            cause=cause,
        )
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or DAMAGED.search(str(cause)):
        return damaged(engine, str(cause))
    return error


def is_away(error: BaseException) -> bool:
    """Return whether an error of PostgreSQL's driver means that the server is unreachable."""
    driver = sys.modules.get("psycopg")
    return driver is not None and isinstance(
        error, (driver.OperationalError, driver.InterfaceError)
    )


def damaged(engine: Engine, reason: str) -> CorruptCatalog:
    return CorruptCatalog(
        "The catalog {url} is damaged ({cause}). Move it out of the way and restore a backup "
        "(`rabbithole restore FILE`), or move the whole folder out of the way and ingest the "
        "documents again.",
        url=engine.url.render_as_string(),
        cause=reason,
    )
