"""An empty catalog to build graphs in."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.catalog import Catalog
from tests.support.catalogs import new_catalog


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with new_catalog(tmp_path / "catalog.sqlite3") as opened:
        yield opened
