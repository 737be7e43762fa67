"""Engine, units of work and the translation of database errors into ours.

SQLite takes one writer at a time. A writer says so at once (``BEGIN IMMEDIATE``), since a
reader that turns into a writer half-way fails without waiting; writers of one process queue
on a lock, writers of others on SQLite's busy timeout.
"""

import json
import re
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple

from pydantic import BaseModel, ValidationError
from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Executable,
    Row,
    Table,
    any_,
    create_engine,
    event,
    func,
    literal,
    select,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, TimeoutError
from sqlalchemy.orm import InstrumentedAttribute, Session
from sqlalchemy.pool import PoolProxiedConnection
from sqlalchemy.sql.selectable import TypedReturnsRows

from services.catalog.models import Base
from services.catalog.sqlite import BUSY_TIMEOUT_MS, begin_sqlite, set_up_sqlite
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

BATCH = 500
"""Most rows of one bulk statement, and so of one transaction."""

MIGRATION_LOCK = 0x7261626269
"""Key of PostgreSQL's advisory lock; on SQLite the transaction itself is exclusive."""

OWNER_LOCK = MIGRATION_LOCK + 1
"""The same, of the one home that may work on the database."""

CHANGE_LOCK = MIGRATION_LOCK + 2
"""The same, of the one process of a shared home that changes its stores."""

ASLEEP_S = 60
"""Seconds after which PostgreSQL ends a transaction in which nothing happens: its process may be
stopped or cut off, and what it has locked is waited for by the others.
"""

DAMAGED = re.compile(r"no such (table|column)|already exists|could not decode", re.IGNORECASE)
UNUSABLE_CODES = frozenset(
    {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN}
)

POSTGRES_PACKAGES = "'rabbithole[server]'"
"""What is installed for the catalog and the checkpoints in PostgreSQL."""

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
V = TypeVar("V", bound=BaseModel)


class Database:
    """A database with one short session for each unit of work; safe to share among threads."""

    def __init__(self, url: str) -> None:
        self.engine = make_engine(url)
        self._writing = self.engine.execution_options(immediate=True)
        self._is_sqlite = self.engine.dialect.name == "sqlite"
        alone: dict[str, Any] = {} if self._is_sqlite else {"isolation_level": "AUTOCOMMIT"}
        self._asking = self.engine.execution_options(**alone)
        self._turn: AbstractContextManager[Any] = (
            threading.Lock() if self._is_sqlite else nullcontext()
        )
        self._watching = threading.Lock()
        self._watch: PoolProxiedConnection | None = None
        self._seizing: dict[int, Connection] = {}

    @contextmanager
    def read(self, *, once: bool = False) -> Iterator[Session]:
        """A session over one consistent snapshot; what it changes is thrown away.

        ``once`` is for a single statement: on PostgreSQL it needs no transaction, and no ways to
        the server to begin and to end it.
        """
        with self._typed_errors(), Session(self._asking if once else self.engine) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A session in one write transaction, committed at the end. Must not be nested."""
        with self._typed_errors(), self._turn, Session(self._writing) as session, session.begin():
            yield session

    def rows(self, query: TypedReturnsRows[*Ts]) -> Sequence[Row[*Ts]]:
        """What a query finds."""
        with self.read(once=True) as session:
            return session.execute(query).all()

    def scalars(self, query: TypedReturnsRows[T]) -> list[T]:
        """The only column, or the objects, that a query finds."""
        with self.read(once=True) as session:
            return list(session.scalars(query))

    def scalar(self, query: TypedReturnsRows[T]) -> T | None:
        """The first of them."""
        with self.read(once=True) as session:
            return session.scalars(query).first()

    def values(self, kind: type[V], query: TypedReturnsRows[*Ts]) -> list[V]:
        """The fields of a value from what a query finds: objects, or columns of these names."""
        with self.read(once=True) as session:
            rows: Sequence[Any] = session.execute(query).all()
            found = (row[0] if len(row) == 1 else row for row in rows)
            return [kind.model_validate(each, from_attributes=True) for each in found]

    def execute(self, *statements: Executable) -> int:
        """Change rows, all in one transaction; how many."""
        with self.write() as session:
            connection = session.connection()
            return sum(connection.execute(statement).rowcount for statement in statements)

    def insert_missing(self, model: type[Base], rows: Iterable[Mapping[str, object]]) -> None:
        """Insert rows whose key is not there yet, in short transactions."""
        for batch in batches(rows):
            with self.write() as session:
                insert_missing(session, model, batch)

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A bare connection in one write transaction, for migrations: one at a time anywhere."""
        with self._typed_errors(), self._turn, self._writing.begin() as connection:
            if self.engine.dialect.name == "postgresql":
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
            yield connection

    def seize(self, key: int, *, shared: bool = False) -> bool:
        """Get one of PostgreSQL's advisory locks, without waiting, until ``let_go`` or the end.

        Whoever has it gets it again, unless the server has ended the session meanwhile.
        ``shared``, with all who want it so. On SQLite it is always got: the home has a lock.
        """
        if self._is_sqlite:
            return True
        kind = "_shared" if shared else ""
        with self._typed_errors():
            if key not in self._seizing:
                self._seizing[key] = self._asking.connect()
            with self._seizing[key].begin():  # rolled back, so that the next has a new session
                ask = text(f"SELECT pg_try_advisory_lock{kind}({key})")
                return bool(self._seizing[key].scalar(ask))

    def let_go(self, key: int) -> None:
        """Let others get the lock; without effect when it is not held."""
        if (seizing := self._seizing.pop(key, None)) is not None:
            seizing.invalidate()  # ends the session, and with it the lock
            seizing.close()

    def version(self) -> int | None:
        """A number that is another after every commit, whoever made it; cheap to ask for.

        None on PostgreSQL, which has no such number.
        """
        if not self._is_sqlite:
            return None
        with self._typed_errors(), self._watching:
            if self._watch is None:
                self._watch = self.engine.raw_connection()
            # It changes with the commits of all other connections, and this one never writes.
            ((number,),) = self._watch.cursor().execute("PRAGMA data_version").fetchall()
            return int(number)

    def clear_log(self) -> bool:
        """Take what was deleted out of the log beside an SQLite file too.

        False where a reader has kept it from that, for as long as any statement waits.
        """
        if not self._is_sqlite:
            return True
        with self._typed_errors(), self._turn, closing(self.engine.raw_connection()) as connection:
            cursor = connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            ((is_busy, *_),) = cursor.fetchall()
            return not is_busy

    def kept(self, most: int, look: Callable[[*Ts], T]) -> Callable[[*Ts], T]:
        """A look into the database that remembers its latest results while nothing is written."""

        @lru_cache(maxsize=most)
        def remembered(_version: int, *args: *Ts) -> T:
            return look(*args)

        def looked(*args: *Ts) -> T:
            version = self.version()  # before the look: what comes after it counts as new
            return look(*args) if version is None else remembered(version, *args)

        return looked

    def close(self) -> None:
        with self._watching:
            if self._watch is not None:
                self._watch.close()
                self._watch = None
        for key in list(self._seizing):
            self.let_go(key)
        self.engine.dispose()

    @contextmanager
    def _typed_errors(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError:
            raise
        except (DBAPIError, sqlite3.Error, TimeoutError) as error:
            raise translate(error, self.engine) from error
        except (json.JSONDecodeError, ValidationError) as error:
            raise damaged(self.engine, "a row is malformed") from error
        except UnicodeEncodeError as error:  # lone surrogates: bytes of a shell that are no UTF-8
            raise InvalidInput("The text is not valid UTF-8. Enter it again.") from error


class Repository:
    """Some tables of a database, by subject."""

    def __init__(self, database: Database) -> None:
        self._database = database


def make_engine(url: str) -> Engine:
    """Engine for an SQLAlchemy URL; the folder of an SQLite file is created.

    Raises:
        InvalidInput: it is no such URL, or its database or driver is not to be had here.
    """
    try:
        parsed = make_url(url)
        dialect = parsed.get_dialect()
        if dialect.name not in ("sqlite", "postgresql") or dialect.is_async:
            raise ArgumentError(parsed.drivername)
        if dialect.name == "postgresql":
            asleep = {"options": f"-c idle_in_transaction_session_timeout={ASLEEP_S}s"}
            given = "options" in parsed.query
            return create_engine(parsed, pool_pre_ping=True, connect_args={} if given else asleep)
    except ArgumentError as error:
        raise InvalidInput(
            "RABBITHOLE_DATABASE names no database that can hold the catalog. Write it as "
            "postgresql+psycopg://USER:PASSWORD@HOST/NAME or sqlite:////PATH, or unset it."
        ) from error
    except ModuleNotFoundError as error:
        raise without_package(error) from error
    if parsed.database:
        make_folder(Path(parsed.database).parent)
    engine = create_engine(parsed, pool_size=8, max_overflow=24)
    event.listen(engine, "connect", set_up_sqlite)
    event.listen(engine, "begin", begin_sqlite)
    return engine


def in_postgresql(url: str) -> bool:
    """Whether a catalog's URL names a server and no file."""
    return make_url(url).get_backend_name() == "postgresql"


def file_of(url: str) -> Path | None:
    """The file of an SQLite catalog."""
    parsed = make_url(url)
    return Path(parsed.database) if not in_postgresql(url) and parsed.database else None


def libpq(url: str) -> str:
    """The URL of a catalog in PostgreSQL as PostgreSQL's own library reads it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def without_package(error: ModuleNotFoundError) -> InvalidInput:
    """What to install for the database that the settings name."""
    of_postgres = (error.name or "").startswith(("psycopg", "langgraph"))
    return InvalidInput(
        "The database of RABBITHOLE_DATABASE needs the package {package}, which is not "
        "installed. Install it with: pip install {package}, or unset the variable.",
        package=POSTGRES_PACKAGES if of_postgres else error.name,
    )


def make_folder(folder: Path, mode: int = 0o777) -> None:
    try:
        folder.mkdir(mode, parents=True, exist_ok=True)
    except OSError as error:
        raise AskPerson(
            "The folder {folder} cannot be created ({cause}). Set RABBITHOLE_HOME to a "
            "folder that can be written.",
            folder=folder,
            cause=error.strerror,
        ) from error


def translate(error: Exception, engine: Engine) -> RabbitholeError | Exception:
    """Our error for one of the database; the same error where nothing better is known."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    if isinstance(error, TimeoutError) or not isinstance(cause, sqlite3.Error):
        said = scrubbed(str(cause), [engine.url.password or ""])
        if isinstance(error, DataError):
            return InvalidInput("The database takes no such value: {cause}.", cause=said)
        lost = isinstance(error, TimeoutError) or is_away(cause)
        kind = DatabaseAway if lost else StoresBusy
        return kind(
            Notice.of("The catalog database does not answer ({cause}). Try again.", cause=said)
        )
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoresBusy(
            "The catalog is locked by another process (waited {seconds} s). Try again.",
            seconds=BUSY_TIMEOUT_MS // 1000,
        )
    if code in UNUSABLE_CODES:
        return AskPerson(
            "The catalog {file} cannot be used ({cause}). Free some space, or set "
            "RABBITHOLE_HOME to a folder that can be written.",
            file=engine.url.database,
            cause=cause,
        )
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or DAMAGED.search(str(cause)):
        return damaged(engine, str(cause))
    return error


def is_away(error: BaseException) -> bool:
    """Whether an error of PostgreSQL's driver says that the server cannot be reached."""
    driver = sys.modules.get("psycopg")
    return driver is not None and isinstance(
        error, (driver.OperationalError, driver.InterfaceError)
    )


def damaged(engine: Engine, reason: str) -> CorruptCatalog:
    """The error of a catalog that is damaged."""
    return CorruptCatalog(
        "The catalog {url} is damaged ({cause}). Move it away and restore a backup (`rabbithole "
        "restore FILE`), or move the whole folder away and ingest the documents again.",
        url=engine.url.render_as_string(),
        cause=reason,
    )


def table_of(model: type[Base]) -> Table:
    """The table of a model, for statements that need no objects of it."""
    table = model.__table__
    assert isinstance(table, Table)
    return table


def batches(rows: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """The rows in lists of at most ``size``."""
    remaining = iter(rows)
    while batch := list(islice(remaining, size)):
        yield batch


def one_of(
    session: Session, column: InstrumentedAttribute[T], values: Iterable[T]
) -> ColumnElement[bool]:
    """Rows with one of the values, however many they are.

    They are one parameter: a thousand of their own take SQLAlchemy longer to write down than
    the database to look up.
    """
    if session.get_bind().dialect.name != "sqlite":
        return column == any_(literal(list(values), postgresql.ARRAY(column.type)))
    return column.in_(
        select(func.json_each(json.dumps(list(values))).table_valued("value").c.value)
    )


def insert_missing(
    session: Session, model: type[Base], rows: Sequence[Mapping[str, object]]
) -> None:
    """Insert the rows whose key is not there yet; both databases have a clause for it."""
    if rows:
        session.execute(upsert(session, model).on_conflict_do_nothing(), rows)


def upsert(session: Session, model: type[Base]) -> sqlite.Insert | postgresql.Insert:
    """Begin an insertion that can say what becomes of a row whose key is there.

    Into the table: through the model, rows are sorted by which columns are empty.
    """
    dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    return dialect.insert(table_of(model))
