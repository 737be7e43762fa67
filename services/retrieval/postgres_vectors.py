"""Nearest neighbours by cosine, in PostgreSQL with pgvector.

The graph is of halved vectors (16 bits a number), which takes three fifths of the room; what is
found in it gets its cosine from the whole ones.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import numpy as np
import orjson
from sqlalchemy.exc import DBAPIError

from services.retrieval.embedders import Vectors
from services.retrieval.postgres import LISTED, CollectionTables, listed, sqlstate
from services.retrieval.scoring import ordered
from services.retrieval.vector import mismatch

EF_SEARCH: Final = 400
"""Candidates that a search in the HNSW graph keeps, as Chroma does."""
MOST_EF_SEARCH: Final = 1000
INDEXED_DIMENSIONS: Final = 4000
"""Longer vectors pgvector compares one by one."""
WRONG_DIMENSION: Final = "22000"


ADD: Final = f"""
INSERT INTO {{table}} SELECT id, CAST(vector AS vector)
FROM unnest(CAST(:ids AS text[]), {LISTED.format("vectors")}) AS new (id, vector)
ON CONFLICT (id) DO UPDATE SET vector = excluded.vector
"""


class PostgresVectors(CollectionTables):
    """A ``VectorIndex`` in a database of PostgreSQL, for any number of processes."""

    KIND = "vectors"
    OPTION = f"hnsw.ef_search={EF_SEARCH}"

    def upsert(self, collection_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        last = {each: _written(vector) for each, vector in zip(ids, vectors, strict=True)}
        made = _made(int(vectors.shape[1]))
        with _fitting(collection_id), self._filling(collection_id, *made) as do:
            do(ADD, ids=list(last), vectors=listed(last.values()))

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
