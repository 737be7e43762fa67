"""The catalog tests run on SQLite, and on PostgreSQL too where a server is named.

``RABBITHOLE_TEST_POSTGRES=postgresql+psycopg://user@host/database`` names it; every test gets
a schema of its own there.
"""

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, func, select, text
from sqlalchemy.engine import make_url

from services.catalog import Catalog
from services.catalog.database import Database
from services.catalog.models import Base
from services.domain import Principal
from tests.support.catalogs import new_catalog

POSTGRES = os.environ.get("RABBITHOLE_TEST_POSTGRES")
Count = Callable[[type[Base]], int]


@pytest.fixture(params=["sqlite", "postgresql"] if POSTGRES else ["sqlite"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'catalog.sqlite3'}"
        return
    schema = f"test_{uuid.uuid4().hex}"
    engine = create_engine(str(POSTGRES))
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    yield f"{POSTGRES}?options=-csearch_path%3D{schema}"
    with engine.begin() as connection:
        connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
    engine.dispose()


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
