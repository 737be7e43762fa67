"""Tables of any format as lines: a row with each cell after the head of its column."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Final

from services.domain.value import BETWEEN_CELLS

_LONGEST_HEAD: Final = 120
_NUMBER = re.compile(r"[^\w]*\d[\d\s.,:/%+–-]*(?:E[+-]?\d+)?[^\w]*")
_YEAR = re.compile(r"(?:1[89]|20)\d\d(?:\s?[-–/]\s?\d{2,4})?")


@dataclass(frozen=True, slots=True, eq=False)
class ParsedCell:
    """A cell; one that covers several places of a grid stands in each of them."""

    text: str


Grid = Sequence[Sequence[ParsedCell]]  # rows of cells, all of one length


def sheet_lines(rows: Grid, marked: Collection[int] = ()) -> list[str]:
    """Return a line for each row of a sheet; heads hold until others are marked below an empty row.

    ``marked`` rows (from 0) are set off from the row below, in bold or by a colour.
    """
    lines: list[str] = []
    heads: list[str] = []
    last: Grid = ()
    rows_by_emptiness = groupby(enumerate(rows), key=lambda row: not any(c.text for c in row[1]))
    for is_empty, group in rows_by_emptiness:
        if is_empty:
            continue
        numbers, block = zip(*group, strict=True)
        first = _first_head(block)
        is_set_off = first + 1 < len(block) and numbers[first] in marked
        above, others = heads_of(block, sure=is_set_off)
        if not others and not heads and last:  # an empty row may stand below the heads, too
            _, others = heads_of([*last, *block])
            above = 0
        if others and (not heads or (above and numbers[above - 1] in marked)):
            heads = others
        else:
            above = 0
        lines += filter(None, grid_lines(block, heads, above))
        last = block[-1:]
    return lines


def grid_of(rows: Iterable[Sequence[str]]) -> Grid:
    """Return rows of texts as a grid, each filled up to the longest."""
    return padded([[ParsedCell(" ".join(text.split())) for text in row] for row in rows])


def padded(rows: Sequence[list[ParsedCell]]) -> list[list[ParsedCell]]:
    width = max(map(len, rows), default=0)
    return [row + [ParsedCell("") for _ in range(width - len(row))] for row in rows]


def row_line(heads: Sequence[str], texts: Sequence[str]) -> str:
    """What a row holds, each text after the head of its column where that has one."""
    pairs = zip_longest(heads[: len(texts)], texts, fillvalue="")
    return BETWEEN_CELLS.join(f"{head}: {text}" if head else text for head, text in pairs if text)


def grid_lines(
    grid: Grid, heads: Sequence[str], above: int, bold: Collection[int] = ()
) -> list[str]:
    """A line for each row of a grid, empty for one that holds nothing.

    A cell across the table stands before each row below it, up to the next one, unless it is a
    text of its own; the one above the heads too, if they are repeated. Where some of these cells
    are bold, the others name nothing.

    Args:
        heads: of its columns, of the grid itself or of the page before.
        above: how many rows stand above those that have heads; they stay as they are.
        bold: rows, from 0, that are bold.
    """
    runs = [_runs(row) for row in grid]
    texts = [[cell.text for _, cell in row] for row in runs]
    head_rows = texts[:above]
    repeated = any(row in head_rows for row in texts[above:])
    across = {number for number, row in enumerate(texts) if len(row) == 1}
    names = across.intersection(number for number in bold if number >= above)
    several = {number for number, row in enumerate(texts) if len(row) > 1 and number >= above}
    ends = several & {*bold}  # as a heading of several cells does, unless names of rows are bold
    ends_group = (names or across) | (ends if 2 * len(ends) < len(several) else set())
    lines, group = [], ""
    for number, row in enumerate(texts):
        if number in ends_group:
            is_name = number in across and not _is_text(row[0])
            group = row[0] if is_name and heads and (number >= above or repeated) else ""
        if len(row) == 1 or row in head_rows:
            lines.append(row_line((), row))
        else:
            line = row_line([_head_over(heads, columns) for columns, _ in runs[number]], row)
            lines.append(BETWEEN_CELLS.join(filter(None, (line and group, line))))
    return lines


def _is_text(cell: str) -> bool:
    return len(cell) > _LONGEST_HEAD or cell.endswith((".", "!"))


def heads_of(grid: Grid, marked: int = 0, *, sure: bool = False) -> tuple[int, list[str]]:
    """Return how many rows the heads of a grid take, with what stands above them, and the heads.

    Heads are the first row with more than one cell that is as wide as the others, with the rows
    that its cells reach or that part them further, one of words over numbers that names no row, and
    one that counts the columns. There are none where that row holds numbers, what is too long or
    ends in a colon, or a value of its column: the first line of a form or of a text.

    Args:
        marked: rows that the document itself says are heads.
        sure: whether the first of them may hold numbers, such as years, since it is set off.
    """
    grid = _with_wide_heads(grid)
    first = _first_head(grid)
    stop = max(first + 1, marked)
    while stop < len(grid) and _continues_heads(grid[stop - 1], grid[stop]):
        stop += 1
    if stop >= len(grid):
        stop = first + 1
    while stop + 1 < len(grid) and _names_no_row(grid[stop], grid[stop + 1 :]):
        stop += 1
    if stop >= len(grid):
        return 0, []
    is_set_off = sure or marked > first
    if not is_set_off and not all(can_be_heads([c.text for c in row]) for row in grid[first:stop]):
        return 0, []
    heads = [[c.text for c in column] for column in zip(*grid[first:stop], strict=True)]
    columns = [", ".join(dict.fromkeys(t for t in head if t.strip("-–—"))) for head in heads]
    if marked <= first and recur_below(columns, [[c.text for c in row] for row in grid[stop:]]):
        return 0, []
    if counts_columns([cell.text for _, cell in _runs(grid[stop])]):
        columns = with_column_numbers(columns, [cell.text for cell in grid[stop]])
        stop += 1
    return stop, columns


def _with_wide_heads(grid: Grid) -> Grid:
    """Return a grid in which heads in plain cells reach over columns that the next row parts."""
    first = next((n for n, row in enumerate(grid) if sum(bool(c.text) for c in row) > 1), len(grid))
    rows = [list(row) for row in grid]
    for number in range(first, len(rows) - 2):
        row, below = list(rows[number]), list(rows[number + 1])
        if not _is_parted(row, below, rows[number + 2 :]):
            break
        for column in range(1, len(row)):
            if not row[column].text and below[column].text and rows[number][column - 1].text:
                rows[number][column] = rows[number][column - 1]
        for column, cell in enumerate(row):
            if cell.text and not below[column].text:
                rows[number + 1][column] = cell
    return rows


def _is_parted(row: Sequence[ParsedCell], below: Sequence[ParsedCell], body: Grid) -> bool:
    """Return whether a row has heads over several columns of the next, which is over numbers."""
    texts, others = [cell.text for cell in row], [cell.text for cell in below]
    is_open = bool(texts[0]) != bool(others[0]) and sum(map(bool, texts)) > 1
    parted = any(
        not texts[n] and others[n] and any(texts[1:n]) and others[n - 1] for n in range(2, len(row))
    )
    heads = can_be_heads(texts) and can_be_heads(others)
    return is_open and parted and heads and _is_over_numbers(below, body)


def _first_head(grid: Grid) -> int:
    """Return the first row of several cells over all columns but one; its first may be empty."""
    runs = [_runs(row) for row in grid]
    filled = [sum(bool(cell.text) for _, cell in row) for row in runs]
    covered = [
        sum(len(columns) for columns, cell in row if cell.text or columns[0] == 0) for row in runs
    ]
    widest = max(covered, default=0)
    return next(
        (n for n, cells in enumerate(filled) if cells > 1 and covered[n] >= widest - 1), len(grid)
    )


def _names_no_row(row: Sequence[ParsedCell], body: Grid) -> bool:
    """Return whether a row below the heads, open at its left, names what numbers below count."""
    is_open = not any(map(str.isalnum, row[0].text))
    return is_open and _is_over_numbers(row, body)


def _is_over_numbers(row: Sequence[ParsedCell], body: Grid) -> bool:
    """Return whether the texts of a row beside its first stand over numbers only, and are none."""
    columns = [
        [under[n].text for under in body if any(map(str.isalnum, under[n].text))]
        for n in range(1, len(row))
        if row[n].text and row[n] is not row[0]
    ]
    texts = [cell.text for cell in row[1:] if cell.text]
    counted = [column for column in columns if column]
    return bool(counted) and all(map(are_numbers, counted)) and can_be_heads(texts)


def counts_columns(texts: Sequence[str]) -> bool:
    """Whether a row does nothing but number the columns: ``1 | 2 | 3`` or ``(1) | (2) | (3)``."""
    numbers = [text.strip("()") for text in texts]
    return len(numbers) > 1 and numbers == [str(number) for number in range(1, len(texts) + 1)]


def with_column_numbers(heads: Sequence[str], numbers: Sequence[str]) -> list[str]:
    """Heads with the number by which a text may call their column."""
    return [
        f"{head} ({number.strip('()')})" if head else ""
        for head, number in zip(heads, numbers, strict=True)
    ]


def can_be_heads(texts: Sequence[str]) -> bool:
    """Return whether texts can be heads: not long, no labels of a form, no numbers but years."""
    return not any(
        len(text) > _LONGEST_HEAD
        or text.endswith(":")
        or (_NUMBER.fullmatch(text) and not _YEAR.fullmatch(text))
        for text in texts
    )


def are_numbers(texts: Iterable[str]) -> bool:
    """Return whether most texts are numbers."""
    filled = [text for text in texts if text]
    return 3 * sum(map(bool, map(_NUMBER.fullmatch, filled))) > 2 * len(filled)


def recur_below(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> bool:
    """Return whether a head is a value of its column too; a year is if all values below are."""
    below = [row for row in rows if list(row) != list(heads)]
    return any(
        head in column
        or (_YEAR.fullmatch(head) and all(map(_YEAR.fullmatch, filter(None, column))))
        for head, column in zip(heads, zip_longest(*below, fillvalue=""), strict=False)
        if head
    )


def _continues_heads(row: Sequence[ParsedCell], below: Sequence[ParsedCell]) -> bool:
    """Whether the row below belongs to the heads too: cells reach it, or it parts wider ones.

    A row whose cells stand below several heads each parts none of them.
    """
    reach = any(one is other and one.text for one, other in zip(row, below, strict=True))
    divides = any(
        cell.text and len({id(below[column]) for column in columns}) > 1
        for columns, cell in _runs(row)
    )
    joins = any(
        cell.text and len({id(row[column]) for column in columns if row[column].text}) > 1
        for columns, cell in _runs(below)
    )
    return reach or (divides and not joins)


def _runs(row: Sequence[ParsedCell]) -> list[tuple[list[int], ParsedCell]]:
    runs = []
    for _, group in groupby(enumerate(row), key=lambda item: id(item[1])):
        members = list(group)
        runs.append(([column for column, _ in members], members[0][1]))
    return runs


def _head_over(heads: Sequence[str], columns: Iterable[int]) -> str:
    names = (heads[column] for column in columns if column < len(heads))
    return " / ".join(dict.fromkeys(filter(None, names)))
