"""Tables of spreadsheets and slides of presentations, each row and slide with its place."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

from services.domain import DocumentMetadata
from services.ingestion.archive import opened
from services.ingestion.extraction import Extraction, Heading, clean, plain_title
from services.ingestion.file_metadata import file_metadata
from services.ingestion.plain_parser import decode
from services.ingestion.tables import rows_with_heads


def parse_workbook(path: Path) -> Extraction:
    """Read an ``.xlsx`` file: the values that its formulas had when it was saved."""
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    with opened(path, InvalidFileException):
        workbook = load_workbook(path, read_only=True, data_only=True)
        parts = [
            (sheet.title, list(rows_with_heads(enumerate(sheet.iter_rows(values_only=True), 1))))
            for sheet in workbook.worksheets
        ]
        says = workbook.properties
    metadata = file_metadata(tags=says.keywords, author=says.creator, day=says.modified)
    return _in_sections(says.title, parts, metadata)


def parse_csv(path: Path) -> Extraction:
    """Read comma-separated values, whatever separates them."""
    text = decode(path.read_bytes())
    dialect: Any = csv.excel
    with suppress(csv.Error):
        dialect = csv.Sniffer().sniff("\n".join(text.splitlines()[:50]), ",;\t|")
        dialect.doublequote = True  # also where none of these lines has one
    rows = enumerate(csv.reader(StringIO(text, newline=""), dialect), 1)
    return Extraction(None, "\n".join(map(clean, rows_with_heads(rows))))


def parse_slides(path: Path) -> Extraction:
    """Read a ``.pptx`` file: titles, texts, tables and notes, slide by slide."""
    from pptx import Presentation
    from pptx.exc import PythonPptxError

    with opened(path, PythonPptxError):
        deck = Presentation(str(path))
        parts = [
            (_slide_title(number, slide), list(_slide_lines(slide)))
            for number, slide in enumerate(deck.slides, 1)
        ]
        says = deck.core_properties
    metadata = file_metadata(tags=says.keywords, author=says.author, day=says.modified)
    return _in_sections(says.title, parts, metadata)


def _in_sections(
    title: str | None, parts: Iterable[tuple[str, Sequence[str]]], metadata: DocumentMetadata
) -> Extraction:
    """Parts with their headings, one below the other; an empty one has none."""
    text, headings = "", []
    for heading, lines in parts:
        if not any(lines):
            continue
        shown = clean(heading)
        headings.append(Heading(len(text), len(text) + len(shown), plain_title(shown), 1))
        text += "\n".join([shown, "", *map(clean, lines)]) + "\n\n"
    return Extraction(plain_title(title or ""), text, tuple(headings), metadata=metadata)


def _shapes(shapes: Iterable[Any]) -> Iterator[Any]:
    """Shapes in their order, those of a group in its place."""
    for shape in shapes:
        yield from _shapes(shape.shapes) if hasattr(shape, "shapes") else [shape]


def _slide_title(number: int, slide: Any) -> str:
    shape = slide.shapes.title
    title = " ".join(shape.text_frame.text.split()) if shape is not None else ""
    return f"{number}: {title}" if title else str(number)


def _slide_lines(slide: Any) -> Iterator[str]:
    title = slide.shapes.title
    for shape in _shapes(slide.shapes):
        if shape.has_text_frame and shape != title:
            yield from (each.text for each in shape.text_frame.paragraphs)
        if shape.has_table:
            table = (tuple(cell.text for cell in row.cells) for row in shape.table.rows)
            yield from rows_with_heads(enumerate(table, 1))
    if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame):
        yield notes.text
