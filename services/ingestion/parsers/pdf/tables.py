"""Tables of a PDF page: its lines within a grid of rules become lines that name their columns.

A grid stays as it was where a letter would be lost, or most of it is empty.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from operator import itemgetter
from statistics import median
from typing import Final

from services.ingestion.parsers.extraction import RAISED, Extraction, clean, letters
from services.ingestion.parsers.pdf.aligned_heads import FURNITURE_LINES
from services.ingestion.parsers.pdf.columns import ColumnRow, rows_of
from services.ingestion.parsers.pdf.lines import WIDE, Line, Page
from services.ingestion.parsers.pdf.rules import NEAR, Glyph, Ruled
from services.ingestion.parsers.tables import (
    Grid,
    ParsedCell,
    are_numbers,
    can_be_heads,
    counts_columns,
    grid_lines,
    heads_of,
    recur_below,
    row_line,
    with_column_numbers,
)

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
    name: ParsedCell


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


def _with_name(grid: Grid, name: ParsedCell) -> Grid:
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


def _is_coarse(ruled: Ruled, rows: Sequence[ColumnRow]) -> bool:
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


def _with_unruled_rows(ruled: Ruled, rows: Sequence[ColumnRow]) -> Ruled:
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


def _texts_by_column(ruled: Ruled, row: ColumnRow) -> dict[int, str]:
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
    cells = {number: ParsedCell(_text("".join(characters))) for number, characters in texts.items()}
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


# ``[Nuklid | Grenze; H-3 | 1000; C-14 | 100]``: bars separate the cells, semicolons the rows.
_WRITTEN = re.compile(r"\[([^\[\]]*?\s\|\s[^\[\]]*)\]\s*")
_ROW = re.compile(r"[^;]+")
_DEEPEST: Final = 4  # rows that heads may take


@dataclass(frozen=True, slots=True)
class _Row:
    start: int
    cells: tuple[str, ...]

    @property
    def filled(self) -> int:
        return sum(map(bool, self.cells))


def with_written_tables(extraction: Extraction) -> Extraction:
    """Return the text with a line for each row of its tables, and headings and pages moved."""
    source, pieces, done = extraction.text, list[tuple[int, str]](), 0
    for match in _WRITTEN.finditer(source):
        rows = [_row(match.start(1), row) for row in _ROW.finditer(match[1])]
        if lines := _lines(rows):
            pieces.append((done, source[done : match.start()].rstrip(" ")))
            pieces += [*lines, (match.end(1) + 1, "\n\n")]
            done = match.end()
    if not pieces:
        return extraction
    pieces.append((done, source[done:].rstrip(" ")))
    starts = list(accumulate((len(text) for _, text in pieces), initial=0))

    def moved(position: int) -> int:
        """Return the new offset of a source offset; at most the start of the next piece."""
        index = bisect_right(pieces, position, key=itemgetter(0)) - 1
        return starts[index] + min(position - pieces[index][0], len(pieces[index][1]))

    return replace(
        extraction,
        text="".join(text for _, text in pieces),
        headings=tuple(
            replace(heading, start=moved(heading.start), end=moved(heading.end))
            for heading in extraction.headings
        ),
        pages=tuple(map(moved, extraction.pages)),
    )


def _lines(rows: Sequence[_Row]) -> list[tuple[int, str]]:
    """Return a line for each row with its source offset; none without heads or with lone cells."""
    several = sum(row.filled > 1 for row in rows)
    head_rows, heads = _heads(rows)
    if len(rows) < 2 or 2 * several <= len(rows) or not head_rows:
        return []
    lines = []
    for number, row in enumerate(rows):
        fits = number >= head_rows and len(row.cells) == len(heads) and row.filled > 1
        if line := row_line(heads if fits else (), row.cells):
            lines.append((row.start, ("\n" if number else "\n\n") + line))
    return lines


def _row(offset: int, match: re.Match[str]) -> _Row:
    cells = tuple(" ".join(cell.split()) for cell in match[0].split("|"))
    return _Row(offset + match.start(), cells)


def _heads(rows: Sequence[_Row]) -> tuple[int, list[str]]:
    """Return how many rows the heads take, and the head of each column if it is certain.

    They are as many as cells in most rows; of fewer, the first is over all cells without
    numbers.
    """
    widths = Counter(len(row.cells) for row in rows)
    width = max(widths, key=lambda cells: (widths[cells], cells))
    stop, named, counts = _head_rows(rows, width)
    if not named or not all(map(can_be_heads, named)):
        return 0, []
    heads = list(named[-1])
    if recur_below(heads, [row.cells for row in rows[stop:]]):
        return 0, []
    if len(counts) == len(heads):
        heads = with_column_numbers(heads, counts)
    if wider := width - len(heads):
        columns = [
            *zip(*(row.cells for row in rows[stop:] if len(row.cells) == width), strict=True)
        ]
        if wider < 0 or [*map(are_numbers, columns)] != [n > wider for n in range(width)]:
            return stop, []
        heads[:1] = [""] * (wider + 1)
    return stop, heads


def _head_rows(rows: Sequence[_Row], width: int) -> tuple[int, list[Sequence[str]], Sequence[str]]:
    """Return where the heads stop, their rows, and the row of numbers above or below them."""
    first = next((n for n, row in enumerate(rows) if row.filled > 1), len(rows))
    stop = first + 1
    while stop < min(len(rows), first + _DEEPEST) and len(rows[stop].cells) < width:
        stop += 1
    if stop < len(rows) and counts_columns(rows[stop].cells):
        stop += 1
    block = [row.cells for row in rows[first:stop]]
    counts = next((cells for cells in block if counts_columns([*filter(None, cells)])), ())
    named: list[Sequence[str]] = [cells for cells in block if cells != counts]
    if counts and not named and stop < len(rows):  # the numbers stand above the heads
        named, stop = [rows[stop].cells], stop + 1
    return stop, named, counts
