"""Checked archives: ZIP files whose last member lists the others with their sizes and hashes.

Nothing in an archive is used before all members were compared with the list.
"""

import hashlib
import os
import re
import shutil
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, ClassVar, Final, Generic, TypeVar, cast

from filelock import FileLock, Timeout
from pydantic import BaseModel, Field, ValidationError

from services.domain import Value
from services.domain.errors import InvalidInput
from services.domain.notices import Notice
from services.home import translate_disk_errors
from services.library.originals import is_whole

BLOCK: Final = 1 << 20
MOST_JSON: Final = 200_000_000
"""Most bytes of a member that is read into memory, such as a long text with its sections."""
DAMAGE: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
FORMAT: Final = 1
LOCK: Final = "rabbithole.lock"
ORIGINALS: Final = "originals/"

V = TypeVar("V", bound=BaseModel)
L = TypeVar("L", bound="MemberList")


class MemberSeal(Value):
    """Size in bytes and SHA-256 (hex) of a member."""

    size: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class MemberList(Value):
    """The list of an archive: its format, and every other member by name.

    Each kind of archive is a subclass. The list is in ``member_name``, members have ``allowed``
    names, ``required`` must exist, ``unlisted`` members are not in the list, and ``not_one`` is the
    error for a ZIP file without a list.
    """

    member_name: ClassVar[str]
    allowed: ClassVar[re.Pattern[str]]
    required: ClassVar[str]
    unlisted: ClassVar[tuple[str, ...]] = ()
    not_one: ClassVar[Notice]

    format: int
    members: dict[str, MemberSeal]


class ArchiveWriter:
    """Writes members and records their sizes and hashes; ``folder`` is for temporary files."""

    def __init__(self, file: zipfile.ZipFile, folder: Path) -> None:
        self.file = file
        self.folder = folder
        self.seals: dict[str, MemberSeal] = {}
        self.counts: Counter[str] = Counter()

    def add(self, name: str, blocks: Iterable[bytes], *, packed: bool = True) -> None:
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        digest, size = hashlib.sha256(), 0
        with self.file.open(info, "w", force_zip64=True) as target:
            for block in blocks:
                digest.update(block)
                size += target.write(block)
        self.seals[name] = MemberSeal(size=size, sha256=digest.hexdigest())

    def add_file(self, name: str, file: Path) -> None:
        with file.open("rb") as source:
            self.add(name, blocks(source))

    def add_original(self, home: Path, document_id: str) -> bool:
        """Add the file of a document; return False if it is gone or has changed."""
        original = home / ORIGINALS / document_id
        if not is_whole(original):
            return False
        with original.open("rb") as file:
            self.add(ORIGINALS + document_id, blocks(file), packed=False)
        return True

    def add_list(self, listing: MemberList) -> bytes:
        """Write the list of the members, which comes last, and return its bytes."""
        data = listing.model_dump_json(indent=1).encode()
        self.file.writestr(listing.member_name, data)
        return data


@contextmanager
def new_archive(path: Path) -> Iterator[ArchiveWriter]:
    """Yield a writer whose members become a file of this user alone; an error leaves no file.

    Raises InvalidInput if the file exists, cannot be written, or is being written.
    """
    try:
        with _workshop(path) as folder:
            if path.exists():
                raise InvalidInput(
                    "{file} already exists. Choose another file, or delete it.", file=path
                )
            (folder / "archive").touch(0o600, exist_ok=False)
            with zipfile.ZipFile(folder / "archive", "w", zipfile.ZIP_DEFLATED) as file:
                yield ArchiveWriter(file, folder)
            (folder / "archive").rename(path)
    except OSError as error:
        raise InvalidInput(
            "{file} cannot be written ({cause}). Choose another location.",
            file=path,
            cause=error.strerror,
        ) from error


@contextmanager
def _workshop(path: Path) -> Iterator[Path]:
    """Yield an empty temporary folder for a file, for one process alone.

    What a killed process left in it is deleted. A folder of that name that has files but no lock,
    or another owner, belongs to somebody else, and stays.
    """
    folder = path.with_name(f"{path.name}.partial")
    lock = FileLock(folder / LOCK, blocking=False)
    folder.mkdir(0o700, exist_ok=True)
    is_foreign = os.name != "nt" and folder.lstat().st_uid != os.getuid()
    if is_foreign or (any(folder.iterdir()) and not (folder / LOCK).exists()):
        raise InvalidInput("{file} already exists. Choose another file, or delete it.", file=folder)
    folder.chmod(0o700)
    try:
        lock.acquire()
    except Timeout as error:
        raise InvalidInput(
            "Another process is writing {file}. Wait until it has finished, or choose another "
            "file.",
            file=path,
        ) from error
    try:
        _clear(folder)
        yield folder
    finally:
        with suppress(OSError):  # the lock goes last: it marks the folder as ours
            _clear(folder)
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()
        with suppress(OSError):  # Windows did not delete it before
            folder.rmdir()


def _clear(folder: Path) -> None:
    for file in folder.iterdir():
        if file.name != LOCK:
            file.unlink()


@dataclass(frozen=True)
class Archive(Generic[L]):
    """A checked archive, with its list and the bytes of the list."""

    file: zipfile.ZipFile
    listing: L
    data: bytes

    def has(self, name: str) -> bool:
        return name in self.listing.members

    def read(self, name: str, most: int = MOST_JSON) -> bytes:
        """Return a member of at most ``most`` bytes, whatever size the archive states."""
        return _read(self.file, name, most)


@contextmanager
def opened(path: Path, kind: type[L], home: Path) -> Iterator[Archive[L]]:
    """Yield an archive once every member agrees with the list.

    Raises InvalidInput, also in the body, for what is no sound archive of that kind or exceeds the
    free space of the disk of ``home``; AskPerson, in the body, if that is full or not writable.
    """
    try:
        with zipfile.ZipFile(path) as file:
            if kind.member_name not in file.namelist():
                raise InvalidInput(kind.not_one)
            data = _read(file, kind.member_name, MOST_JSON)
            listing = parsed(kind, data, kind.member_name)
            if listing.format != FORMAT:
                raise InvalidInput(
                    "The archive has format {format}; this version reads {known}. Restore it with "
                    "the version of Rabbithole that wrote it, or a newer one.",
                    format=listing.format,
                    known=FORMAT,
                )
            if kind.required not in listing.members:
                raise damaged(Notice.of("{name} is missing", name=kind.required))
            _require_room(listing, home)
            _check_members(file, listing)
            with translate_disk_errors(home):
                yield Archive(file, listing, data)
    except OSError as error:
        raise InvalidInput(
            "{path} cannot be read ({cause}).", path=path, cause=error.strerror or error
        ) from error
    except DAMAGE as error:
        raise damaged(Notice.of(str(error))) from error


def _read(file: zipfile.ZipFile, name: str, most: int) -> bytes:
    try:
        with file.open(name) as source:
            data = source.read(most + 1)
    except KeyError as error:
        raise damaged(Notice.of("{name} is missing", name=name)) from error
    if len(data) > most:
        raise damaged(Notice.of("{name} is too large", name=name))
    return data


def _require_room(listing: MemberList, home: Path) -> None:
    needed = sum(seal.size for seal in listing.members.values())
    free = shutil.disk_usage(home).free
    if needed > free:
        raise InvalidInput(
            "The archive unpacks to {needed:,.0f} MB, but only {free:,.0f} MB are free in {home}. "
            "Free some space, or set RABBITHOLE_HOME to another disk.",
            needed=needed / 1000000.0,
            home=home,
            free=free / 1000000.0,
        )


def _check_members(file: zipfile.ZipFile, listing: MemberList) -> None:
    """Check that every member is there once, with an allowed name, its size and its hash."""
    unlisted = (listing.member_name, *listing.unlisted)
    if sorted(name for name in file.namelist() if name not in unlisted) != sorted(listing.members):
        raise damaged(Notice.of("its contents do not match its table of contents"))
    for name, seal in listing.members.items():
        if not listing.allowed.fullmatch(name):
            raise damaged(
                Notice.of("it contains {name!r}, which does not belong in an archive", name=name)
            )
        # No more of a member is ever read than the size stated here.
        if file.getinfo(name).file_size > seal.size:
            raise damaged(Notice.of("{name} is larger than declared", name=name))
        with cast(zipfile.ZipExtFile, file.open(name)) as source:
            digest = hashlib.file_digest(source, "sha256").hexdigest()
        is_named = not name.startswith(ORIGINALS) or name == ORIGINALS + seal.sha256
        if digest != seal.sha256 or not is_named:
            raise damaged(Notice.of("{name} has changed", name=name))


def blocks(source: IO[bytes]) -> Iterator[bytes]:
    """Read an open file from its position, block by block."""
    return iter(lambda: source.read(BLOCK), b"")


def parsed(model: type[V], data: bytes, name: str) -> V:
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        raise damaged(Notice.of("{name} cannot be read", name=name)) from error


def damaged(reason: Notice) -> InvalidInput:
    return InvalidInput(
        "The archive is damaged: {reason}. Nothing was restored. Copy it again, or export it "
        "again.",
        reason=reason,
    )
