"""Tables without rules with their columns, and their heads: lines above, and the first rows.

Coordinates are points in the page as displayed, as in `lines`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from services.ingestion.parsers.pdf.columns import ColumnRow, rows_of
from services.ingestion.parsers.pdf.lines import Line
from services.ingestion.parsers.tables import (
    are_numbers,
    can_be_heads,
    counts_columns,
    recur_below,
    with_column_numbers,
)

FEWEST_ROWS: Final = 3
MOST_OTHERS: Final = 2
"""Lines that may follow one another within a table though they do not fit its columns."""
FURNITURE_LINES: Final = 4
"""Lines that may stand between the edge of a page and a table that goes on over it."""
_DISTANT: Final = 3.0  # distance of rows, in their heights, at which a table ends
_OTHER_SIZE: Final = 1.25
_APART: Final = 0.4
"""Distance, in heights of their letters, at which words begin a new column."""
_CLOSED: Final = 0.1  # distance of columns, in heights, at which nothing parts them

Column = tuple[float, float]  # the leftmost and the rightmost x of its cells
Cells = dict[int, Line]  # the cells of a row by the numbers of their columns


@dataclass(frozen=True, slots=True)
class AlignedTable:
    """Rows with their columns; those that fit no columns have no cells."""

    rows: Sequence[ColumnRow]
    columns: Sequence[Column]
    cells: Sequence[Cells]

    @property
    def filled(self) -> list[Cells]:
        return [cells for cells in self.cells if cells]

    def texts(self) -> list[list[str]]:
        """Return the texts of each row, "" for an empty cell."""
        numbers = range(len(self.columns))
        return [[cells[n].text if n in cells else "" for n in numbers] for cells in self.cells]


def drop(above: ColumnRow, below: ColumnRow) -> float:
    """Return by how many points a row stands below another one."""
    return above.pieces[0].baseline - below.pieces[0].baseline


def is_near(above: ColumnRow, below: ColumnRow) -> bool:
    """Return whether a row is below another one, and no table ends between them."""
    return 0 < drop(above, below) <= _DISTANT * max(above.pieces[0].height, below.pieces[0].height)


def is_same_size(above: ColumnRow, below: ColumnRow) -> bool:
    """Return whether the letters of two rows have about one size."""
    small, large = sorted((above.pieces[0].height, below.pieces[0].height))
    return large <= _OTHER_SIZE * small


def columns_at(columns: Sequence[Column], word: Line) -> tuple[list[int], float]:
    """Return the columns that a word overlaps, or else the nearest, and how far it keeps apart."""
    over = [n for n, (x0, x1) in enumerate(columns) if word.x0 < x1 and x0 < word.x1]
    if over:
        return over, _CLOSED * word.height
    nearest, distance = nearest_column(columns, word)
    apart = _APART * word.height
    return [nearest] if distance < apart else [], apart


def nearest_column(columns: Sequence[Column], piece: Line) -> tuple[int, float]:
    """Return the column that is nearest to a piece, and its distance."""
    distances = [max(x0 - piece.x1, piece.x0 - x1) for x0, x1 in columns]
    distance = min(distances, default=float("inf"))
    return (distances.index(distance) if distances else 0), distance


_CLOSE: Final = 1.5  # distance, in heights, of the lines of one head
_FAR: Final = 2.0
"""Distance, in heights, of a head from the column beside which it stands."""
_NEAR: Final = 0.3  # distance, in heights, of edges that are aligned
_MOST_HEADS: Final = 8  # lines that heads may take
_HEAD: Final = re.compile(r"[^\W\d_]|\d{4}")
"""Something that names a column: a letter or a year."""

HeadLine = dict[tuple[int, int], Line]
"""The pieces of a line of heads, each by its first and its last column."""


def heads_of_table(table: AlignedTable, head_lines: Sequence[HeadLine]) -> tuple[int, list[str]]:
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
        lines = [*head_lines[first:], *inner]
        heads = [_joined_head(n, lines) for n in numbers]
        is_set_off = is_bold or (_are_bold(lines) and not all(bold[above:]))
        is_sure = is_set_off if counted else is_set_off and bool(heads[0])
        is_sure = is_sure or (bool(counted) and len(heads) >= FEWEST_ROWS)
        needed = counted or numbers[1:]
        is_sure = is_sure and all(_HEAD.search(heads[n]) for n in needed)
        if is_sure and can_be_heads(heads) and not recur_below(heads, body):
            if counts_columns(texts[above]):
                return above + 1, with_column_numbers(heads, texts[above])
            return above, heads
    return 0, []


def is_cut(rows: Sequence[ColumnRow], table: AlignedTable) -> bool:
    """Return whether a line before a table stands beside its first row: both are of its heads."""
    first = table.rows[0].pieces[0]
    left, right = table.columns[0][0], table.columns[-1][1]
    return any(
        abs(line.baseline - first.baseline) < first.height / 4
        and line.x0 < right
        and left < line.x1
        for row in rows[-_MOST_HEADS * len(table.columns) :]
        for line in row.lines
    )


def _are_bold(lines: Sequence[HeadLine]) -> bool:
    pieces = [piece for line in lines for piece in line.values()]
    return bool(pieces) and all(piece.bold for piece in pieces)


def _joined_head(column: int, lines: Sequence[HeadLine]) -> str:
    head = ""
    for line in lines:
        for (left, right), piece in line.items():
            if left <= column <= right:
                head += f"{piece.text}{',' if left < right else ''} "
    return head.rstrip(", ")


def heads_above(
    rows: Sequence[ColumnRow], table: AlignedTable
) -> tuple[Sequence[HeadLine], Line | None]:
    """Return the lines of heads above a table, and the lowest over its first column alone."""
    lines: list[HeadLine] = []
    ends: list[HeadLine] = []
    labels: list[Line] = []
    below = table.rows[0]
    for row in _rows_upwards(rows, table):
        line = _over_columns(row.pieces, table.columns)
        if any(piece.row for piece in row.lines) or not is_near(row, below) or line is None:
            break
        is_close = drop(row, below) <= _CLOSE * below.pieces[0].height
        span, *others = line
        if others and (is_close or not ends):
            lines, ends = [line, *ends, *lines], []
        elif span == (0, 0) and not (lines or ends) and len(labels) < MOST_OTHERS:
            labels.append(row.pieces[0])
        elif ends or span[0] == 0 or not is_same_size(row, below):
            break
        elif is_close or span[0] < span[1] or _is_over_only(row.pieces[0], table.columns[1:]):
            lines.insert(0, line)
        else:
            ends.append(line)
        below = row
    return lines, labels[0] if labels else None


def _is_over_only(piece: Line, columns: Sequence[Column]) -> bool:
    if len(columns) != 1:
        return False
    x0, x1 = columns[0]
    return (x0 <= piece.x0 and piece.x1 <= x1) or _shares_edge(piece, columns[0])


def _rows_upwards(rows: Sequence[ColumnRow], table: AlignedTable) -> Iterator[ColumnRow]:
    first = table.rows[0].pieces[0]
    left, right = table.columns[0][0], table.columns[-1][1]
    lines = [
        line
        for row in rows[-_MOST_HEADS * len(table.columns) :]
        for line in row.lines
        if line.baseline > first.baseline and line.x0 < right and left < line.x1
    ]
    groups: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.baseline):
        if groups and line.baseline - groups[-1][0].baseline < groups[-1][0].height / 4:
            groups[-1].append(line)
        else:
            groups.append([line])
    one_by_one = any(
        sum(len(columns_at(table.columns, line)[0]) == 1 for line in group) > 1 for group in groups
    )
    for group in groups[:_MOST_HEADS]:
        yield ColumnRow(tuple(group), tuple(_pieces(group, table.columns, one_by_one)))


def _pieces(lines: Sequence[Line], columns: Sequence[Column], one_by_one: bool) -> Iterator[Line]:
    """Yield the pieces of a row of heads, joined with what follows over no column of its own."""
    pieces: list[tuple[Line, Line]] = []
    for line in lines:
        is_whole = one_by_one and len(columns_at(columns, line)[0]) == 1
        pieces += [(line, piece) for piece in ([line] if is_whole else rows_of([line])[0].pieces)]
    pieces.sort(key=lambda pair: pair[1].x0)
    headed = {n for _, piece in pieces for n in columns_at(columns, piece)[0]}
    last: tuple[Line, Line] | None = None
    for line, piece in pieces:
        is_stray = not columns_at(columns, piece)[0] and nearest_column(columns, piece)[0] in headed
        if last and last[0] is line and is_stray:
            last = line, replace(last[1], text=f"{last[1].text} {piece.text}", x1=piece.x1)
            continue
        if last:
            yield last[1]
        last = line, piece
    if last:
        yield last[1]


def _over_columns(pieces: Sequence[Line], columns: Sequence[Column]) -> HeadLine | None:
    """Return over which columns pieces stand; None where one stands over none.

    A piece stands over all columns that it overlaps, and over those beside these of which it is the
    centre, unless it stands alone over one or begins or ends as one does.
    """
    overlaps: list[tuple[int, int]] = []
    for piece in pieces:
        over, _ = columns_at(columns, piece)
        nearest, distance = nearest_column(columns, piece)
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
        is_own = left == right and _shares_edge(piece, columns[left])
        spans = spans if (pieces[1:] and not is_own) or left < right else [(left, right)]
        off = {s: abs(columns[s[0]][0] + columns[s[1]][1] - piece.x0 - piece.x1) for s in spans}
        least = max(min(off.values()), piece.height)
        span = max((s for s in spans if off[s] <= least), key=lambda s: s[1] - s[0])
        line[span] = piece
        last = span[1]
    return line


def _shares_edge(piece: Line, column: Column) -> bool:
    near = _NEAR * piece.height
    return abs(piece.x0 - column[0]) <= near or abs(piece.x1 - column[1]) <= near
