"""Tables of an index in PostgreSQL, and vector search in them with pgvector.

The HNSW graph holds half-precision vectors (16 bits a number), which takes three fifths of the
space; the cosines of its hits are computed from full vectors.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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
from services.retrieval.scoring import rank_by_score
from services.retrieval.vector import EF_SEARCH, mismatch

SCHEMA: Final = "rabbithole_index"
"""Separate from the catalog: its tables can be rebuilt."""
NO_TABLE: Final = "42P01"
NO_EXTENSION: Final = frozenset({"0A000", "42501", "58P01", "42704"})
PREPARE: Final = (
    f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}",
    f"CREATE SEQUENCE IF NOT EXISTS {SCHEMA}.term_numbers AS integer",
    "CREATE EXTENSION IF NOT EXISTS vector",
    "SELECT CAST('[1]' AS halfvec(1))",  # since pgvector 0.7
)


Execute = Callable[..., Any]


class CollectionTables:
    """Tables for each collection; in all processes, writes to one wait for each other."""

    KIND: ClassVar[str]
    OPTION: ClassVar[str]

    def __init__(self, url: str) -> None:
        parsed = make_url(url)
        options = f"{parsed.query.get('options', '')} -c {self.OPTION}".strip()
        with_options = parsed.update_query_dict({"options": options})
        self._database = Database(with_options.render_as_string(hide_password=False))
        self._prepared = Lazy(self._prepare)

    def delete(self, collection_id: str, ids: Sequence[str]) -> None:
        with self._write(collection_id) as execute:
            if _exists(execute):
                self._delete(execute, ids)

    def count(self, collection_id: str) -> int:
        rows = self._rows(collection_id, "SELECT count(*) FROM {table}")
        return int(rows[0][0]) if rows else 0

    def ids(self, collection_id: str) -> list[str]:
        return [row.id for row in self._rows(collection_id, "SELECT id FROM {table} ORDER BY id")]

    def drop(self, collection_id: str) -> None:
        with self._write(collection_id) as execute:
            execute("DROP TABLE IF EXISTS {table}, {table}_terms, {table}_postings")

    def rewrite(self, collection_id: str, docs: object = None) -> None:
        """Do nothing: the server's autovacuum clears what was deleted."""

    def verify(self, collection_id: str) -> None:
        """Do nothing: the server's own tools check and restore its files."""

    def close(self) -> None:
        self._database.close()

    def _delete(self, execute: Execute, ids: Sequence[str]) -> None:
        execute("DELETE FROM {table} WHERE id = ANY(:ids)", ids=list(ids))

    def _rows(self, collection_id: str, *statements: str, **values: object) -> Sequence[Row[Any]]:
        """Return the rows of the last statement of a transaction; none if there is no table."""
        with self._database.read(once=len(statements) == 1) as session:
            execute = self._executor(session, collection_id)
            try:
                results = [execute(statement, **values) for statement in statements]
            except ProgrammingError as error:
                if sqlstate(error) == NO_TABLE:
                    return []
                raise
            return list(results[-1])

    @contextmanager
    def _write(self, collection_id: str) -> Iterator[Execute]:
        with self._database.write() as session:
            execute = self._executor(session, collection_id)
            execute("SELECT pg_advisory_xact_lock(hashtextextended('{table}', 0))")
            yield execute

    @contextmanager
    def _fill(self, collection_id: str, *create: str) -> Iterator[Execute]:
        self._prepared.get()
        with self._write(collection_id) as execute:
            if not _exists(execute):
                for statement in create:
                    execute(statement)
            yield execute

    def _executor(self, session: Session, collection_id: str) -> Execute:
        digest = hashlib.sha256(collection_id.encode()).hexdigest()[:32]
        table = f"{SCHEMA}.{self.KIND}_{digest}"

        def execute(statement: str, **values: object) -> Any:
            return session.execute(text(statement.replace("{table}", table)), values)

        return execute

    def _prepare(self) -> None:
        with self._database.connection() as connection:
            try:
                for statement in PREPARE:
                    connection.exec_driver_sql(statement)
            except DBAPIError as error:
                if sqlstate(error) in NO_EXTENSION:
                    raise _without_extension(error) from error
                raise


def _exists(execute: Execute) -> bool:
    return execute("SELECT to_regclass('{table}')").scalar() is not None


def sqlstate(error: DBAPIError) -> str | None:
    """Return PostgreSQL's five-letter code of an error."""
    return getattr(error.orig, "sqlstate", None)


def _without_extension(error: DBAPIError) -> AskPerson:
    return AskPerson(
        "PostgreSQL cannot store the indexes: they need the pgvector extension, 0.7 or newer "
        "({cause}). Install it where the server runs (Debian 13: apt-get install "
        "postgresql-17-pgvector) and have an administrator run CREATE EXTENSION vector in the"
        " database, or unset RABBITHOLE_VECTORS and RABBITHOLE_LEXICAL.",
        cause=str(error.orig).partition("\n")[0],
    )


MOST_EF_SEARCH: Final = 1000
INDEXED_DIMENSIONS: Final = 4000
"""The longest vectors that pgvector indexes; it compares longer ones one by one."""
WRONG_DIMENSION: Final = "22000"


ADD_VECTORS: Final = """
INSERT INTO {table} SELECT id, CAST(vector AS vector)
FROM unnest(CAST(:ids AS text[]), string_to_array(CAST(:vectors AS text), ';')) AS new (id, vector)
ON CONFLICT (id) DO UPDATE SET vector = excluded.vector
"""
"""Vectors are passed as one text: the driver is slow to write an array of long values."""


class PostgresVectors(CollectionTables):
    """A ``VectorIndex`` in a database of PostgreSQL, for any number of processes."""

    KIND = "vectors"
    OPTION = f"hnsw.ef_search={EF_SEARCH}"

    def upsert(self, collection_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        texts = dict(zip(ids, map(_literal, vectors), strict=True))
        create = _create_statements(int(vectors.shape[1]))
        with _check_dimension(collection_id), self._fill(collection_id, *create) as execute:
            execute(ADD_VECTORS, ids=list(texts), vectors=";".join(texts.values()))

    def search(self, collection_id: str, vector: Vectors, k: int) -> list[tuple[str, float]]:
        if k < 1:
            return []
        wider = [f"SET LOCAL hnsw.ef_search = {min(k, MOST_EF_SEARCH)}"] if k > EF_SEARCH else []
        indexed = _indexed_expression(len(vector))
        with _check_dimension(collection_id):
            rows = self._rows(
                collection_id,
                *wider,
                "SELECT id, vector <=> CAST(:vector AS vector) AS distance FROM {table} "
                f"ORDER BY {indexed} <=> CAST(:vector AS halfvec) LIMIT :k",
                vector=_literal(vector),
                k=k,
            )
        return rank_by_score({row.id: 1.0 - float(row.distance) for row in rows})

    def vectors(self, collection_id: str, ids: Sequence[str]) -> dict[str, Vectors]:
        rows = self._rows(
            collection_id,
            "SELECT id, vector_send(vector) AS sent FROM {table} WHERE id = ANY(:ids)",
            ids=list(ids),
        )
        # The numbers follow the dimension and an unused field, 16 bits each.
        return {
            row.id: np.frombuffer(row.sent, dtype=">f4", offset=4).astype(np.float32)
            for row in rows
        }

    def set_aside(self) -> None:
        """Do nothing: the server's own tools check and restore its files."""


def _create_statements(dimension: int) -> list[str]:
    table = f"CREATE TABLE {{table}} (id text PRIMARY KEY, vector vector({dimension}) NOT NULL)"
    indexed = _indexed_expression(dimension)
    index = f"CREATE INDEX ON {{table}} USING hnsw (({indexed}) halfvec_cosine_ops)"
    return [table, index] if dimension <= INDEXED_DIMENSIONS else [table]


def _indexed_expression(dimension: int) -> str:
    """Return the expression that the graph indexes; a search must order by the same one."""
    return f"CAST(vector AS halfvec({dimension}))"


def _literal(vector: Vectors) -> str:
    return orjson.dumps(vector.astype(np.float32), option=orjson.OPT_SERIALIZE_NUMPY).decode()


@contextmanager
def _check_dimension(collection_id: str) -> Iterator[None]:
    """Translate the error for another dimension into `EmbeddingMismatch`."""
    try:
        yield
    except Exception as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, DBAPIError):
            cause = cause.__cause__
        if cause is not None and sqlstate(cause) == WRONG_DIMENSION:
            raise mismatch(collection_id, cause) from error
        raise
