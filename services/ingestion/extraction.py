"""What a parser hands over: the text of a file with its headings. Kept light for the worker."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from services.domain.errors import UnreadableDocument
from services.ingestion.file_metadata import NOTHING, FileMetadata

# Control characters (tab and newline excepted), soft hyphens, surrogates and noncharacters.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
MOST_TEXT = 20_000_000
"""Characters of the longest text that is taken: some 6,000 dense pages."""
_LONGEST_TITLE = 2000
"""Characters of a title that are looked at: the patterns below take the square of the length."""
_MARKUP = (
    (re.compile(r":[a-z:]+:`([^`<]*?)\s*(?:<[^`]*>)?`"), r"\1"),
    (re.compile(r"``?([^`]+)``?_{0,2}"), r"\1"),
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*"), r"\1"),
    (re.compile(r"\\([*_`|\\#])"), r"\1"),
)


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

    ``pages`` holds the start offset of every page, or nothing where the format has no pages.
    ``series`` is the document's own citable label (``PEP 604``) when it states one. ``metadata`` is
    what else the file says of itself. ``unread_pages`` (from 1) could not be loaded and are empty.
    """

    title: str | None
    text: str
    headings: tuple[Heading, ...] = ()
    pages: tuple[int, ...] = ()
    series: str | None = None
    metadata: FileMetadata = NOTHING
    unread_pages: tuple[int, ...] = ()


def stands_above(headings: Sequence[Heading]) -> bool:
    """Whether the first of the headings is further out than all others."""
    return all(other.level > headings[0].level for other in headings[1:])


def require_length(text: str) -> None:
    """Raise UnreadableDocument for a text that is too long for one document."""
    if len(text) > MOST_TEXT:
        raise UnreadableDocument(
            "its text has {length:,} characters, more than the {most:,} that one document "
            "may have; split it",
            length=len(text),
            most=MOST_TEXT,
        )


def clean(text: str) -> str:
    """Normalise to NFC and drop what a reader cannot see; newlines and tabs stay."""
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", text).replace("\u00a0", " "))


def letters(text: str) -> str:
    """What is the same in a heading as written, underlined or marked up, and as its title."""
    return re.sub(r"[\W_]+", "", text)


def label_ahead(title: str, text: str, first: int, pages: Sequence[int]) -> str:
    """What the text ahead of the first section is called, where no page tells its place.

    The document's title counts where the text begins with it as its heading. ``first`` is where
    the first section starts, 0 without any; ``pages`` are empty where the format has none.
    """
    beginning, wanted = letters(text[: min(first, _LONGEST_TITLE)]), letters(title)
    return title if wanted and not pages and beginning.startswith(wanted) else ""


def plain_title(text: str) -> str:
    """Make one line of a heading: markup of Markdown and reStructuredText removed."""
    text = text[:_LONGEST_TITLE]
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return " ".join(text.split())
