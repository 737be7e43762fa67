"""Find the headings of a PDF: the entries of its outline in the text, else by size and weight.

The title is found by size, too."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from services.ingestion.parsers.extraction import letters
from services.ingestion.parsers.headings import MAX_HEADING, Label, is_heading_like, label_of
from services.ingestion.parsers.pdf.lines import Line, OutlineEntry

Style = tuple[float, bool]  # font height to half a point, and whether it is bold

_MOST_LINES: Final = 8  # longest heading in lines

_LARGER: Final = 1.08
_TITLE_LARGER: Final = 1.15
_MOST_HEADINGS: Final = 0.3
"""A document where more of the lines look like headings is a form, not a text."""
_LEADING: Final = 1.45  # largest distance of the lines of one heading, in font heights
_CONTENTS: Final = frozenset({"contents", "tableofcontents", "inhalt", "inhaltsverzeichnis"})
_FEWEST_MATCHES: Final = 0.5
_NUMBERING = re.compile(r"(?:\d+|[A-Z]|[IVX]+)(?:\.\d+)*[.)]?\s+")


@dataclass(frozen=True, slots=True)
class LineHeading:
    """A heading with the indices of its lines; without lines ``title`` is used."""

    lines: range
    title: str
    level: int


def typographic_headings(lines: Sequence[Line]) -> list[LineHeading]:
    """Return headings by size, weight and label; levels follow style or a deeper number."""
    groups = list(_candidates(lines))
    if sum(len(group) for group, _ in groups) > _MOST_HEADINGS * len(lines):
        groups = [(group, label) for group, label in groups if label is not None]
    styles = sorted({style_of(lines[group.start]) for group, _ in groups}, reverse=True)
    headings: list[LineHeading] = []
    for group, label in groups:
        level = styles.index(style_of(lines[group.start]))
        if label is not None and label.kind == "number":
            level = max(level, label.text.count("."))
        headings.append(LineHeading(group, _joined(lines, group), level))
    return headings


def _candidates(lines: Sequence[Line]) -> Iterator[tuple[range, Label | None]]:
    body_size, body_bold = body_style(lines)
    for group in _groups(lines):
        size, bold = style_of(lines[group.start])
        title = _joined(lines, group)
        label = label_of(title)
        if lines[group.start].row:
            continue
        distinct = size >= _LARGER * body_size or (bold and not body_bold)
        if distinct and is_heading_like(title, label) and re.search(r"[^\W\d_]{2}", title):
            yield group, label


def title_lines(lines: Sequence[Line]) -> range:
    """Return the document's title: the largest lines of its first page, if larger than the body."""
    first_page = [line for line in lines if line.page == lines[0].page]
    titles = [group for group in _groups(first_page) if is_title(_joined(lines, group))]
    if not titles:
        return range(0)
    largest = max(titles, key=lambda group: style_of(lines[group.start])[0])
    size, _ = style_of(lines[largest.start])
    return largest if size >= _TITLE_LARGER * body_style(lines)[0] else range(0)


def is_title(text: str) -> bool:
    """Return whether a text can be a document's title: no section heading, no table of contents."""
    if not re.search(r"[^\W\d_]{3}", text) or len(text) > MAX_HEADING:
        return False
    return label_of(text) is None and "".join(text.casefold().split()) not in _CONTENTS


def body_style(lines: Iterable[Line]) -> Style:
    styles: Counter[Style] = Counter()
    for line in lines:
        styles[style_of(line)] += len(line.text)
    return styles.most_common(1)[0][0] if styles else (0.0, False)


def style_of(line: Line) -> Style:
    return round(line.height * 2) / 2, line.bold


def close_together(above: Line, below: Line) -> bool:
    """Return whether two lines of one page can belong to one heading."""
    drop = above.baseline - below.baseline
    return (
        above.page == below.page
        and style_of(above) == style_of(below)
        and -0.5 * below.height < drop <= _LEADING * below.height
    )


def _groups(lines: Sequence[Line]) -> Iterator[range]:
    """Runs of lines that could be one heading: a label starts a new one."""
    start = 0
    for index in range(1, len(lines) + 1):
        ends = index == len(lines) or label_of(lines[index].text) is not None
        if ends or not close_together(lines[index - 1], lines[index]):
            if index - start <= _MOST_LINES:
                yield range(start, index)
            start = index


def _joined(lines: Sequence[Line], group: range) -> str:
    return " ".join(lines[index].text for index in group)


def outline_headings(lines: Sequence[Line], outline: Sequence[OutlineEntry]) -> list[LineHeading]:
    """Find the headings of an outline by title and height; none if most are missing ("Page 1")."""
    finder = _Finder(lines)
    matches = [finder.match(entry) for entry in outline]
    if len(list(filter(None, matches))) < _FEWEST_MATCHES * len(outline):
        return []
    headings = (
        match or finder.at_target(entry) for match, entry in zip(matches, outline, strict=True)
    )
    return sorted(filter(None, headings), key=lambda heading: heading.lines.start)


class _Finder:
    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._squashed = [letters(line.text.casefold()) for line in lines]
        unnumbered = (_NUMBERING.sub("", line.text, count=1) for line in lines)
        self._numberless = [
            squashed if text == line.text else letters(text.casefold())
            for text, line, squashed in zip(unnumbered, lines, self._squashed, strict=True)
        ]
        on_page: defaultdict[int, list[int]] = defaultdict(list)
        for index, line in enumerate(lines):
            on_page[line.page].append(index)
        self._pages = {
            page: range(indices[0], indices[-1] + 1) for page, indices in on_page.items()
        }
        self._body: Style = body_style(lines)

    def match(self, entry: OutlineEntry) -> LineHeading | None:
        title = letters(entry.title.casefold())
        for page in (entry.page, entry.page + 1, entry.page - 1):
            on_page = self._pages.get(page, range(0))
            candidates = [*self._complete_runs(title, on_page)]
            candidates = candidates or [*self._cut_off_runs(title, on_page)]
            if candidates:
                top = entry.top if page == entry.page else None
                lines = min(candidates, key=lambda lines: self._distance(lines.start, top))
                return LineHeading(lines, entry.title, entry.level)
        return None

    def at_target(self, entry: OutlineEntry) -> LineHeading | None:
        page = self._pages.get(entry.page)
        if page is None:
            return None
        top = entry.top
        below = (i for i in page if top is None or self._lines[i].baseline <= top)
        first = next(below, page.start)
        return LineHeading(range(first, first), entry.title, entry.level)

    def _complete_runs(self, title: str, page: range) -> Iterator[range]:
        for start in page:
            firsts = (self._squashed[start], self._numberless[start])
            begun = (first for first in firsts if first[:1] == title[:1])
            runs = (self._run(title, first, start) for first in begun)
            yield from islice((lines for lines, complete in runs if complete), 1)

    def _cut_off_runs(self, title: str, page: range) -> Iterator[range]:
        """Yield runs that begin with a cut-off title; a run-in heading marks its start only."""
        for start in page:
            lines, _ = self._run(title, self._squashed[start], start)
            if lines and style_of(self._lines[start]) != self._body:
                stop = lines.stop
                while stop < len(self._lines) and self._goes_on(stop):
                    stop += 1
                yield range(start, stop)
            elif lines:
                yield range(start, start)

    def _run(self, title: str, first: str, start: int) -> tuple[range, bool]:
        """Return the lines that contain the title, if any, and whether nothing else."""
        joined = first
        stop = min(start + _MOST_LINES, len(self._lines))
        for following in range(start + 1, stop + 1):
            if title and joined.startswith(title):
                return range(start, following), joined == title
            if not joined or not title.startswith(joined) or following == stop:
                break
            joined += self._squashed[following]
        return range(start, start), False

    def _goes_on(self, index: int) -> bool:
        above, below = self._lines[index - 1], self._lines[index]
        if above.page == below.page:
            return close_together(above, below)
        return style_of(above) == style_of(below) and label_of(below.text) is None

    def _distance(self, index: int, top: float | None) -> float:
        return abs(self._lines[index].top - top) if top is not None else 0.0
