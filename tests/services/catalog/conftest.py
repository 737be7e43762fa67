"""The catalog tests run on SQLite, and on PostgreSQL too where that is installed."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select
from sqlalchemy.engine import make_url

from services.catalog import Catalog
from services.catalog.database import Database
from services.catalog.models import Base
from services.domain import Principal
from tests.support import postgres
from tests.support.catalogs import new_catalog

Count = Callable[[type[Base]], int]


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
def anna() -> Principal:
    return Principal(user="anna")


@pytest.fixture
def ben() -> Principal:
    return Principal(user="ben")


@pytest.fixture
def admin() -> Principal:
    return Principal(user="root", role="admin")


@pytest.fixture
def collection(catalog: Catalog, anna: Principal) -> str:
    return catalog.collections.create(anna, "law").collection_id


@pytest.fixture
def other(catalog: Catalog, anna: Principal) -> str:
    return catalog.collections.create(anna, "other").collection_id
