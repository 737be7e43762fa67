"""Checked archives: ZIP files whose last member lists the others with their sizes and hashes.

Exported collections and backups are such files. Nothing of one is used before all of it was
found to be what its list says.
"""

import hashlib
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
"""Bytes of a member that is read into memory: a text of the longest kind, with its parts."""
DAMAGE: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
FORMAT: Final = 1
LOCK: Final = "rabbithole.lock"
ORIGINALS: Final = "originals/"

V = TypeVar("V", bound=BaseModel)
L = TypeVar("L", bound="Listing")


class MemberSeal(Value):
    """Size in bytes and SHA-256 (hex) of a member."""

    size: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class Listing(Value):
    """What an archive says of itself: its format, and every other member by name.

    A kind of archive is a subclass. ``member_name`` is where the list stands, ``allowed`` are the
    names that members may have, ``required`` is a member that none is without, ``unlisted`` are
    those that the list does not name, and ``not_one`` is said of a ZIP file without a list.
    """

    member_name: ClassVar[str]
    allowed: ClassVar[re.Pattern[str]]
    required: ClassVar[str]
    unlisted: ClassVar[tuple[str, ...]] = ()
    not_one: ClassVar[Notice]

    format: int
    members: dict[str, MemberSeal]


class ArchiveWriter:
    """Writes members, and notes their sizes and hashes; ``folder`` holds what is needed for it."""

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
        """The bytes of a document; False where they are gone or no longer what they were."""
        kept = home / ORIGINALS / document_id
        if not is_whole(kept):
            return False
        with kept.open("rb") as file:
            self.add(ORIGINALS + document_id, blocks(file), packed=False)
        return True

    def add_list(self, listing: Listing) -> bytes:
        """The list of the members, which comes last; its bytes."""
        data = listing.model_dump_json(indent=1).encode()
        self.file.writestr(listing.member_name, data)
        return data


@contextmanager
def new_archive(path: Path) -> Iterator[ArchiveWriter]:
    """Members to write, which become a file of this user alone, and vanish after an error.

    Raises:
        InvalidInput: the file exists, cannot be written, or another process is writing it.
    """
    try:
        with _workshop(path) as folder:
            if path.exists():
                raise InvalidInput(
                    "{file} exists already. Name another file, or delete it.", file=path
                )
            (folder / "archive").touch(0o600, exist_ok=False)
            with zipfile.ZipFile(folder / "archive", "w", zipfile.ZIP_DEFLATED) as file:
                yield ArchiveWriter(file, folder)
            (folder / "archive").rename(path)
    except OSError as error:
        raise InvalidInput(
            "{file} cannot be written ({cause}). Choose another place.",
            file=path,
            cause=error.strerror,
        ) from error


@contextmanager
def _workshop(path: Path) -> Iterator[Path]:
    """A folder beside a file that is to be, for one process alone; what a kill left in it goes.

    A folder of that name that holds anything and no lock is somebody's own, and stays.
    """
    folder = path.with_name(f"{path.name}.partial")
    lock = FileLock(folder / LOCK, blocking=False)
    folder.mkdir(0o700, exist_ok=True)
    if any(folder.iterdir()) and not (folder / LOCK).exists():
        raise InvalidInput("{file} exists already. Name another file, or delete it.", file=folder)
    try:
        lock.acquire()
    except Timeout as error:
        raise InvalidInput(
            "Another process is writing {file}. Wait for it, or name another file.", file=path
        ) from error
    try:
        _clear(folder)
        yield folder
    finally:
        with suppress(OSError):  # the lock goes last: by it the folder is known as ours
            _clear(folder)
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()
        with suppress(OSError):  # Windows kept it until now
            folder.rmdir()


def _clear(folder: Path) -> None:
    for left in folder.iterdir():
        if left.name != LOCK:
            left.unlink()


@dataclass(frozen=True)
class Archive(Generic[L]):
    """An archive that was found whole, with its list and the bytes of that."""

    file: zipfile.ZipFile
    listing: L
    data: bytes

    def has(self, name: str) -> bool:
        return name in self.listing.members

    def read(self, name: str, most: int = MOST_JSON) -> bytes:
        """A member of at most so many bytes, whatever the archive says of its size."""
        return _read(self.file, name, most)


@contextmanager
def opened(path: Path, kind: type[L], home: Path) -> Iterator[Archive[L]]:
    """An archive, once every member is what the list says.

    Errors of reading it later, in the body of the ``with``, are told as those of opening it.

    Raises:
        InvalidInput: it is none of that kind, damaged, of another format, or larger than what
            is free on the disk of ``home``.
        AskPerson: that takes no more, or is closed to us, in the body.
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


def _require_room(listing: Listing, home: Path) -> None:
    needed = sum(seal.size for seal in listing.members.values())
    free = shutil.disk_usage(home).free
    if needed > free:
        raise InvalidInput(
            "The archive unpacks to {needed:,.0f} MB, but {home} has room for {free:,.0f}. "
            "Free some space, or set RABBITHOLE_HOME to another disk.",
            needed=needed / 1000000.0,
            home=home,
            free=free / 1000000.0,
        )


def _check_members(file: zipfile.ZipFile, listing: Listing) -> None:
    """Every member is there once, under an allowed name, with its size and hash."""
    unlisted = (listing.member_name, *listing.unlisted)
    if sorted(name for name in file.namelist() if name not in unlisted) != sorted(listing.members):
        raise damaged(Notice.of("its members are not those of its list"))
    for name, seal in listing.members.items():
        if not listing.allowed.fullmatch(name):
            raise damaged(Notice.of("it holds {name!r}, which no archive has", name=name))
        # No more is ever read of a member than the archive says here.
        if file.getinfo(name).file_size > seal.size:
            raise damaged(Notice.of("{name} is larger than it says", name=name))
        with cast(zipfile.ZipExtFile, file.open(name)) as source:
            found = hashlib.file_digest(source, "sha256").hexdigest()
        named = not name.startswith(ORIGINALS) or name == ORIGINALS + seal.sha256
        if found != seal.sha256 or not named:
            raise damaged(Notice.of("{name} has changed", name=name))


def blocks(source: IO[bytes]) -> Iterator[bytes]:
    """What is left of an open file, block by block."""
    return iter(lambda: source.read(BLOCK), b"")


def parsed(model: type[V], data: bytes, name: str) -> V:
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        raise damaged(Notice.of("{name} cannot be read", name=name)) from error


def damaged(why: Notice) -> InvalidInput:
    return InvalidInput(
        "The archive is damaged: {reason}. Nothing was restored. Copy it again, or write it anew.",
        reason=why,
    )
