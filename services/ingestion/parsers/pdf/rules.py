"""The ruling lines of a PDF page, and the grids that they draw.

Coordinates are points in the page as displayed, as in `lines`.
"""

import ctypes
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from math import inf
from typing import Final

import pypdfium2.raw as pdfium

from services.ingestion.parsers.pdf.calls import Display, Handle, direct
from services.ingestion.parsers.pdf.objects import PageObject

Point = tuple[float, float]

NEAR: Final = 3.0  # points within which rules meet, or are one
_LONGEST_PATH: Final = 400
_SHORTEST: Final = 6.0
_NARROWEST: Final = 8.0  # points of the narrowest column
_MOST_PIECES: Final = 20_000
_MOST_RULES: Final = 600
_MOST_CELLS: Final = 4000  # a page with more is a drawing


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across (``at`` is its y) or down (``at`` is its x), from ``start`` to ``stop``."""

    across: bool
    at: float
    start: float
    stop: float

    def meets(self, other: "Rule") -> bool:
        return (
            self.across != other.across
            and other.start - NEAR <= self.at <= other.stop + NEAR
            and self.start - NEAR <= other.at <= self.stop + NEAR
        )


@dataclass(frozen=True, slots=True)
class Glyph:
    text: str
    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def x(self) -> float:
        return (self.x0 + self.x1) / 2

    @property
    def y(self) -> float:
        return (self.y0 + self.y1) / 2


@dataclass(frozen=True, slots=True)
class Ruled:
    """Borders of columns from the left and rows from the top; ``cells`` by row and column."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    cells: tuple[tuple[int, ...], ...]


def rules_of(objects: Iterable[PageObject], display: Display) -> list[Rule]:
    """Return the lines across and down of a page, merged where they touch; none of a drawing."""
    rules: list[Rule] = []
    for item in objects:
        is_path = item.kind == pdfium.FPDF_PAGEOBJ_PATH and not item.in_form
        if is_path and _is_drawn(item.handle):
            rules += filter(None, (_rule(*ends) for ends in _segments(item.handle, display)))
            if len(rules) > _MOST_PIECES:
                return []
    joined = [*_merged(rules, across=True), *_merged(rules, across=False)]
    return joined if len(joined) <= _MOST_RULES else []


def _is_drawn(path: Handle) -> bool:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    is_known = direct.FPDFPath_GetDrawMode(path, ctypes.byref(fill), ctypes.byref(stroke))
    return bool(is_known and (fill.value or stroke.value))


def _segments(path: Handle, display: Display) -> Iterator[tuple[Point, Point]]:
    """Yield the straight lines of a path in display coordinates, up to its first curve."""
    matrix = pdfium.FS_MATRIX()
    direct.FPDFPageObj_GetMatrix(path, ctypes.byref(matrix))
    x, y = ctypes.c_float(), ctypes.c_float()
    to_x, to_y = ctypes.byref(x), ctypes.byref(y)
    begin = at = (0.0, 0.0)
    count = direct.FPDFPath_CountSegments(path)
    for index in range(count if count <= _LONGEST_PATH else 0):
        segment = direct.FPDFPath_GetPathSegment(path, index)
        direct.FPDFPathSegment_GetPoint(segment, to_x, to_y)
        point = display(
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        kind = direct.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_BEZIERTO:
            return
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            begin = point
        elif kind == pdfium.FPDF_SEGMENT_LINETO:
            yield at, point
        at = point
        if direct.FPDFPathSegment_GetClose(segment):
            yield at, begin
            at = begin


def _rule(one: Point, other: Point) -> Rule | None:
    (x0, y0), (x1, y1) = one, other
    if abs(y0 - y1) < 1 and abs(x0 - x1) >= _SHORTEST:
        return Rule(True, (y0 + y1) / 2, min(x0, x1), max(x0, x1))
    if abs(x0 - x1) < 1 and abs(y0 - y1) >= _SHORTEST:
        return Rule(False, (x0 + x1) / 2, min(y0, y1), max(y0, y1))
    return None


def _merged(rules: Iterable[Rule], *, across: bool) -> Iterator[Rule]:
    """Merge rules of one direction that touch: many programs draw the borders of each cell."""
    same = [rule for rule in rules if rule.across == across]
    positions = _merged_positions(rule.at for rule in same)
    lines: defaultdict[float, list[Rule]] = defaultdict(list)
    for rule in same:
        lines[positions[bisect(positions, rule.at) - 1]].append(rule)
    for at, pieces in lines.items():
        pieces.sort(key=lambda rule: rule.start)
        start, stop = pieces[0].start, pieces[0].stop
        for piece in pieces[1:]:
            if piece.start > stop + NEAR:
                yield Rule(across, at, start, stop)
                start = piece.start
            stop = max(stop, piece.stop)
        yield Rule(across, at, start, stop)


def grids(rules: Sequence[Rule]) -> list[Ruled]:
    """Return the grids of at least two columns and two rows, from the top of the page."""
    tables = (_grid(group) for group in _connected(rules))
    return sorted(filter(None, tables), key=lambda grid: -grid.ys[0])


def _connected(rules: Sequence[Rule]) -> Iterator[list[Rule]]:
    left = set(rules)
    while left:
        group, ahead = [], [left.pop()]
        while ahead:
            rule = ahead.pop()
            group.append(rule)
            met = {other for other in left if rule.meets(other)}
            left -= met
            ahead += met
        yield group


def _grid(rules: Sequence[Rule]) -> Ruled | None:
    xs = _borders([rule for rule in rules if not rule.across])
    ys = _merged_positions(rule.at for rule in rules if rule.across)[::-1]
    if len(xs) < 3 or len(ys) < 3 or len(xs) * len(ys) > _MOST_CELLS:
        return None
    rows, columns = range(len(ys) - 1), range(len(xs) - 1)
    cells = [[row * len(xs) + column for column in columns] for row in rows]
    for row, column in product(rows, columns):
        middle_x, middle_y = (xs[column] + xs[column + 1]) / 2, (ys[row] + ys[row + 1]) / 2
        if column and not _has_rule_between(rules, False, xs[column], middle_y):
            _merge_cells(cells, cells[row][column - 1], cells[row][column])
        if row and not _has_rule_between(rules, True, ys[row], middle_x):
            _merge_cells(cells, cells[row - 1][column], cells[row][column])
    return Ruled(tuple(xs), tuple(ys), tuple(map(tuple, cells)))


def _merged_positions(values: Iterator[float]) -> list[float]:
    positions: list[float] = []
    for value in sorted(values):
        if not positions or value - positions[-1] > NEAR:
            positions.append(value)
    return positions


def _borders(downs: Sequence[Rule]) -> list[float]:
    """Return the borders of columns: of rules too close for a letter between them, the longest."""
    borders: list[float] = []
    lengths: list[float] = []
    last = -inf
    for at, group in groupby(sorted(downs, key=lambda rule: rule.at), key=lambda rule: rule.at):
        length = sum(rule.stop - rule.start for rule in group)
        if at - last >= _NARROWEST:
            borders.append(at)
            lengths.append(length)
        elif length > lengths[-1]:
            borders[-1], lengths[-1] = at, length
        last = at
    return borders


def _has_rule_between(rules: Sequence[Rule], across: bool, at: float, middle: float) -> bool:
    near = NEAR if across else _NARROWEST
    return any(
        rule.across == across and abs(rule.at - at) < near and rule.start < middle < rule.stop
        for rule in rules
    )


def _merge_cells(cells: list[list[int]], one: int, other: int) -> None:
    for row in cells:
        row[:] = [one if cell == other else cell for cell in row]
