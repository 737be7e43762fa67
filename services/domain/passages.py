"""Documents: text with its structure, metadata, references, passages, and drawn pages."""

import datetime
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Literal, NamedTuple

from pydantic import Base64Bytes, Field, model_validator

from services.domain.errors import InvalidInput
from services.domain.notices import Notice
from services.domain.value import DocumentSpan, Language, Location, PageFields, Value

LONGEST = 200
"""Characters of a tag, a category or an author."""
MOST_TAGS = 50


class DocumentMetadata(Value):
    """Where a document is filed; ``date`` is the day from which the document is."""

    tags: tuple[str, ...] = ()
    category: str | None = None
    author: str | None = None
    date: datetime.date | None = None


class MetadataChanges(Value):
    """What a person sets: None leaves a field as it is, an empty value empties it.

    ``tags`` are all that the document has from then on. ``date`` is ISO 8601 or empty.
    """

    tags: tuple[str, ...] | None = None
    category: str | None = None
    author: str | None = None
    date: str | None = None


def changed(metadata: DocumentMetadata, changes: MetadataChanges) -> DocumentMetadata:
    """Return the metadata with a person's changes; raise InvalidInput for an unusable one."""
    update = changes.model_dump(exclude_none=True)
    if changes.tags is not None:
        update["tags"] = distinct(_checked("tag", tag) for tag in changes.tags)
        if len(update["tags"]) > MOST_TAGS:
            raise InvalidInput("A document can have up to {most} tags. Use fewer.", most=MOST_TAGS)
    for field in ("category", "author"):
        if field in update:
            update[field] = _checked(field, update[field]) or None
    if changes.date is not None:
        update["date"] = _day(changes.date)
    return metadata.model_copy(update=update)


def folded(text: str) -> str:
    """Return the form in which two spellings of a tag, a category or an author are compared."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Return non-empty texts in their order, each once, spelled as it is first."""
    return tuple({folded(text): text for text in reversed([*texts]) if text}.values())[::-1]


def _checked(what: str, text: str) -> str:
    line = " ".join(text.split())
    if len(line) > LONGEST:
        raise InvalidInput(
            "A {field} can have up to {most} characters. Shorten it.", field=what, most=LONGEST
        )
    return line


def _day(text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text) if text.strip() else None
    except ValueError as error:
        raise InvalidInput("{text!r} is not a date. Write it as YYYY-MM-DD.", text=text) from error


ChunkStrategy = Literal["paragraph", "sentence", "fixed", "semantic"]
SourceType = Literal["vector_search", "reference", "hitl", "graph"]


class SectionSpan(Value):
    """A section of an extracted text, from its heading to the next heading of any level.

    ``label`` is the citable name (``§ 78``, ``Anlage 4``, ``3.2``, ``PEP 604``); where the
    heading has none, the nearest label above it, else the document's own label, else the heading.
    ``start``/``end`` are characters, end exclusive. ``heading_path`` runs from the outermost
    heading to this one. ``level`` is 0 for the outermost.
    """

    label: str
    title: str
    level: int
    start: int
    end: int
    heading_path: tuple[str, ...]


class RecognisedWord(NamedTuple):
    """A word that was read from a picture; ``confidence`` is the OCR engine's, 0 to 100.

    The box is in points from the upper left corner of the page as shown.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    confidence: int


class RecognisedLine(NamedTuple):
    """A line of words; ``baseline`` in points from the top, ``height`` of the type in points."""

    baseline: float
    height: float
    words: tuple[RecognisedWord, ...]


Recognised = dict[int, tuple[RecognisedLine, ...]]
"""The lines of pages (from 1) in reading order."""


class ParsedDocument(Value):
    """The text of a file with its structure, and the metadata that the file states.

    ``pages`` holds the start offset of every page (first is 0; empty when the format has no pages),
    ``page_labels`` what is printed on every page, empty where it counts from 1 as well. Sections
    are ordered, do not overlap and cover the text from the first heading on. ``recognised`` holds
    the pages that are pictures whose text was recognised. ``unread_pages`` (from 1) are missing
    from the text, and ``warnings`` say why.
    """

    title: str
    text: str
    pages: tuple[int, ...]
    sections: tuple[SectionSpan, ...]
    language: Language
    parser_version: str
    metadata: DocumentMetadata = DocumentMetadata()
    page_labels: tuple[str, ...] = Field((), exclude_if=lambda labels: not labels)
    recognised: Recognised = Field(default_factory=dict)
    unread_pages: tuple[int, ...] = ()
    warnings: tuple[Notice, ...] = ()

    def is_recognised(self, start: int, end: int) -> bool:
        """Return whether any word of a span was read from a picture."""
        first, last = (self.page_at(at) or 1 for at in (start, end - 1))
        return any(first <= page <= last for page in self.recognised)

    def page_at(self, offset: int) -> int | None:
        return page_at(self.pages, offset)

    def page_fields(self, offset: int) -> PageFields:
        return page_fields(self.page_at(offset), self.page_labels)

    def section_at(self, offset: int) -> int:
        """Return the index of the section that holds a character; -1 before the first."""
        return bisect_right(self.sections, offset, key=lambda section: section.start) - 1


def title_of(title: str, document: str) -> str:
    """Return the title that a document states, else its file's name without the extension."""
    return title or PurePath(document).stem.strip()


def page_at(pages: Sequence[int], offset: int) -> int | None:
    """Return the page (from 1) of a character, given where pages begin; None without pages."""
    return max(bisect_right(pages, offset), 1) if pages else None


def page_fields(page: int | None, labels: Sequence[str]) -> PageFields:
    """Return a page with its label, where that is another than its number."""
    label = labels[page - 1] if page is not None and labels else ""
    if label == str(page):
        label = ""
    return PageFields(page=page, page_label=label, page_count=len(labels) if label else 0)


class Chunking(Value):
    """How texts are cut into chunks; ``size`` (200 to 4000) and ``overlap`` in characters.

    Neighbours share the overlap where a text is cut by length: in ``fixed``, and in ``paragraph``
    for a very large text without paragraphs.
    """

    strategy: ChunkStrategy = "paragraph"
    size: int = 1000
    overlap: int = 200

    @model_validator(mode="after")
    def _within_bounds(self) -> "Chunking":
        if not 200 <= self.size <= 4000:
            raise ValueError(f"the chunk size must be 200 to 4000 characters, not {self.size}")
        if not 0 <= self.overlap < self.size:
            raise ValueError(
                f"the chunk overlap must be at least 0 and below the chunk size of {self.size} "
                f"characters, not {self.overlap}"
            )
        return self

    @property
    def key(self) -> str:
        """Return what identifies settings that cut every text alike: ``paragraph:1000:200``."""
        overlap = f":{self.overlap}" if self.strategy in ("paragraph", "fixed") else ""
        return f"{self.strategy}:{self.size}{overlap}"

    @classmethod
    def of_key(cls, key: str) -> "Chunking":
        """Return the settings of a ``key``."""
        strategy, size, *overlap = key.split(":")
        return cls.model_validate(
            {"strategy": strategy, "size": int(size), "overlap": int(overlap[0]) if overlap else 0}
        )


class ChunkSpan(Value):
    """The location of a chunk in its text; ``page`` and ``page_end`` from 1, None without pages."""

    start: int
    end: int
    section: str
    heading_path: tuple[str, ...]
    page: int | None
    page_end: int | None


class PassageSpan(DocumentSpan, Location):
    """A passage, or an excerpt of it, by its characters in the document's text."""

    chunk_id: str


class Passage(PassageSpan):
    """A passage of a document, with everything needed to show and cite it."""

    text_id: str
    title: str
    heading_path: tuple[str, ...]
    text: str


class Evidence(PassageSpan):
    """A passage and how it was found; its text stays in the catalog.

    ``score`` is the relevance at the time of finding, ``relevance`` the one that validation
    measured against the anchor (None before). ``weight`` follows from tier. ``way`` names the nodes
    of the graph that ``depth`` counts, ``led_from`` is the chunk where they begin.
    """

    tier: int
    weight: float
    score: float
    depth: int
    source_type: SourceType
    task_id: int | None
    query: str
    rank: int
    way: str = ""
    led_from: str = ""
    status: Literal["kept", "dropped", "restored"] = "kept"
    relevance: float | None = None
    reason: Notice | None = None


ReferenceType = Literal["section", "document", "external"]
RelationKind = Literal["replaces", "amends", "repeals"]


class DetectedReference(Value):
    """A reference as it stands in a text, before it is resolved.

    ``label`` is the normalised section label (``§ 9a``, ``Anlage 4``, ``3.2``), ``subdivision`` the
    rest (``Absatz 3 Satz 1``), ``document`` the name hint as written (``Atomgesetzes``, ``PEP
    484``). A range yields one reference per label with the same span. ``target`` is what to show.
    ``relation`` is what the text says that it does to the target, None if it only cites it.
    """

    text: str
    start: int
    end: int
    type: ReferenceType
    label: str | None
    subdivision: str | None
    document: str | None
    target: str
    relation: RelationKind | None = None


class Box(Value):
    """A rectangle on a page: a line, or part of one, that a mark covers."""

    x0: float
    y0: float
    x1: float
    y1: float


class PageWord(NamedTuple):
    """A word on a page, with its box."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float


class PageImage(Value):
    """A page, or its ``region``, drawn as PNG; ``boxes`` are what is marked, a box a line.

    ``last_page`` is the page on which the marked span ends. ``recognised``: the page is a picture,
    and its text was read from it; ``doubtful`` is then the marked word of which the engine was
    least sure, and how sure it was, 0 to 100. ``lines`` are the visible words of the entire page.
    """

    page: int
    pages: int
    last_page: int
    width: float
    height: float
    region: Box
    boxes: tuple[Box, ...]
    recognised: bool = False
    doubtful: tuple[str, int] | None = None
    lines: tuple[tuple[PageWord, ...], ...] = ()
    png: Base64Bytes
