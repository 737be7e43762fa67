"""A home folder and its catalog: closed to others, told from a new one, put aside, or full."""

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
from services.catalog.database import make_folder
from services.domain.errors import AskPerson, CorruptCatalog
from services.domain.notices import Notice
from services.settings import Settings

RESTORING: Final = "restoring"
"""Where a backup is unpacked, in the home that it is to become."""

SPARE: Final = 1 << 20
"""Bytes that SQLite wants for a journal, and others for files of their own."""

CLOSED: Final = (
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EBUSY,
)  # fmt: skip
"""Why a place takes nothing that a person can change."""

OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO

CONTENTS: Final = (
    "*.sqlite3*", "archive.key", "exports", "keywords*", "originals", "owner.*", RESTORING,
    "secrets.json", "vectors*", "waiting",
)  # fmt: skip
"""What Rabbithole keeps in a home, where a person may keep other things too."""

logger = logging.getLogger(__name__)


def make_private(home: Path) -> None:
    """Create a home that its user alone can enter, or close one that others can.

    Our files in it are closed before the folder itself: a kill leaves it open, and the next opening
    goes on. A home that is closed is not walked. One that cannot be closed is logged.

    Raises:
        AskPerson: it cannot be created.
    """
    make_folder(home, stat.S_IRWXU)
    if exposure(home) is None:
        return
    if not home.stat().st_mode & stat.S_ISVTX:  # such as /tmp, which is everybody's
        for ours in chain.from_iterable(map(home.glob, CONTENTS)):
            for path in (*ours.rglob("*"), ours):
                _close(path)
        _close(home)
    if notice := exposure(home):
        logger.warning("%s", notice)


def _close(path: Path) -> None:
    with suppress(OSError):  # another's, just deleted, or on a disk without modes
        if not path.is_symlink():
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~OTHERS)


def exposure(home: Path) -> Notice | None:
    """What to do about a home that others can enter; on Windows the user's profile is closed."""
    if os.name == "nt" or not home.stat().st_mode & OTHERS:
        return None
    return Notice.of(
        "Other users of this machine can enter {home}. Close the folder to them (chmod 700), or "
        "set RABBITHOLE_HOME to a folder of your own.",
        home=home,
    )


def open_catalog(settings: Settings) -> Catalog:
    """The catalog that the settings name; a home that holds nothing gets a new one.

    Raises:
        CorruptCatalog: it is damaged, or documents are kept of which no catalog tells.
        AskPerson: it cannot be created, or a newer Rabbithole wrote it.
    """
    home = settings.home
    if not has_catalog(settings):
        if (home / RESTORING).exists():
            raise CorruptCatalog(
                "A restoration into {home} was cut short. Do it again: `rabbithole restore FILE`, "
                "or set RABBITHOLE_HOME to another folder.",
                home=home,
            )
        if kept := sum(1 for _ in (home / "originals").glob("*")):
            raise CorruptCatalog(
                "{home} keeps {count} files of documents, but its catalog is gone or empty. Name "
                "its database in RABBITHOLE_DATABASE if it was moved to one, put it back from a "
                "backup with `rabbithole restore FILE`, or move the folder away and ingest the "
                "documents again. Nothing was changed.",
                home=home,
                count=kept,
            )
    return Catalog.open(settings.catalog_url)


def has_catalog(settings: Settings) -> bool:
    """Whether there is a catalog, be it damaged; one that is elsewhere counts as there."""
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
    """Whether a home with a catalog of its own is there, and this user may not write it."""
    closed = settings.home.is_dir() and not os.access(settings.home, os.W_OK)
    return closed and settings.database is None and has_catalog(settings)


@contextmanager
def looked_at(settings: Settings) -> Iterator[Settings]:
    """Settings of a copy in which a read-only home can be read; what is written there is lost.

    The databases are copied, since SQLite writes beside them; all else is linked, and of the
    keywords each file, since tantivy makes a lock among them.

    Raises:
        AskPerson: there is no room for the copy.
    """
    with TemporaryDirectory(prefix="rabbithole-home-") as folder, writing(Path(folder)):
        copy = Path(folder)
        for file in settings.home.absolute().iterdir():
            if ".sqlite3" in file.name:
                shutil.copy(file, copy)
            elif file.name == "keywords":
                unlocked = shutil.ignore_patterns("*.lock")
                shutil.copytree(file, copy / file.name, ignore=unlocked, copy_function=os.symlink)
            elif not file.name.startswith("owner."):
                (copy / file.name).symlink_to(file)
        yield settings.model_copy(update={"home": copy})


def aside(path: Path, why: str) -> Path:
    """A name for a file that is put out of the way."""
    return path.with_name(f"{path.stem}-{why}-{datetime.now(UTC):%Y%m%d-%H%M%S}{path.suffix}")


def set_aside(path: Path, why: str) -> Path:
    """Rename a file of SQLite, with what SQLite keeps beside it; its new name says why and when."""
    kept = aside(path, why)
    for end in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + end).replace(kept.with_name(kept.name + end))
    return kept


def takes(place: Path, size: int = 0) -> bool:
    """Whether so many bytes can be written in a folder, and `SPARE` more."""
    return os.access(place, os.W_OK) and shutil.disk_usage(place).free >= size + SPARE


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """Says of a place that takes nothing, because it is full or closed to us, that it does so."""
    try:
        yield
    except OSError as error:
        if error.errno not in CLOSED:
            raise
        raise AskPerson(
            "{file} cannot be written ({cause}). Free some space, or let this user write "
            "there; nothing that was kept is lost.",
            file=error.filename or place,
            cause=error.strerror,
        ) from error
