"""The text of a word processor's document, put together paragraph by paragraph."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from lxml.etree import _Element

from services.domain.notices import Notice
from services.ingestion.parsers.extraction import Extraction, Heading, plain_title, stands_above
from services.ingestion.parsers.standalone import Block, all_headings
from services.ingestion.parsers.tables import Grid, grid_lines, heads_of

TITLE: Final = 0  # level of a paragraph in the style "Title"
_BETWEEN: Final = "\n\n"
_NO_HEADING: Final = "|"


class TextBody:
    """The paragraphs and tables so far, with headings; ``losses`` counts what was left out."""

    def __init__(self) -> None:
        self.losses = Counter[str]()
        self._title: str | None = None
        self._texts: list[str] = []
        self._blocks: list[Block] = []
        self._begin = 0
        self._styled_headings: list[Heading] = []
        self._length = 0

    def add_paragraph(
        self, text: str, *, level: int | None, bold: bool, marks: Iterable[str] = ()
    ) -> None:
        """Append a paragraph at a ``level`` of 1-9, `TITLE` or None; titles lose ``marks``."""
        title = without_marks(text, marks)
        if text and level == TITLE:
            self._title = self._title or plain_title(title)
        elif text and level is not None:
            end = self._length + len(text)
            self._styled_headings.append(Heading(self._length, end, plain_title(title), level))
        self._add(text, text, bold)

    def add_block(self, text: str) -> None:
        """Append a table or a note, which can be no heading."""
        self._add(text, _NO_HEADING, False)

    def add_margins(self, texts: Iterable[str]) -> None:
        """Append headers and footers first, once each; those without a letter are numbers."""
        for text in dict.fromkeys(texts):
            if any(map(str.isalpha, text)):
                self.add_block(text)
        self._begin = self._length

    def _add(self, text: str, shape: str, bold: bool) -> None:
        if text:
            self._blocks.append(Block(self._length, shape, bold))
            self._texts.append(text)
            self._length += len(text) + len(_BETWEEN)

    def extraction(self) -> Extraction:
        headings = all_headings(self._styled_headings, self._blocks)
        title = self._title
        if not title and headings and headings[0].start == self._begin and stands_above(headings):
            title = headings[0].title
        text = _BETWEEN.join(self._texts)
        return Extraction(title, text, tuple(headings), warnings=tuple(loss_notices(self.losses)))


class BodyReader(ABC):
    """Reads blocks in their order; boxes and notes follow the paragraph or table that they are in.

    Subclasses set them aside: ``_notes`` are their marks and elements, if these exist.
    """

    _table_tag: str

    def __init__(self) -> None:
        self._body = TextBody()
        self._losses = self._body.losses
        self._boxes: list[_Element] = []
        self._notes: list[tuple[str, _Element | None]] = []

    @abstractmethod
    def _elements(self, container: _Element) -> Iterator[_Element]:
        """Yield the blocks of a container in order."""

    @abstractmethod
    def _paragraph(self, paragraph: _Element) -> str:
        """Return a paragraph with its automatic number, or nothing where it shows no text."""

    @abstractmethod
    def _level(self, paragraph: _Element) -> int | None: ...

    @abstractmethod
    def _is_bold(self, paragraph: _Element) -> bool: ...

    @abstractmethod
    def _grid(self, table: _Element) -> tuple[int, Grid]:
        """Return the number of marked head rows, and the cells; merged ones are the same object."""

    def _add_margins(self, margins: Iterable[_Element]) -> None:
        self._body.add_margins(map(self._cell, margins))
        self._add_asides()

    def _read(self, container: _Element) -> None:
        for element in self._elements(container):
            if element.tag == self._table_tag:
                self._body.add_block(self._table(element))
            else:
                text, level = self._paragraph(element), self._level(element)
                bold = self._is_bold(element)
                self._body.add_paragraph(text, level=level, bold=bold, marks=self._marks())
            self._add_asides()

    def _add_asides(self) -> None:
        boxes, self._boxes = self._boxes, []
        notes, self._notes = self._notes, []
        for box in boxes:
            self._read(box)
        for mark, note in notes:
            text = "" if note is None else self._cell(note)
            self._body.add_block(f"{mark} {text}".strip() if text else "")

    def _marks(self) -> list[str]:
        return [mark for mark, _ in self._notes]

    def _table(self, table: _Element) -> str:
        marked, grid = self._grid(table)
        return table_text(grid, marked, self._marks())

    def _cell(self, cell: _Element) -> str:
        """Return the text of a cell or note in one line."""
        blocks = (
            self._table(block).replace("\n", "; ")
            if block.tag == self._table_tag
            else self._paragraph(block)
            for block in self._elements(cell)
        )
        return " ".join(" ".join(blocks).split())


def table_text(grid: Grid, marked: int = 0, marks: Collection[str] = ()) -> str:
    """Return a table's rows as lines; ``marked`` rows are heads, without the ``marks`` of notes."""
    above, heads = heads_of(grid, marked)
    heads = [without_marks(head, marks) for head in heads]
    return "\n".join(filter(None, grid_lines(grid, heads, above)))


def without_marks(text: str, marks: Iterable[str]) -> str:
    for mark in marks:
        text = text.replace(mark, "") if mark else text
    return text


def loss_notices(losses: Counter[str]) -> Iterator[Notice]:
    if count := losses["struck"]:
        yield Notice.of("struck-out passages are left out: {count}", count=count)
    if count := losses["hidden"]:
        yield Notice.of("hidden passages are left out: {count}", count=count)
    if count := losses["symbols"]:
        yield Notice.of("characters in unknown symbol fonts are shown as �: {count}", count=count)
    if count := losses["comments"]:
        yield Notice.of("comments are not read: {count}", count=count)
    if count := losses["drawings"]:
        yield Notice.of("charts and diagrams are not read: {count}", count=count)
    if count := losses["objects"]:
        yield Notice.of("embedded objects and files are not read: {count}", count=count)
    if count := losses["numbers"]:
        yield Notice.of(
            "automatic list numbers in an unknown format are left out: {count}", count=count
        )
