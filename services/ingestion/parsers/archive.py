"""Check files that are ZIP archives before they are opened."""

import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Final
from zipfile import BadZipFile, ZipFile

from lxml import etree

from services.domain.errors import UnreadableDocument

MOST_UNPACKED: Final = 500_000_000  # bytes
_ENCRYPTED: Final = 1  # bit of a member's flags
_STRICT: Final = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_WORD: Final = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_OTHER_WORD: Final = re.compile(
    rb"application/vnd\.(?:openxmlformats-officedocument\.wordprocessingml\.template"
    rb"|ms-word\.(?:document|template)\.macroEnabled(?:Template)?)\.main\+xml"
)
_DAMAGE: Final[tuple[type[Exception], ...]] = (
    KeyError,
    ValueError,
    SyntaxError,
    BadZipFile,
    zlib.error,
    EOFError,
)


@contextmanager
def checked_archive(path: Path, *damage: type[Exception]) -> Iterator[None]:
    """Raise UnreadableDocument for an encrypted, huge or damaged archive, also within the block."""
    try:
        _check(path)
        yield
    except _DAMAGE + damage as error:
        raise UnreadableDocument(
            "the file is damaged ({error}); open it in the program that created it and save "
            "it again",
            error=error,
        ) from error


def as_transitional(path: Path) -> str | BytesIO:
    """Return an office file as libraries read it: transitional (ISO/IEC 29500), and no template."""
    with ZipFile(path) as archive:
        types = archive.read("[Content_Types].xml")
        if not _STRICT.search(archive.read("_rels/.rels")) and not _OTHER_WORD.search(types):
            return str(path)
        data = BytesIO()
        with ZipFile(data, "w") as copy:
            for member in archive.infolist():
                content = archive.read(member)
                if member.filename.endswith((".xml", ".rels")):
                    content = _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", content)
                if member.filename == "[Content_Types].xml":
                    content = _OTHER_WORD.sub(_WORD, content)
                copy.writestr(member, content)
    data.seek(0)
    return data


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
            "the file unpacks to {size:,.0f} MB, more than the {most:,.0f} MB allowed; remove "
            "images or split it, and save it again",
            size=size / 1000000.0,
            most=MOST_UNPACKED / 1000000.0,
        )


def parsed_xml(data: bytes) -> etree._Element:
    """Parse a member of an archive, whose entities stand for nothing."""
    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
