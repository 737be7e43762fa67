"""Tables of a PDF page without rules: rows whose cells stand below one another.

Rows are found by the wide gaps between their words and become single lines. As in tables with rules
across only, the first row names the cells if it is bold or its words are above numbers.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import Final

from services.ingestion.pdf_bands import merged_spans
from services.ingestion.pdf_columns import Row, is_running_text, rows_of
from services.ingestion.pdf_lines import Line, Page
from services.ingestion.pdf_tables import name_numbers
from services.ingestion.tables import Cell, grid_lines, heads_of

_FEWEST_ROWS: Final = 3
_DISTANT: Final = 3.0
"""Distance of rows, in their heights, at which a table ends."""
_APART: Final = 0.4
"""Distance of columns, in heights of their letters."""
_NEAR: Final = 0.3
"""Heights within which edges or centres of cells are aligned."""
_ALIGNED: Final = 0.8
"""Share of the cells of a column that are aligned; those of its head may not be."""
_OTHER_SIZE: Final = 1.25
_MARKER: Final = re.compile(r"[^\w\s]|\(?\w{1,4}[.):]?|\d+(?:\.\d+)+\.?")
"""What stands before an item of a list, a numbered heading or a line."""
_VALUE: Final = re.compile(r"\w.*\w")

Column = tuple[float, float]
"""The leftmost and the rightmost x of its cells."""


def with_aligned_rows(pages: Sequence[Page]) -> list[Page]:
    """Return the pages with a line for each row of their tables without rules."""
    return [
        page if page.is_form else replace(page, lines=tuple(_lines(rows_of(page.lines))))
        for page in pages
    ]


def _lines(rows: Sequence[Row]) -> Iterator[Line]:
    start = 0
    while start < len(rows):
        stop = _stop(rows, start)
        block = rows[start:stop]
        columns = _columns(block)
        if len(block) >= _FEWEST_ROWS and _is_table(block, columns):
            yield from _table(block, columns)
        else:
            stop = start + 1
            yield from rows[start].lines
        start = stop


def _stop(rows: Sequence[Row], start: int) -> int:
    """Return up to where rows of several pieces follow one another that share columns."""
    for stop in range(start, len(rows)):
        row = rows[stop]
        if len(row.pieces) < 2 or any(line.row for line in row.lines):
            return stop
        if stop > start and not _follows(rows[stop - 1].pieces[0], row.pieces[0]):
            return stop
        columns = _columns(rows[start : stop + 1])
        if any(None in _cells(row, columns) for row in rows[start : stop + 1]):
            return stop
    return len(rows)


def _follows(above: Line, below: Line) -> bool:
    small, large = sorted((above.height, below.height))
    drop = above.baseline - below.baseline
    return 0 < drop <= _DISTANT * large and large <= _OTHER_SIZE * small


def _columns(rows: Sequence[Row]) -> list[Column]:
    """Return the columns of rows: their pieces merged where they overlap."""
    pieces = (piece for row in rows for piece in row.pieces)
    spans = ((piece.x0, max(piece.x0, piece.x1), _APART * piece.height) for piece in pieces)
    return [(start, stop) for start, stop, _ in merged_spans(spans)]


def _cells(row: Row, columns: Sequence[Column]) -> list[Line | str | None]:
    """Return a row's piece in each column, "" without any; None for several in one."""
    inside = [[p for p in row.pieces if x0 <= p.x0 <= x1] for x0, x1 in columns]
    return [None if len(pieces) > 1 else pieces[0] if pieces else "" for pieces in inside]


def _is_table(rows: Sequence[Row], columns: Sequence[Column]) -> bool:
    """Return whether rows have aligned cells, and are no columns of text, no list, no formula."""
    cells = [[piece for piece in row if isinstance(piece, Line)]
             for row in zip(*(_cells(row, columns) for row in rows), strict=True)]  # fmt: skip
    if len(columns) == 2 and all(_MARKER.fullmatch(piece.text) for piece in cells[0]):
        return False
    pieces = [piece for column in cells for piece in column]
    values = sum(_VALUE.search(piece.text) is not None for piece in pieces)
    if 2 * values < len(pieces) or not all(map(_is_aligned, cells)):
        return False
    return not any(
        is_running_text([Row((piece,), (piece,)) for piece in column])
        for column in cells
        if len(column) >= _FEWEST_ROWS
    )


def _is_aligned(column: Sequence[Line]) -> bool:
    """Return whether most cells of a column share their left or right edge, or their centre."""
    edges: tuple[Callable[[Line], float], ...] = (
        lambda piece: piece.x0,
        lambda piece: piece.x1,
        lambda piece: (piece.x0 + piece.x1) / 2,
    )
    near = _NEAR * median(piece.height for piece in column)
    needed = min(len(column) - (len(column) > _FEWEST_ROWS), _ALIGNED * len(column))
    for edge in edges:
        middle = median(map(edge, column))
        if sum(abs(edge(piece) - middle) <= near for piece in column) >= needed:
            return True
    return False


def _table(rows: Sequence[Row], columns: Sequence[Column]) -> Iterator[Line]:
    """Yield a line for each row, with the heads of its cells where these are sure."""
    grid = [
        [Cell(piece.text if isinstance(piece, Line) else "") for piece in _cells(row, columns)]
        for row in rows
    ]
    above, heads = heads_of(grid)
    texts = [" ".join(piece.text for piece in row.pieces) for row in rows]
    if heads and (_is_bold(rows, above) or name_numbers(grid, above)):
        texts = grid_lines(grid[:above], (), 0) + grid_lines(grid[above:], heads, 0)
    for row, text in zip(rows, texts, strict=True):
        first, last = row.pieces[0], row.pieces[-1]
        yield replace(first, text=text, x1=last.x1, hyphen=False, row=True, gaps=())


def _is_bold(rows: Sequence[Row], above: int) -> bool:
    """Return whether the head is bold and the rows below it are not."""
    bold = [all(line.bold for line in row.lines) for row in rows]
    return all(bold[:above]) and not any(bold[above:])
