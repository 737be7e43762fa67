"""Tables of an index in PostgreSQL, and nearest neighbours by cosine in them, with pgvector.

The graph is of halved vectors (16 bits a number), which takes three fifths of the room; what is
found in it gets its cosine from the whole ones.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar, Final

import numpy as np
import orjson
from sqlalchemy import Row, make_url, text
from sqlalchemy.exc import DBAPIError, ProgrammingError
from sqlalchemy.orm import Session

from services.caches import Lazy
from services.catalog.database import Database
from services.domain.errors import AskPerson
from services.retrieval.embedders import Vectors
from services.retrieval.scoring import ordered
from services.retrieval.vector import mismatch

SCHEMA: Final = "rabbithole_index"
"""Apart from the catalog: what is in it can be made anew."""
NO_TABLE: Final = "42P01"
NO_EXTENSION: Final = frozenset({"0A000", "42501", "58P01", "42704"})
PREPARE: Final = (
    f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}",
    f"CREATE SEQUENCE IF NOT EXISTS {SCHEMA}.term_numbers AS integer",
    "CREATE EXTENSION IF NOT EXISTS vector",
    "SELECT CAST('[1]' AS halfvec(1))",  # since pgvector 0.7
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
            do("DROP TABLE IF EXISTS {table}, {table}_terms, {table}_postings")

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


EF_SEARCH: Final = 400
"""Candidates that a search in the HNSW graph keeps, as Chroma does."""
MOST_EF_SEARCH: Final = 1000
INDEXED_DIMENSIONS: Final = 4000
"""Longer vectors pgvector compares one by one."""
WRONG_DIMENSION: Final = "22000"


ADD_VECTORS: Final = """
INSERT INTO {table} SELECT id, CAST(vector AS vector)
FROM unnest(CAST(:ids AS text[]), string_to_array(CAST(:vectors AS text), ';')) AS new (id, vector)
ON CONFLICT (id) DO UPDATE SET vector = excluded.vector
"""
"""Vectors come as one text: the driver takes long to write an array of long ones."""


class PostgresVectors(CollectionTables):
    """A ``VectorIndex`` in a database of PostgreSQL, for any number of processes."""

    KIND = "vectors"
    OPTION = f"hnsw.ef_search={EF_SEARCH}"

    def upsert(self, collection_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        last = {each: _written(vector) for each, vector in zip(ids, vectors, strict=True)}
        made = _made(int(vectors.shape[1]))
        with _fitting(collection_id), self._filling(collection_id, *made) as do:
            do(ADD_VECTORS, ids=list(last), vectors=";".join(last.values()))

    def search(self, collection_id: str, vector: Vectors, k: int) -> list[tuple[str, float]]:
        if k < 1:
            return []
        more = [f"SET LOCAL hnsw.ef_search = {min(k, MOST_EF_SEARCH)}"] if k > EF_SEARCH else []
        halved = _halved(len(vector))
        with _fitting(collection_id):
            rows = self._rows(
                collection_id,
                *more,
                "SELECT id, vector <=> CAST(:vector AS vector) AS distance FROM {table} "
                f"ORDER BY {halved} <=> CAST(:vector AS halfvec) LIMIT :k",
                vector=_written(vector),
                k=k,
            )
        return ordered({row.id: 1.0 - float(row.distance) for row in rows})

    def vectors(self, collection_id: str, ids: Sequence[str]) -> dict[str, Vectors]:
        rows = self._rows(
            collection_id,
            "SELECT id, vector_send(vector) AS sent FROM {table} WHERE id = ANY(:ids)",
            ids=list(ids),
        )
        # In front stand two numbers of 16 bits, the first of which is the dimension.
        read = partial(np.frombuffer, dtype=">f4", offset=4)
        return {row.id: read(row.sent).astype(np.float32) for row in rows}

    def set_aside(self) -> None:
        """Nothing: what the server's files lack, its own tools tell and restore."""


def _made(dimension: int) -> list[str]:
    table = f"CREATE TABLE {{table}} (id text PRIMARY KEY, vector vector({dimension}) NOT NULL)"
    index = f"CREATE INDEX ON {{table}} USING hnsw (({_halved(dimension)}) halfvec_cosine_ops)"
    return [table, index] if dimension <= INDEXED_DIMENSIONS else [table]


def _halved(dimension: int) -> str:
    """What the graph is of: the same words where it is made and where it is used."""
    return f"CAST(vector AS halfvec({dimension}))"


def _written(vector: Vectors) -> str:
    """A vector as pgvector reads it, each number in as few digits as tell it from others."""
    return orjson.dumps(vector.astype(np.float32), option=orjson.OPT_SERIALIZE_NUMPY).decode()


@contextmanager
def _fitting(collection_id: str) -> Iterator[Any]:
    """Turns the error of another dimension into ours."""
    try:
        yield
    except Exception as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, DBAPIError):
            cause = cause.__cause__
        if cause is not None and sqlstate(cause) == WRONG_DIMENSION:
            raise mismatch(collection_id, cause) from error
        raise
