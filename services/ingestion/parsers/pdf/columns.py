"""The reading order of a PDF page whose content is not written in it: columns, lines upside down.

PDFium joins what stands side by side: where a program writes row by row across columns, sentences
would arise that nobody wrote.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Final
from unicodedata import category

from services.ingestion.parsers.pdf.lines import WIDE, Line

_FEWEST_ROWS: Final = 3
"""Rows with something on both sides of a gap that make it a gap of columns."""
_CONTINUED: Final = 1 / 3
"""Share of the lines of running text that begin with a small letter; cells of a table rarely do."""
_FULL: Final = 0.7
"""Share of the width of its column that a full line of running text takes."""
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_DISTANT: Final = 2.5  # distance of lines, in their heights, at which a column ends

Pieces = tuple[Line, ...]  # what stands on one side of a gap in a row, from the left


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """What stands side by side: the lines as PDFium tells them, and their pieces from the left."""

    lines: tuple[Line, ...]
    pieces: tuple[Line, ...]


def in_reading_order(lines: Sequence[Line], fields: Sequence[Line] = ()) -> tuple[Line, ...]:
    """Return lines as a person reads them: columns one by one, values of a form in place."""
    rows = rows_of(lines)
    if fields:
        rows = rows_of(sorted(lines, key=lambda line: line.x0), len(lines))
    if fields or _runs_upwards(rows):
        rows.sort(key=lambda row: -row.lines[0].baseline)
    ordered = [*_ordered(rows)]
    if fields:
        ordered = [piece for line in ordered for piece in _cut_beside(line, fields)]
    for field in sorted(fields, key=lambda field: (-field.baseline, field.x0)):
        ordered.insert(_place_of(field, ordered), field)
    return tuple(ordered)


def _cut_beside(line: Line, fields: Sequence[Line]) -> Iterator[Line]:
    if not any(_are_level(line, field) for field in fields):
        yield line
        return
    for piece in _pieces(line):
        yield replace(piece, gaps=())


def _place_of(field: Line, lines: Sequence[Line]) -> int:
    """Return the index at which a field goes: behind what is on its left, else before what is on
    its right, else behind what is above it."""
    level = [(line.x0, n) for n, line in enumerate(lines) if _are_level(line, field)]
    if left := [one for one in level if one[0] <= field.x0]:
        return max(left)[1] + 1
    if level:
        return min(level)[1]
    above = [
        (line.x1 < field.x0 or field.x1 < line.x0, line.baseline, abs(line.x0 - field.x0), n + 1)
        for n, line in enumerate(lines)
        if line.baseline > field.baseline
    ]
    return min(above)[-1] if above else 0


def _are_level(one: Line, other: Line) -> bool:
    return abs(one.baseline - other.baseline) < max(one.height, other.height) / 2


def rows_of(lines: Sequence[Line], reach: int = 1) -> list[ColumnRow]:
    """Group lines of one baseline that follow one another, or up to ``reach`` rows later."""
    groups: list[list[Line]] = []
    for line in lines:
        for group in groups[: -reach - 1 : -1]:
            last = group[-1]
            is_level = abs(last.baseline - line.baseline) < last.height / 2
            if is_level and line.x0 > last.x1 - last.height / 4:
                group.append(line)
                break
        else:
            groups.append([line])
    return [
        ColumnRow(tuple(group), tuple(piece for line in group for piece in _pieces(line)))
        for group in groups
    ]


def words_of(row: ColumnRow) -> list[Line]:
    """Return the words of a row from the left, a sign of a currency with its number."""
    words: list[Line] = []
    for word in sorted((w for line in row.lines for w in _pieces(line, 0.0)), key=lambda w: w.x0):
        if words and all(category(sign) == "Sc" for sign in words[-1].text):
            words[-1] = replace(words[-1], text=f"{words[-1].text} {word.text}", x1=word.x1)
        else:
            words.append(word)
    return words


def _pieces(line: Line, widest: float = WIDE) -> Iterator[Line]:
    """Cut a line at its gaps that are wider than so many heights, and where it goes back."""
    cuts = [
        (word, left, right)
        for word, left, right in line.gaps
        if not -line.height < right - left <= widest * line.height
    ]
    if not cuts:
        yield line
        return
    words, first, x0 = line.text.split(), 0, line.x0
    for word, left, right in cuts:
        yield replace(line, text=" ".join(words[first:word]), x0=x0, x1=left, hyphen=False, gaps=())
        first, x0 = word, right
    yield replace(line, text=" ".join(words[first:]), x0=x0, gaps=())


def _joined(pieces: Sequence[Line]) -> Line:
    text = " ".join(piece.text for piece in pieces)
    last = pieces[-1]
    return replace(pieces[0], text=text, x1=last.x1, hyphen=last.hyphen, gaps=())


def _runs_upwards(rows: Sequence[ColumnRow]) -> bool:
    steps = [
        above.pieces[0].baseline < below.pieces[0].baseline
        for above, below in pairwise(rows)
        if above.pieces[0].x0 < below.pieces[-1].x1 and below.pieces[0].x0 < above.pieces[-1].x1
    ]
    return 2 * sum(steps) > len(steps)


def _ordered(rows: Sequence[ColumnRow]) -> Iterator[Line]:
    start = 0
    while start < len(rows):
        stop, middle = _columns_at(rows, start)
        if stop > start:
            for side in _sides(rows[start:stop], middle):
                yield from _ordered([ColumnRow((_joined(pieces),), pieces) for pieces in side])
        else:
            stop = start + 1
            yield from rows[start].lines
        start = stop


def _columns_at(rows: Sequence[ColumnRow], start: int) -> tuple[int, float]:
    """Return where columns of running text stop (``start``: none), and what x parts them."""
    for left, right in pairwise(rows[start].pieces):
        stop, middle = _gap_at(rows, start, left.x1, right.x0)
        if stop > start:
            sides = _sides(rows[start:stop], middle)
            if _is_flush(sides[1]) and all(map(is_running_text, sides)):
                return stop, middle
    return start, 0.0


def _gap_at(rows: Sequence[ColumnRow], start: int, left: float, right: float) -> tuple[int, float]:
    """Return up to where a gap goes on downwards, and its middle; ``start`` for too few rows."""
    stop, on_both_sides = start, 0
    for index in range(start, len(rows)):
        pieces = rows[index].pieces
        if index > start:
            drop = rows[index - 1].pieces[0].baseline - pieces[0].baseline
            if not 0 < drop <= _DISTANT * pieces[0].height:
                break
        before = [piece.x1 for piece in pieces if piece.x0 < (left + right) / 2]
        after = [piece.x0 for piece in pieces if piece.x0 >= (left + right) / 2]
        inner = max([left, *before]), min([right, *after])
        if inner[1] - inner[0] < pieces[0].height / 2:
            break
        left, right = inner
        on_both_sides += bool(before and after)
        stop = index + 1
    return (stop, (left + right) / 2) if on_both_sides >= _FEWEST_ROWS else (start, 0.0)


def _sides(rows: Sequence[ColumnRow], middle: float) -> tuple[list[Pieces], list[Pieces]]:
    left = (tuple(piece for piece in row.pieces if piece.x0 < middle) for row in rows)
    right = (tuple(piece for piece in row.pieces if piece.x0 >= middle) for row in rows)
    return [*filter(None, left)], [*filter(None, right)]


def _is_flush(rows: Sequence[Pieces]) -> bool:
    """Return whether most lines begin at one x, unlike what is right of a hole in a text."""
    starts = [pieces[0].x0 for pieces in rows]
    middle = median(starts)
    return 2 * sum(abs(start - middle) < 1 for start in starts) >= len(starts)


def is_running_text(rows: Sequence[Pieces]) -> bool:
    """Return whether sentences go on from line to line: of several words, full, begun small."""
    start, stop = min(pieces[0].x0 for pieces in rows), max(pieces[-1].x1 for pieces in rows)
    full = sum(pieces[-1].x1 - start >= _FULL * (stop - start) for pieces in rows)
    continued = sum(pieces[0].text[0].islower() for pieces in rows)
    if 2 * full < len(rows) or continued < _CONTINUED * len(rows):
        return False
    return median(sum(len(_WORD.findall(piece.text)) for piece in row) for row in rows) > 1
