"""Copies of a collection in its stores, and what a server of PostgreSQL takes for them."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from sqlalchemy import (
    Column,
    ColumnElement,
    Insert,
    create_engine,
    func,
    literal,
    make_url,
    select,
    text,
)

from services.build import Services
from services.catalog.migrate import TABLES
from services.domain import Principal, Scope
from services.ingestion.indexing import keywords
from services.retrieval.postgres import SCHEMA, Execute, PostgresVectors
from services.settings import Settings
from tests.benchmarks import common

COPIED = ("texts", "contents", "extractions", "references", "sections", "chunkings", "chunks")
COPIED += ("memberships", "aliases")
KEYS = ("text_id", "content_id", "chunk_id")
NAMES = ("texts.title", "memberships.document", "aliases.title", "aliases.alias", "aliases.number")


def grow(services: Services, collection: str, copies: range, turn: float | None) -> dict[str, int]:
    """Adds copies of what is there, without a turn no vectors; the seconds of each part."""
    started, took = time.perf_counter(), {}

    def end(part: str) -> None:
        nonlocal started
        took[part] = round(time.perf_counter() - started)
        started = time.perf_counter()

    copy_rows(services, (each for n in copies for each in of_catalog(n)))
    end("catalog")
    write_words(services, collection, copies)
    end("keywords")
    if turn is not None:
        copy_vectors(services, collection, copies, turn)
        end("vectors")
    return took


def of_catalog(copy: int) -> Iterator[Insert]:
    """Statements that copy the rows of texts that are no copies, under other ids and names."""
    letters = chr(ord("a") + copy // 26) + chr(ord("a") + copy % 26)

    def copied(column: Column[Any]) -> ColumnElement[Any]:
        if column.name in KEYS:
            return literal(f"z{copy:03d}").concat(func.substr(column, 5))
        return column.concat(f" {letters}") if str(column) in NAMES else column

    for table in map(TABLES.tables.__getitem__, COPIED):
        columns = {column.name: copied(column) for column in table.columns}
        (original, *_) = (table.c[name] for name in KEYS if name in table.c)
        rows = select(*columns.values()).where(original.not_like("z%"))
        yield table.insert().from_select(list(columns), rows)


def copy_rows(services: Services, statements: Iterable[Insert]) -> None:
    with services.catalog._database.connection() as connection:
        for statement in statements:
            connection.execute(statement)
        connection.execute(text("update collections set content_version = content_version + 1"))


def scope_of(services: Services, collection: str) -> Scope:
    return services.catalog.collections.scope(Principal(), [collection])


def write_words(services: Services, collection: str, copies: Iterable[int]) -> None:
    catalog = services.catalog
    languages = {
        each.document_id: each.language
        for each in catalog.documents.list(scope_of(services, collection))
        if not each.document_id.startswith("z")
    }
    docs = [
        keywords(chunk, language)
        for member, language in languages.items()
        for chunk in catalog.chunks.of_member(collection, member)
    ]
    for n in copies:
        copied = (each.model_copy(update={"chunk_id": key(n, each.chunk_id)}) for each in docs)
        services.lexical.upsert(collection, list(copied))


def copy_vectors(services: Services, collection: str, copies: Iterable[int], turn: float) -> None:
    index, made = services.vectors, []
    ids = [each for each in index.ids(collection) if not each.startswith("z")]
    found = index.vectors(collection, ids[: common.AT_ONCE])
    for start in range(common.AT_ONCE, len(ids), common.AT_ONCE):
        found |= index.vectors(collection, ids[start : start + common.AT_ONCE])
    vectors = np.stack([found[name] for name in ids])
    if isinstance(index, PostgresVectors):
        with index._write(collection) as do:
            table = table_of(do)
            made = anew(do, table)
    for n in copies:
        turned = common.turned(vectors, np.random.default_rng(n), turn)
        for start in range(0, len(ids), 1_000):
            some = slice(start, start + 1_000)
            index.upsert(collection, [key(n, each) for each in ids[some]], turned[some])
    if isinstance(index, PostgresVectors):
        with index._write(collection) as do:
            for statement in made:
                do(statement)
        vacuumed(services.settings, table)


def table_of(do: Execute) -> str:
    return str(do("SELECT '{table}'").scalar())


def anew(do: Execute, table: str) -> list[str]:
    """Drops the indexes of a table but that of its key; the statements that make them again."""
    schema, name = table.split(".")
    rows = do(
        "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = :schema "
        "AND tablename = :name AND indexdef NOT LIKE 'CREATE UNIQUE%'",
        schema=schema,
        name=name,
    ).all()
    for row in rows:
        do(f"DROP INDEX {schema}.{row.indexname}")
    return [row.indexdef for row in rows]


def vacuumed(settings: Settings, table: str) -> None:
    engine = create_engine(settings.catalog_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"VACUUM ANALYZE {table}"))
    engine.dispose()


def key(copy: int, chunk_id: str) -> str:
    return f"z{copy:03d}{chunk_id[4:]}"


class Server:
    """Where the stores of some settings are; without PostgreSQL the home's files."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        url = make_url(settings.catalog_url)
        host = url.query.get("host")
        self._main: psutil.Process | None = None
        if isinstance(host, str):
            pid = (Path(host) / "data" / "postmaster.pid").read_text().split()[0]
            self._main = psutil.Process(int(pid))

    def _sum(self, of: Callable[[psutil.Process], float]) -> float:
        """What the server's processes come to, of which some may have ended."""
        total = 0.0
        for process in self._main.children() if self._main else ():
            with suppress(psutil.NoSuchProcess):
                total += of(process)
        return total

    def seconds(self) -> float:
        """Of processor that the server's processes have used."""
        return self._sum(lambda process: sum(process.cpu_times()[:2]))

    def megabytes(self) -> int:
        """Of memory that they hold, what they share counted once."""
        return round(self._sum(lambda process: process.memory_full_info().pss) / 2**20)

    def disk(self) -> dict[str, int]:
        """Bytes of each store."""
        home = self._settings.home
        if not self._main:
            sizes = {each: _size(home / each) for each in ("vectors", "keywords")}
            catalog = sum(each.stat().st_size for each in home.glob("*.sqlite3*"))
            return sizes | {"catalog": catalog}
        engine = create_engine(self._settings.catalog_url)
        with engine.connect() as connection:
            rows = connection.execute(
                text(
                    "SELECT CASE WHEN n.nspname <> :schema THEN 'catalog' WHEN c.relname LIKE "
                    "'vectors%' THEN 'vectors' ELSE 'keywords' END AS store, "
                    "CAST(sum(pg_total_relation_size(c.oid)) AS bigint) AS size FROM pg_class c "
                    "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND "
                    "n.nspname IN (:schema, 'public') GROUP BY 1"
                ),
                {"schema": SCHEMA},
            ).all()
        engine.dispose()
        return {row.store: row.size for row in rows}


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
