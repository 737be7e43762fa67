"""A home folder: private to its user, new or lost, read-only, or on a full disk."""

import errno
import logging
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from services.catalog import Catalog
from services.catalog.connection import make_folder
from services.domain.errors import AskPerson, CorruptCatalog
from services.domain.notices import Notice
from services.settings import Settings

RESTORING: Final = "restoring"
"""The folder in a home into which a backup is unpacked."""

SPARE: Final = 1 << 20
"""Bytes to leave free, for the journal of SQLite and the like."""

UNWRITABLE: Final = (
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EBUSY,
)  # fmt: skip
"""Error numbers of folders that take no data, for a reason that a person can remove."""

OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO

CONTENTS: Final = (
    "*.sqlite3*", "archive.key", "exports", "keywords*", "originals", "owner.*", RESTORING,
    "secrets.json", "vectors*", "waiting",
)  # fmt: skip
"""What Rabbithole stores in a home. The folder may hold other files of its user."""

logger = logging.getLogger(__name__)


def make_private(home: Path) -> None:
    """Create a home that only its user can enter, or close one that others can enter.

    Our files are closed before the folder, so that an interrupted call is continued by the next
    one. A home that cannot be closed is logged. Raises AskPerson if it cannot be created.
    """
    make_folder(home, stat.S_IRWXU)
    if exposure(home) is None:
        return
    if not home.stat().st_mode & stat.S_ISVTX:  # a folder for everybody, such as /tmp
        for entry in chain.from_iterable(map(home.glob, CONTENTS)):
            for path in (*entry.rglob("*"), entry):
                _close(path)
        _close(home)
    if notice := exposure(home):
        logger.warning("%s", notice)


def _close(path: Path) -> None:
    with suppress(OSError):  # of another user, just deleted, or on a disk without modes
        if not path.is_symlink():
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~OTHERS)


def exposure(home: Path) -> Notice | None:
    """Return a warning if others can enter the home. On Windows the user's profile is private."""
    if os.name == "nt" or not home.stat().st_mode & OTHERS:
        return None
    return Notice.of(
        "Other users of this machine can read {home}. Restrict access to it (chmod 700), or set "
        "RABBITHOLE_HOME to a folder that only you can read.",
        home=home,
    )


def open_catalog(settings: Settings) -> Catalog:
    """Open the catalog that the settings name; an empty home gets a new one.

    Raises CorruptCatalog if it is damaged, or gone although the home has documents, and AskPerson.
    """
    home = settings.home
    if not has_catalog(settings):
        if (home / RESTORING).exists():
            raise CorruptCatalog(
                "A restore into {home} was interrupted. Run it again with `rabbithole restore "
                "FILE`, or set RABBITHOLE_HOME to another folder.",
                home=home,
            )
        if originals := sum(1 for _ in (home / "originals").glob("*")):
            raise CorruptCatalog(
                "{home} contains document files ({count}), but its catalog is missing or "
                "empty. If the catalog was moved to a database, set RABBITHOLE_DATABASE to "
                "that database; otherwise restore a backup with `rabbithole restore FILE`, or"
                " move the folder out of the way and ingest the documents again. Nothing was "
                "changed.",
                home=home,
                count=originals,
            )
    return Catalog.open(settings.catalog_url)


def has_catalog(settings: Settings) -> bool:
    """Return whether there is a catalog, damaged or not; a database elsewhere counts as one."""
    if settings.database is not None:
        return True
    file = settings.home.absolute() / "catalog.sqlite3"
    if not file.exists() or file.stat().st_size == 0:
        return False
    immutable = "" if os.access(settings.home, os.W_OK) else "?immutable=1"
    try:
        with closing(sqlite3.connect(file.as_uri() + immutable, uri=True)) as catalog:
            return catalog.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None
    except sqlite3.Error:
        return True


def is_read_only(settings: Settings) -> bool:
    """Return whether the home has a catalog of its own and this user may not write to it."""
    unwritable = settings.home.is_dir() and not os.access(settings.home, os.W_OK)
    return unwritable and settings.database is None and has_catalog(settings)


@contextmanager
def readable_copy(settings: Settings) -> Iterator[Settings]:
    """Yield settings of a temporary copy of a read-only home; raise AskPerson without room for it.

    The databases are copied, because SQLite writes files next to them. Everything else is linked;
    of the keyword index every file is, because tantivy creates a lock in its folder.
    """
    with TemporaryDirectory(prefix="rabbithole-home-") as name, translate_disk_errors(Path(name)):
        copy = Path(name)
        for file in settings.home.absolute().iterdir():
            if ".sqlite3" in file.name:
                shutil.copy(file, copy)
            elif file.name == "keywords":
                unlocked = shutil.ignore_patterns("*.lock")
                shutil.copytree(file, copy / file.name, ignore=unlocked, copy_function=os.symlink)
            elif not file.name.startswith("owner."):
                (copy / file.name).symlink_to(file)
        yield settings.model_copy(update={"home": copy})


def dated_path(path: Path, reason: str) -> Path:
    """Return the path with a reason and the present time in its name."""
    return path.with_name(f"{path.stem}-{reason}-{datetime.now(UTC):%Y%m%d-%H%M%S}{path.suffix}")


def set_aside(path: Path, reason: str) -> Path:
    """Rename an SQLite file and its side files to a `dated_path`, which is returned."""
    target = dated_path(path, reason)
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).replace(target.with_name(target.name + suffix))
    return target


def has_room(folder: Path, size: int = 0) -> bool:
    """Return whether ``size`` bytes can be written to a folder, with `SPARE` more to spare."""
    return os.access(folder, os.W_OK) and shutil.disk_usage(folder).free >= size + SPARE


@contextmanager
def translate_disk_errors(folder: Path) -> Iterator[None]:
    """Translate disk-full and permission errors into `AskPerson`."""
    try:
        yield
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        raise unwritable(error.filename or folder, error.strerror) from error


def unwritable(file: Path | str, cause: object) -> AskPerson:
    return AskPerson(
        "{file} cannot be written ({cause}). Free some space, or make the folder writable; "
        "nothing saved is lost.",
        file=file,
        cause=cause,
    )
