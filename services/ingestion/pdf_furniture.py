"""Running headers and footers: found by repetition at the edges of the pages, and removed."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median
from typing import Final, Literal

from services.ingestion.pdf_lines import Line, Page

Edge = Literal["top", "bottom"]

_DEPTH: Final = 4
"""How many lines from the edge inwards may belong to a header or footer."""
_LONGEST: Final = 120
_SHARE: Final = 0.4
"""Left and right pages may differ, so that each header stands on just under half of them."""
_MINIMUM: Final = 3
_TOLERANCE: Final = 8.0
"""How far a header may move between pages, in points."""
_ROMAN = re.compile(r"[ivxlc]+$")
_OUTER_NUMBER = re.compile(r"^(\d+)\b|\b(\d+)$")


def without_furniture(pages: Sequence[Page]) -> list[Page]:
    """Remove the lines that repeat at the top or bottom of most pages, apart from the number."""
    removed: set[Line] = set()
    for edge in ("top", "bottom"):
        edges = [_edge_lines(page, edge) for page in pages]
        furniture = _repeated(edges) | _numbered(edges)
        for lines in edges:
            removed.update(_outermost(lines, furniture))
    return [
        replace(page, lines=tuple(line for line in page.lines if line not in removed))
        for page in pages
    ]


def _edge_lines(page: Page, edge: Edge) -> list[Line]:
    """The outermost lines of a page, from the edge inwards."""
    inwards = sorted(page.lines, key=lambda line: line.baseline, reverse=edge == "top")
    return inwards[:_DEPTH]


def _repeated(edges: Sequence[Sequence[Line]]) -> set[Line]:
    """Lines whose text, digits aside, stands at the same height on many pages."""
    groups: defaultdict[str, list[Line]] = defaultdict(list)
    for lines in edges:
        for line in lines:
            if len(line.text) <= _LONGEST:
                groups[_key(line)].append(line)
    needed = max(_MINIMUM, _SHARE * len(edges))
    found: set[Line] = set()
    for group in groups.values():
        level = _at_one_height(group)
        if len({line.page for line in level}) >= needed:
            found.update(level)
    return found


def _numbered(edges: Sequence[Sequence[Line]]) -> set[Line]:
    """Lines that begin or end with the page number, as in "18 1.6 Paths and knots"."""
    candidates = [
        (line, number - line.page)
        for lines in edges
        for line in lines[:2]
        for number in _outer_numbers(line)
    ]
    if not candidates:
        return set()
    offset, _ = Counter(offset for _, offset in candidates).most_common(1)[0]
    level = _at_one_height([line for line, shift in candidates if shift == offset])
    enough = len({line.page for line in level}) >= max(_MINIMUM, len(edges) / 2)
    return set(level) if enough else set()


def _outermost(lines: Iterable[Line], furniture: set[Line]) -> list[Line]:
    """The furniture before the first line of the body, going inwards."""
    found: list[Line] = []
    for line in lines:
        if line not in furniture:
            break
        found.append(line)
    return found


def _at_one_height(lines: Sequence[Line]) -> list[Line]:
    middle = median(line.baseline for line in lines)
    return [line for line in lines if abs(line.baseline - middle) <= _TOLERANCE]


def _key(line: Line) -> str:
    text = line.text.casefold()
    return "#" if _ROMAN.match(text) else re.sub(r"\d+", "#", text)


def _outer_numbers(line: Line) -> list[int]:
    if len(line.text) > _LONGEST:
        return []
    return [int(first or last) for first, last in _OUTER_NUMBER.findall(line.text)]
