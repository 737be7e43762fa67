"""New catalogs for tests."""

from pathlib import Path

from services.catalog import Catalog, ids
from services.domain.events import Event, EventKey, EventRecord


def new_catalog(path: Path) -> Catalog:
    """An empty catalog in an SQLite file that is not there yet, and perhaps its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return Catalog.open(f"sqlite:///{path}")


def log_event(catalog: Catalog, key: EventKey, event: Event, epoch: int | None = None) -> int:
    """Adds an event to the log of its thread; its ``seq``."""
    record = EventRecord(seq=0, key=key, at=ids.now(), event=event)
    return catalog.events.replace_all([record], epoch)[0].seq
