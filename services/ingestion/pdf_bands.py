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

Span = tuple[float, float]


def bands(groups: Iterable[Sequence[Rule]], glyphs: Sequence[Glyph]) -> list[Ruled]:
    """The tables between rules `alike`, each as a grid."""
    found: list[Ruled] = []
    shown = [glyph for glyph in glyphs if not glyph.text.isspace() and glyph.x1 > glyph.x0]
    shown.sort(key=lambda glyph: glyph.y)
    for group in groups:
        first = 0
        while first + FEWEST_RULES <= len(group):
            above = _heads_above(group[first], shown)
            for stop in range(len(group), first + FEWEST_RULES - 1, -1):
                rules = group[first:stop]
                ruled = _table([above, *rules], shown, everywhere=True) if above else None
                if ruled := ruled or _table(rules, shown):
                    found.append(ruled)
                    first = stop
                    break
            else:
                first += 1
    return found


def alike(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Groups of rules across that may hold a table: enough of one extent, from the top of the page,
    that none parts which goes down: boxes and stripes count too."""
    downs = [rule for rule in rules if not rule.across]
    groups: defaultdict[tuple[int, int], dict[int, Rule]] = defaultdict(dict)
    for rule in rules:
        if rule.across and not any(map(rule.is_parted_by, downs)):
            extent = round(rule.start / NEAR), round(rule.stop / NEAR)
            groups[extent].setdefault(round(rule.at / NEAR), rule)
    enough = (group.values() for group in groups.values() if len(group) >= FEWEST_RULES)
    return [sorted(group, key=lambda rule: -rule.at) for group in enough]


def _heads_above(rule: Rule, glyphs: Sequence[Glyph]) -> Rule | None:
    """A rule as it were above the line of letters that stands right on a rule, if one does."""
    first = bisect(glyphs, rule.at, key=lambda glyph: glyph.y)
    near = [g for g in glyphs[first:] if rule.start - NEAR <= g.x <= rule.stop + NEAR][:1]
    if not near or near[0].y0 - rule.at > near[0].y1 - near[0].y0:
        return None
    return replace(rule, at=near[0].y1 + 1)


def _table(
    rules: Sequence[Rule], glyphs: Sequence[Glyph], *, everywhere: bool = False
) -> Ruled | None:
    """The grid between the first and the last of the rules, if there are columns and heads.

    ``glyphs`` are in the order of their height on the page; with ``everywhere`` each column needs a
    head.
    """
    top, head, bottom = rules[0], rules[1].at, rules[-1].at
    first, last = (bisect(glyphs, at, key=lambda glyph: glyph.y) for at in (bottom, top.at))
    left, right = top.start - NEAR, top.stop + NEAR
    inside = [glyph for glyph in glyphs[first:last] if left <= glyph.x <= right]
    body = [glyph for glyph in inside if glyph.y < head]
    columns = _columns(inside)
    below, above = _columns(body), _columns([glyph for glyph in inside if glyph.y > head])
    fewest = len(columns) if everywhere else 2
    if len(columns) < 2 or len(below) != len(columns) or len(above) < fewest:
        return None  # or a head stands over several columns, and nothing tells over which
    xs = [left, *((one[1] + two[0]) / 2 for one, two in pairwise(columns))]
    borders = _row_borders(body, xs[1], [rule.at for rule in rules[2:-1]])
    ys = (top.at, head, *borders, bottom)
    width = len(xs)
    cells = tuple(tuple(range(row * width, (row + 1) * width)) for row in range(len(ys) - 1))
    return Ruled((*xs, right), ys, cells)


def _columns(glyphs: Sequence[Glyph]) -> list[Span]:
    """What letters cover from left to right, without the gaps between words."""
    found: list[Span] = []
    for glyph in sorted(glyphs, key=lambda glyph: glyph.x0):
        near = found and glyph.x0 - found[-1][1] < _GAP * (glyph.y1 - glyph.y0)
        if near:
            found[-1] = found[-1][0], max(found[-1][1], glyph.x1)
        else:
            found.append((glyph.x0, glyph.x1))
    return found


def _row_borders(body: Sequence[Glyph], column: float, rules: Sequence[float]) -> list[float]:
    """Where rows part: at rules, and above each line that has something in the first column."""
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
    """Letters of about one height on the page, from the top."""
    found: list[list[Glyph]] = []
    for glyph in sorted(glyphs, key=lambda glyph: -glyph.y):
        if found and found[-1][0].y - glyph.y < (glyph.y1 - glyph.y0) / 2:
            found[-1].append(glyph)
        else:
            found.append([glyph])
    return found
