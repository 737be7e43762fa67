"""OpenDocument texts: paragraphs, lists with their numbers, tables, notes and text boxes."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final
from zipfile import ZipFile

from lxml import etree
from lxml.etree import _Element

from services.domain import DocumentMetadata
from services.domain.errors import UnreadableDocument
from services.ingestion.parsers.archive import checked_archive, parsed_xml
from services.ingestion.parsers.extraction import Extraction, clean, plain_title, to_superscript
from services.ingestion.parsers.file_metadata import file_metadata
from services.ingestion.parsers.numbering import ListCounter
from services.ingestion.parsers.odt_styles import TEXT, OdtStyles
from services.ingestion.parsers.symbols import UNKNOWN, symbols
from services.ingestion.parsers.tables import Grid, ParsedCell, padded
from services.ingestion.parsers.text_body import TITLE, BodyReader

_NAMES: Final = "urn:oasis:names:tc:opendocument:xmlns:"
_OFFICE: Final = f"{{{_NAMES}office:1.0}}"
_TABLE: Final = f"{{{_NAMES}table:1.0}}"
_DRAW: Final = f"{{{_NAMES}drawing:1.0}}"
_META: Final = f"{{{_NAMES}meta:1.0}}"
_DC: Final = "{http://purl.org/dc/elements/1.1/}"
_PARAGRAPHS: Final = {f"{TEXT}p", f"{TEXT}h"}
_SPACES: Final = {f"{TEXT}tab": "\t", f"{TEXT}line-break": "\n"}
# Deleted text, comments, names of pictures, how a word is spoken, numbers of other programs.
_SKIPPED: Final = {
    f"{TEXT}tracked-changes", f"{TEXT}ruby-text", f"{TEXT}number", f"{_OFFICE}annotation-end",
    f"{_OFFICE}forms", f"{TEXT}sequence-decls", f"{_DRAW}image",
    *(f"{{{_NAMES}svg-compatible:1.0}}{name}" for name in ("title", "desc")),
}  # fmt: skip
_UNREAD: Final = {f"{_OFFICE}annotation": "comments", f"{_DRAW}object": "objects"}
_HIDDEN: Final = {f"{TEXT}hidden-text", f"{TEXT}hidden-paragraph"}
_WIDEST: Final = 63
_MOST_ROWS: Final = 1000  # copies of a repeated row


def parse_odt(path: Path) -> Extraction:
    """Read an ``.odt`` file. Raises UnreadableDocument if it is damaged or encrypted."""
    with checked_archive(path, etree.XMLSyntaxError), ZipFile(path) as archive:
        names = archive.namelist()
        if b"encryption-data" in _member(archive, names, "META-INF/manifest.xml"):
            raise UnreadableDocument(
                "the file is encrypted; save a copy without a password and ingest that"
            )
        content = parsed_xml(archive.read("content.xml"))
        others = [_member(archive, names, name) for name in ("styles.xml", "meta.xml")]
        styles, meta = (parsed_xml(data) if data else None for data in others)
    reader = _OdtReader(content, [root for root in (styles, content) if root is not None])
    extraction = reader.extraction()
    own_title = "" if meta is None else plain_title(meta.findtext(f".//{_DC}title") or "")
    return replace(
        extraction, title=extraction.title or own_title or None, metadata=_metadata(meta)
    )


def _member(archive: ZipFile, names: list[str], name: str) -> bytes:
    return archive.read(name) if name in names else b""


def _metadata(meta: _Element | None) -> DocumentMetadata:
    if meta is None:
        return DocumentMetadata()
    return file_metadata(
        tags=[keyword.text or "" for keyword in meta.iter(f"{_META}keyword")],
        author=meta.findtext(f".//{_META}initial-creator") or meta.findtext(f".//{_DC}creator"),
        day=meta.findtext(f".//{_DC}date") or meta.findtext(f".//{_META}creation-date"),
    )


class _OdtReader(BodyReader):
    _table_tag = f"{_TABLE}table"

    def __init__(self, content: _Element, roots: list[_Element]) -> None:
        super().__init__()
        self._content = content
        self._styles = OdtStyles(roots)
        self._headings = ListCounter()
        self._counters: defaultdict[str, ListCounter] = defaultdict(ListCounter)
        self._labels: dict[_Element, str] = {}

    def extraction(self) -> Extraction:
        self._add_margins(self._styles.margins())
        for text in self._content.iterfind(f"{_OFFICE}body/{_OFFICE}text"):
            self._read(text)
        return self._body.extraction()

    def _elements(self, container: _Element) -> Iterator[_Element]:
        for child in container:
            if child.tag in _PARAGRAPHS or child.tag == f"{_TABLE}table":
                yield child
            elif child.tag == f"{TEXT}list":
                yield from self._list(child, None, None, 0)
            elif child.tag == f"{TEXT}section" and child.get(f"{TEXT}display", "true") != "true":
                self._losses["hidden"] += 1
            elif str(child.tag).startswith(_DRAW) or child.tag in _UNREAD:
                yield child
            elif child.tag not in _SKIPPED:
                yield from self._elements(child)

    def _list(
        self, element: _Element, style: str | None, counter: ListCounter | None, depth: int
    ) -> Iterator[_Element]:
        style = element.get(f"{TEXT}style-name") or style
        if counter is None:
            counter = self._counter(element, style)
        levels = self._styles.list_levels(style) if style else {}
        for item in element:
            is_counted = item.tag == f"{TEXT}list-item" and depth in levels
            if is_counted and (start := item.get(f"{TEXT}start-value", "")).isdecimal():
                counter.restart(depth, int(start))
            for child in item:
                if child.tag == f"{TEXT}list":
                    yield from self._list(child, style, counter, depth + 1)
                    continue
                if child.tag in _PARAGRAPHS and is_counted:
                    label = counter.label(levels, depth)
                    self._losses["numbers"] += label is None
                    self._labels[child] = label or ""
                    is_counted = False
                if child.tag in _PARAGRAPHS or child.tag == f"{_TABLE}table":
                    yield child
                else:
                    yield from self._elements(child)

    def _counter(self, element: _Element, style: str | None) -> ListCounter:
        continued = element.get(f"{TEXT}continue-list")
        if continued is not None:
            counter = self._counters[f"id {continued}"]
        elif element.get(f"{TEXT}continue-numbering") == "true":
            counter = self._counters[f"style {style}"]
        else:
            counter = ListCounter()
        self._counters[f"style {style}"] = counter
        name = element.get("{http://www.w3.org/XML/1998/namespace}id")
        if name is not None:
            self._counters[f"id {name}"] = counter
        return counter

    def _paragraph(self, paragraph: _Element) -> str:
        if paragraph.tag not in _PARAGRAPHS:  # a drawing, whose boxes follow
            self._inline(paragraph, {})
            return ""
        style = paragraph.get(f"{TEXT}style-name")
        text = self._inline(paragraph, self._styles.properties("paragraph", style))
        text = clean(re.sub(" +", " ", text)).strip()
        label = self._labels.pop(paragraph, None)
        if label is None and paragraph.tag == f"{TEXT}h":
            label = self._heading_label(paragraph)
        return f"{clean(label or '')}{text}" if text else ""

    def _heading_label(self, heading: _Element) -> str:
        depth = int(heading.get(f"{TEXT}outline-level", "1")) - 1
        levels = self._styles.list_levels(None)
        is_header = heading.get(f"{TEXT}is-list-header") == "true"
        if depth not in levels or is_header or self._styles.has_no_list(heading):
            return ""
        if (start := heading.get(f"{TEXT}start-value", "")).isdecimal():
            self._headings.restart(depth, int(start))
        label = self._headings.label(levels, depth)
        self._losses["numbers"] += label is None
        return label or ""

    def _inline(self, element: _Element, properties: Mapping[str, str]) -> str:
        texts = [self._visible_text(element.text, properties)]
        for child in element:
            tag = child.tag
            if tag == f"{TEXT}span":
                style = child.get(f"{TEXT}style-name")
                texts.append(
                    self._inline(child, {**properties, **self._styles.properties("text", style)})
                )
            elif tag == f"{TEXT}s":
                texts.append(" ")
            elif tag in _SPACES:
                texts.append(_SPACES[tag])
            elif tag == f"{TEXT}note":
                texts.append(self._mark(child))
            elif tag in _UNREAD:
                self._losses[_UNREAD[tag]] += 1
            elif tag in _HIDDEN:
                self._losses["hidden"] += 1
            elif str(tag).startswith(_DRAW) and any(
                p in _PARAGRAPHS for p in (c.tag for c in child)
            ):
                self._boxes.append(child)
            elif isinstance(tag, str) and tag not in _SKIPPED:
                texts.append(self._inline(child, properties if tag.startswith(TEXT) else {}))
            texts.append(self._visible_text(child.tail, properties))
        return "".join(texts)

    def _visible_text(self, text: str | None, properties: Mapping[str, str]) -> str:
        text = re.sub(r"\s+", " ", text or "")
        for reason in ("hidden", "struck"):
            if text and properties.get(reason):
                self._losses[reason] += bool(text.strip())
                return ""
        text = symbols(properties.get("font", "").strip("'"), text)
        self._losses["symbols"] += text.count(UNKNOWN)
        return to_superscript(text) if properties.get("raised") else text

    def _mark(self, note: _Element) -> str:
        citation, body = note.find(f"{TEXT}note-citation"), note.find(f"{TEXT}note-body")
        mark = f"[{'' if citation is None else citation.text or ''}]"
        if body is not None:
            self._notes.append((mark, body))
        return mark

    def _level(self, paragraph: _Element) -> int | None:
        if self._styles.is_title(paragraph.get(f"{TEXT}style-name")):
            return TITLE
        is_heading = paragraph.tag == f"{TEXT}h"
        return int(paragraph.get(f"{TEXT}outline-level", "1")) if is_heading else None

    def _is_bold(self, paragraph: _Element) -> bool:
        if self._styles.properties("paragraph", paragraph.get(f"{TEXT}style-name")).get("bold"):
            return True
        spans = [child for child in paragraph if child.tag == f"{TEXT}span"]
        outside = (paragraph.text or "") + "".join(child.tail or "" for child in paragraph)
        return (
            bool(spans)
            and not outside.strip()
            and all(
                self._styles.properties("text", span.get(f"{TEXT}style-name")).get("bold")
                for span in spans
            )
        )

    def _grid(self, table: _Element) -> tuple[int, Grid]:
        rows: list[list[ParsedCell]] = []
        spans: dict[tuple[int, int], ParsedCell] = {}
        marked = 0
        for row in table.iter(f"{_TABLE}table-row"):
            if next(row.iterancestors(f"{_TABLE}table")) is not table:
                continue
            if row.get(f"{_TABLE}visibility", "visible") != "visible":
                self._losses["hidden"] += 1
                continue
            cells: list[ParsedCell] = []
            for element in row:
                cells += self._row_cells(element, len(rows), len(cells), spans)
            marked += row.getparent().tag == f"{_TABLE}table-header-rows"
            if any(cell.text for cell in cells):
                copies = min(_count(row, "number-rows-repeated"), _MOST_ROWS)
                rows += [cells[:_WIDEST] for _ in range(copies)]
        return marked, padded(rows)

    def _row_cells(
        self, element: _Element, row: int, column: int, spans: dict[tuple[int, int], ParsedCell]
    ) -> list[ParsedCell]:
        copies = min(_count(element, "number-columns-repeated"), _WIDEST)
        if element.tag == f"{_TABLE}covered-table-cell":
            return [spans.get((row, column + offset)) or ParsedCell("") for offset in range(copies)]
        if element.tag != f"{_TABLE}table-cell":
            return []
        cell = ParsedCell(self._cell(element))
        for down in range(min(_count(element, "number-rows-spanned"), _MOST_ROWS)):
            for right in range(min(_count(element, "number-columns-spanned"), _WIDEST)):
                spans[row + down, column + right] = cell
        return [cell, *(ParsedCell(cell.text) for _ in range(copies - 1))]


def _count(element: _Element, name: str) -> int:
    number = element.get(f"{_TABLE}{name}", "1")
    return int(number) if number.isdecimal() else 1
