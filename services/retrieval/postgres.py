"""Tables of an index in PostgreSQL, some for each collection; pgvector's types are in them."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Final

from sqlalchemy import Row, make_url, text
from sqlalchemy.exc import DBAPIError, ProgrammingError
from sqlalchemy.orm import Session

from services.catalog.database import Database
from services.domain.errors import AskPerson
from services.lazy import Lazy

SCHEMA: Final = "rabbithole_index"
"""Apart from the catalog: what is in it can be made anew."""
LISTED: Final = "string_to_array(CAST(:{} AS text), ';')"
"""Texts of numbers that come as one (``listed``): the driver takes longer to write an array of
long ones than they take to make."""
NO_TABLE: Final = "42P01"
NO_EXTENSION: Final = frozenset({"0A000", "42501", "58P01", "42704"})
PREPARE: Final = (
    f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}",
    "CREATE EXTENSION IF NOT EXISTS vector",
    f"CREATE SEQUENCE IF NOT EXISTS {SCHEMA}.dimensions AS integer",
    "SELECT CAST('{}/1' AS sparsevec)",  # since pgvector 0.7
)


Do = Callable[..., Any]
"""Executes a statement, which names the table of a collection ``{table}``, with its values."""


class CollectionTables:
    """What indexes in PostgreSQL have in common. Any number of processes may use one.

    Writes of one collection wait for each other, wherever they come from.
    """

    KIND: ClassVar[str]
    OPTION: ClassVar[str]
    """A setting of PostgreSQL for all that these tables are asked."""

    def __init__(self, url: str) -> None:
        parsed = make_url(url)
        options = f"{parsed.query.get('options', '')} -c {self.OPTION}".strip()
        asking = parsed.update_query_dict({"options": options})
        self._database = Database(asking.render_as_string(hide_password=False))
        self._prepared = Lazy(self._prepare)

    def delete(self, collection_id: str, ids: Sequence[str]) -> None:
        with self._writing(collection_id) as do:
            if _is_there(do):
                self._forget(do, ids)

    def count(self, collection_id: str) -> int:
        found = self._rows(collection_id, "SELECT count(*) FROM {table}")
        return int(found[0][0]) if found else 0

    def ids(self, collection_id: str) -> list[str]:
        return [row.id for row in self._rows(collection_id, "SELECT id FROM {table} ORDER BY id")]

    def drop(self, collection_id: str) -> None:
        with self._writing(collection_id) as do:
            do("DROP TABLE IF EXISTS {table}, {table}_terms")

    def require_whole(self, collection_id: str) -> None:
        """Nothing: what the server's files lack, its own tools tell and restore."""

    def close(self) -> None:
        self._database.close()

    def _forget(self, do: Do, ids: Sequence[str]) -> None:
        do("DELETE FROM {table} WHERE id = ANY(:ids)", ids=list(ids))

    def _rows(self, collection_id: str, *statements: str, **values: object) -> Sequence[Row[Any]]:
        """What the last statement finds; nothing where the collection has no table.

        Several are in one transaction, as what one of them sets is for the others alone.
        """
        with self._database.read(once=len(statements) == 1) as session:
            do = self._doing(session, collection_id)
            try:
                results = [do(each, **values) for each in statements]
            except ProgrammingError as error:
                if sqlstate(error) == NO_TABLE:
                    return []
                raise
            return list(results[-1])

    @contextmanager
    def _writing(self, collection_id: str) -> Iterator[Do]:
        """A transaction that no other one of the collection runs beside."""
        with self._database.write() as session:
            do = self._doing(session, collection_id)
            do("SELECT pg_advisory_xact_lock(hashtextextended('{table}', 0))")
            yield do

    @contextmanager
    def _filling(self, collection_id: str, *made: str) -> Iterator[Do]:
        """The same, with the collection's tables; these statements make them where they miss."""
        self._prepared.get()
        with self._writing(collection_id) as do:
            if not _is_there(do):
                for statement in made:
                    do(statement)
            yield do

    def _doing(self, session: Session, collection_id: str) -> Do:
        digest = hashlib.sha256(collection_id.encode()).hexdigest()[:32]
        table = f"{SCHEMA}.{self.KIND}_{digest}"

        def do(statement: str, **values: object) -> Any:
            return session.execute(text(statement.replace("{table}", table)), values)

        return do

    def _prepare(self) -> None:
        with self._database.connection() as connection:
            try:
                for statement in PREPARE:
                    connection.exec_driver_sql(statement)
            except DBAPIError as error:
                if sqlstate(error) in NO_EXTENSION:
                    raise _without_extension(error) from error
                raise


def _is_there(do: Do) -> bool:
    return do("SELECT to_regclass('{table}')").scalar() is not None


def listed(texts: Iterable[str]) -> str:
    """Texts without semicolons, for ``LISTED``."""
    return ";".join(texts)


def sqlstate(error: DBAPIError) -> str | None:
    """PostgreSQL's five letters for what went wrong."""
    return getattr(error.orig, "sqlstate", None)


def _without_extension(error: DBAPIError) -> AskPerson:
    return AskPerson(
        "PostgreSQL cannot keep the indexes: they need its extension pgvector, 0.7 or newer "
        "({cause}). Install it where the server runs (Debian 13: apt-get install "
        "postgresql-17-pgvector) and have an administrator run CREATE EXTENSION vector in the "
        "database, or unset RABBITHOLE_VECTORS and RABBITHOLE_LEXICAL.",
        cause=str(error.orig).partition("\n")[0],
    )
