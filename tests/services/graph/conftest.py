"""An empty catalog to build graphs in."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.catalog import Catalog
from services.domain import Principal, Scope
from tests.support.catalogs import new_catalog


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with new_catalog(tmp_path / "catalog.sqlite3") as opened:
        yield opened


@pytest.fixture
def scope(catalog: Catalog) -> Scope:
    """An empty collection."""
    place = catalog.collections.create(Principal(), "law").collection_id
    return Scope(user="local", collections=(place,))
