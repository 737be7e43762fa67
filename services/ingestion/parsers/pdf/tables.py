"""Tables of a PDF page: its lines within a grid of rules become lines that name their columns.

A grid stays as it was where a letter would be lost, or most of it is empty.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Final

from services.ingestion.parsers.extraction import RAISED, clean, letters
from services.ingestion.parsers.pdf.aligned_heads import FURNITURE_LINES
from services.ingestion.parsers.pdf.columns import Row, rows_of
from services.ingestion.parsers.pdf.lines import WIDE, Line, Page
from services.ingestion.parsers.pdf.rules import NEAR, Glyph, Ruled
from services.ingestion.parsers.tables import Cell, Grid, are_numbers, grid_lines, heads_of

_MOST_CROWDED: Final = 0.25
"""Share of the rows of a table that may have wide gaps within its cells."""
_JOINED = re.compile(f"\ufffe[\r\n]*(?=[^\\W\\d_A-Z])|\\s+(?=[{RAISED}])")


@dataclass(frozen=True, slots=True)
class _Last:
    """The table before. ``below`` is how many lines stand below it on its page, ``name`` the first
    cell of its last row."""

    page: int
    ruled: Ruled
    below: int
    head_rows: list[str]
    heads: list[str]
    name: Cell


def with_tables(pages: Iterable[Page]) -> list[Page]:
    """Return the pages with a line for each row of their tables.

    A table that goes on has the heads of the one before unless its own are marked; a row its
    name.
    """
    read: list[Page] = []
    last: _Last | None = None
    for page in pages:
        for ruled in page.grids:
            inside = [line for line in page.lines if _is_inside(line, ruled)]
            ruled = _with_unruled_rows(ruled, rows_of(inside, len(inside)))
            outside = [line for line in page.lines if line not in inside]
            grid = _filled(ruled, page.glyphs)
            readable = _is_upright(ruled, page.glyphs) and _is_complete_table(grid, inside)
            readable = readable and not _is_coarse(ruled, rows_of(inside))
            readable = readable and not any(line.row for line in inside)  # of a grid within
            is_marked = readable and _is_marked(ruled, inside)
            above, heads = heads_of(grid, sure=is_marked) if readable else (0, [])
            bold = _bold_rows(ruled, inside)
            head_rows, texts = grid_lines(grid[:above], (), 0), grid_lines(grid, heads, above, bold)
            if last and _goes_on(last, ruled, page, outside):
                repeated = grid_lines(grid[: len(last.head_rows)], (), 0) == last.head_rows
                if repeated or not is_marked:
                    heads, head_rows = last.heads, last.head_rows
                    above = len(head_rows) if repeated else 0
                    bold = [number - above for number in bold]
                    body = grid[above:]
                    if last.page != page.number:
                        body = _with_name(body, last.name)
                    texts = [""] * above + grid_lines(body, heads, 0, bold)
            below = sum(line.top < ruled.ys[-1] for line in outside)
            last = _Last(page.number, ruled, below, head_rows, heads, grid[-1][0])
            if readable:
                at = page.lines.index(inside[0])
                following = [line for line in page.lines[at:] if line not in inside]
                rows = _rows(texts, ruled, page, inside)
                page = replace(page, lines=(*page.lines[:at], *rows, *following))
        read.append(page)
    return read


def _goes_on(last: _Last, ruled: Ruled, page: Page, outside: Sequence[Line]) -> bool:
    columns = last.ruled.xs, ruled.xs
    if len(ruled.xs) != len(last.ruled.xs) or any(
        abs(one - other) > NEAR for one, other in zip(*columns, strict=True)
    ):
        return False
    top, bottom = ruled.ys[0], last.ruled.ys[-1]
    if last.page == page.number:
        return not any(top < line.baseline < bottom for line in outside)
    above = sum(line.baseline > top for line in outside)
    return last.page == page.number - 1 and max(last.below, above) <= FURNITURE_LINES


def _with_name(grid: Grid, name: Cell) -> Grid:
    """Return rows of which the first has a name, if it goes on in the middle of a sentence."""
    first = grid[0] if grid else ()
    if not first or first[0].text or not any(cell.text[:1].islower() for cell in first):
        return grid
    return [[name, *first[1:]], *grid[1:]]


def _is_marked(ruled: Ruled, inside: Sequence[Line]) -> bool:
    first = {line for line in inside if line.baseline > ruled.ys[1]}
    others = [line.bold for line in inside if line not in first]
    return all(line.bold for line in first) and not all(others)


def _bold_rows(ruled: Ruled, inside: Sequence[Line]) -> list[int]:
    rows: dict[int, bool] = {}
    for line in inside:
        number = bisect_right([-y for y in ruled.ys], -line.baseline) - 1
        rows[number] = line.bold and rows.get(number, True)
    return [number for number, is_bold in rows.items() if is_bold]


def _rows(texts: Sequence[str], ruled: Ruled, page: Page, inside: Sequence[Line]) -> Iterator[Line]:
    height = median(line.height for line in inside)
    x0, x1 = min(line.x0 for line in inside), max(line.x1 for line in inside)
    for text, bottom in zip(texts, ruled.ys[1:], strict=True):
        if text:
            base = bottom + 0.2 * height
            yield Line(text, page.number, x0, x1, base, height, bold=False, row=True)


def _is_inside(line: Line, ruled: Ruled) -> bool:
    across = ruled.xs[0] - NEAR <= line.x0 < ruled.xs[-1]
    return across and ruled.ys[-1] - NEAR <= line.baseline < ruled.ys[0]


def _is_upright(ruled: Ruled, glyphs: Sequence[Glyph]) -> bool:
    """Return whether most letters of a grid follow the one before to the right."""
    inside = [glyph for glyph in glyphs if ruled.ys[-1] < glyph.y < ruled.ys[0]]
    onward = sum(
        one.x < two.x and abs(one.y - two.y) < (two.y1 - two.y0) / 2
        for one, two in pairwise(inside)
    )
    return 2 * onward > len(inside)


def _is_coarse(ruled: Ruled, rows: Sequence[Row]) -> bool:
    """Return whether many rows have columns, of numbers or at one x, within a cell."""
    inner: list[list[Line]] = []
    for row in rows:
        at = bisect_right([-y for y in ruled.ys], -row.pieces[0].baseline) - 1
        columns = [bisect_right(ruled.xs, piece.x0 + NEAR) - 1 for piece in row.pieces]
        if 0 <= at < len(ruled.cells) and all(0 <= n < len(ruled.xs) - 1 for n in columns):
            cells = [ruled.cells[at][n] for n in columns]
            inner.append(
                [
                    piece
                    for n, (before, piece) in enumerate(pairwise(row.pieces), 1)
                    if cells[n] in cells[:n] and piece.x0 - before.x1 > WIDE * piece.height
                ]
            )
    starts = Counter(round(piece.x0) for pieces in inner for piece in pieces)

    def has_column(pieces: Sequence[Line]) -> bool:
        return any(starts[round(p.x0)] > 1 or are_numbers([p.text]) for p in pieces)

    return _MOST_CROWDED * len(rows) < sum(map(has_column, inner))


def _with_unruled_rows(ruled: Ruled, rows: Sequence[Row]) -> Ruled:
    """Return a grid with borders between rows that no rule parts."""
    ys: list[float] = [ruled.ys[0]]
    cells: list[tuple[int, ...]] = []
    for top, bottom, numbers in zip(ruled.ys, ruled.ys[1:], ruled.cells, strict=False):
        within = [row for row in rows if bottom < row.pieces[0].baseline < top]
        texts = [_texts_by_column(ruled, row) for row in within]
        if _are_rows(texts):
            ys += [
                (above.pieces[0].baseline + below.pieces[0].top) / 2
                for above, below in pairwise(within)
            ]
            first = 1 + max(n for row in (*ruled.cells, *cells) for n in row)
            width = len(numbers)
            for n, row in enumerate(texts):
                start = first + n * width
                is_label = len(row) == 1
                cells.append((start,) * width if is_label else tuple(range(start, start + width)))
        else:
            cells.append(numbers)
        ys.append(bottom)
    return replace(ruled, ys=tuple(ys), cells=tuple(cells))


def _texts_by_column(ruled: Ruled, row: Row) -> dict[int, str]:
    at = [bisect_right(ruled.xs, piece.x0 + NEAR) - 1 for piece in row.pieces]
    return {n: piece.text for n, piece in zip(at, row.pieces, strict=True)}


def _are_rows(texts: Sequence[dict[int, str]]) -> bool:
    """Return whether what stands within a row of rules are rows: those of several cells fill the
    same of them, with numbers in one, and the others are labels above them."""
    several = [row for row in texts if len(row) > 1]
    if len(several) < 2 or len({tuple(row) for row in several}) > 1:
        return False
    labels = [row for row in texts if len(row) == 1]
    are_labels = all([*row] == [*several[0]][:1] for row in labels) and len(texts[-1]) > 1
    columns = [[row[n] for row in several] for n in several[0]]
    return any(map(are_numbers, columns)) and are_labels


def _filled(ruled: Ruled, glyphs: Sequence[Glyph]) -> Grid:
    """Return the cells with their text; spaces belong to the character before."""
    texts: dict[int, list[str]] = {number: [] for row in ruled.cells for number in row}
    downwards = [-y for y in ruled.ys]
    at: int | None = None
    for glyph in glyphs:
        if not glyph.text.isspace() and glyph.text != "\ufffe":
            column = bisect_right(ruled.xs, glyph.x) - 1
            row = bisect_right(downwards, -glyph.y) - 1
            within = 0 <= column < len(ruled.xs) - 1 and 0 <= row < len(ruled.ys) - 1
            at = ruled.cells[row][column] if within else None
        if at is not None:
            texts[at].append(glyph.text)
    cells = {number: Cell(_text("".join(characters))) for number, characters in texts.items()}
    return [[cells[number] for number in row] for row in ruled.cells]


def _text(raw: str) -> str:
    return " ".join(clean(_JOINED.sub("", raw).replace("\ufffe", "-")).split())


def _is_complete_table(grid: Grid, lines: Sequence[Line]) -> bool:
    """Return whether a grid has all letters of the lines, is half full and has two full rows."""
    cells = {id(cell): cell.text for row in grid for cell in row}
    filled = [text for text in cells.values() if text]
    rows_of_several = sum(len({id(cell) for cell in row if cell.text}) > 1 for row in grid)
    if rows_of_several < 2 or 2 * len(filled) < len(cells):
        return False
    return sorted(letters("".join(filled))) == sorted(letters("".join(line.text for line in lines)))
