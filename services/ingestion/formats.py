"""Which kind of file this is, judged by its bytes; the name only has to agree."""

import codecs
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from services.domain.errors import UnreadableDocument
from services.domain.notices import Notice

Kind = Literal["pdf", "docx", "text"]

SUFFIXES: Final[dict[str, Kind]] = {".pdf": "pdf", ".docx": "docx", ".txt": "text", ".md": "text"}
"""File name endings that can be ingested, with what has to be inside."""

_HEAD: Final = 8192
_NAMES: Final[dict[Kind, str]] = {"pdf": "a PDF", "docx": "a Word document", "text": "plain text"}
_MAGIC: Final[dict[bytes, str]] = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"II*\x00": "a TIFF image",
    b"MM\x00*": "a TIFF image",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"\x7fELF": "a program",
    b"MZ": "a program",
    b"{\\rtf": "a rich text file (RTF)",
}
_WEB_PAGE: Final = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html)\b", re.IGNORECASE)
_OLE: Final = bytes.fromhex("d0cf11e0a1b11ae1")
_ZIP: Final = b"PK\x03\x04"


def detect_kind(path: Path) -> Kind:
    """Decide how to read a file.

    Raises:
        UnreadableDocument: the file is empty, of an unsupported kind, or its name says
            something else than its content.
    """
    expected = SUFFIXES.get(path.suffix.lower())
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head:
        raise UnreadableDocument("the file is empty; check the export or download it again")
    kind = _kind_of(head, path)
    if expected is None:
        raise UnreadableDocument(_unsupported(path, kind))
    if kind != expected:
        raise UnreadableDocument(
            "the name ends in {ending} but the content is {kind}; rename it to {name}",
            ending=path.suffix,
            kind=_NAMES[kind],
            name=f"{path.stem}{_suffix_for(kind)}",
        )
    return kind


def _kind_of(head: bytes, path: Path) -> Kind:
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith(_ZIP):
        return _inside_zip(path)
    if head.startswith(_OLE):
        raise UnreadableDocument(
            "it is an old Office file or a password-protected one; open it in Word or "
            "LibreOffice and save it as .docx without a password"
        )
    if _WEB_PAGE.match(head.removeprefix(codecs.BOM_UTF8)):
        raise UnreadableDocument(
            "it is a web page (HTML); print it to a PDF in the browser. Rabbithole reads {formats}",
            formats=_supported(),
        )
    for magic, name in _MAGIC.items():
        if head.startswith(magic):
            raise UnreadableDocument(
                "it is {kind}, not a document; Rabbithole reads {formats}",
                kind=name,
                formats=_supported(),
            )
    return "text"


def _inside_zip(path: Path) -> Kind:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except zipfile.BadZipFile as error:
        raise UnreadableDocument(
            "the Word document is damaged ({error}); export or download it again", error=error
        ) from error
    if "word/document.xml" in names:
        return "docx"
    others: tuple[tuple[str, Callable[[str], bool]], ...] = (
        ("an Excel workbook", lambda name: name.startswith("xl/")),
        ("a PowerPoint presentation", lambda name: name.startswith("ppt/")),
        ("an OpenDocument or EPUB file", lambda name: name == "mimetype"),
    )
    found = next((what for what, test in others if any(map(test, names))), "a ZIP archive")
    raise UnreadableDocument("it is {kind}; export it as PDF or .docx", kind=found)


def _unsupported(path: Path, kind: Kind) -> Notice:
    ending = path.suffix or "no ending"
    if kind == "text":
        return Notice.of(
            "files with {ending} are not supported; Rabbithole reads {formats}",
            ending=ending,
            formats=_supported(),
        )
    return Notice.of(
        "the name has {ending} but the content is {kind}; rename it to {name}",
        ending=ending,
        kind=_NAMES[kind],
        name=f"{path.stem}{_suffix_for(kind)}",
    )


def _supported() -> str:
    return ", ".join(SUFFIXES)


def _suffix_for(kind: Kind) -> str:
    return next(suffix for suffix, inside in SUFFIXES.items() if inside == kind)
