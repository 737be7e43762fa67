"""The coverage matrix as a picture that stands for itself: SVG, every word of it escaped."""

import textwrap
from collections.abc import Mapping
from html import escape

from app.coverage_matrix import Matrix, Row

ITEM_WIDTH, STATUS_WIDTH, COLUMN_WIDTH = 300, 110, 150
LINE, PADDING, FONT = 17, 10, 13
ITEM_CHARACTERS, CELL_CHARACTERS = 42, 20
MOST_LINES = 4
FILLS: Mapping[str, str] = {"covered": "#dcebe3", "partial": "#f6ecd2", "missing": "#f5dedb"}
INK, FAINT = "#22262b", "#c9ced4"


def coverage_svg(table: Matrix, title: str, status_words: Mapping[str, str]) -> str:
    """An SVG document with a title for screen readers; the status is a word, not a colour alone.

    Args:
        table: the matrix.
        title: above the table, and what a screen reader says.
        status_words: how each status is called.
    """
    width = ITEM_WIDTH + STATUS_WIDTH + COLUMN_WIDTH * len(table.documents) + 2 * PADDING
    top = PADDING + 2 * LINE
    parts = [_text(PADDING, PADDING + FONT, title, weight="bold"), *_head(table, top)]
    top += _height([_wrapped(name, CELL_CHARACTERS) for name in table.documents])
    for row in table.rows:
        drawn, height = _row(row, status_words, top, width)
        parts += drawn
        top += height
    height = top + PADDING
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="{FONT}" fill="{INK}">'
        f"<title>{escape(title)}</title>"
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>{"".join(parts)}</svg>'
    )


def _head(table: Matrix, top: int) -> list[str]:
    """The names of the documents over their columns."""
    return [
        line
        for number, name in enumerate(table.documents)
        for line in _lines(_column(number), top, _wrapped(name, CELL_CHARACTERS), weight="bold")
    ]


def _row(row: Row, status_words: Mapping[str, str], top: int, width: int) -> tuple[list[str], int]:
    item = _wrapped(row.item, ITEM_CHARACTERS)
    cells = [_wrapped(cell, CELL_CHARACTERS) for cell in row.cells]
    height = _height([item, *cells])
    fill = FILLS.get(row.status, "#ffffff")
    rule = f'<line x1="{PADDING}" x2="{width - PADDING}" y1="{top}" y2="{top}" stroke="{FAINT}"/>'
    badge = (
        f'<rect x="{ITEM_WIDTH + PADDING}" y="{top + 5}" width="{STATUS_WIDTH - 12}" '
        f'height="{LINE + 2}" rx="4" fill="{fill}"/>'
    )
    word = status_words.get(row.status, row.status)
    parts = [rule, *_lines(PADDING, top, item), badge]
    parts += _lines(ITEM_WIDTH + PADDING + 8, top, [word])
    for number, cell in enumerate(cells):
        parts += _lines(_column(number), top, cell)
    return parts, height


def _column(number: int) -> int:
    return PADDING + ITEM_WIDTH + STATUS_WIDTH + COLUMN_WIDTH * number


def _height(columns: list[list[str]]) -> int:
    return max([1, *map(len, columns)]) * LINE + PADDING


def _wrapped(text: str, characters: int) -> list[str]:
    """At most four lines; a longer text ends in an ellipsis."""
    lines = textwrap.wrap(" ".join(text.split()), characters)
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"{lines[MOST_LINES - 1][: characters - 1]}…"]
    return lines


def _lines(x: int, top: int, lines: list[str], weight: str = "normal") -> list[str]:
    return [
        _text(x, top + (number + 1) * LINE + 2, line, weight=weight)
        for number, line in enumerate(lines)
    ]


def _text(x: int, y: int, text: str, *, weight: str = "normal") -> str:
    return f'<text x="{x}" y="{y}" font-weight="{weight}">{escape(text)}</text>'
