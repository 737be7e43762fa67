"""New catalogs for tests."""

from pathlib import Path

from services.catalog import Catalog


def new_catalog(path: Path) -> Catalog:
    """An empty catalog in an SQLite file that is not there yet, and perhaps its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return Catalog.open(f"sqlite:///{path}")
