"""A span of a document in the text around it, for formats without pages."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from services.types import ParsedDocument, SectionSpan

REACH: Final = 1200
"""Most characters shown before and after the span."""


@dataclass(frozen=True)
class Surroundings:
    """Text before the span, the span itself, and text after it; all as in the document."""

    before: str
    marked: str
    after: str
    section: SectionSpan | None


def around(
    parsed: ParsedDocument, span: tuple[int, int], *, reach: int | None = REACH
) -> Surroundings:
    """The sections that a span touches, cut at paragraphs where they reach too far.

    Args:
        parsed: the document.
        span: characters of its text, end exclusive; one outside is cut to the text.
        reach: most characters on either side; None for all of the sections.
    """
    text = parsed.text
    start = min(max(span[0], 0), len(text))
    end = min(max(span[1], start), len(text))
    first, last = _section_at(parsed, start), _section_at(parsed, max(start, end - 1))
    lower = first.start if first else 0
    upper = last.end if last else _first_start(parsed)
    if reach is not None:
        lower = _later_paragraph(text, lower, start, reach)
        upper = _earlier_paragraph(text, upper, end, reach)
    return Surroundings(text[lower:start], text[start:end], text[end:upper], first)


def _section_at(parsed: ParsedDocument, offset: int) -> SectionSpan | None:
    index = bisect_right([section.start for section in parsed.sections], offset) - 1
    return parsed.sections[index] if index >= 0 else None


def _first_start(parsed: ParsedDocument) -> int:
    return parsed.sections[0].start if parsed.sections else len(parsed.text)


def _later_paragraph(text: str, lower: int, start: int, reach: int) -> int:
    if start - lower <= reach:
        return lower
    found = text.find("\n\n", start - reach, start)
    return start - reach if found < 0 else found + 2


def _earlier_paragraph(text: str, upper: int, end: int, reach: int) -> int:
    if upper - end <= reach:
        return upper
    found = text.rfind("\n\n", end, end + reach)
    return end + reach if found < 0 else found
