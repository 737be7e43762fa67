"""Backing up a home to a file, and restoring it.

A backup is a ZIP file:

- ``backup.json``, last: format, counts, size and SHA-256 of every other member
- ``catalog.sqlite3``, ``checkpoints.sqlite3``: snapshots, also while others write
- ``originals/SHA256``: the bytes of the documents
- ``archive.key``: the key that recognises collections exported from this home

The indexes are left out: they are rebuilt from the catalog, which has texts and vectors.
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
from services.library.archive.checked import FORMAT, Archive, MemberList, new_archive, opened
from services.ownership import owned
from services.settings import Settings

CATALOG: Final = "catalog.sqlite3"
CHECKPOINTS: Final = "checkpoints.sqlite3"
KEY: Final = "archive.key"


class Backup(MemberList):
    """The list of a backup; ``lost_originals`` counts documents whose file is gone or changed."""

    member_name = "backup.json"
    required = CATALOG
    allowed = re.compile(rf"{CATALOG}|{CHECKPOINTS}|{KEY}|originals/[0-9a-f]{{64}}")
    not_one = Notice.of(
        "The file is a ZIP archive, but not a backup. Use a file that `rabbithole backup` has "
        "written; for a collection, use `rabbithole collections restore`."
    )

    created_at: str
    collections: int
    documents: int
    threads: int
    lost_originals: int


def write_backup(settings: Settings, file: Path) -> Backup:
    """Write the home to a new file, while others may use the home; raise InvalidInput."""
    _require_own_catalog(settings)
    home = settings.home
    if not (home / CATALOG).exists():
        raise InvalidInput(
            "{home} is still empty. Set RABBITHOLE_HOME to another folder.", home=home
        )
    with new_archive(file) as members:
        catalog = _snapshot(home / CATALOG, members.folder)
        counts, document_ids = _contents(catalog)
        members.add_file(CATALOG, catalog)
        catalog.unlink()
        # After the catalog: a run may have gone further than the catalog says, never less far.
        if (home / CHECKPOINTS).exists():
            members.add_file(CHECKPOINTS, _snapshot(home / CHECKPOINTS, members.folder))
        if (home / KEY).exists():
            members.add_file(KEY, home / KEY)
        lost = sum(not members.add_original(home, document_id) for document_id in document_ids)
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
    """Make a home from a backup, after checking all of it.

    The indexes must be built afterwards; ``order`` may queue that in the catalog before it is put
    in place. What is left of a home that has lost its catalog stays. Raises InvalidInput if the
    file is no sound backup or the home is in use, AskPerson if a newer Rabbithole wrote it,
    StoresBusy if another process works in the home.
    """
    _require_own_catalog(settings)
    home = settings.home
    with owned(home):
        if has_catalog(settings):
            raise InvalidInput(
                "{home} already contains data, and restoring never overwrites data. Set "
                "RABBITHOLE_HOME to an empty folder.",
                home=home,
            )
        with opened(file, Backup, home) as archive:
            _put_in_place(archive, home, order)
    return archive.listing


def _require_own_catalog(settings: Settings) -> None:
    if settings.database is not None:
        raise InvalidInput(
            "The catalog is in the database of RABBITHOLE_DATABASE. Back it up with its own "
            "tools, and back up the folder {folder} too.",
            folder=settings.home / "originals",
        )


def _snapshot(database: Path, folder: Path) -> Path:
    copy = folder / database.name
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return copy


def _contents(catalog: Path) -> tuple[dict[str, int], list[str]]:
    """Return the numbers of a catalog's contents, and the ids of its documents."""
    with closing(sqlite3.connect(catalog)) as connection:
        rows = connection.execute("SELECT content_id FROM contents ORDER BY content_id")
        documents = [str(row[0]) for row in rows]
        collections, threads = connection.execute(
            "SELECT (SELECT count(*) FROM collections), (SELECT count(*) FROM runs)"
        ).fetchone()
    return {"collections": collections, "documents": len(documents), "threads": threads}, documents


def _put_in_place(archive: Archive[Backup], home: Path, order: Callable[[Catalog], None]) -> None:
    """Unpack into a folder of the home, then move; the catalog comes last and completes it."""
    unpacked = home / RESTORING
    if unpacked.exists():  # left by a killed process
        shutil.rmtree(unpacked)
    else:
        for name in (CATALOG, CHECKPOINTS):  # with the side files that SQLite would read
            set_aside(home / name, "lost")
    try:
        archive.file.extractall(unpacked, members=sorted(archive.listing.members))
        if archive.has(KEY):
            (unpacked / KEY).chmod(0o600)
        # Migrates it to this version, which shows whether it can be read at all.
        catalog = Catalog.open(f"sqlite:///{unpacked / CATALOG}")
        try:
            interrupted = InvalidInput(
                "This job was still queued when the backup was made; start it again."
            )
            catalog.queue.give_up_all(interrupted)
            order(catalog)
        finally:
            catalog.close()
        (home / "originals").mkdir(exist_ok=True)
        for name in sorted(archive.listing.members, key=lambda name: (name == CATALOG, name)):
            (unpacked / name).replace(home / name)
    finally:
        shutil.rmtree(unpacked, ignore_errors=True)
