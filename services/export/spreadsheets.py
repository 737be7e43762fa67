"""XLSX by openpyxl, and CSV: no text of a document is ever taken for a formula."""

import csv
import re
from collections.abc import Iterable, Sequence
from datetime import date
from io import BytesIO, StringIO
from typing import Any, Final

from openpyxl import Workbook
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.worksheet.hyperlink import Hyperlink

from services.export.grids import Entry, GridListing, Mark
from services.language.text.normal import one_line

COLOURS: Final[dict[Mark, str]] = {
    "to_check": "FFF2CC",
    "absent": "E7E6E6",
    "closest": "DDEBF7",
    "unread": "F2F2F2",
    "corrected": "E2EFDA",
}
FORMULA: Final = tuple("=+-@＝＋－＠")
"""What a spreadsheet takes for the beginning of a formula in a CSV file."""
_PIECE: Final = re.compile(rf"([,;])(?=[{re.escape(''.join(FORMULA))}])")
"""What it takes for the end of a cell, if it expects another separator, before a formula."""
LONGEST_CELL: Final = 32_767
LONGEST_FORMAT: Final = 200
WIDTH: Final = 28


def to_csv(listing: GridListing) -> bytes:
    """Return the table; with a mark of UTF-8 and the separator that spreadsheets expect."""
    file = StringIO()
    header, rows = listing.table()
    writer = csv.writer(file, delimiter=";" if listing.labels.decimal == "," else ",")
    writer.writerow(map(_harmless, header))
    writer.writerows([_harmless(entry.text) for entry in row] for row in rows)
    return file.getvalue().encode("utf-8-sig")


def _harmless(text: str) -> str:
    """Return a cell that no program takes for a formula, nor a piece of it between separators."""
    text = _PIECE.sub(r"\1 ", one_line(text))
    return f"'{text}" if text.startswith(FORMULA) else text


def to_xlsx(listing: GridListing) -> bytes:
    """Return a workbook: the values, each linked to its first proof; the proofs; what was read."""
    book, words = Workbook(), listing.words
    book.remove(book.active)
    header, rows = listing.table()
    values = _add_sheet(book, words.sheet, header, ([entry.text for entry in row] for row in rows))
    for number, row in enumerate(rows, start=2):
        for column, entry in enumerate(row, start=1):
            _mark(values.cell(number, column), entry, listing)
    values.freeze_panes = "B2"
    _add_sheet(book, words.proofs, words.proof_columns, _proofs(listing))
    if listing.pairs:
        _add_sheet(book, words.contradictions, words.pair_columns, _pairs(listing))
    facts = ((fact,) for fact in (*listing.facts, words.amounts))
    _add_sheet(book, words.read, words.read_columns, [*listing.sections, *facts])
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def _proofs(listing: GridListing) -> Iterable[Sequence[str | int]]:
    for number, proof in enumerate(listing.proofs, start=1):
        quote, location = proof.citation.full_quote, listing.location(proof.citation)
        about = proof.row, proof.question, proof.value, proof.claim
        yield number, *about, quote, *location, proof.state, proof.review


def _pairs(listing: GridListing) -> Iterable[Sequence[str]]:
    for pair in listing.pairs:
        sides = (
            (side.claim, quote.full_quote, ", ".join(filter(None, listing.location(quote))))
            for side in (pair.first, pair.second)
            for quote in side.citations[:1]
        )
        yield *(text for side in sides for text in side), pair.why


def _add_sheet(
    book: Workbook, name: str, header: Sequence[str], rows: Iterable[Sequence[str | int]]
) -> Any:
    sheet = book.create_sheet(name)
    for number, row in enumerate([header, *rows], start=1):
        for column, content in enumerate(row, start=1):
            cell = sheet.cell(number, column)
            if isinstance(content, int):
                cell.value = content
            elif text := one_line(content)[:LONGEST_CELL]:
                cell.value, cell.data_type = text, "s"
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            cell.font = Font(bold=number == 1)
    for column in range(1, len(header) + 1):
        sheet.column_dimensions[sheet.cell(1, column).column_letter].width = WIDTH
    sheet.auto_filter.ref = sheet.dimensions
    sheet.freeze_panes = "A2"
    return sheet


def _mark(cell: Any, entry: Entry, listing: GridListing) -> None:
    """Colour a cell by its state, link it to its proof, and make an amount of its text.

    An amount is shown as its text, which names the unit; it is sorted and computed as a number.
    """
    if colour := COLOURS.get(entry.mark):
        cell.fill = PatternFill("solid", start_color=colour)
    if isinstance(entry.amount, date):
        cell.value, cell.number_format = entry.amount, listing.words.date_format
    elif entry.amount is not None and len(entry.text) < LONGEST_FORMAT:
        text = entry.text.replace('"', "'")
        cell.value, cell.number_format = entry.amount, f'"{text}"'
    if entry.proofs:
        target = f"'{listing.words.proofs}'!A{entry.proofs[0] + 1}"
        cell.hyperlink = Hyperlink(ref=cell.coordinate, location=target)
