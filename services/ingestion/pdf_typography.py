"""What type tells about a PDF: its title, and its headings where it has no outline."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from services.ingestion.headings import MAX_HEADING, is_heading_like
from services.ingestion.labels import Label, label_of
from services.ingestion.pdf_lines import Line

Style = tuple[float, bool]
"""Font height to half a point, and whether it is bold."""

MOST_LINES: Final = 8
"""Longest heading in lines."""

_LARGER: Final = 1.08
_TITLE_LARGER: Final = 1.15
_MOST_HEADINGS: Final = 0.3
"""A document where more of the lines look like headings is a form, not a text."""
_LEADING: Final = 1.45
"""Largest distance of the lines of one heading, in font heights."""
_CONTENTS: Final = frozenset({"contents", "tableofcontents", "inhalt", "inhaltsverzeichnis"})


@dataclass(frozen=True, slots=True)
class LineHeading:
    """A heading that covers ``lines`` lines from index ``line`` on.

    ``lines`` is 0 for a place without the heading's text; only then ``title`` is used.
    """

    line: int
    lines: int
    title: str
    level: int


def typographic_headings(lines: Sequence[Line]) -> list[LineHeading]:
    """Headings by size, weight and label.

    Levels follow the rank of the style, or the depth of a decimal number if that is deeper.
    """
    found = list(_candidates(lines))
    if sum(len(group) for group, _ in found) > _MOST_HEADINGS * len(lines):
        found = [(group, label) for group, label in found if label is not None]
    styles = sorted({style_of(lines[group.start]) for group, _ in found}, reverse=True)
    headings: list[LineHeading] = []
    for group, label in found:
        level = styles.index(style_of(lines[group.start]))
        if label is not None and label.kind == "number":
            level = max(level, label.text.count("."))
        headings.append(LineHeading(group.start, len(group), _joined(lines, group), level))
    return headings


def _candidates(lines: Sequence[Line]) -> Iterator[tuple[range, Label | None]]:
    body_size, body_bold = body_style(lines)
    for group in _groups(lines):
        size, bold = style_of(lines[group.start])
        title = _joined(lines, group)
        label = label_of(title)
        distinct = size >= _LARGER * body_size or (bold and not body_bold)
        if distinct and is_heading_like(title, label) and re.search(r"[^\W\d_]{2}", title):
            yield group, label


def title_lines(lines: Sequence[Line]) -> range:
    """The document's title: the largest lines of its first page, if larger than the body."""
    first_page = [line for line in lines if line.page == lines[0].page]
    titles = [group for group in _groups(first_page) if is_title(_joined(lines, group))]
    if not titles:
        return range(0)
    largest = max(titles, key=lambda group: style_of(lines[group.start])[0])
    size, _ = style_of(lines[largest.start])
    return largest if size >= _TITLE_LARGER * body_style(lines)[0] else range(0)


def is_title(text: str) -> bool:
    """Whether a text can name a document: no section heading, no table of contents."""
    if not re.search(r"[^\W\d_]{3}", text) or len(text) > MAX_HEADING:
        return False
    return label_of(text) is None and "".join(text.casefold().split()) not in _CONTENTS


def body_style(lines: Iterable[Line]) -> Style:
    """The style that most of the text has."""
    styles: Counter[Style] = Counter()
    for line in lines:
        styles[style_of(line)] += len(line.text)
    return styles.most_common(1)[0][0] if styles else (0.0, False)


def style_of(line: Line) -> Style:
    return round(line.height * 2) / 2, line.bold


def close_together(above: Line, below: Line) -> bool:
    """Whether two lines of one page can be lines of one heading."""
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
            if index - start <= MOST_LINES:
                yield range(start, index)
            start = index


def _joined(lines: Sequence[Line], group: range) -> str:
    return " ".join(lines[index].text for index in group)
