"""Find tables that programs wrote into running text: ``[Nuklid | Grenze; H-3 | 1000; C-14 | 100]``.

Bars separate the cells, semicolons the rows.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import itemgetter
from typing import Final

from services.ingestion.parsers.extraction import Extraction
from services.ingestion.parsers.tables import (
    are_numbers,
    can_be_heads,
    counts_columns,
    recur_below,
    row_line,
    with_column_numbers,
)

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
