"""The recognised text of pages that are pictures, as lines of a PDF."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import Final

from services.domain.passages import Recognised, RecognisedLine
from services.ingestion.extraction import clean
from services.ingestion.pdf_lines import Line, Page

_SAME_TYPE: Final = 0.1
"""By how much the measured heights of one type differ."""


def with_recognised(pages: Sequence[Page], recognised: Recognised) -> list[Page]:
    """The pages with the recognised lines of those that had none."""
    heights = [line.height for lines in recognised.values() for line in lines]
    usual = median(heights) if heights else 0.0
    return [
        replace(
            page,
            lines=tuple(_line(line, page, usual) for line in recognised.get(page.number + 1, ())),
        )
        if page.number + 1 in recognised
        else page
        for page in pages
    ]


def _line(line: RecognisedLine, page: Page, usual: float) -> Line:
    text = clean(" ".join(word.text for word in line.words))
    return Line(
        text=text,
        page=page.number,
        x0=min(word.x0 for word in line.words),
        x1=max(word.x1 for word in line.words),
        baseline=page.height - line.baseline,
        height=usual if abs(line.height - usual) <= _SAME_TYPE * usual else line.height,
        bold=False,
        hyphen=text.endswith("-"),
    )
