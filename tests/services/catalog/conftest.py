"""The catalog tests run on SQLite, and on PostgreSQL too where that is installed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event, func, select
from sqlalchemy.engine import make_url

from services.catalog import Catalog
from services.catalog.database import Database
from services.catalog.models import Base
from services.domain import Principal
from tests.support import postgres
from tests.support.catalogs import new_catalog

Count = Callable[[type[Base]], int]
ANNA, BEN = Principal(user="anna"), Principal(user="ben")
ADMIN = Principal(user="root", role="admin")


@contextmanager
def queries(catalog: Catalog) -> Iterator[list[str]]:
    """The queries that are sent to the database meanwhile."""
    sent: list[str] = []

    def note(_c: object, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.lstrip().upper().startswith("SELECT"):
            sent.append(statement)

    engine = catalog.runs._database.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", note)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=postgres.needs_postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'catalog.sqlite3'}"
    return str(request.getfixturevalue("cleared"))


@pytest.fixture
def catalog(url: str) -> Iterator[Catalog]:
    file = make_url(url).database if url.startswith("sqlite") else None
    with new_catalog(Path(file)) if file else Catalog.open(url) as opened:
        yield opened


@pytest.fixture
def database(catalog: Catalog, url: str) -> Iterator[Database]:
    """The database of the catalog, for what the catalog does not tell."""
    opened = Database(url)
    yield opened
    opened.close()


@pytest.fixture
def rows(database: Database) -> Count:
    """Counts the rows of a table."""
    return lambda model: database.scalar(select(func.count()).select_from(model)) or 0


@pytest.fixture
def collection(catalog: Catalog) -> str:
    return catalog.collections.create(ANNA, "law").collection_id


@pytest.fixture
def other(catalog: Catalog) -> str:
    return catalog.collections.create(ANNA, "other").collection_id
