"""The recognised text of pages that are pictures, as lines of a PDF."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from services.domain.passages import Recognised, RecognisedLine
from services.ingestion.parsers.extraction import clean
from services.ingestion.parsers.pdf.lines import Line, Page

_SAME_TYPE: Final = 0.1
"""By how much the measured heights of one type differ."""


def with_recognised(pages: Sequence[Page], recognised: Recognised) -> list[Page]:
    """Return the pages with the recognised lines of scanned ones."""
    types = _types(line.height for lines in recognised.values() for line in lines)
    recognised_lines = (recognised.get(page.number + 1, ()) for page in pages)
    return [
        replace(page, lines=tuple(_line(line, page, types) for line in lines))
        if lines or not page.legible
        else page
        for page, lines in zip(pages, recognised_lines, strict=True)
    ]


def _types(heights: Iterable[float]) -> dict[float, float]:
    """Map each measured height to the most frequent one near it."""
    types: dict[float, float] = {}
    for height, _ in Counter(heights).most_common():
        near = (usual for usual in types.values() if abs(height - usual) <= _SAME_TYPE * usual)
        types[height] = next(near, height)
    return types


def _line(line: RecognisedLine, page: Page, types: Mapping[float, float]) -> Line:
    text = clean(" ".join(word.text for word in line.words))
    return Line(
        text=text,
        page=page.number,
        x0=min(word.x0 for word in line.words),
        x1=max(word.x1 for word in line.words),
        baseline=page.height - line.baseline,
        height=types[line.height],
        bold=False,
        hyphen=text.endswith("-"),
    )
