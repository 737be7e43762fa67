"""Tables of a PDF page with rules across only: above the heads, below them, below the rows.

Columns are told by the gaps that all rows leave.
"""

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from services.ingestion.pdf_rules import NEAR, Glyph, Rule, Ruled

FEWEST_RULES: Final = 3
_GAP: Final = 0.7
"""Distance of columns, in heights of their letters: more than twice a space between words."""
_SLIT: Final = 0.15
"""Distance of columns where many lines leave it: no spaces of so many are below one another."""
_MANY: Final = 6

Span = tuple[float, float, float]
"""From where to where letters stand, and how far a column keeps from what is left of it."""


def bands(groups: Iterable[Sequence[Rule]], glyphs: Sequence[Glyph]) -> list[Ruled]:
    """Return the tables between groups of rules, as grids."""
    tables: list[Ruled] = []
    letters = [glyph for glyph in glyphs if not glyph.text.isspace() and glyph.x1 > glyph.x0]
    letters.sort(key=lambda glyph: glyph.y)
    for group in groups:
        rows = [_row(above, below, letters) for above, below in pairwise(group)]
        first = 0
        while first + FEWEST_RULES <= len(group):
            ruled, used = _longest(group[first:], rows[first:], letters)
            tables += [ruled] if ruled else []
            first += used
    return tables


def alike(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Return groups of rules across that may hold a table, from the top of the page.

    The rules of a group have one extent, and no rule down crosses them; edges of boxes and stripes
    count as rules.
    """
    downs = [rule for rule in rules if not rule.across]
    groups: defaultdict[tuple[int, int], dict[int, Rule]] = defaultdict(dict)
    for rule in rules:
        if rule.across and not any(map(rule.is_parted_by, downs)):
            extent = round(rule.start / NEAR), round(rule.stop / NEAR)
            groups[extent].setdefault(round(rule.at / NEAR), rule)
    enough = (group.values() for group in groups.values() if len(group) >= FEWEST_RULES)
    return [sorted(group, key=lambda rule: -rule.at) for group in enough]


def _longest(
    rules: Sequence[Rule], rows: Sequence[Sequence[Span]], glyphs: Sequence[Glyph]
) -> tuple[Ruled | None, int]:
    """Return the longest table from the first of the rules, and how many rules it takes.

    ``rows`` are the letters between the rules.
    """
    starts = [(rules, rows)]
    if above := _heads_above(rules[0], glyphs):
        starts.append(([above, *rules], [_row(above, rules[0], glyphs), *rows]))
    ruled, used = None, 1
    for start, spans in starts:
        stop, columns = _reach(spans, everywhere=start is not rules)
        done = stop - len(start) + len(rules)
        if done >= max(FEWEST_RULES, used):
            ruled, used = _grid(start[:stop], columns, glyphs), done
    return ruled, used


def _reach(rows: Sequence[Sequence[Span]], *, everywhere: bool) -> tuple[int, list[Span]]:
    """Return how many rules a table with heads in its first row takes at most, and its columns.

    With ``everywhere`` each column needs a head. There is no table if a head is over several
    columns, since nothing says over which.
    """
    heads = rows[0]
    body: list[Span] = []
    table: tuple[int, list[Span]] = 0, []
    for stop, row in enumerate(rows[1:], FEWEST_RULES):
        body = merged_spans([*body, *row])
        columns = merged_spans([*heads, *body])
        fewest = len(columns) if everywhere else 2
        if 1 < len(columns) == len(body) and len(heads) >= fewest:
            table = stop, columns
    return table


def _heads_above(rule: Rule, glyphs: Sequence[Glyph]) -> Rule | None:
    """Return an imaginary rule above a line of letters that is right above a rule."""
    first = bisect(glyphs, rule.at, key=lambda glyph: glyph.y)
    near = [g for g in glyphs[first:] if rule.start - NEAR <= g.x <= rule.stop + NEAR][:1]
    if not near or near[0].y0 - rule.at > near[0].y1 - near[0].y0:
        return None
    return replace(rule, at=near[0].y1 + 1)


def _grid(rules: Sequence[Rule], columns: Sequence[Span], glyphs: Sequence[Glyph]) -> Ruled:
    """Return the grid between the first and the last of the rules."""
    top, head, bottom = rules[0], rules[1], rules[-1]
    xs = [top.start - NEAR, *((one[1] + two[0]) / 2 for one, two in pairwise(columns))]
    borders = _row_borders(_between(head, bottom, glyphs), xs[1], [rule.at for rule in rules[2:-1]])
    ys = (top.at, head.at, *borders, bottom.at)
    width = len(xs)
    cells = tuple(tuple(range(row * width, (row + 1) * width)) for row in range(len(ys) - 1))
    return Ruled((*xs, top.stop + NEAR), ys, cells, is_open=True)


def _between(above: Rule, below: Rule, glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Return the letters between two rules; ``glyphs`` are sorted by height on the page."""
    first, last = (bisect(glyphs, rule.at, key=lambda glyph: glyph.y) for rule in (below, above))
    left, right = above.start - NEAR, above.stop + NEAR
    return [glyph for glyph in glyphs[first:last] if left <= glyph.x <= right]


def _row(above: Rule, below: Rule, glyphs: Sequence[Glyph]) -> list[Span]:
    inside = _between(above, below, glyphs)
    gap = _SLIT if len(_lines(inside)) >= _MANY else _GAP
    return merged_spans((glyph.x0, glyph.x1, gap * (glyph.y1 - glyph.y0)) for glyph in inside)


def merged_spans(spans: Iterable[Span]) -> list[Span]:
    """Merge spans from left to right, except over gaps wider than between words."""
    columns: list[Span] = []
    for start, stop, distance in sorted(spans):
        if columns and start - columns[-1][1] < distance:
            columns[-1] = columns[-1][0], max(columns[-1][1], stop), columns[-1][2]
        else:
            columns.append((start, stop, distance))
    return columns


def _row_borders(body: Sequence[Glyph], column: float, rules: Sequence[float]) -> list[float]:
    """Return the borders of rows: rules, and gaps above lines with text in the first column."""
    lines = _lines(body)
    borders: list[float] = []
    for above, below in pairwise(lines):
        between = [at for at in rules if below[0].y < at < above[0].y]
        if between:
            borders.append(between[0])
        elif any(glyph.x < column for glyph in below):
            borders.append((above[0].y + below[0].y) / 2)
    return borders


def _lines(glyphs: Sequence[Glyph]) -> list[list[Glyph]]:
    """Group letters into lines, from the top of the page."""
    lines: list[list[Glyph]] = []
    for glyph in sorted(glyphs, key=lambda glyph: -glyph.y):
        if lines and lines[-1][0].y - glyph.y < (glyph.y1 - glyph.y0) / 2:
            lines[-1].append(glyph)
        else:
            lines.append([glyph])
    return lines
