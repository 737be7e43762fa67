"""Files before they are read: which ones a request means, what they are by their bytes."""

import hashlib
import os
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from services.domain.errors import RabbitholeError, UnreadableDocument
from services.domain.formats import SUFFIXES
from services.domain.notices import Notice

BLOCK = 1 << 20
_OPEN_FILES = ("~$", ".~lock.")
"""What Office and LibreOffice put before the name of a file while it is open."""
MOST_BYTES = 2 << 30
"""Size of a file that is still read: the parsers have 2 GB of memory."""


@dataclass(frozen=True)
class Candidate:
    """A path to ingest, or the reason why there is nothing to ingest there.

    What is attached to a mail lies at ``path`` for a moment only: it is known by the name and the
    place that it is ``called``, ``mail.eml / plan.pdf`` below the mail.
    """

    path: Path
    problem: Notice | None = None
    called: tuple[str, str] | None = None

    @property
    def document(self) -> str:
        return unicodedata.normalize("NFC", self.called[0] if self.called else self.path.name)

    @property
    def source(self) -> str:
        return self.called[1] if self.called else str(self.path.resolve())

    @property
    def shown_path(self) -> str:
        """Where it lies, as its reader knows it."""
        return printable(self.called[1] if self.called else self.path)


def find_files(paths: Sequence[Path]) -> Iterator[Candidate]:
    """The files that a person means: each once, folders walked in order of name.

    In a folder, files of other formats and hidden ones are passed over
    (``other_formats`` counts the former); a file named by
    itself is taken as it is, so that a format that cannot be read is said to be so.
    """
    identities: set[Path] = set()
    for path in paths:
        for candidate in candidates(path):
            identity = candidate.path.resolve() if candidate.problem is None else candidate.path
            if identity not in identities:
                identities.add(identity)
                yield candidate


def candidates(path: Path) -> Iterator[Candidate]:
    if not is_reachable(path):
        yield Candidate(
            path,
            Notice.of("There is no file or folder {path} that can be read.", path=printable(path)),
        )
    elif not path.is_dir():
        yield Candidate(path, problem_of(path))
    elif inside := sorted(walk(path), key=lambda candidate: candidate.path):
        yield from inside
    else:
        formats = ", ".join(sorted(SUFFIXES))
        yield Candidate(
            path,
            Notice.of(
                "The folder {path} holds no file of the formats {formats}.",
                path=printable(path),
                formats=formats,
            ),
        )


def walk(folder: Path) -> Iterator[Candidate]:
    """What a folder holds, and the folders in it; no link leads to a folder, or out of this one."""
    closed: list[OSError] = []
    for path in unhidden(folder, closed.append):
        if format_of(path) in SUFFIXES:
            yield Candidate(path, problem_of(path, folder))
    for error in closed:
        yield Candidate(
            Path(error.filename),
            Notice.of(
                "the folder cannot be read ({cause}); change its permissions or move it",
                cause=error.strerror,
            ),
        )


def unhidden(folder: Path, onerror: Callable[[OSError], object] | None = None) -> Iterator[Path]:
    """The files in a folder and in those within it; of neither those that begin with a dot,
    except lock files, which are counted.

    There are none in what is no folder, or cannot be looked at.
    """
    for directory, folders, names in os.walk(folder, onerror=onerror):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (
            Path(directory, name)
            for name in names
            if not name.startswith(".") or name.startswith(_OPEN_FILES)
        )


def other_formats(paths: Sequence[Path]) -> dict[str, int]:
    """How many files of each ending the folders hold that cannot be read."""
    endings = Counter(format_of(path) for folder in paths for path in unhidden(folder))
    return dict(sorted((end, count) for end, count in endings.items() if end not in SUFFIXES))


def format_of(path: Path) -> str:
    """Return the ending of a file, or the prefix of what an office program holds beside it."""
    lock = next((prefix for prefix in _OPEN_FILES if path.name.startswith(prefix)), "")
    return lock or path.suffix.lower()


def problem_of(path: Path, folder: Path | None = None) -> Notice | None:
    """What stands against a file, by itself or out of a folder, before it is opened."""
    if path.name != printable(path.name):
        return Notice.of("its name has characters that cannot be shown; rename it")
    if path.is_symlink() and not is_reachable(path):
        return Notice.of("it is a link that leads nowhere; name the file itself")
    if folder and path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
        return Notice.of("it is a link that leads out of the folder; name the file itself")
    if is_reachable(path) and not path.is_file():  # reading from a pipe may never end
        return Notice.of("it is no ordinary file; copy its content into one")
    if is_reachable(path) and (size := path.stat().st_size) > MOST_BYTES:
        size, most = size >> 20, MOST_BYTES >> 20
        return Notice.of("it has {size} MB, and {most} are read; split it", size=size, most=most)
    return None


def printable(path: Path | str) -> str:
    """A path or name as it can be printed and stored: unprintable characters as ``?``."""
    return "".join(char if char.isprintable() else "?" for char in str(path))


def reason(error: Exception) -> Notice:
    """Why a file could not be taken in, and the way out."""
    match error:
        case RabbitholeError():
            return error.notice
        case UnicodeError():
            return Notice.of(str(error))
        case FileNotFoundError():
            return Notice.of("it vanished while it was read; ingest it again if it is to be there")
        case PermissionError():
            return Notice.of("this user may not read it; change its permissions")
        case OSError():
            return Notice.of(
                "it could not be read or kept ({cause}); ingest it again",
                cause=error.strerror or error,
            )
    return Notice.of(
        "an error of Rabbithole ({kind}: {cause}); report it",
        kind=type(error).__name__,
        cause=str(error)[:200],
    )


def is_reachable(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a folder on the way is closed to us, or the name is too long
        return False


def file_of(source: str) -> Path:
    """The file that a document came from, which is the mail for what is attached to one."""
    path = Path(source)
    return next(
        (parent for parent in path.parents if is_reachable(parent) and parent.is_file()), path
    )


def is_from(file: Candidate, source: str | None) -> bool:
    """Whether a document from ``source`` (None: unknown) was an earlier state of the file."""
    return source is None or source == file.source or is_gone(file_of(source))


def is_within(source: str | None, mail: str) -> bool:
    """Whether a document is attached to a mail, or to one that is."""
    return source is not None and source.startswith(f"{mail}{os.sep}")


def identify(path: Path) -> tuple[str, int]:
    """SHA-256 (hex) and size in bytes of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for block in blocks(file):
            digest.update(block)
        return digest.hexdigest(), file.tell()


def blocks(file: BinaryIO) -> Iterator[bytes]:
    """What a file holds, up to its size: files of ``/proc`` have none, and may never end."""
    left = os.fstat(file.fileno()).st_size
    while left > 0 and (block := file.read(min(BLOCK, left))):
        left -= len(block)
        yield block


def keep_original(path: Path, sha256: str, folder: Path, *, anew: bool = False) -> None:
    """Copy a file to ``folder/sha256``, so that a proof never depends on the user's path.

    What is there already stays; ``anew``, until the copy takes its place.

    Raises:
        UnreadableDocument: the file is no longer the one with that hash.
    """
    target = folder / sha256
    if not anew and target.exists():
        if identify(path)[0] != sha256:
            raise _changed()
        return
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with partial_of(target) as partial:
        with path.open("rb") as original, partial.open("wb") as copy:
            for block in blocks(original):
                digest.update(block)
                copy.write(block)
        if digest.hexdigest() != sha256:
            raise _changed()
        partial.replace(target)


def _changed() -> UnreadableDocument:
    return UnreadableDocument("it changed while it was read; ingest it again")


@contextmanager
def partial_of(target: Path) -> Iterator[Path]:
    """Where a file is written before it has its name; what a kill leaves there is overwritten."""
    partial = target.with_name(f"{target.name}.partial")
    try:
        yield partial
    finally:
        partial.unlink(missing_ok=True)


def folders_of(paths: Iterable[Path]) -> list[Path]:
    """Those of the paths that are folders."""
    return [path.resolve() for path in paths if is_reachable(path) and path.is_dir()]


def is_gone_from(folders: Iterable[Path], source: str) -> bool:
    """Whether a document came from one of the folders and its file lies there no more."""
    return any(map(Path(source).is_relative_to, folders)) and is_gone(file_of(source))


def is_gone(path: Path) -> bool:
    """Whether nothing lies there any more; what cannot be looked at may still be there."""
    try:
        path.stat()  # `exists` of Python 3.14 takes what is closed to us for gone
    except OSError as error:
        return isinstance(error, FileNotFoundError | NotADirectoryError)
    return False
