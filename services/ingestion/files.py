"""Find the files of a request, identify them by hash, and keep their originals."""

import errno
import hashlib
import os
import re
import stat
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
_UPLOAD = re.compile(r"^.*?[/\\]uploads[/\\][0-9a-f]{32}[/\\]\d+[/\\]")
"""The folder of an uploaded file, made by ``app.uploads``."""
_OPEN_FILES = ("~$", ".~lock.")  # prefixes of the lock files of Office and LibreOffice
MOST_BYTES = 2 << 30  # largest file that is read: the parsers have 2 GB of memory


@dataclass(frozen=True)
class FileCandidate:
    """A file to ingest, or a path with the ``problem`` that prevents it.

    An attachment is at ``path`` only while its mail is ingested; ``alias`` is its name and source
    below the mail (``mail.eml / plan.pdf``). ``within`` is the folder below which a file was found.
    """

    path: Path
    problem: Notice | None = None
    alias: tuple[str, str] | None = None
    within: Path | None = None

    @property
    def document(self) -> str:
        return unicodedata.normalize("NFC", self.alias[0] if self.alias else self.path.name)

    @property
    def source(self) -> str:
        return self.alias[1] if self.alias else str(self.path.resolve())

    @property
    def shown_path(self) -> str:
        """The path as users know it, in printable characters."""
        return printable(self.alias[1] if self.alias else self.path)


def find_files(paths: Sequence[Path]) -> Iterator[FileCandidate]:
    """Yield the files at ``paths`` once each, folders in order of name and without other formats.

    A path to a file is always yielded, so that an unsupported format is reported.
    """
    identities: set[Path] = set()
    for path in paths:
        for candidate in candidates(path):
            identity = candidate.path.resolve() if candidate.problem is None else candidate.path
            if identity not in identities:
                identities.add(identity)
                yield candidate


def candidates(path: Path) -> Iterator[FileCandidate]:
    if not is_reachable(path):
        yield FileCandidate(
            path, Notice.of("{path} does not exist or cannot be read.", path=printable(path))
        )
    elif not path.is_dir():
        yield FileCandidate(path, problem_of(path))
    elif inside := sorted(walk(path), key=lambda candidate: candidate.path):
        yield from inside
    else:
        formats = ", ".join(sorted(SUFFIXES))
        yield FileCandidate(
            path,
            Notice.of(
                "The folder {path} contains no files in these formats: {formats}.",
                path=printable(path),
                formats=formats,
            ),
        )


def walk(folder: Path) -> Iterator[FileCandidate]:
    """Yield the files below a folder; links to folders or out of this one are not followed."""
    closed: list[OSError] = []
    for path in unhidden(folder, closed.append):
        if format_of(path) in SUFFIXES:
            yield FileCandidate(path, problem_of(path, folder), within=folder)
    for error in closed:
        yield FileCandidate(
            Path(error.filename),
            Notice.of(
                "the folder cannot be read ({cause}); change its permissions or move it",
                cause=error.strerror,
            ),
        )


def unhidden(folder: Path, onerror: Callable[[OSError], object] | None = None) -> Iterator[Path]:
    """Yield the files below a readable folder; of hidden ones only lock files."""
    for directory, folders, names in os.walk(folder, onerror=onerror):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (
            Path(directory, name)
            for name in names
            if not name.startswith(".") or name.startswith(_OPEN_FILES)
        )


def other_formats(paths: Sequence[Path]) -> dict[str, int]:
    endings = Counter(format_of(path) for folder in paths for path in unhidden(folder))
    return dict(sorted((end, count) for end, count in endings.items() if end not in SUFFIXES))


def format_of(path: Path) -> str:
    """Return the ending of a file name, or the prefix of a lock file."""
    lock = next((prefix for prefix in _OPEN_FILES if path.name.startswith(prefix)), "")
    return lock or path.suffix.lower()


def problem_of(path: Path, folder: Path | None = None) -> Notice | None:
    """Return what prevents reading a file; ``folder`` is where it was found."""
    if path.name != printable(path.name):
        return Notice.of("its name contains characters that cannot be shown; rename it")
    if path.name.startswith(_OPEN_FILES):
        return Notice.of(
            "it is only the lock file of a document that is open in another program; give the "
            "document itself"
        )
    if path.is_symlink() and not is_reachable(path):
        return Notice.of(
            "it is a link to a file that does not exist; repair the link, or give the file itself"
        )
    if folder and path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
        return Notice.of("it is a link to a file outside the folder; give the file itself")
    if is_reachable(path) and not path.is_file():  # reading from a pipe may never end
        return Notice.of("it is not a regular file; copy its content into a regular file")
    if is_reachable(path) and (size := path.stat().st_size) > MOST_BYTES:
        size, most = size >> 20, MOST_BYTES >> 20
        return Notice.of(
            "it is {size} MB, more than the {most} MB allowed; split it", size=size, most=most
        )
    return None


def printable(path: Path | str) -> str:
    """Return a path or name with ``?`` for unprintable characters; a no-break space stays."""
    return "".join(
        char if char.isprintable() or unicodedata.category(char) == "Zs" else "?"
        for char in str(path)
    )


def reason(error: Exception) -> Notice:
    """Return why a file was not ingested, and what to do."""
    match error:
        case RabbitholeError():
            return error.notice
        case UnicodeError():
            return Notice.of(str(error))
        case FileNotFoundError():
            return Notice.of(
                "it disappeared while being read; ingest it again if you still need it"
            )
        case PermissionError():
            return Notice.of("you do not have permission to read it; change its permissions")
        case OSError():
            return Notice.of(
                "it could not be read or stored ({cause}); ingest it again",
                cause=error.strerror or error,
            )
    return Notice.of(
        "an error in Rabbithole ({kind}: {cause}); please report it",
        kind=type(error).__name__,
        cause=str(error)[:200],
    )


def is_reachable(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # no permission for a folder above, or the name is too long
        return False


def file_of(source: str) -> Path:
    """Return the file of a document's source: the mail, for an attachment."""
    path = Path(source)
    return next(
        (parent for parent in path.parents if is_reachable(parent) and parent.is_file()), path
    )


def is_from(file: FileCandidate, source: str | None) -> bool:
    """Return whether a document from ``source`` (None: unknown) is an older version of a file.

    It came from the same path, or from one that is gone; for uploads the path alone decides.
    """
    if source is None or _origin(source) == _origin(file.source):
        return True
    return not _UPLOAD.match(source) and is_gone(file_of(source))


def is_within(source: str | None, mail: str) -> bool:
    """Return whether a document is attached to a mail, directly or within other mails."""
    return source is not None and _origin(source).startswith(f"{_origin(mail)}{os.sep}")


def _origin(source: str) -> str:
    """Return the path of a source; for an upload, the one that the browser named."""
    return _UPLOAD.sub("", source, count=1)


def open_file(path: Path, within: Path | None = None) -> BinaryIO:
    """Open a file for reading, below ``within`` only a regular file that is inside (else OSError).

    Whoever may write in a shared folder could exchange a file or folder for a link while it is
    ingested. So none is followed below the folder, except where the system cannot open files
    relative to a folder (Windows); links to files inside are resolved first.
    """
    if within is None or os.open not in os.supports_dir_fd:
        return path.open("rb")
    try:
        *folders, name = path.resolve().relative_to(within.resolve()).parts
    except ValueError as error:  # the path has become a link that leads out
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from error
    folder = os.open(within, os.O_DIRECTORY)
    try:
        for inner in folders:
            outer, folder = folder, os.open(inner, os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(outer)
        file = os.open(name, os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    finally:
        os.close(folder)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "not a regular file")
    return os.fdopen(file, "rb")


def identify(path: Path, within: Path | None = None) -> tuple[str, int]:
    """Return the SHA-256 (hex) and the size in bytes of a file, opened by `open_file`."""
    digest = hashlib.sha256()
    with open_file(path, within) as file:
        for block in blocks(file):
            digest.update(block)
        return digest.hexdigest(), file.tell()


def blocks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the content of a file up to its size; files of ``/proc`` have none and may not end."""
    left = os.fstat(file.fileno()).st_size
    while left > 0 and (block := file.read(min(BLOCK, left))):
        left -= len(block)
        yield block


def keep_original(
    path: Path, sha256: str, folder: Path, *, within: Path | None = None, anew: bool = False
) -> None:
    """Copy a file to ``folder/sha256``, ``anew`` even if it is there; raise UnreadableDocument."""
    target = folder / sha256
    if not anew and target.exists():
        if identify(path, within)[0] != sha256:
            raise _changed()
        return
    folder.mkdir(parents=True, exist_ok=True)
    with partial_of(target) as partial:
        if _copy(path, within, partial) != sha256:
            raise _changed()
        partial.replace(target)


@contextmanager
def stable_path(
    path: Path, within: Path | None, folder: Path, sha256: str | None = None
) -> Iterator[Path]:
    """Yield a file to parse: a copy in ``folder`` of one that others could exchange meanwhile.

    Raises UnreadableDocument if the file no longer has that hash.
    """
    if within is None:
        yield path
        return
    copy = folder / path.name
    try:
        digest = _copy(path, within, copy)
        if sha256 not in (None, digest):
            raise _changed()
        yield copy
    finally:
        copy.unlink(missing_ok=True)


def _copy(path: Path, within: Path | None, target: Path) -> str:
    digest = hashlib.sha256()
    with open_file(path, within) as original, target.open("wb") as copy:
        for block in blocks(original):
            digest.update(block)
            copy.write(block)
    return digest.hexdigest()


def _changed() -> UnreadableDocument:
    return UnreadableDocument("it changed while being read; ingest it again")


@contextmanager
def partial_of(target: Path) -> Iterator[Path]:
    """Yield the temporary path to write a file to; it is deleted, also after a failure."""
    partial = target.with_name(f"{target.name}.partial")
    try:
        yield partial
    finally:
        partial.unlink(missing_ok=True)


def folders_of(paths: Iterable[Path]) -> list[Path]:
    return [path.resolve() for path in paths if is_reachable(path) and path.is_dir()]


def is_gone_from(folders: Iterable[Path], source: str) -> bool:
    """Return whether a document came from one of the folders and its file no longer exists."""
    return any(map(Path(source).is_relative_to, folders)) and is_gone(file_of(source))


def is_gone(path: Path) -> bool:
    """Return whether a path no longer exists; one without permission may still exist."""
    try:
        path.stat()  # `exists` of Python 3.14 returns False without permission
    except OSError as error:
        return isinstance(error, FileNotFoundError | NotADirectoryError)
    return False
