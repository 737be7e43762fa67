"""Word documents: paragraphs and tables in document order, headings by style, notes and boxes."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Final, Literal

from docx import Document as open_document
from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.exceptions import OpcError
from docx.oxml import parse_xml
from docx.oxml.xmlchemy import BaseOxmlElement

from services.domain import DocumentMetadata
from services.domain.errors import UnreadableDocument
from services.ingestion.parsers.archive import as_transitional, checked_archive
from services.ingestion.parsers.docx_styles import MC, Styles, W, WordNumbers, is_on, value
from services.ingestion.parsers.extraction import Extraction, clean, to_superscript
from services.ingestion.parsers.file_metadata import file_metadata
from services.ingestion.parsers.formulas import M, formula
from services.ingestion.parsers.numbering import format_number
from services.ingestion.parsers.symbols import UNKNOWN, symbol, symbols
from services.ingestion.parsers.tables import Grid, ParsedCell, padded
from services.ingestion.parsers.text_body import BodyReader

_TEXT: Final = {f"{W}t", f"{M}t"}
_SPACES: Final = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
_BOX: Final = f"{W}txbxContent"
# Properties, deleted text, the second copy of drawings, how a word is spoken.
_SKIPPED: Final = {f"{W}pPr", f"{W}rPr", f"{W}del", f"{W}moveFrom", f"{MC}Fallback", f"{W}rt"}
_UNREAD: Final = {
    f"{W}commentReference": "comments",
    f"{W}object": "objects",
    "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart": "drawings",
    "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds": "drawings",
}
_TICKED, _UNTICKED = "\N{BALLOT BOX WITH X}", "\N{BALLOT BOX}"
NoteKind = Literal["footnote", "endnote"]
_NOTES: Final[dict[str, NoteKind]] = {
    f"{W}footnoteReference": "footnote",
    f"{W}endnoteReference": "endnote",
}


def _field_value(field: BaseOxmlElement) -> str:
    if (box := field.find(f"{W}checkBox")) is not None:
        state = box.find(f"{W}checked")
        state = box.find(f"{W}default") if state is None else state
        return _TICKED if state is not None and is_on(state) else _UNTICKED
    if (choice := field.find(f"{W}ddList")) is not None:
        entries = [value(entry) or "" for entry in choice.iterfind(f"{W}listEntry")]
        index = value(choice.find(f"{W}result")) or value(choice.find(f"{W}default")) or "0"
        return entries[int(index)] if index.isdecimal() and int(index) < len(entries) else ""
    return ""


_TRANSPARENT: Final = {
    f"{W}sdt", f"{W}sdtContent", f"{W}ins", f"{W}moveTo", f"{W}customXml", f"{W}smartTag",
    f"{MC}AlternateContent", f"{MC}Choice",
}  # fmt: skip
# When python-docx's template was made: programs that write with it often leave it in.
_TEMPLATE: Final = datetime(2013, 12, 23, 23, 15)
_WIDEST: Final = 63  # columns that Word allows
_NOTE_FORMATS: Final[dict[NoteKind, str]] = {"footnote": "decimal", "endnote": "lowerRoman"}


def parse_docx(path: Path) -> Extraction:
    """Read a ``.docx`` file. Raises UnreadableDocument if it is damaged or defines XML entities."""
    with checked_archive(path, OpcError):
        document = open_document(as_transitional(path))
    if document.element.getroottree().docinfo.internalDTD is not None:
        raise UnreadableDocument(
            "the Word document defines XML entities, which no office program does; if you trust "
            "it, open it in Word or LibreOffice and save it again"
        )
    return replace(_WordReader(document).extraction(), metadata=_metadata(document))


def _metadata(document: Document) -> DocumentMetadata:
    try:  # the library would make up properties for a package that has none
        document.part.package.part_related_by(RELATIONSHIP_TYPE.CORE_PROPERTIES)
    except (KeyError, ValueError):  # it has none, or several
        return DocumentMetadata()
    properties = document.core_properties
    days = (properties.modified, properties.created)
    return file_metadata(
        tags=properties.keywords,
        category=properties.category,
        author=properties.author,
        day=next((day for day in days if day and day.replace(tzinfo=None) != _TEMPLATE), None),
    )


class _WordReader(BodyReader):
    _table_tag = f"{W}tbl"

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self._styles = Styles(document.styles.element)
        root = self._part_root(RELATIONSHIP_TYPE.NUMBERING)
        self._numbers = WordNumbers(root, self._styles, self._losses)
        self._formats = _note_formats(document)
        self._counts = Counter[str]()
        self._note_elements = {
            (kind, value(note, "id")): note
            for kind, relation in (
                ("footnote", RELATIONSHIP_TYPE.FOOTNOTES),
                ("endnote", RELATIONSHIP_TYPE.ENDNOTES),
            )
            if (root := self._part_root(relation)) is not None
            for note in root
        }

    def extraction(self) -> Extraction:
        self._add_margins(self._margins())
        self._read(self._document.element.body)
        return self._body.extraction()

    def _margins(self) -> Iterator[BaseOxmlElement]:
        for section in self._document.sections:
            margins = [section.header, section.footer]
            if section.different_first_page_header_footer:
                margins += [section.first_page_header, section.first_page_footer]
            if self._document.settings.odd_and_even_pages_header_footer:
                margins += [section.even_page_header, section.even_page_footer]
            yield from (margin._element for margin in margins if not margin.is_linked_to_previous)

    def _part_root(self, relation: str) -> BaseOxmlElement | None:
        try:
            return parse_xml(self._document.part.part_related_by(relation).blob)
        except (KeyError, ValueError):  # no such part, or one outside the package
            return None

    def _elements(self, container: BaseOxmlElement) -> Iterator[BaseOxmlElement]:
        for element in _within(container, f"{W}p", f"{W}tbl", f"{W}altChunk"):
            if element.tag == f"{W}altChunk":  # a file of another format in its place
                self._losses["objects"] += 1
            else:
                yield element

    def _paragraph(self, paragraph: BaseOxmlElement) -> str:
        text = clean(self._inline(paragraph, self._styles.of_paragraph(paragraph))).strip()
        marks = paragraph.find(f"{W}pPr/{W}rPr")
        gone = marks is not None and any(
            marks.find(f"{W}{mark}") is not None for mark in ("del", "moveFrom", "vanish")
        )
        label = "" if gone and not text else self._numbers.label(paragraph)
        return f"{clean(label)}{text}" if text else ""

    def _level(self, paragraph: BaseOxmlElement) -> int | None:
        return self._styles.heading_level(paragraph)

    def _is_bold(self, paragraph: BaseOxmlElement) -> bool:
        runs = [run for run in paragraph.iter(f"{W}r") if "".join(run.itertext(f"{W}t")).strip()]
        marks = [run.find(f"{W}rPr/{W}b") for run in runs]
        return bool(marks) and all(mark is not None and is_on(mark) for mark in marks)

    def _is_hidden(self, row: BaseOxmlElement) -> bool:
        mark = row.find(f"{W}trPr/{W}hidden")
        hidden = mark is not None and is_on(mark)
        self._losses["hidden"] += hidden
        return hidden or row.find(f"{W}trPr/{W}del") is not None

    def _grid(self, table: BaseOxmlElement) -> tuple[int, Grid]:
        visible_rows = [row for row in _within(table, f"{W}tr") if not self._is_hidden(row)]
        rows: list[list[ParsedCell]] = []
        for row in visible_rows:
            cells = [ParsedCell("")] * _number(row.find(f"{W}trPr/{W}gridBefore"), 0)
            for element in _within(row, f"{W}tc"):
                joined = element.find(f"{W}tcPr/{W}vMerge")
                goes_on = joined is not None and joined.get(f"{W}val", "continue") == "continue"
                above = rows[-1][len(cells) : len(cells) + 1] if rows and goes_on else []
                cell = above[0] if above else ParsedCell(self._cell(element))
                cells += [cell] * _number(element.find(f"{W}tcPr/{W}gridSpan"), 1)
            rows.append(cells[:_WIDEST])
        marks = (row.find(f"{W}trPr/{W}tblHeader") for row in visible_rows)
        return len(list(takewhile(lambda mark: mark is not None, marks))), padded(rows)

    def _inline(self, element: BaseOxmlElement, style: str, font: str = "") -> str:
        texts: list[str] = []
        for child in element:
            tag = child.tag
            if tag in _TEXT:
                texts.append(symbols(font, child.text or ""))
            elif tag == f"{W}r":
                texts.append(self._run(child, style))
            elif tag in _SPACES:
                texts.append(_SPACES[tag])
            elif tag in _SKIPPED:
                continue
            elif tag == _BOX:
                self._boxes.append(child)
            elif tag == f"{W}sym":
                code = int(value(child, "char") or "20", 16)
                texts.append(symbol(value(child, "font") or "", code))
            elif tag in _NOTES:
                texts.append(self._mark(child, _NOTES[tag]))
            elif tag == f"{W}ffData":
                texts.append(_field_value(child))
            elif tag in _UNREAD:
                self._losses[_UNREAD[tag]] += 1
            else:
                is_math = isinstance(tag, str) and tag.startswith(M)
                math = formula(child, partial(self._inline, style=style)) if is_math else None
                texts.append(self._inline(child, style) if math is None else math)
        return "".join(texts)

    def _run(self, run: BaseOxmlElement, style: str) -> str:
        properties = self._styles.run_properties(run, style)
        hidden = "vanish" in properties
        if hidden or "strike" in properties or "dstrike" in properties:
            text = "".join(run.itertext(f"{W}t"))
            self._losses["hidden" if hidden else "struck"] += bool(text.strip())
            return ""
        notes = len(self._notes)
        text = self._inline(run, style, properties.get("font", ""))
        self._losses["symbols"] += text.count(UNKNOWN)
        is_raised = properties.get("vertAlign") == "superscript" and len(self._notes) == notes
        return to_superscript(text) if is_raised else text

    def _mark(self, reference: BaseOxmlElement, kind: NoteKind) -> str:
        """Return the mark of a note; one that the author chose follows it as text."""
        mark = ""
        if value(reference, "customMarkFollows") in (None, "0", "false"):
            self._counts[kind] += 1
            number = self._counts[kind]
            mark = f"[{format_number(number, self._formats[kind]) or number}]"
        self._notes.append((mark, self._note_elements.get((kind, value(reference, "id") or ""))))
        return mark


def _within(container: BaseOxmlElement, *tags: str) -> Iterator[BaseOxmlElement]:
    """Yield the elements of a container in order, also inside content controls and insertions."""
    for child in container:
        if child.tag in tags:
            yield child
        elif child.tag in _TRANSPARENT:
            yield from _within(child, *tags)


def _note_formats(document: Document) -> dict[NoteKind, str]:
    formats = dict(_NOTE_FORMATS)
    for kind in formats:
        for root in (document.element.body, document.settings.element):
            for element in root.iter(f"{W}{kind}Pr"):
                formats[kind] = value(element.find(f"{W}numFmt")) or formats[kind]
    return formats


def _number(element: BaseOxmlElement | None, default: int) -> int:
    number = value(element) or ""
    return min(int(number), _WIDEST) if number.isdecimal() else default
