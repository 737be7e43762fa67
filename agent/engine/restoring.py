"""A home from a backup, with its indexes, whoever is killed meanwhile."""

from pathlib import Path

from agent.engine.connection import OnEvent
from agent.engine.engine import connect_to
from agent.engine.jobs import CheckIndexes
from services.build import Services
from services.catalog import Catalog
from services.domain import CollectionHealth, Principal
from services.library.backup import Backup, restore_backup


def restore(
    services: Services, file: Path, on_event: OnEvent | None = None
) -> tuple[Backup, list[CollectionHealth]]:
    """Make an empty home of a backup, then its indexes; how its collections are.

    The catalog that is put in place has the making of the indexes in its queue: cut short, the
    next owner goes on with it. Raises as ``restore_backup``.
    """
    admin, indexes = Principal(role="admin"), CheckIndexes(collection=None, repair=True)

    def order(catalog: Catalog) -> None:
        catalog.queue.submit(admin, indexes.kind, indexes.model_dump(mode="json"))

    restored = restore_backup(services.settings, file, order)
    with connect_to(services, admin) as engine:
        checked = engine.wait(engine.open_jobs()[0].number, on_event)
    return restored, list(checked.collections)
