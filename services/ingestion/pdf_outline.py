"""Headings of a PDF from its outline: each entry is found as text, near the named place."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from services.ingestion.labels import label_of
from services.ingestion.pdf_lines import Line, OutlineEntry
from services.ingestion.pdf_typography import (
    MOST_LINES,
    LineHeading,
    Style,
    body_style,
    close_together,
    style_of,
)

_FEWEST_MATCHES: Final = 0.5
_NUMBERING = re.compile(r"(?:\d+|[A-Z]|[IVX]+)(?:\.\d+)*[.)]?\s+")


def outline_headings(lines: Sequence[Line], outline: Sequence[OutlineEntry]) -> list[LineHeading]:
    """Find the headings that an outline names, by their whole title near the named height.

    Entries whose title is not there mark the place they point at. Returns nothing when that is
    so for most: such an outline ("Page 1") does not describe the text.
    """
    finder = _Finder(lines)
    found: list[LineHeading] = []
    matched = 0
    for entry in outline:
        heading = finder.match(entry)
        matched += heading is not None
        heading = heading or finder.place(entry)
        if heading is not None:
            found.append(heading)
    if matched < _FEWEST_MATCHES * len(outline):
        return []
    return sorted(found, key=lambda heading: heading.line)


class _Finder:
    """Looks titles up among the lines of a document."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._squashed = [_squash(line.text) for line in lines]
        self._numberless = [_squash(_NUMBERING.sub("", line.text, count=1)) for line in lines]
        self._pages = _page_ranges(lines)
        self._body: Style = body_style(lines)

    def match(self, entry: OutlineEntry) -> LineHeading | None:
        """The lines that read as the title, on the named page or one of its neighbours."""
        wanted = _squash(entry.title)
        for page in (entry.page, entry.page + 1, entry.page - 1):
            on_page = self._pages.get(page, range(0))
            candidates = list(self._whole(wanted, on_page)) or list(self._begun(wanted, on_page))
            if candidates:
                top = entry.top if page == entry.page else None
                start, count = min(candidates, key=lambda c: self._distance(c[0], top))
                return LineHeading(start, count, entry.title, entry.level)
        return None

    def place(self, entry: OutlineEntry) -> LineHeading | None:
        """The first line at or below the place that the outline names."""
        page = self._pages.get(entry.page)
        if page is None:
            return None
        top = entry.top
        below = (i for i in page if top is None or self._lines[i].baseline <= top)
        return LineHeading(next(below, page.start), 0, entry.title, entry.level)

    def _whole(self, wanted: str, page: range) -> Iterator[tuple[int, int]]:
        """Runs of lines that read as the wanted title, or as it with a number in front."""
        for start in page:
            for first in (self._squashed[start], self._numberless[start]):
                count, complete = self._run(wanted, first, start)
                if complete:
                    yield start, count
                    break

    def _begun(self, wanted: str, page: range) -> Iterator[tuple[int, int]]:
        """Runs that begin with the title: outlines often cut long ones.

        The rest of the heading is told by its type; a run-in heading, which has the type of
        the body, only marks the place.
        """
        for start in page:
            count, _ = self._run(wanted, self._squashed[start], start)
            if count and style_of(self._lines[start]) != self._body:
                stop = start + count
                while stop < len(self._lines) and self._goes_on(stop):
                    stop += 1
                yield start, stop - start
            elif count:
                yield start, 0

    def _run(self, wanted: str, first: str, start: int) -> tuple[int, bool]:
        """How many lines it takes to read the wanted title, and whether they hold nothing else.

        The count is 0 when the lines do not read as the title. A heading may go on on the next
        page.
        """
        joined = first
        stop = min(start + MOST_LINES, len(self._lines))
        for following in range(start + 1, stop + 1):
            if wanted and joined.startswith(wanted):
                return following - start, joined == wanted
            if not joined or not wanted.startswith(joined) or following == stop:
                break
            joined += self._squashed[following]
        return 0, False

    def _goes_on(self, index: int) -> bool:
        """Whether a line continues the heading above it, if need be on the next page."""
        above, below = self._lines[index - 1], self._lines[index]
        if above.page == below.page:
            return close_together(above, below)
        return style_of(above) == style_of(below) and label_of(below.text) is None

    def _distance(self, index: int, top: float | None) -> float:
        return abs(self._lines[index].top - top) if top is not None else 0.0


def _page_ranges(lines: Sequence[Line]) -> dict[int, range]:
    ranges: dict[int, range] = {}
    for index, line in enumerate(lines):
        start = ranges[line.page].start if line.page in ranges else index
        ranges[line.page] = range(start, index + 1)
    return ranges


def _squash(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())
