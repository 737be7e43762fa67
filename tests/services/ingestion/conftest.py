"""A bench to ingest on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.catalogs import new_catalog
from tests.support.ingestion import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with new_catalog(tmp_path / "home" / "catalog.sqlite3") as catalog:
        yield Bench(catalog, tmp_path / "home")
