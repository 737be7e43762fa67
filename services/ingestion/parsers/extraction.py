"""The input and output of parsers: the kind of a file, and its text with headings."""

import codecs
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Final

from services.domain import DocumentMetadata
from services.domain.errors import UnreadableDocument
from services.domain.formats import FORMATS, SUFFIX_OF_MEDIA_TYPE, SUFFIXES, Kind
from services.domain.notices import Notice

_HEAD: Final = 8192
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
}
_WEB_PAGE: Final = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html|head)\b", re.IGNORECASE
)
_OLE: Final = bytes.fromhex("d0cf11e0a1b11ae1")
_DIRECTORY: Final = 4096  # bytes of the list of streams that are looked at
_ENCRYPTED: Final = "EncryptedPackage"
_OLD_FORMATS: Final = {
    "WordDocument": (".doc", ".docx"),
    "Workbook": (".xls", ".xlsx"),
    "PowerPoint Document": (".ppt", ".pptx"),
}
"""Endings of an old format and of the one that is read, by a stream of the former."""
_MOST_TYPES: Final = 1_000_000
"""Bytes of the list of parts of an office file that are looked at; a part takes about 150."""
_ZIP: Final = b"PK\x03\x04"
# Control characters (tab and newline excepted), soft hyphens, surrogates and noncharacters.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
_NO_LETTERS = re.compile(r"[\W_]+")
MOST_TEXT = 20_000_000
"""Characters of the longest text that is taken: some 6,000 dense pages."""
_LONGEST_TITLE = 2000
"""Characters of a title that are looked at: the patterns below take the square of the length."""
_MARKUP = (
    (re.compile(r":[a-z:]+:`([^`<]*?)\s*(?:<[^`]*>)?`"), r"\1"),
    (re.compile(r"``?([^`]+)``?_{0,2}"), r"\1"),
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*"), r"\1"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"\\([*_`|\\#])"), r"\1"),
    (re.compile(r"\s*\{[.#][^{}]*\}$"), ""),
)
_MARKS: Final = frozenset("`[*\\{")  # signs of which all markup has one

_LONGEST_NAME: Final = 200  # bytes
MOST_ATTACHMENTS: Final = 100
MOST_ATTACHED: Final = 200_000_000  # bytes of all that is attached to a mail
NOTHING: Final = DocumentMetadata()


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at ``text[start:end]``. ``level`` is relative: smaller is further out."""

    start: int
    end: int
    title: str
    level: int


@dataclass(frozen=True, slots=True)
class Extraction:
    """A parsed file before its sections are built.

    Pages count from 1.

    Args:
        pages: start of each page in the text; empty if the format has no pages.
        page_labels: the label printed on each page; empty if these count from 1, too.
        series: the label by which the document wants to be cited (``PEP 604``), if it states one.
        metadata: what else the file says about itself.
        unread_pages: pages that could not be loaded and are empty.
        pictures: pages without a text layer.
        unseen: pages with text that they do not show.
        warnings: what the file contains and the text does not.
    """

    title: str | None
    text: str
    headings: tuple[Heading, ...] = ()
    pages: tuple[int, ...] = ()
    page_labels: tuple[str, ...] = ()
    series: str | None = None
    metadata: DocumentMetadata = NOTHING
    unread_pages: tuple[int, ...] = ()
    pictures: tuple[int, ...] = ()
    unseen: tuple[int, ...] = ()
    warnings: tuple[Notice, ...] = ()


def stands_above(headings: Sequence[Heading]) -> bool:
    """Return whether the first heading is of a higher rank than all others."""
    return all(other.level > headings[0].level for other in headings[1:])


def require_length(length: int) -> None:
    """Raise UnreadableDocument for a text of more characters than one document may have."""
    if length > MOST_TEXT:
        raise UnreadableDocument(
            "its text has {length:,} characters, more than the {most:,} allowed; split it",
            length=length,
            most=MOST_TEXT,
        )


def clean(text: str) -> str:
    """Normalise to NFC and drop what a reader cannot see; newlines and tabs stay."""
    if not text.isprintable():
        text = _INVISIBLE.sub("", text).replace("\u00a0", " ")
    return unicodedata.normalize("NFC", text)


def letters(text: str) -> str:
    """Return the letters of a heading, which are the same with and without its markup."""
    return _NO_LETTERS.sub("", text)


def label_ahead(title: str, text: str, first: int, pages: Sequence[int]) -> str:
    """Return the title if the text before the first section, without pages, begins with it."""
    beginning, title_letters = letters(text[: min(first, _LONGEST_TITLE)]), letters(title)
    return title if title_letters and not pages and beginning.startswith(title_letters) else ""


def plain_title(text: str) -> str:
    """Make one line of a heading: markup of Markdown and reStructuredText removed."""
    text = clean(text[:_LONGEST_TITLE])
    for pattern, replacement in _MARKUP if _MARKS & {*text} else ():
        text = pattern.sub(replacement, text)
    return " ".join(text.split())


def in_sections(
    title: str | None,
    sections: Iterable[tuple[str, Sequence[str]]],
    metadata: DocumentMetadata,
    warnings: tuple[Notice, ...],
) -> Extraction:
    """Return parts with their headings, one below the other."""
    text, headings = "", []
    for heading, lines in sections:
        heading_line = clean(heading)
        headings.append(
            Heading(len(text), len(text) + len(heading_line), plain_title(heading_line), 1)
        )
        text += "\n".join([heading_line, "", *map(clean, lines)]) + "\n\n"
    return Extraction(
        plain_title(title or ""), text, tuple(headings), metadata=metadata, warnings=warnings
    )


def file_name(name: str, content_type: str = "") -> str:
    """Return the last component of a path, valid on any system, with the type's ending."""
    name = unicodedata.normalize("NFC", name)
    last = PurePosixPath(PureWindowsPath(name).as_posix()).name
    plain = _plain(last)
    ending = PurePosixPath(plain).suffix[:20]
    stem = PurePosixPath(plain).stem if ending else plain
    if ending.lower() not in SUFFIXES and content_type in SUFFIX_OF_MEDIA_TYPE:
        stem, ending = plain, SUFFIX_OF_MEDIA_TYPE[content_type]
    stem = stem.encode()[: _LONGEST_NAME - len(ending.encode())].decode(errors="ignore")
    return f"{stem or 'attachment'}{ending}"


def is_file_name(name: str) -> bool:
    """Return whether a name is valid on any system and leads to no other folder."""
    return 0 < len(name.encode()) < 256 and _plain(name) == name


def _plain(name: str) -> str:
    return "".join(
        letter if letter.isprintable() and letter not in '<>:"|?*/\\' else "_" for letter in name
    ).strip(". ")


def detect_kind(path: Path) -> Kind:
    """Decide how to read a file. Raises UnreadableDocument."""
    expected = SUFFIXES.get(path.suffix.lower())
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head:
        raise UnreadableDocument("the file is empty; check the export or download it again")
    kind = _kind_of(head, path)
    ending = path.suffix or "no extension"
    if expected is None and kind == "text":
        raise UnreadableDocument(
            "files with {ending} are not supported; Rabbithole reads {formats}",
            ending=ending,
            formats=_supported(),
        )
    if kind == "text" and expected is not None and FORMATS[expected].any_text:
        return expected
    if kind != expected:
        raise UnreadableDocument(
            "the name ends in {ending} but the content is {kind}; rename it to {name}"
            if expected
            else "the name has {ending} but the content is {kind}; rename it to {name}",
            ending=ending,
            kind=FORMATS[kind].description,
            name=f"{path.stem}{next(iter(FORMATS[kind].suffixes))}",
        )
    return kind


def _kind_of(head: bytes, path: Path) -> Kind:
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith(_ZIP):
        return _inside_zip(path)
    if head.startswith(_OLE) and path.suffix.lower() == ".msg":
        return "msg"
    if head.startswith(_OLE):
        raise _old_office(head, path)
    if head.startswith(b"{\\rtf"):
        return "rtf"
    if _WEB_PAGE.match(head.removeprefix(codecs.BOM_UTF8)):
        return "html"
    for magic, name in _MAGIC.items():
        if head.startswith(magic):
            raise UnreadableDocument(
                "it is {kind}, not a document; Rabbithole reads {formats}",
                kind=name,
                formats=_supported(),
            )
    return "text"


def _old_office(head: bytes, path: Path) -> UnreadableDocument:
    """Return why a compound file is not read, by the names of its streams ([MS-CFB], 2.6)."""
    size = 1 << min(int.from_bytes(head[30:32], "little"), 12)
    with path.open("rb") as file:
        file.seek((int.from_bytes(head[48:52], "little") + 1) * size)
        directory = file.read(_DIRECTORY)
    if _ENCRYPTED.encode("utf-16-le") in directory:
        return UnreadableDocument(
            "the file is encrypted; save a copy without a password and ingest that"
        )
    for stream, (ending, newer) in _OLD_FORMATS.items():
        if stream.encode("utf-16-le") in directory:
            return UnreadableDocument(
                "it is an old Office file ({ending}); open it in LibreOffice or in the program "
                "that made it, and save it as {newer}",
                ending=ending,
                newer=newer,
            )
    return UnreadableDocument(
        "it is an old or a password-protected Office file; open it in Word or LibreOffice and "
        "save it as .docx without a password"
    )


def _inside_zip(path: Path) -> Kind:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            for kind, form in FORMATS.items():
                if form.member and form.member in names:
                    return kind
            mimetype = _beginning(archive, "mimetype")
            content_types = _beginning(archive, "[Content_Types].xml")
    except (zipfile.BadZipFile, RuntimeError, EOFError, zlib.error) as error:
        raise UnreadableDocument(
            "the file is damaged ({error}); export or download it again", error=error
        ) from error
    for kind, form in FORMATS.items():
        media_types = chain.from_iterable(form.suffixes.values())
        if any(f"{media_type}.main+xml" in content_types for media_type in media_types):
            return kind
    if mimetype.startswith("application/vnd.oasis.opendocument.text"):
        return "odt"
    format_name = "an OpenDocument file" if "mimetype" in names else "a ZIP archive"
    raise UnreadableDocument("it is {kind}; export it as PDF or .docx", kind=format_name)


def _beginning(archive: zipfile.ZipFile, name: str) -> str:
    if name not in archive.namelist():
        return ""
    with archive.open(name) as member:
        return member.read(_MOST_TYPES).decode(errors="replace")


def _supported() -> str:
    return ", ".join(SUFFIXES)


RAISABLE: Final = "0123456789+-−"
RAISED: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"
_SUPERSCRIPTS: Final = str.maketrans(RAISABLE, RAISED + RAISED[-1])


def to_superscript(text: str) -> str:
    """Return a raised text with Unicode superscripts for its digits and signs; letters stay."""
    return text.translate(_SUPERSCRIPTS)
