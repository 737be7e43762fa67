"""A whole home in one file, and a home from it again.

A backup is a ZIP file:

- ``backup.json``, last: format, counts, size and SHA-256 of every other member
- ``catalog.sqlite3``, ``checkpoints.sqlite3``: snapshots, also while others write
- ``originals/SHA256``: the bytes of the documents
- ``archive.key``: what collections exported from this home are recognised by

The indexes are not in it: they are made anew from the catalog, which keeps texts and vectors.
"""

import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from services.catalog import Catalog, ids
from services.domain.errors import InvalidInput
from services.domain.notices import Notice
from services.home import RESTORING, has_catalog, set_aside
from services.library.archive.checked import FORMAT, Archive, Listing, new_archive, opened
from services.ownership import owned
from services.settings import Settings

CATALOG: Final = "catalog.sqlite3"
CHECKPOINTS: Final = "checkpoints.sqlite3"
KEY: Final = "archive.key"


class Backup(Listing):
    """What a backup holds; ``lost_originals`` are documents whose file is gone or has changed."""

    member_name = "backup.json"
    required = CATALOG
    allowed = re.compile(rf"{CATALOG}|{CHECKPOINTS}|{KEY}|originals/[0-9a-f]{{64}}")
    not_one = Notice.of(
        "The file is a ZIP archive, but no backup. Name one that `rabbithole "
        "backup` has written; collections have `rabbithole collections restore`."
    )

    created_at: str
    collections: int
    documents: int
    threads: int
    lost_originals: int


def write_backup(settings: Settings, file: Path) -> Backup:
    """Write the home to a file that does not exist yet; others may go on using the home.

    Raises:
        InvalidInput: there is nothing to back up, the catalog is not in the home, or the file
            exists or cannot be written.
    """
    _require_own_catalog(settings)
    home = settings.home
    if not (home / CATALOG).exists():
        raise InvalidInput(
            "{home} holds nothing yet. Set RABBITHOLE_HOME to another folder.", home=home
        )
    with new_archive(file) as members:
        catalog = _snapshot(home / CATALOG, members.folder)
        counts, wanted = _contents(catalog)
        members.add_file(CATALOG, catalog)
        catalog.unlink()
        # After the catalog: a run may have gone further than the catalog says, never less far.
        if (home / CHECKPOINTS).exists():
            members.add_file(CHECKPOINTS, _snapshot(home / CHECKPOINTS, members.folder))
        if (home / KEY).exists():
            members.add_file(KEY, home / KEY)
        lost = sum(not members.add_original(home, document_id) for document_id in wanted)
        backup = Backup(
            format=FORMAT,
            created_at=ids.now(),
            **counts,
            lost_originals=lost,
            members=members.seals,
        )
        members.add_list(backup)
    return backup


def restore_backup(
    settings: Settings, file: Path, order: Callable[[Catalog], None] = lambda catalog: None
) -> Backup:
    """Make a home of a backup. Nothing of it is put in place before all of it was found whole.

    The indexes are to be made afterwards (``library.check`` with ``repair``); ``order`` may write
    that into the catalog before it is put in place. What is left of a home that has lost its
    catalog is kept.

    Raises:
        InvalidInput: the home is in use, the file is no backup, damaged, of a newer format or
            too large for the disk.
        AskPerson: a newer Rabbithole wrote it.
        StoresBusy: another process works in the home.
    """
    _require_own_catalog(settings)
    home = settings.home
    with owned(home):
        if has_catalog(settings):
            raise InvalidInput(
                "{home} is in use already, and a backup replaces nothing. Set RABBITHOLE_HOME to "
                "an empty folder.",
                home=home,
            )
        with opened(file, Backup, home) as archive:
            _put_in_place(archive, home, order)
    return archive.listing


def _require_own_catalog(settings: Settings) -> None:
    if settings.database is not None:
        raise InvalidInput(
            "The catalog is in the database that RABBITHOLE_DATABASE names. Back that up "
            "with its own tools, and with it the folder {folder}.",
            folder=settings.home / "originals",
        )


def _snapshot(database: Path, folder: Path) -> Path:
    """A consistent copy of a SQLite file in a folder."""
    copy = folder / database.name
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return copy


def _contents(catalog: Path) -> tuple[dict[str, int], list[str]]:
    """How much a catalog has of what, and the ids of its documents."""
    with closing(sqlite3.connect(catalog)) as connection:
        rows = connection.execute("SELECT content_id FROM contents ORDER BY content_id")
        documents = [str(row[0]) for row in rows]
        collections, threads = connection.execute(
            "SELECT (SELECT count(*) FROM collections), (SELECT count(*) FROM runs)"
        ).fetchone()
    return {"collections": collections, "documents": len(documents), "threads": threads}, documents


def _put_in_place(archive: Archive[Backup], home: Path, order: Callable[[Catalog], None]) -> None:
    """Unpack beside the home's files, then move; the catalog last, since it makes it a home."""
    unpacked = home / RESTORING
    if unpacked.exists():  # a killed one has left it
        shutil.rmtree(unpacked)
    else:
        for name in (CATALOG, CHECKPOINTS):  # also what SQLite would read into another file
            set_aside(home / name, "lost")
    try:
        archive.file.extractall(unpacked, members=sorted(archive.listing.members))
        if archive.has(KEY):
            (unpacked / KEY).chmod(0o600)
        # Brings it to this version, which tells whether it can be read at all.
        catalog = Catalog.open(f"sqlite:///{unpacked / CATALOG}")
        try:
            waited = InvalidInput("It waited when the backup was made; do it again.")
            catalog.queue.give_up_all(waited)
            order(catalog)
        finally:
            catalog.close()
        (home / "originals").mkdir(exist_ok=True)
        for name in sorted(archive.listing.members, key=lambda each: (each == CATALOG, each)):
            (unpacked / name).replace(home / name)
    finally:
        shutil.rmtree(unpacked, ignore_errors=True)
