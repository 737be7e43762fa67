"""Uploaded files on disk, kept in the home folder until they have been ingested."""

import errno
import shutil
import time
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PurePath, PureWindowsPath
from typing import BinaryIO

from services.domain.errors import InvalidInput, TryAgain

STALE_AFTER_S = 24 * 3600.0


def store(
    home: Path, uploads: Iterable[tuple[str, BinaryIO]], awaited: Iterable[str]
) -> list[Path]:
    """Copy uploads (name, content), with the folders in their names, and return their paths.

    Stale uploads are removed, except for the ``awaited`` files, which jobs still need.

    Raises:
        InvalidInput: a name is too long for the disk.
        TryAgain: the disk is full, or the home folder cannot be written.
    """
    root = home.resolve() / "uploads"
    folder = root / uuid.uuid4().hex
    remove_stale(root, awaited)
    try:
        return [_write(folder / str(n), *upload) for n, upload in enumerate(uploads)]
    except OSError as problem:
        shutil.rmtree(folder, ignore_errors=True)
        if problem.errno == errno.ENAMETOOLONG:
            name = PurePath(problem.filename).name
            raise InvalidInput(
                "The name of the file {name} is too long. Shorten it, then upload again.", name=name
            ) from problem
        raise TryAgain(
            "The upload could not be saved in {folder}: {cause}. Free some space, or set "
            "RABBITHOLE_HOME to another folder, then upload again.",
            folder=root,
            cause=problem.strerror,
        ) from problem


def _write(folder: Path, name: str, content: BinaryIO) -> Path:
    path = folder / relative_path(name)
    path.parent.mkdir(parents=True)
    content.seek(0)
    with path.open("wb") as file:
        shutil.copyfileobj(content, file)
    return path


def discard(home: Path, paths: Iterable[Path]) -> None:
    """Remove the uploads among these files; the catalog has its own copies."""
    root = home.resolve() / "uploads"
    for path in map(Path.resolve, paths):
        if path != root and path.is_relative_to(root):
            shutil.rmtree(root / path.relative_to(root).parts[0], ignore_errors=True)


def remove_stale(root: Path, awaited: Iterable[str] = ()) -> None:
    """Remove uploads that a window left behind when it was closed too early."""
    oldest = time.time() - STALE_AFTER_S
    needed = {parent for path in awaited for parent in Path(path).parents}
    for folder in set(root.glob("*")) - needed:
        with suppress(FileNotFoundError):  # another process has just removed it
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


def relative_path(name: str) -> Path:
    """Return a path from any system as one that never leads out of a folder."""
    *folders, last = PureWindowsPath(name.replace("\x00", "")).as_posix().split("/")
    inner = [folder for folder in folders if folder.strip(". ")]
    return Path(*inner, last if last.strip(". ") else "upload")
