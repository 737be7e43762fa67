"""Word documents: paragraphs and tables in document order, headings by style."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import Final

from docx import Document as open_document
from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.exceptions import OpcError
from docx.oxml.xmlchemy import BaseOxmlElement
from docx.styles.style import ParagraphStyle

from services.domain import DocumentMetadata
from services.domain.errors import UnreadableDocument
from services.ingestion.archive import opened
from services.ingestion.extraction import Extraction, Heading, clean, plain_title, stands_above
from services.ingestion.file_metadata import file_metadata
from services.ingestion.raised import raised
from services.ingestion.standalone import Block, all_headings
from services.ingestion.tables import Cell, Grid, grid_lines, heads_of

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_TEXT: Final = {f"{_W}t", f"{_M}t"}
_SPACES: Final = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
# Properties, deleted text, the second copy of drawings, and text boxes, which float freely.
_SKIPPED: Final = {
    f"{_W}pPr", f"{_W}del", f"{_W}moveFrom", f"{_MC}Fallback", f"{_W}txbxContent",
}  # fmt: skip
_TRANSPARENT: Final = {f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml"}
# When python-docx's template was made: programs that write with it often leave it in.
_TEMPLATE: Final = datetime(2013, 12, 23, 23, 15)
_BETWEEN: Final = "\n\n"
_TITLE: Final = 0
_DEEPEST: Final = 9
_WIDEST: Final = 63
"""Columns that Word allows."""


def parse_docx(path: Path) -> Extraction:
    """Read a ``.docx`` file.

    Rows of tables become one line each, as `tables` says.

    Raises:
        UnreadableDocument: the package is damaged or holds no document.
    """
    with opened(path, OpcError):
        document = open_document(str(path))
    if document.element.getroottree().docinfo.internalDTD is not None:
        raise UnreadableDocument(
            "the Word document defines XML entities, which no office program does; open it in "
            "Word or LibreOffice and save it again, if you trust it"
        )
    return replace(_read(document), metadata=_metadata(document))


def _metadata(document: Document) -> DocumentMetadata:
    """The core properties; its day is that of the last change."""
    try:  # the library would make up properties for a package that has none
        document.part.package.part_related_by(RELATIONSHIP_TYPE.CORE_PROPERTIES)
    except KeyError:
        return DocumentMetadata()
    properties = document.core_properties
    days = (properties.modified, properties.created)
    return file_metadata(
        tags=properties.keywords,
        category=properties.category,
        author=properties.author,
        day=next((day for day in days if day and day.replace(tzinfo=None) != _TEMPLATE), None),
    )


def _read(document: Document) -> Extraction:
    """The text of the body with its headings."""
    levels = _style_levels(document)
    texts: list[str] = []
    blocks: list[Block] = []
    found: list[Heading] = []
    title, place = None, 0
    for element in _blocks(document.element.body):
        if element.tag == f"{_W}tbl":
            text = _table(element)
            blocks.append(Block(place, "|"))
        elif text := clean(_text(element)).strip():
            blocks.append(Block(place, text, _is_bold(element)))
            level = _level(element.find(f"{_W}pPr"), levels)
            if level == _TITLE:
                title = title or plain_title(text)
            elif level is not None:
                found.append(Heading(place, place + len(text), plain_title(text), level))
        if text:
            texts.append(text)
            place += len(text) + len(_BETWEEN)
    headings = all_headings(found, blocks)
    if not title and headings and headings[0].start == 0 and stands_above(headings):
        title = headings[0].title
    return Extraction(title, _BETWEEN.join(texts), tuple(headings))


def _level(properties: BaseOxmlElement | None, levels: Mapping[str, int | None]) -> int | None:
    """Outline level 1-9 of a paragraph, or None; its own counts before its style's."""
    own = _outline_level(properties)
    if own is not None:
        return own if own <= _DEEPEST else None
    style = None if properties is None else properties.find(f"{_W}pStyle")
    return None if style is None else levels.get(style.get(f"{_W}val", ""))


def _blocks(body: BaseOxmlElement) -> Iterator[BaseOxmlElement]:
    """Paragraphs and tables in order, also inside content controls and insertions."""
    for child in body:
        if child.tag in (f"{_W}p", f"{_W}tbl"):
            yield child
        elif child.tag in _TRANSPARENT:
            yield from _blocks(child)


def _is_bold(paragraph: BaseOxmlElement) -> bool:
    """Whether all text of a paragraph is set in bold."""
    runs = [run for run in paragraph.iter(f"{_W}r") if _text(run).strip()]
    marks = [run.find(f"{_W}rPr/{_W}b") for run in runs]
    return bool(marks) and all(
        mark is not None and mark.get(f"{_W}val", "1") not in ("0", "false", "off")
        for mark in marks
    )


def _text(element: BaseOxmlElement) -> str:
    parts: list[str] = []
    for child in element:
        if child.tag in _TEXT:
            parts.append(child.text or "")
        elif child.tag in _SPACES:
            parts.append(_SPACES[child.tag])
        elif child.tag not in _SKIPPED:
            parts.append(_text(child))
    text = "".join(parts)
    place = element.find(f"{_W}rPr/{_W}vertAlign")
    return raised(text) if place is not None and place.get(f"{_W}val") == "superscript" else text


def _table(table: BaseOxmlElement) -> str:
    """Its rows as lines, each cell after the head of its column."""
    grid = _grid(table)
    above, heads = heads_of(grid, _marked(table))
    return "\n".join(filter(None, grid_lines(grid, heads, above)))


def _grid(table: BaseOxmlElement) -> Grid:
    """The cells in their columns; one that is joined with that above it is the same."""
    rows: list[list[Cell]] = []
    for row in table.iterfind(f"{_W}tr"):
        cells = [Cell("")] * _number(row.find(f"{_W}trPr/{_W}gridBefore"), 0)
        for element in row.iterfind(f"{_W}tc"):
            joined = element.find(f"{_W}tcPr/{_W}vMerge")
            goes_on = joined is not None and joined.get(f"{_W}val", "continue") == "continue"
            above = rows[-1][len(cells) : len(cells) + 1] if rows and goes_on else []
            cell = above[0] if above else Cell(_cell(element))
            cells += [cell] * _number(element.find(f"{_W}tcPr/{_W}gridSpan"), 1)
        rows.append(cells[:_WIDEST])
    width = max(map(len, rows), default=0)
    return [row + [Cell("")] * (width - len(row)) for row in rows]


def _number(element: BaseOxmlElement | None, default: int) -> int:
    value = "" if element is None else element.get(f"{_W}val", "")
    return min(int(value), _WIDEST) if value.isdecimal() else default


def _marked(table: BaseOxmlElement) -> int:
    """How many rows are marked to be repeated on every page."""
    marks = (row.find(f"{_W}trPr/{_W}tblHeader") for row in table.iterfind(f"{_W}tr"))
    return len(list(takewhile(lambda mark: mark is not None, marks)))


def _cell(cell: BaseOxmlElement) -> str:
    blocks = (
        _table(block).replace("\n", "; ") if block.tag == f"{_W}tbl" else _text(block)
        for block in _blocks(cell)
    )
    return " ".join(" ".join(clean(block) for block in blocks).split())


def _style_levels(document: Document) -> dict[str, int | None]:
    """Heading level of every paragraph style by its id; `_TITLE` for the style "Title"."""
    return {
        style.style_id: _TITLE if style.name == "Title" else _style_level(style)
        for style in document.styles
        if style.type == WD_STYLE_TYPE.PARAGRAPH
    }


def _style_level(style: ParagraphStyle | None) -> int | None:
    """Level from the style's outline level or name, or from the style that it is based on."""
    seen: set[str] = set()
    while style is not None and style.style_id not in seen:  # a hostile one is based on itself
        seen.add(style.style_id)
        level = _outline_level(style.element.find(f"{_W}pPr"))
        if level is None and re.fullmatch(r"Heading [1-9]", style.name or ""):
            level = int(style.name[-1])
        if level is not None:
            return level if level <= _DEEPEST else None
        style = style.base_style
    return None


def _outline_level(properties: BaseOxmlElement | None) -> int | None:
    node = None if properties is None else properties.find(f"{_W}outlineLvl")
    return None if node is None else int(node.get(f"{_W}val", "9")) + 1
