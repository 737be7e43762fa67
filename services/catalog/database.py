"""The catalog's database: short units of work, and statements for SQLite and PostgreSQL.

SQLite takes one writer at a time. A writer says so at once (``BEGIN IMMEDIATE``), because a reader
that turns into a writer half-way fails without waiting. Writers of one process queue on a lock,
writers of several processes on SQLite's busy timeout.
"""

import json
import sqlite3
import threading
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, TypeVar, TypeVarTuple

from pydantic import BaseModel, ValidationError
from sqlalchemy import (
    ColumnElement,
    Connection,
    Executable,
    Row,
    Table,
    any_,
    func,
    literal,
    select,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, IntegrityError, TimeoutError
from sqlalchemy.orm import InstrumentedAttribute, Session
from sqlalchemy.pool import PoolProxiedConnection
from sqlalchemy.sql.selectable import TypedReturnsRows

from services.caches import SizedCache
from services.catalog.connection import damaged, make_engine, translate
from services.catalog.models import Base
from services.domain.errors import InvalidInput

BATCH = 500
"""Most rows of one bulk statement, and so of one transaction."""

MIGRATION_LOCK = 0x7261626269
"""Key of PostgreSQL's advisory lock for migrations; on SQLite the transaction is exclusive."""

OWNER_LOCK = MIGRATION_LOCK + 1
"""Key of the lock of the home that may work on the database."""

CHANGE_LOCK = MIGRATION_LOCK + 2
"""Key of the lock of the process of a shared home that changes its stores."""

CACHED_ARGUMENTS = 16
"""Scopes whose results by key are cached while the catalog does not change."""

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
Ts = TypeVarTuple("Ts")
V = TypeVar("V", bound=BaseModel)


class Database:
    """A database with one short session for each unit of work; safe to share among threads."""

    def __init__(self, url: str) -> None:
        self.engine = make_engine(url)
        self._is_sqlite = self.engine.dialect.name == "sqlite"
        single: dict[str, Any] = {} if self._is_sqlite else {"isolation_level": "AUTOCOMMIT"}
        self._for_single = self.engine.execution_options(**single)
        # SQLite tells a connection of all commits but its own, so all of ours are made by one.
        writer = make_engine(url, connections=1) if self._is_sqlite else self.engine
        self._for_writing = writer.execution_options(immediate=True)
        self._changes = 0
        self._single_writer = threading.Lock()
        self._writer_lock: AbstractContextManager[Any] = (
            self._single_writer if self._is_sqlite else nullcontext()
        )
        self._version_lock = threading.Lock()
        self._version_connection: PoolProxiedConnection | None = None
        self._locks: dict[int, Connection] = {}

    @contextmanager
    def read(self, *, once: bool = False) -> Iterator[Session]:
        """A session over one consistent snapshot, or with ``once`` for a single statement.

        PostgreSQL then needs no round trips to begin and end a transaction.
        """
        engine = self._for_single if once else self.engine
        with self._typed_errors(), Session(engine) as session:
            yield session

    @contextmanager
    def write(self, *, journal: bool = False) -> Iterator[Session]:
        """A session in one write transaction, committed at the end. Must not be nested.

        A ``journal`` write only records what runs do: no query that `cached` wraps depends on it.
        """
        engine = self._for_writing
        with self._typed_errors(), self._writer_lock, Session(engine) as session, session.begin():
            self._changes += not journal
            yield session

    def rows(self, query: TypedReturnsRows[*Ts]) -> Sequence[Row[*Ts]]:
        """Return the rows of a query."""
        with self.read(once=True) as session:
            return session.execute(query).all()

    def scalars(self, query: TypedReturnsRows[T]) -> list[T]:
        """Return the first column, or the objects, of a query."""
        with self.read(once=True) as session:
            return list(session.scalars(query))

    def scalar(self, query: TypedReturnsRows[T]) -> T | None:
        """Return the first of the `scalars`, None if there are none."""
        with self.read(once=True) as session:
            return session.scalars(query).first()

    def values(self, kind: type[V], query: TypedReturnsRows[*Ts]) -> list[V]:
        """Return values of a Pydantic class, from objects or from columns of its field names."""
        with self.read(once=True) as session:
            rows: Sequence[Any] = session.execute(query).all()
            records = (row[0] if len(row) == 1 else row for row in rows)
            return [kind.model_validate(record, from_attributes=True) for record in records]

    def execute(self, *statements: Executable) -> int:
        """Run statements in one transaction and return how many rows they changed."""
        with self.write() as session:
            connection = session.connection()
            return sum(connection.execute(statement).rowcount for statement in statements)

    def insert_missing(
        self, model: type[Base], rows: Iterable[Mapping[str, object]], *, journal: bool = False
    ) -> None:
        """Insert rows whose key is not there yet, in short transactions."""
        for batch in batches(rows):
            with self.write(journal=journal) as session:
                insert_missing(session, model, batch)

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A bare connection in one write transaction, for one migration at a time anywhere."""
        with self._typed_errors(), self._writer_lock, self._for_writing.begin() as connection:
            self._changes += 1
            if self.engine.dialect.name == "postgresql":
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
            yield connection

    def try_lock(self, key: int, *, shared: bool = False) -> bool:
        """Try to get one of PostgreSQL's advisory locks, without waiting; keep it until ``unlock``.

        The holder gets it again, unless the server has ended the session meanwhile. On SQLite the
        home itself has a lock, so this always returns True.
        """
        if self._is_sqlite:
            return True
        kind = "_shared" if shared else ""
        with self._typed_errors():
            if key not in self._locks:
                self._locks[key] = self._for_single.connect()
            with self._locks[key].begin():  # rolled back, so that the next has a new session
                query = text(f"SELECT pg_try_advisory_lock{kind}({key})")
                return bool(self._locks[key].scalar(query))

    def unlock(self, key: int) -> None:
        """Release a lock, if held."""
        if (connection := self._locks.pop(key, None)) is not None:
            connection.invalidate()  # ends the session, and with it the lock
            connection.close()

    def version(self) -> int | None:
        """Return a number that changes with every commit of any process; None on PostgreSQL."""
        if not self._is_sqlite:
            return None
        with self._typed_errors(), self._version_lock:
            if self._version_connection is None:
                self._version_connection = self.engine.raw_connection()
            # It changes with the commits of all other connections, and this one never writes.
            cursor = self._version_connection.cursor().execute("PRAGMA data_version")
            ((number,),) = cursor.fetchall()
            return int(number)

    def lookup_version(self) -> tuple[int, int] | None:
        """Return a value that changes whenever the result of a `cached` query may change.

        Never blocks. None where it is unknown: on PostgreSQL, and during a write.
        """
        if not self._is_sqlite or not self._single_writer.acquire(blocking=False):
            return None
        try:
            with self._typed_errors(), closing(self._for_writing.raw_connection()) as connection:
                ((number,),) = connection.cursor().execute("PRAGMA data_version").fetchall()
                return int(number), self._changes
        finally:
            self._single_writer.release()

    def clear_log(self) -> bool:
        """Remove deleted data from SQLite's log; return False while a reader prevents it."""
        if not self._is_sqlite:
            return True
        engine = self.engine
        with (
            self._typed_errors(),
            self._writer_lock,
            closing(engine.raw_connection()) as connection,
        ):
            cursor = connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            ((is_busy, *_),) = cursor.fetchall()
            return not is_busy

    def cached(self, size: int, query: Callable[[*Ts], T]) -> Callable[[*Ts], T]:
        """Wrap a query so that its last ``size`` results are reused until they may differ."""

        @lru_cache(maxsize=size)
        def at_version(_version: tuple[int, int], *args: *Ts) -> T:
            return query(*args)

        def cached_query(*args: *Ts) -> T:
            version = self.lookup_version()  # before the query: later commits make another version
            return query(*args) if version is None else at_version(version, *args)

        return cached_query

    def cached_each(
        self, size: int, query: Callable[[Collection[K], *Ts], Mapping[K, T]]
    ) -> Callable[[Collection[K], *Ts], dict[K, T]]:
        """Wrap a query of many keys so that the results of ``size`` keys are reused as `cached`.

        The query must return a result for every key.
        """

        @lru_cache(maxsize=CACHED_ARGUMENTS)
        def results_at(_version: tuple[int, int], *_args: *Ts) -> SizedCache[K, T]:
            return SizedCache(size, lambda _: 1)

        def cached_query(keys: Collection[K], *args: *Ts) -> dict[K, T]:
            version = self.lookup_version() if len(keys) <= size else None
            if version is None:
                return dict(query(keys, *args))
            cache: SizedCache[K, T] = results_at(version, *args)
            results = cache.get(keys)
            if missing := [key for key in keys if key not in results]:
                for key, result in query(missing, *args).items():
                    results[key] = result
                    cache.put(key, result)
            return results

        return cached_query

    def close(self) -> None:
        with self._version_lock:
            if self._version_connection is not None:
                self._version_connection.close()
                self._version_connection = None
        for key in list(self._locks):
            self.unlock(key)
        self._for_writing.dispose()
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
    """Access to the tables of one subject."""

    def __init__(self, database: Database) -> None:
        self._database = database


R = TypeVar("R", bound=Repository)


def cached(
    size: int = 256,
) -> Callable[[Callable[[R, *Ts], T]], cached_property[Callable[[*Ts], T]]]:
    """Reuse the last ``size`` results of a repository's query, as `Database.cached` does."""
    return lambda query: cached_property(
        lambda repository: repository._database.cached(size, lambda *args: query(repository, *args))
    )


def cached_each(
    size: int = 10_000,
) -> Callable[
    [Callable[[R, Collection[K], *Ts], Mapping[K, T]]],
    cached_property[Callable[[Collection[K], *Ts], dict[K, T]]],
]:
    """Reuse the results of a repository's query for ``size`` keys, as `Database.cached_each`."""
    return lambda query: cached_property(
        lambda repository: repository._database.cached_each(
            size, lambda *args: query(repository, *args)
        )
    )


def table_of(model: type[Base]) -> Table:
    """Return the table of a model, for statements that need no objects of it."""
    table = model.__table__
    assert isinstance(table, Table)
    return table


def batches(rows: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """Split rows into lists of at most ``size``."""
    remaining = iter(rows)
    while batch := list(islice(remaining, size)):
        yield batch


def one_of(
    session: Session, column: InstrumentedAttribute[T], values: Iterable[T]
) -> ColumnElement[bool]:
    """Return the condition that a column has one of the values, passed as one parameter.

    SQLAlchemy takes longer to write down a thousand parameters than the database to look them up.
    """
    if session.get_bind().dialect.name != "sqlite":
        return column == any_(literal(list(values), postgresql.ARRAY(column.type)))
    return column.in_(
        select(func.json_each(json.dumps(list(values))).table_valued("value").c.value)
    )


def insert_missing(
    session: Session, model: type[Base], rows: Sequence[Mapping[str, object]]
) -> None:
    """Insert the rows whose key is not there yet."""
    if rows:
        session.execute(upsert(session, model).on_conflict_do_nothing(), rows)


def upsert(session: Session, model: type[Base]) -> sqlite.Insert | postgresql.Insert:
    """Begin an insertion into the table: through the model, rows are sorted by empty columns."""
    dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    return dialect.insert(table_of(model))
