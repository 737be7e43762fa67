"""Files that are ZIP archives: what they say of themselves is looked at before all else."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from zipfile import BadZipFile, ZipFile

from services.domain.errors import UnreadableDocument

MOST_UNPACKED: Final = 500_000_000
"""Bytes."""
_ENCRYPTED: Final = 1
"""Bit of a member's flags."""


@contextmanager
def opened(path: Path, *damage: type[Exception]) -> Iterator[None]:
    """Checks an archive; what opening it raises within the block says that it is damaged.

    Raises:
        UnreadableDocument: it is damaged, encrypted, or unpacks to more than `MOST_UNPACKED`.
    """
    try:
        _check(path)
        yield
    except (KeyError, ValueError, SyntaxError, BadZipFile, zlib.error, EOFError, *damage) as error:
        raise UnreadableDocument(
            "the file is damaged ({error}); open it in its program and save it again",
            error=error,
        ) from error


def _check(path: Path) -> None:
    with ZipFile(path) as archive:
        members = archive.infolist()
    if any(member.flag_bits & _ENCRYPTED for member in members):
        raise UnreadableDocument(
            "the file is encrypted; save a copy without a password and ingest that"
        )
    size = sum(member.file_size for member in members)
    if size > MOST_UNPACKED:
        raise UnreadableDocument(
            "the file unpacks to {size:,.0f} MB, more than the {most:,.0f} that are read; take "
            "pictures out or split it, and save it again",
            size=size / 1000000.0,
            most=MOST_UNPACKED / 1000000.0,
        )
