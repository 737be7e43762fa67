"""Members of a ZIP file with their sizes and hashes: writing them, and believing none unchecked."""

import hashlib
import os
import re
import shutil
import zipfile
import zlib
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final, TypeVar

from pydantic import BaseModel, ValidationError

from services.domain import Value
from services.domain.errors import InvalidInput
from services.domain.notices import Notice

BLOCK: Final = 1 << 20
MOST_JSON: Final = 200_000_000
"""Bytes of a member that is read into memory: a text of the longest kind, with its parts."""
DAMAGE: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)

V = TypeVar("V", bound=BaseModel)


class MemberSeal(Value):
    """Size in bytes and SHA-256 (hex) of a member."""

    size: int
    sha256: str


class Members:
    """Writes members, and notes their sizes and hashes."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.seals: dict[str, MemberSeal] = {}
        self.counts: Counter[str] = Counter()

    def is_new(self, name: str) -> bool:
        return name not in self.seals

    def add(self, name: str, blocks: Iterable[bytes], *, packed: bool = True) -> None:
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        digest, size = hashlib.sha256(), 0
        with self._archive.open(info, "w", force_zip64=True) as target:
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
def new_file(file: Path) -> Iterator[Path]:
    """A path to write to, which becomes ``file`` at the end and vanishes after an error.

    Raises:
        InvalidInput: the file exists or cannot be written.
    """
    if file.exists():
        raise InvalidInput("{file} exists already. Name another file, or delete it.", file=file)
    partial = file.with_name(f"{file.name}.{os.getpid()}.partial")
    try:
        try:
            yield partial
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


def require_room(members: Mapping[str, MemberSeal], home: Path) -> None:
    """Raises InvalidInput where they are larger than what is free on the disk of ``home``."""
    needed, free = sum(each.size for each in members.values()), shutil.disk_usage(home).free
    if needed > free:
        raise InvalidInput(
            "The archive unpacks to {needed:,.0f} MB, but {home} has room for {free:,.0f}. "
            "Free some space, or set RABBITHOLE_HOME to another disk.",
            needed=needed / 1000000.0,
            home=home,
            free=free / 1000000.0,
        )


def check_members(
    file: zipfile.ZipFile,
    members: Mapping[str, MemberSeal],
    allowed: re.Pattern[str],
    unlisted: Container[str],
) -> None:
    """Every member is there once, under an allowed name, with its size and hash.

    ``unlisted`` names those that the list itself does not have. Raises InvalidInput.
    """
    names = [name for name in file.namelist() if name not in unlisted]
    if sorted(names) != sorted(members):
        raise damaged(Notice.of("its members are not those of its list"))
    for name, expected in members.items():
        if not allowed.fullmatch(name):
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
