"""New catalogs for tests, quickly: the migrations run once, then the file is copied."""

import tempfile
from functools import cache
from pathlib import Path

from services.catalog import Catalog


def new_catalog(path: Path) -> Catalog:
    """An empty catalog in an SQLite file that is not there yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_migrated())
    return Catalog.open(f"sqlite:///{path}")


@cache
def _migrated() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "catalog.sqlite3"
        Catalog.open(f"sqlite:///{path}").close()
        return path.read_bytes()
