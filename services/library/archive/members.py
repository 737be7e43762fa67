"""Checked archives: ZIP files whose last member lists the others with their sizes and hashes.

Exported collections and backups are such files. Nothing of one is used before all of it was
found to be what its list says.
"""

import hashlib
import os
import re
import shutil
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from services.domain import Value
from services.domain.errors import InvalidInput
from services.domain.notices import Notice

BLOCK: Final = 1 << 20
MOST_JSON: Final = 200_000_000
"""Bytes of a member that is read into memory: a text of the longest kind, with its parts."""
DAMAGE: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)

FORMAT: Final = 1

V = TypeVar("V", bound=BaseModel)
L = TypeVar("L", bound="Listing")


class MemberSeal(Value):
    """Size in bytes and SHA-256 (hex) of a member."""

    size: int
    sha256: str


class Listing(Value):
    """What an archive says of itself: its format, and every other member by name."""

    format: int
    members: dict[str, MemberSeal]


@dataclass(frozen=True)
class Kind(Generic[L]):
    """A kind of archive: its list, and the names that members may have.

    ``required`` is a member that none is without; ``unlisted`` are those beside the list that
    it does not name. ``not_one`` is said of a ZIP file without a list, ``other_format`` of one
    that this version does not read.
    """

    not_one: Notice
    other_format: Callable[[int], Notice]
    manifest: str
    listing: type[L]
    allowed: re.Pattern[str]
    required: str
    unlisted: tuple[str, ...] = ()


class Members:
    """Writes members, and notes their sizes and hashes."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self.seals: dict[str, MemberSeal] = {}
        self.counts: Counter[str] = Counter()

    def is_new(self, name: str) -> bool:
        return name not in self.seals

    def add(self, name: str, blocks: Iterable[bytes], *, packed: bool = True) -> None:
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        digest, size = hashlib.sha256(), 0
        with self.archive.open(info, "w", force_zip64=True) as target:
            for block in blocks:
                digest.update(block)
                size += len(block)
                target.write(block)
        self.seals[name] = MemberSeal(size=size, sha256=digest.hexdigest())

    def add_file(self, name: str, file: Path) -> None:
        with file.open("rb") as source:
            self.add(name, blocks(source))

    def add_original(self, home: Path, document_id: str) -> bool:
        """The bytes of a document; False where they are gone or no longer what they were."""
        with suppress(FileNotFoundError), (home / "originals" / document_id).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() == document_id:
                file.seek(0)
                self.add(original_member(document_id), blocks(file), packed=False)
                return True
        return False


def original_member(document_id: str) -> str:
    return f"originals/{document_id}"


@contextmanager
def new_archive(file: Path) -> Iterator[Members]:
    """Members to write, which become ``file`` at the end and vanish after an error.

    Raises:
        InvalidInput: the file exists or cannot be written.
    """
    if file.exists():
        raise InvalidInput("{file} exists already. Name another file, or delete it.", file=file)
    partial = file.with_name(f"{file.name}.{os.getpid()}.partial")
    try:
        try:
            with zipfile.ZipFile(partial, "x", zipfile.ZIP_DEFLATED) as archive:
                yield Members(archive)
            partial.rename(file)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInput(
            "{file} cannot be written ({cause}). Choose another place.",
            file=file,
            cause=error.strerror,
        ) from error


def blocks(source: IO[bytes]) -> Iterator[bytes]:
    """What is left of an open file, block by block."""
    return iter(lambda: source.read(BLOCK), b"")


@contextmanager
def opened(path: Path, kind: Kind[L], home: Path) -> Iterator[tuple[zipfile.ZipFile, L, bytes]]:
    """An archive, its list and the bytes of that, once every member is what the list says.

    Errors of reading it later, in the body of the ``with``, are told as those of opening it.

    Raises:
        InvalidInput: it is none of that kind, damaged, of another format, or larger than what
            is free on the disk of ``home``.
    """
    try:
        with zipfile.ZipFile(path) as file:
            if kind.manifest not in file.namelist():
                raise InvalidInput(kind.not_one)
            data = read_small(file, kind.manifest, MOST_JSON)
            listing = parsed(kind.listing, data, kind.manifest)
            if listing.format != FORMAT:
                raise InvalidInput(kind.other_format(listing.format))
            if kind.required not in listing.members:
                raise damaged(Notice.of("{name} is missing", name=kind.required))
            _require_room(listing, home)
            _check_members(file, listing, kind)
            yield file, listing, data
    except OSError as error:
        raise InvalidInput(
            "{path} cannot be read ({cause}).", path=path, cause=error.strerror or error
        ) from error
    except DAMAGE as error:
        raise damaged(Notice.of(str(error))) from error


def read_small(file: zipfile.ZipFile, name: str, most: int) -> bytes:
    """A member of at most so many bytes, whatever it says of its size."""
    try:
        with file.open(name) as source:
            data = source.read(most + 1)
    except KeyError as error:
        raise damaged(Notice.of("{name} is missing", name=name)) from error
    if len(data) > most:
        raise damaged(Notice.of("{name} is too large", name=name))
    return data


def _require_room(listing: Listing, home: Path) -> None:
    needed = sum(each.size for each in listing.members.values())
    free = shutil.disk_usage(home).free
    if needed > free:
        raise InvalidInput(
            "The archive unpacks to {needed:,.0f} MB, but {home} has room for {free:,.0f}. "
            "Free some space, or set RABBITHOLE_HOME to another disk.",
            needed=needed / 1000000.0,
            home=home,
            free=free / 1000000.0,
        )


def _check_members(file: zipfile.ZipFile, listing: Listing, kind: Kind[L]) -> None:
    """Every member is there once, under an allowed name, with its size and hash."""
    unlisted = (kind.manifest, *kind.unlisted)
    if sorted(name for name in file.namelist() if name not in unlisted) != sorted(listing.members):
        raise damaged(Notice.of("its members are not those of its list"))
    for name, expected in listing.members.items():
        if not kind.allowed.fullmatch(name):
            raise damaged(Notice.of("it holds {name!r}, which no archive has", name=name))
        _check_member(file, name, expected)


def _check_member(file: zipfile.ZipFile, name: str, expected: MemberSeal) -> None:
    digest, size = hashlib.sha256(), 0
    with file.open(name) as source:
        for block in blocks(source):
            digest.update(block)
            size += len(block)
            if size > expected.size:
                raise damaged(Notice.of("{name} is larger than it says", name=name))
    named = not name.startswith("originals/") or name == original_member(expected.sha256)
    if digest.hexdigest() != expected.sha256 or not named:
        raise damaged(Notice.of("{name} has changed", name=name))


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
