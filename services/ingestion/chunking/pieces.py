"""Where a text may be cut: paragraphs, sentences, and what is left when a sentence is too long.

All functions take and return spans of the whole text without outer white space; the parts of
a span hold every character of it that is not white space.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

Span = tuple[int, int]

_BREAKS: Final = (
    re.compile(r"\n+"),
    re.compile(r"(?<=[;:|])\s+"),
    re.compile(r"(?<=,)\s+"),
    re.compile(r"\s+"),
)
"""Places for a cut inside a sentence, the best first."""
_MARGIN: Final = 0.25
"""Share of a text at either end where a cut is not wanted."""


def paragraphs(text: str, span: Span) -> list[Span]:
    """Runs of lines between blank lines."""
    blank_lines = re.finditer(r"\n[ \t]*\n", text[slice(*span)])
    return list(_cut(text, span, (match.end() for match in blank_lines)))


def sentence_parts(text: str, span: Span) -> list[Span]:
    """Sentences; headings, list items and rows of tables count as such."""
    from services.text import sentences

    return list(_cut(text, span, (start for start, _ in sentences(text[slice(*span)]))))


def clause_parts(text: str, span: Span) -> list[Span]:
    """The items of a list inside a sentence, with the words before it as a part of its own."""
    from services.text import clauses

    return list(_cut(text, span, (start - span[0] for start, _ in clauses(text, *span))))


def halves(text: str, span: Span) -> list[Span]:
    """Two parts, cut at the best place near the middle; one if it is a single character."""
    part = text[slice(*span)]
    return list(_cut(text, span, [_best_cut(part)]))


def _best_cut(part: str) -> int:
    """Offset of the best break away from the ends, else of any break, else of the middle."""
    margin = int(_MARGIN * len(part))
    for low, high in ((margin, len(part) - margin), (0, len(part))):
        for pattern in _BREAKS:
            places = [m.end() for m in pattern.finditer(part) if low < m.end() < high]
            if places:
                return min(places, key=lambda place: abs(place - len(part) // 2))
    return len(part) // 2


def _cut(text: str, span: Span, offsets: Iterable[int]) -> Iterator[Span]:
    """Parts of a span between offsets within it, trimmed, empty ones left out."""
    start, end = span
    inside = {start + offset for offset in offsets if 0 < offset < end - start}
    for left, right in pairwise(sorted({start, end} | inside)):
        part = text[left:right]
        body = part.strip()
        if body:
            begin = left + len(part) - len(part.lstrip())
            yield begin, begin + len(body)
