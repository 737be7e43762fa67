"""How a connection to an SQLite catalog is set up, and how its transactions begin."""

import sqlite3
import time

from sqlalchemy import Connection

BUSY_TIMEOUT_MS = 10_000


def set_up_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # the driver begins nothing by itself: begin_sqlite does
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    write_ahead(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # not every SQLite is built so
    connection.execute("PRAGMA case_sensitive_like = ON")  # as in PostgreSQL: A.eml is not a.eml


def write_ahead(connection: sqlite3.Connection) -> None:
    """Keep a log beside the file; SQLite does not wait for others by itself when it switches."""
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
    # By the driver itself: SQLAlchemy's own way takes as long as many a query.
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    driver.execute("BEGIN IMMEDIATE" if immediate else "BEGIN")
