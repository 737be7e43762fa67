"""The words of a page, and the boxes of a quote among them.

Boxes are ``(x0, y0, x1, y1)`` in points from the upper left corner of the page as shown.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, takewhile
from typing import Final, Protocol, TypeVar

from services.domain import ParsedDocument, RecognisedWord
from services.domain.passages import Box, PageImage, PageWord
from services.domain.value import Span
from services.library.pages.letters import BETWEEN, Letters, letters, locate, locate_lines
from services.library.pages.request import RenderRequest, render_request

BoxTuple = tuple[float, float, float, float]
Lines = list[list[PageWord]]
T = TypeVar("T")
_SAME_LINE: Final = 0.5
"""Least overlap of boxes of a line, as a share of the smaller height."""
_COLUMN_GAP: Final = 4.0
"""Distance between two words, in heights, from which on they are in different columns."""


class PageText(Protocol):
    """The text of a page, each of whose characters has its place."""

    text: str

    @property
    def letters(self) -> Letters:
        """The letters of the text."""

    def boxes(self, indices: Iterable[int]) -> list[BoxTuple]:
        """Return the boxes of the visible characters among these, merged by line."""


class Words:
    """The words of a page, drawn or recognised; characters share the width of their word evenly."""

    def __init__(self, words: Sequence[PageWord | RecognisedWord]) -> None:
        self._words = [PageWord(*word[:5]) for word in words]
        self._ends = list(accumulate(len(word.text) + 1 for word in words))
        self.text = "".join(f"{word.text} " for word in words)

    @cached_property
    def letters(self) -> Letters:
        """The letters of the text."""
        return letters(self.text)

    def boxes(self, indices: Iterable[int]) -> list[BoxTuple]:
        """Return the boxes of these characters, merged by line."""
        return list(merged(map(self._box, indices)))

    def blocks(self) -> list[BoxTuple]:
        """Return the boxes of lines, or of pieces of lines."""
        return list(merged(word[1:] for word in self._words))

    def lines(self) -> Lines:
        """Return the words, line by line."""
        return lines_of(self._words)

    def _box(self, index: int) -> BoxTuple | None:
        """Return the box of a character, None for a space."""
        number = bisect_right(self._ends, index)
        text, x0, y0, x1, y1 = self._words[number]
        position = index - self._ends[number] + len(text) + 1
        if position == len(text):
            return None
        width = (x1 - x0) / len(text)
        return x0 + position * width, y0, x0 + (position + 1) * width, y1


def lines_of(words: Iterable[PageWord]) -> Lines:
    """Return words that follow one another, line by line."""
    return list(grouped(words, lambda word: word[1:]))


def merged(boxes: Iterable[BoxTuple | None]) -> Iterator[BoxTuple]:
    """Merge boxes that follow one another in a line."""
    return map(united, grouped(filter(None, boxes), lambda box: box))


def grouped(items: Iterable[T], box_of: Callable[[T], BoxTuple]) -> Iterator[list[T]]:
    """Yield items, such as words, that follow one another in a line."""
    line: list[T] = []
    extent: BoxTuple | None = None
    for item in items:
        box = box_of(item)
        if extent is not None and not _same_line(extent, box):
            yield line
            line, extent = [], None
        line.append(item)
        extent = box if extent is None else united([extent, box])
    if line:
        yield line


def match_boxes(
    image: PageImage, parsed: ParsedDocument, spans: Iterable[Span]
) -> list[tuple[Box, ...]]:
    """Return the boxes of spans of a document's text on a drawn page, none for one not found."""
    page = Words([word for line in image.lines for word in line])
    requests = (render_request(parsed.text, parsed.pages, image.page, span) for span in spans)
    return [
        tuple(Box(x0=x0, y0=y0, x1=x1, y1=y1) for x0, y0, x1, y1 in quote_boxes(page, request))
        for request in requests
    ]


def quote_boxes(page: PageText, request: RenderRequest) -> list[BoxTuple]:
    """Return the boxes of the quote of a request, none if it is not found."""
    text, quote = page.letters.text, letters(request.quote).text
    is_table = BETWEEN in request.quote and quote not in text
    spans = locate_lines(page.text, page.letters, request.quote) if is_table else []
    if not spans:
        spans = locate(text, quote, letters(request.before).text, letters(request.after).text)
    boxes: list[BoxTuple] = []
    for position, span in enumerate(spans):
        start, end = page.letters.span(*span)
        if position == 0:
            start -= _edge_length(page.text[:start][::-1], _edge(request.quote))
        if position == len(spans) - 1:
            end += _edge_length(page.text[end:], _edge(request.quote[::-1]))
        boxes += page.boxes(range(start, end))
    return boxes


def _edge(quote: str) -> str:
    """Return the punctuation before the first letter, reversed and without white space."""
    head = takewhile(lambda character: not character.isalnum(), quote)
    return "".join("".join(head).split())[::-1]


def _edge_length(page_text: str, edge: str) -> int:
    """Return the length of the beginning of a page's text that is the punctuation of an edge."""
    length = 0
    for character in edge:
        match = re.compile(rf"\s*{re.escape(character)}").match(page_text, length)
        if match is None:
            break
        length = match.end()
    return length


def _same_line(line: BoxTuple, box: BoxTuple) -> bool:
    overlap = min(line[3], box[3]) - max(line[1], box[1])
    height = min(line[3] - line[1], box[3] - box[1])
    gap = box[0] - line[2]
    return overlap >= _SAME_LINE * height and -height < gap < _COLUMN_GAP * height


def united(boxes: Iterable[BoxTuple]) -> BoxTuple:
    """Return the smallest box around all boxes."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)
