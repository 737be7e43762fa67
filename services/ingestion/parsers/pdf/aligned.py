"""Tables of a PDF page without rules: rows whose words stand in common columns.

The columns grow row by row, with the words of each; no word may close the gap between two. Cells
are named by the heads of their columns only where these are seen to be heads: by bold letters, or
by numbers below them. A line of one piece within a table names the rows below it that are set in
further; a bold one all rows that are not, up to the next line of one piece.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

from services.ingestion.parsers.pdf.columns import GAP, Row, is_running_text, rows_of, words_of
from services.ingestion.parsers.pdf.lines import Line, Page
from services.ingestion.parsers.tables import (
    BETWEEN,
    are_numbers,
    can_be_heads,
    counts_columns,
    recur_below,
    row_line,
    with_column_numbers,
)

_FEWEST_ROWS: Final = 3
_REACH: Final = 2
"""Rows within which a file may write the cells of one."""
_DISTANT: Final = 3.0
"""Distance of rows, in their heights, at which a table ends."""
_CLOSE: Final = 1.3
"""Distance, in heights, of the lines of one head."""
_FAR: Final = 2.0
"""Distance, in heights, of a head from the column beside which it stands."""
_MOST_OTHERS: Final = 2
"""Lines that may follow one another within a table though they do not fit its columns."""
_MOST_HEADS: Final = 8
"""Lines that heads may take."""
_APART: Final = 0.4
"""Distance, in heights of their letters, at which words begin a new column."""
_CLOSED: Final = 0.1
"""Distance of columns, in heights, at which nothing parts them."""
_NEAR: Final = 0.3
"""Heights within which edges or centres of cells are aligned."""
_ALIGNED: Final = 0.8
"""Share of the cells of a column that are aligned; those of its head may not be."""
_OTHER_SIZE: Final = 1.25
_MARKER: Final = re.compile(r"[^\w\s]|\(?\w{1,4}[.):]?|\d+(?:\.\d+)+\.?")
"""What stands before an item of a list, a numbered heading or a line."""
_VALUE: Final = re.compile(r"\w.*\w")
_HEAD: Final = re.compile(r"[^\W\d_]|\d{4}")
"""Something that names a column: a letter or a year."""

Column = tuple[float, float]
"""The leftmost and the rightmost x of its cells."""
Cells = dict[int, Line]
"""The cells of a row by the numbers of their columns."""
HeadLine = dict[tuple[int, int], Line]
"""The pieces of a line of heads, each by its first and its last column."""


@dataclass(frozen=True, slots=True)
class _Table:
    """Rows with their columns; those that fit no columns have no cells."""

    rows: Sequence[Row]
    columns: Sequence[Column]
    cells: Sequence[Cells]

    @property
    def filled(self) -> list[Cells]:
        return [cells for cells in self.cells if cells]

    def texts(self) -> list[list[str]]:
        """Return the texts of each row, "" for an empty cell."""
        numbers = range(len(self.columns))
        return [[cells[n].text if n in cells else "" for n in numbers] for cells in self.cells]


def with_aligned_rows(pages: Sequence[Page]) -> list[Page]:
    """Return the pages with a line for each row of their tables without rules."""
    return [
        page if page.is_form else replace(page, lines=tuple(_lines(page.lines))) for page in pages
    ]


def _lines(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines in their order, those of a table as its rows."""
    rows, order = rows_of(lines, _REACH), {id(line): number for number, line in enumerate(lines)}

    def unchanged(start: int, stop: int) -> list[Line]:
        others = (line for row in rows[start:stop] for line in row.lines)
        return sorted(others, key=lambda line: order[id(line)])

    start = done = 0
    while start < len(rows):
        if table := _table(rows[start:]):
            yield from unchanged(done, start)
            yield from _named_rows(table, _heads_above(rows[done:start], table))
            done = start = start + len(table.rows)
        else:
            start += 1
    yield from unchanged(done, len(rows))


def _table(rows: Sequence[Row]) -> _Table | None:
    """Return the table that begins with the first of the rows, if one does.

    A row that alone has a column stands above the table.
    """
    columns: list[Column] = []
    fitted: list[list[Line]] = []
    stop = 0
    for number, row in enumerate(rows):
        if any(line.row for line in row.lines) or (number and not _follows(rows[number - 1], row)):
            break
        fit = _fit(columns, words_of(row)) if len(row.pieces) > 1 else None
        if fit and len(fit[1]) > 1:
            columns, pieces = fit
            fitted += [*([] for _ in range(stop, number)), pieces]
            stop = number + 1
        elif number == 0 or number - stop == _MOST_OTHERS:
            break
    cells = [{_at(columns, piece): piece for piece in pieces} for pieces in fitted]
    table = _Table(rows[:stop], columns, cells)
    below = {number for filled in table.filled[1:] for number in filled}
    enough = len(table.filled) >= _FEWEST_ROWS and len(below) == len(columns)
    return table if enough and _is_table(table) else None


def _follows(above: Row, below: Row, least: float = 0.0) -> bool:
    """Return whether a row is near another one, by more than ``least`` heights below it."""
    small, large = sorted((above.pieces[0].height, below.pieces[0].height))
    near = least * large < _drop(above, below) <= _DISTANT * large
    return near and large <= _OTHER_SIZE * small


def _drop(above: Row, below: Row) -> float:
    return above.pieces[0].baseline - below.pieces[0].baseline


def _fit(
    columns: Sequence[Column], words: Sequence[Line]
) -> tuple[list[Column], list[Line]] | None:
    """Return the columns with the words of a row, and its cells; None where they do not fit."""
    wider = list(columns)
    cells: list[Line] = []
    for word in words:
        near, apart = _columns_at(wider, word)
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
        elif word.x0 - last.x1 > GAP * word.height:
            return None
        else:
            cells[-1] = replace(last, text=f"{last.text} {word.text}", x1=word.x1)
    return wider, cells


def _columns_at(columns: Sequence[Column], word: Line) -> tuple[list[int], float]:
    """Return the columns that a word overlaps, or else the nearest, and how far it keeps apart."""
    over = [n for n, (x0, x1) in enumerate(columns) if word.x0 < x1 and x0 < word.x1]
    if over:
        return over, _CLOSED * word.height
    nearest, distance = _nearest(columns, word)
    apart = _APART * word.height
    return [nearest] if distance < apart else [], apart


def _nearest(columns: Sequence[Column], piece: Line) -> tuple[int, float]:
    """Return the column that is nearest to a piece, and its distance."""
    distances = [max(x0 - piece.x1, piece.x0 - x1) for x0, x1 in columns]
    distance = min(distances, default=float("inf"))
    return (distances.index(distance) if distances else 0), distance


def _at(columns: Sequence[Column], piece: Line) -> int:
    """Return the number of the column in which a piece stands."""
    return next(n for n, (x0, x1) in enumerate(columns) if x0 <= piece.x0 <= x1)


def _is_table(table: _Table) -> bool:
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
        is_running_text([Row((piece,), (piece,)) for piece in column])
        for column in columns
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


def _named_rows(table: _Table, head_lines: Sequence[HeadLine]) -> Iterator[Line]:
    """Yield a line for each row, with the heads of its cells where these are sure."""
    above, heads = _heads(table, head_lines)
    label: Line | None = None
    for number, (row, texts) in enumerate(zip(table.rows, table.texts(), strict=True)):
        first, last = row.pieces[0], row.pieces[-1]
        if not table.cells[number]:
            label = first if heads and first is last else None
            yield from row.lines
            continue
        if label and not _belongs_to(label, first):
            label = None
        is_named = bool(heads) and number >= above
        text = row_line(heads, texts) if is_named else " ".join(filter(None, texts))
        text = f"{label.text}{BETWEEN}{text}" if label and is_named else text
        yield replace(first, text=text, x1=last.x1, hyphen=False, row=True, gaps=())


def _belongs_to(label: Line, first: Line) -> bool:
    """Return whether a label names a row, by the first piece of that."""
    return (label.bold and not first.bold) or first.x0 >= label.x0 + first.height / 2


def _heads(table: _Table, head_lines: Sequence[HeadLine]) -> tuple[int, list[str]]:
    """Return how many rows of a table its heads take, and the heads, with the lines above them.

    There are none unless they are bold, unlike what is below, or words or years over numbers. Lines
    above that make them unlike heads are left out, and those above these.
    """
    texts, bold = table.texts(), [all(line.bold for line in row.lines) for row in table.rows]
    numbers = range(len(table.columns))
    counted = [n for n in numbers[1:] if are_numbers([row[n] for row in texts[1:]])]
    above = 0
    while above < len(texts) - 1 and table.cells[above] and (counted or bold[above]):
        if not can_be_heads([texts[above][n] for n in counted]):
            break
        above += 1
    inner = [{(n, n): piece for n, piece in cells.items()} for cells in table.cells[:above]]
    is_bold = above > 0 and all(bold[:above]) and not all(bold[above:])
    body = [row for row in texts[above:] if any(row)]
    for first in range(len(head_lines) + 1):
        heads = [_joined_head(n, [*head_lines[first:], *inner]) for n in numbers]
        is_sure = is_bold or (bool(counted) and len(heads) >= _FEWEST_ROWS)
        is_sure = is_sure and all(map(_HEAD.search, heads[1:])) and can_be_heads(heads)
        if is_sure and not recur_below(heads, body):
            if counts_columns(texts[above]):
                return above + 1, with_column_numbers(heads, texts[above])
            return above, heads
    return 0, []


def _joined_head(column: int, lines: Sequence[HeadLine]) -> str:
    """Return the head of a column, what stands over several columns before a comma."""
    head = ""
    for line in lines:
        for (left, right), piece in line.items():
            if left <= column <= right:
                head += f"{piece.text}{',' if left < right else ''} "
    return head.rstrip(", ")


def _heads_above(rows: Sequence[Row], table: _Table) -> list[HeadLine]:
    """Return the lines of heads above a table, of the rows before it."""
    lines: list[HeadLine] = []
    below = table.rows[0]
    left, right = table.columns[0][0], table.columns[-1][1]
    higher = [
        row
        for row in rows[-_MOST_HEADS:]
        if _drop(row, below) > 0 and row.pieces[0].x0 < right and left < row.pieces[-1].x1
    ]
    for row in sorted(higher, key=lambda row: row.pieces[0].baseline):
        line = _over_columns(row.pieces, table.columns)
        if any(piece.row for piece in row.lines) or not _follows(row, below, -1.0) or line is None:
            break
        (first, last), *others = line
        is_close = _drop(row, below) <= _CLOSE * below.pieces[0].height
        if not others and (first == 0 or (first == last and not is_close)):
            break
        lines.insert(0, line)
        below = row
    return lines


def _over_columns(pieces: Sequence[Line], columns: Sequence[Column]) -> HeadLine | None:
    """Return over which columns pieces stand; None where one stands over none.

    A piece stands over all columns that it overlaps, and over those beside these of which it is the
    centre, unless it stands alone over one.
    """
    overlaps: list[tuple[int, int]] = []
    for piece in pieces:
        over, _ = _columns_at(columns, piece)
        nearest, distance = _nearest(columns, piece)
        if not over and distance > _FAR * piece.height:
            return None
        overlaps.append((over[0], over[-1]) if over else (nearest, nearest))
    line: HeadLine = {}
    last = -1
    followers = [*(first for first, _ in overlaps[1:]), len(columns)]
    for piece, (left, right), end in zip(pieces, overlaps, followers, strict=True):
        if left <= last or right >= end:
            return None
        spans = [(a, b) for a in range(last + 1, left + 1) for b in range(right, end)]
        spans = spans if pieces[1:] or left < right else [(left, right)]
        off = {s: abs(columns[s[0]][0] + columns[s[1]][1] - piece.x0 - piece.x1) for s in spans}
        least = max(min(off.values()), piece.height)
        span = max((s for s in spans if off[s] <= least), key=lambda s: s[1] - s[0])
        line[span] = piece
        last = span[1]
    return line
