"""Draws the matrix of coverage: what was needed, how far it was found, and in which document.

Colours come from the text around it (``currentColor``), so it fits a light and a dark page, and a
printed one. What a shade shows stands there as a word too.
"""

import html
import textwrap
from collections.abc import Sequence
from typing import Final

from services.export.pictures.coverage import BESIDE, Cell, Matrix, Row
from services.export.pictures.coverage_table import (
    CoverageWords,
    cell_lines,
    columns,
    coverage_table,
    item_of,
    words_of,
)

ITEM, STATUS, COLUMN = 196, 78, 126
LINE, PADDING, FONT = 17, 8, 13
ITEM_LETTERS, COLUMN_LETTERS = 24, 15
MOST_LINES: Final = 4
FILLED: Final = {"covered": 0.22, "partial": 0.09, "missing": 0.0}
DASHED: Final = {"covered": "", "partial": "", "missing": ' stroke-dasharray="3 3"'}
SHADES: Final = {1: 0.14, 2: 0.09, 3: 0.04}
PAPER: Final = ' style="background:#ffffff;color:#22262b"'
"""Of a picture that is a file of its own."""


def coverage_svg(found: Matrix, language: str, *, paper: bool = False) -> str:
    """The picture as one ``<svg>`` element; "" where nothing was required.

    Args:
        found: what to draw.
        language: of its words, ``de`` or any other for English.
        paper: dark on white, for a file of its own.
    """
    if not found.rows:
        return ""
    words = words_of(language)
    width = ITEM + COLUMN * len(found.documents) + 2
    heads = [_wrapped(head, COLUMN_LETTERS) for head in columns(found, words)]
    parts = [
        line for n, head in enumerate(heads) for line in _lines(_column(n), 0, head, weight=600)
    ]
    top = _height(heads)
    for row in found.rows:
        drawn, high = _row(row, words, top, width)
        parts += drawn
        top += high
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{top + 2}" '
        f'viewBox="0 0 {width} {top + 2}" aria-label="{_escaped(words.title)}" '
        f'font-family="system-ui, sans-serif" font-size="{FONT}" fill="currentColor"'
        f"{PAPER if paper else ''}>"
        f"<title>{_escaped(words.title)}</title><desc>{_escaped(_told(found, language))}</desc>"
        f"{''.join(parts)}</svg>"
    )


def _told(found: Matrix, language: str) -> str:
    """All that the picture shows, for readers of the screen."""
    table = coverage_table(found, language)
    rows = []
    for item, status, *cells in table.rows:
        pairs = zip(table.header[2:], cells, strict=True)
        where = "".join(f" {name}: {cell}." for name, cell in pairs if cell != "–")
        rows.append(f"{item}: {status}.{where}".replace("\n", "; "))
    return " ".join(rows)


def _row(row: Row, words: CoverageWords, top: int, width: int) -> tuple[list[str], int]:
    item = _wrapped(item_of(row, words), ITEM_LETTERS)
    cells = [
        [line for told in cell_lines(cell, words) for line in _wrapped(told, COLUMN_LETTERS)]
        for cell in row.cells
    ]
    high = max(_height([item]) + LINE + PADDING, _height(cells))
    rule = f'<path d="M0 {top}H{width}" stroke="currentColor" stroke-opacity="0.25"/>'
    parts = [
        rule,
        *_lines(0, top, item),
        *_badge(row.status, words, top + _height([item]) - PADDING),
    ]
    for number, (cell, lines) in enumerate(zip(row.cells, cells, strict=True)):
        parts += [*_shade(cell, _column(number), top, high), *_lines(_column(number), top, lines)]
    return parts, high


def _badge(status: str, words: CoverageWords, top: int) -> list[str]:
    """The word of a status below its item: filled, half filled or dashed; none beside them."""
    if status == BESIDE:
        return []
    box = (
        f'<rect x="1" y="{top + 5}" width="{STATUS}" height="{LINE + 4}" rx="5" '
        f'fill="currentColor" fill-opacity="{FILLED[status]}" stroke="currentColor" '
        f'stroke-opacity="0.5"{DASHED[status]}/>'
    )
    return [box, *_lines(9, top, [words.statuses[status]])]


def _shade(cell: Cell, x: int, top: int, high: int) -> list[str]:
    """Behind what a document says, darker for a better tier."""
    if not cell.passages:
        return []
    best = min((tier for tier, _ in cell.tiers), default=1)
    return [
        f'<rect x="{x - 6}" y="{top + 3}" width="{COLUMN - 6}" height="{high - 6}" rx="5" '
        f'fill="currentColor" fill-opacity="{SHADES.get(best, SHADES[3])}"/>'
    ]


def _column(number: int) -> int:
    return ITEM + COLUMN * number


def _height(columns_: Sequence[Sequence[str]]) -> int:
    return max([1, *map(len, columns_)]) * LINE + 2 * PADDING


def _wrapped(text: str, letters: int) -> list[str]:
    """At most four lines, none between § and its number; a longer text ends in an ellipsis."""
    text = text.replace("§ ", "§\u00a0")
    return textwrap.wrap(text, letters, max_lines=MOST_LINES, placeholder="…")


def _lines(x: int, top: int, lines: Sequence[str], *, weight: int = 400) -> list[str]:
    bold = "" if weight == 400 else f' font-weight="{weight}"'
    return [
        f'<text x="{x}" y="{top + PADDING + number * LINE + FONT}"{bold}>{_escaped(line)}</text>'
        for number, line in enumerate(lines)
    ]


def _escaped(text: str) -> str:
    return html.escape(text, quote=True)
