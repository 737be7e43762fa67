"""Move catalog and checkpoints of a home to another database, or restore a home of a backup."""

import asyncio
from collections import defaultdict
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from pydantic import SecretStr

from agent.engine.changes import CheckIndexes
from agent.engine.checkpoints import open_checkpoints
from agent.engine.connection import OnEvent
from agent.engine.driven import CLASSES
from agent.engine.engine import connect_to
from agent.engine.jobs import ResumeThread
from services.build import Services
from services.catalog import Catalog
from services.catalog.archiving import copy_rows
from services.catalog.connection import file_of, in_postgresql
from services.domain import CollectionHealth, Principal
from services.domain.errors import Broken, InvalidInput, StoresBusy
from services.domain.value import Value
from services.home import set_aside
from services.library.backup import Backup, restore_backup
from services.ownership import owned
from services.secrets import without_login
from services.settings import Settings


class Moved(Value):
    """The numbers of rows, threads and checkpoints copied and compared.

    ``to`` is the target's URL without its password, ``set_aside`` the files no longer in use.
    """

    to: str
    rows: dict[str, int]
    threads: int
    steps: int
    set_aside: tuple[str, ...]


def move(settings: Settings, url: str) -> Moved:
    """Copy the catalog and all steps to an empty database; originals and indexes stay in the home.

    Files of SQLite that were the source are renamed at the end, so that nobody goes on in them: the
    catalog first, without which there is no home. Cut short, the same move goes on. Raises
    InvalidInput if the database cannot be used, is not empty, or is the one in use, StoresBusy if a
    process works in the home, and Broken if what arrived is not what was sent.
    """
    target = settings.model_copy(update={"database": SecretStr(url)})
    _require_another_place(settings, target)
    with owned(settings.home):
        _require_nobody(settings)
        source = _where_it_is(settings)
        rows = copy_rows(source.catalog_url, url, anew=source == settings)
        threads, steps = asyncio.run(_copy_steps(source, target))
        unused = tuple(str(set_aside(file, "moved")) for file in _files(settings))
    return Moved(to=without_login(url), rows=rows, threads=threads, steps=steps, set_aside=unused)


def _require_nobody(settings: Settings) -> None:
    """Raises StoresBusy: a process works on the home that shares it with others."""
    if not settings.shared:
        return
    with Catalog.open(settings.catalog_url) as catalog:
        if workers := catalog.workers.alive():
            raise StoresBusy(
                "Other processes are using the database of this data folder ({workers}). Stop them "
                "first.",
                workers=", ".join(workers),
            )
        # So that nothing of a dead one is taken along.
        catalog.workers.reap_dead_workers(ResumeThread.kind)


def _require_another_place(source: Settings, target: Settings) -> None:
    """All files of SQLite share the home's one file of steps, so one side has to be a server."""
    if target.catalog_url == source.catalog_url:
        raise InvalidInput("The catalog is already in this database. Choose another one.")
    if in_postgresql(target.catalog_url):
        return
    if not in_postgresql(source.catalog_url):
        raise InvalidInput(
            "The catalog is in a file and can only be moved to a PostgreSQL server: --to "
            "postgresql+psycopg://USER:PASSWORD@HOST/NAME."
        )
    file = file_of(target.catalog_url)
    if target.checkpoints_path.exists() and not (file is not None and file.exists()):
        raise InvalidInput(
            "The data folder already contains checkpoints of threads, in {file}. Move that "
            "file out of the way first.",
            file=target.checkpoints_path,
        )


def _where_it_is(settings: Settings) -> Settings:
    """Return the settings of the source; a move that was cut short may have renamed its catalog."""
    file = file_of(settings.catalog_url)
    if file is None or file.exists():
        return settings
    renamed = sorted(file.parent.glob(f"{file.stem}-moved-*{file.suffix}"))
    if not renamed:
        raise InvalidInput("There is no catalog in {home} to move.", home=settings.home)
    return settings.model_copy(update={"database": SecretStr(f"sqlite:///{renamed[-1]}")})


async def _copy_steps(source: Settings, target: Settings) -> tuple[int, int]:
    """Copy all checkpoints; return the number of threads that have some, and of checkpoints."""
    with Catalog.open(source.catalog_url) as catalog:
        threads = catalog.runs.kinds()
    if not in_postgresql(source.catalog_url) and not source.checkpoints_path.exists():
        return 0, 0
    async with open_checkpoints(source) as sender, open_checkpoints(target) as receiver:
        counts = [
            await _copy_thread(thread, _reader(kind, sender), _reader(kind, receiver))
            for thread, kind in threads
        ]
    return sum(map(bool, counts)), sum(counts)


def _reader(kind: str, saver: BaseCheckpointSaver[str]) -> BaseCheckpointSaver[str]:
    """Return the saver of a graph, which alone reads its types."""
    bound = resolve_name(CLASSES[kind]).build(saver).checkpointer
    assert isinstance(bound, BaseCheckpointSaver)
    return bound


async def _copy_thread(
    thread: str, sender: BaseCheckpointSaver[str], receiver: BaseCheckpointSaver[str]
) -> int:
    config: Any = {"configurable": {"thread_id": thread}}
    steps = [step async for step in sender.alist(config)]
    for step in reversed(steps):
        await _put(step, receiver)
        arrived = await receiver.aget_tuple(step.config)
        if arrived is None or arrived.checkpoint != step.checkpoint:
            raise Broken("A checkpoint of thread {thread} was not copied correctly.", thread=thread)
    return len(steps)


async def _put(step: CheckpointTuple, receiver: BaseCheckpointSaver[str]) -> None:
    fields = step.config["configurable"]
    thread = {name: fields[name] for name in ("thread_id", "checkpoint_ns")}
    before: Any = step.parent_config or {"configurable": thread}
    values = step.checkpoint["channel_versions"]
    await receiver.aput(before, step.checkpoint, step.metadata, values)
    pending: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    for task, channel, value in step.pending_writes or ():
        pending[task].append((channel, value))
    for task, writes in pending.items():
        await receiver.aput_writes(step.config, writes, task)


def _files(settings: Settings) -> list[Path]:
    catalog = file_of(settings.catalog_url)
    files = [] if catalog is None else [catalog, settings.checkpoints_path]
    return [file for file in files if file.exists()]


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
