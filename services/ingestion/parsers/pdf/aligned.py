"""Tables of a PDF page without rules: rows whose words stand in common columns.

Heads name cells only if they are bold or stand over numbers. A line of one piece names the rows
below it that are set in further; a bold one all that are not, up to the next such line.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from statistics import median
from typing import Final

from services.domain.value import BETWEEN_CELLS
from services.ingestion.parsers.pdf.aligned_heads import (
    FEWEST_ROWS,
    FURNITURE_LINES,
    MOST_OTHERS,
    AlignedTable,
    Column,
    columns_at,
    heads_above,
    heads_of_table,
    is_cut,
    is_near,
    is_same_size,
)
from services.ingestion.parsers.pdf.columns import ColumnRow, is_running_text, rows_of, words_of
from services.ingestion.parsers.pdf.lines import WIDE, Line, Page
from services.ingestion.parsers.tables import are_numbers, can_be_heads, row_line

_REACH: Final = 2  # rows within which a file may write the cells of one
_SHIFTED: Final = 5.0
"""Points by which a column may be wider where a table goes on: signs hang over its edge."""
_NEAR: Final = 0.3  # heights within which edges or centres of cells are aligned
_ALIGNED: Final = 0.8
"""Share of the cells of a column that are aligned; those of its head may not be."""
_MARKER: Final = re.compile(r"[^\w\s]|\(?\w{1,4}[.):]?|\d+(?:\.\d+)+\.?")
"""What stands before an item of a list, a numbered heading or a line."""
_VALUE: Final = re.compile(r"\w.*\w|\d|[-–—]")
"""What a cell holds, unlike a sign of a formula."""


@dataclass(frozen=True, slots=True)
class _Named:
    """A table with its heads; ``below`` is how many rows stand below it on its page."""

    page: int
    table: AlignedTable
    heads: list[str]
    below: int


def with_aligned_rows(pages: Sequence[Page]) -> list[Page]:
    """Return the pages with a line for each row of their tables without rules."""
    read: list[Page] = []
    last: _Named | None = None
    for page in pages:
        if not page.fields:
            lines, last = _with_tables(page, last)
            page = replace(page, lines=tuple(lines))
        read.append(page)
    return read


def _with_tables(page: Page, last: _Named | None) -> tuple[list[Line], _Named | None]:
    """Return the lines in order, tables as their rows, and the last table with heads."""
    order = {id(line): number for number, line in enumerate(page.lines)}
    rows, lines = rows_of(page.lines, _REACH), list[Line]()

    def unchanged(start: int, stop: int) -> list[Line]:
        others = (line for row in rows[start:stop] for line in row.lines)
        return sorted(others, key=lambda line: order[id(line)])

    start = done = 0
    while start < len(rows):
        table = _table(rows[start:]) if len(rows[start].pieces) > 1 else None
        if table and not is_cut(rows[done:start], table):
            lines += unchanged(done, start)
            head_lines, label = heads_above(rows[done:start], table)
            first_named, heads = heads_of_table(table, head_lines)
            if not heads and last and _goes_on(last, table, page.number, rows):
                heads = last.heads
            lines += _named_rows(table, first_named, heads, label)
            done = start = start + len(table.rows)
            bottom = table.rows[-1].pieces[0].baseline
            below = sum(row.pieces[0].baseline < bottom for row in rows)
            last = _Named(page.number, table, heads, below) if heads else None
        else:
            start += 1
    return [*lines, *unchanged(done, len(rows))], last


def _goes_on(last: _Named, table: AlignedTable, page: int, rows: Sequence[ColumnRow]) -> bool:
    """Return whether a table continues the one before: columns, numbers and position agree."""
    columns = [*zip(last.table.columns, table.columns, strict=False)]
    if len(last.table.columns) != len(table.columns) or not all(starmap(_is_same_column, columns)):
        return False
    numbers = [
        [are_numbers(column) for column in zip(*one.texts(), strict=True)]
        for one in (last.table, table)
    ]
    if not any(numbers[0][1:]) or numbers[0] != numbers[1]:
        return False
    top, bottom = (one.pieces[0].baseline for one in (table.rows[0], last.table.rows[-1]))
    above = sum(row.pieces[0].baseline > top for row in rows)
    if last.page == page:
        return 0 <= above - (len(rows) - last.below) <= MOST_OTHERS and top < bottom
    return last.page == page - 1 and max(last.below, above) <= FURNITURE_LINES


def _is_same_column(one: Column, other: Column) -> bool:
    return min(abs(one[0] - other[0]), abs(one[1] - other[1])) <= _SHIFTED


def _table(rows: Sequence[ColumnRow]) -> AlignedTable | None:
    """Return the table that begins with the first row, unless that alone has a column."""
    columns: list[Column] = []
    fitted: list[list[Line]] = []
    stop = 0
    for number, row in enumerate(rows):
        if any(line.row for line in row.lines) or (number and not is_near(rows[number - 1], row)):
            break
        fit = _fit(columns, words_of(row)) if len(row.pieces) > 1 else None
        if not fit and number and not is_same_size(rows[number - 1], row):
            break
        if fit and len(fit[1]) > 1:
            columns, pieces = fit
            fitted += [*([] for _ in range(stop, number)), pieces]
            stop = number + 1
        elif number == 0 or number - stop == MOST_OTHERS:
            break
    cells = [{_at(columns, piece): piece for piece in pieces} for pieces in fitted]
    table = AlignedTable(rows[:stop], columns, cells)
    below = {number for filled in table.filled[1:] for number in filled}
    enough = len(table.filled) >= FEWEST_ROWS and len(below) == len(columns)
    return table if enough and not _begins_in_heads(table) and _is_table(table) else None


def _begins_in_heads(table: AlignedTable) -> bool:
    pieces = table.cells[0].values()
    return 2 * len(pieces) < len(table.columns) and can_be_heads([p.text for p in pieces])


def _fit(
    columns: Sequence[Column], words: Sequence[Line]
) -> tuple[list[Column], list[Line]] | None:
    """Return the columns with the words of a row, and its cells; None where they do not fit."""
    wider = list(columns)
    cells: list[Line] = []
    for word in words:
        near, apart = columns_at(wider, word)
        if len(near) > 1:
            return None
        x0, x1 = wider.pop(near[0]) if near else (word.x0, word.x1)
        joined = min(x0, word.x0), max(x1, word.x1)
        if any(joined[0] - apart < right and left < joined[1] + apart for left, right in wider):
            return None
        wider.append(joined)
        wider.sort()
        last = cells[-1] if cells else None
        if last is None or last.x0 >= x1 or last.x1 <= x0:
            cells.append(word)
        elif word.x0 - last.x1 > WIDE * word.height:
            return None
        else:
            cells[-1] = replace(last, text=f"{last.text} {word.text}", x1=word.x1)
    return wider, cells


def _at(columns: Sequence[Column], piece: Line) -> int:
    return next(n for n, (x0, x1) in enumerate(columns) if x0 <= piece.x0 <= x1)


def _is_table(table: AlignedTable) -> bool:
    """Return whether rows have aligned cells, and are no columns of text, no list, no formula."""
    columns = [
        [cells[number] for cells in table.filled if number in cells]
        for number in range(len(table.columns))
    ]
    if len(columns) == 2 and all(_MARKER.fullmatch(piece.text) for piece in columns[0]):
        return False
    pieces = [piece for column in columns for piece in column]
    values = sum(_VALUE.search(piece.text) is not None for piece in pieces)
    if 2 * values < len(pieces) or not all(map(_is_aligned, columns)):
        return False
    return not any(
        is_running_text([(piece,) for piece in column])
        for column in columns
        if len(column) >= FEWEST_ROWS
    )


def _is_aligned(column: Sequence[Line]) -> bool:
    """Return whether most cells of a column share their left or right edge, or their centre."""
    edges: tuple[Callable[[Line], float], ...] = (
        lambda piece: piece.x0,
        lambda piece: piece.x1,
        lambda piece: (piece.x0 + piece.x1) / 2,
    )
    near = _NEAR * median(piece.height for piece in column)
    needed = min(len(column) - (len(column) > FEWEST_ROWS), _ALIGNED * len(column))
    for edge in edges:
        middle = median(map(edge, column))
        if sum(abs(edge(piece) - middle) <= near for piece in column) >= needed:
            return True
    return False


def _named_rows(
    table: AlignedTable, first_named: int, heads: Sequence[str], label: Line | None
) -> Iterator[Line]:
    """Yield a line for each row, heads from ``first_named`` on; ``label`` names the first rows."""
    for number, (row, texts) in enumerate(zip(table.rows, table.texts(), strict=True)):
        first, last = row.pieces[0], row.pieces[-1]
        if not table.cells[number]:
            label = first if heads and first is last else None
            yield from row.lines
            continue
        is_bolder = label is not None and label.bold and not first.bold
        if label and not is_bolder and first.x0 < label.x0 + first.height / 2:
            label = None
        is_named = bool(heads) and number >= first_named
        text = row_line(heads if is_named else (), texts)
        text = f"{label.text}{BETWEEN_CELLS}{text}" if label and is_named else text
        yield replace(first, text=text, x1=last.x1, hyphen=False, row=True, gaps=())
