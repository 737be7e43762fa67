"""Tables that a text holds written out, ``[Nuklid | Grenze; H-3 | 1000; C-14 | 100]``: how
programs put a table into running text. Bars part the cells, semicolons the rows.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from services.ingestion.extraction import Extraction
from services.ingestion.tables import are_heads, counts_columns, numbered, recur, row_line

_WRITTEN = re.compile(r"\[([^\[\]]*?\s\|\s[^\[\]]*)\]")
_ROW = re.compile(r"[^;]+")
_DEEPEST: Final = 4
"""Rows that heads may take."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A row with its cells, and where it stands in the text."""

    start: int
    end: int
    cells: tuple[str, ...]

    @property
    def filled(self) -> int:
        return sum(map(bool, self.cells))


def with_written_tables(extraction: Extraction) -> Extraction:
    """The text with a line for each row of its written tables; headings and pages move along."""
    rewriting = _Rewriting(extraction.text)
    for match in _WRITTEN.finditer(extraction.text):
        rows = [_row(match.start(1), row) for row in _ROW.finditer(match[1])]
        if _is_table(rows):
            rewriting.put(match.start(), match.end(), rows)
    if not rewriting.done:
        return extraction
    moved = rewriting.moved
    return replace(
        extraction,
        text=rewriting.text(),
        headings=tuple(
            replace(each, start=moved(each.start), end=moved(each.end))
            for each in extraction.headings
        ),
        pages=tuple(map(moved, extraction.pages)),
    )


def _row(offset: int, match: re.Match[str]) -> _Row:
    cells = tuple(" ".join(cell.split()) for cell in match[0].split("|"))
    return _Row(offset + match.start(), offset + match.end(), cells)


def _is_table(rows: Sequence[_Row]) -> bool:
    """Whether there are heads, told by column or not, and several cells in most rows."""
    several = sum(row.filled > 1 for row in rows)
    return len(rows) > 1 and 2 * several > len(rows) and _heads(rows)[0] > 0


def _heads(rows: Sequence[_Row]) -> tuple[int, list[str]]:
    """How many rows the heads take, and the head of each column as far as it can be told.

    What such a text does not tell is which cells were joined. Heads that are as many as the cells
    of most rows stand over them in turn; otherwise the rows stay without.
    """
    widths = Counter(len(row.cells) for row in rows)
    width = max(widths, key=lambda cells: (widths[cells], cells))
    stop, named, counts = _head_rows(rows, width)
    if not named or not all(map(are_heads, named)):
        return 0, []
    heads = list(named[-1])
    if recur(heads, [row.cells for row in rows[stop:]]):
        return 0, []
    if len(heads) != width:
        return stop, []
    return stop, numbered(heads, counts) if len(counts) == width else heads


def _head_rows(rows: Sequence[_Row], width: int) -> tuple[int, list[Sequence[str]], Sequence[str]]:
    """Where the heads stop, their rows, and the row that counts the columns above or below them.

    They are the first row with several cells and those after it that have fewer than most.
    """
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


class _Rewriting:
    """A text with parts of it replaced, which knows where every place of it went."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._parts: list[tuple[int, int, str]] = []  # where it stood, where it stands, the text
        self._length = 0
        self.done = 0

    def put(self, start: int, end: int, rows: Sequence[_Row]) -> None:
        """A line for each row in place of what stands from start to end."""
        self._keep(start)
        head_rows, heads = _heads(rows)
        width = len(heads)
        for number, row in enumerate(rows):
            fits = number >= head_rows and len(row.cells) == width and row.filled > 1
            line = row_line(heads if fits else (), row.cells)
            if line:
                self._add(row.start, ("\n" if number else "\n\n") + line)
        self._add(end, "\n\n")
        self.done = end
        while self._source[self.done : self.done + 1].isspace():
            self.done += 1

    def moved(self, place: int) -> int:
        """Where a place of the source is now; at most where the next part begins."""
        part = bisect_right(self._parts, place, key=lambda part: part[0]) - 1
        stood, stands, text = self._parts[part]
        return stands + min(place - stood, len(text))

    def text(self) -> str:
        self._keep(len(self._source))
        return "".join(text for *_, text in self._parts)

    def _keep(self, stop: int) -> None:
        self._add(self.done, self._source[self.done : stop].rstrip(" "))
        self.done = stop

    def _add(self, place: int, text: str) -> None:
        self._parts.append((place, self._length, text))
        self._length += len(text)
