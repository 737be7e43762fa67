"""A catalog with two laws and what a scan needs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.catalog import Catalog
from services.domain import Principal
from services.retrieval.scan.scanner import Scanner
from tests.support.catalogs import new_catalog

ANNA = Principal(user="anna")


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with new_catalog(tmp_path / "catalog.sqlite3") as opened:
        yield opened


@pytest.fixture
def scanner(catalog: Catalog) -> Scanner:
    return Scanner(catalog)
