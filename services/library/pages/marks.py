"""The words of a page, and the boxes of a quote among them.

Boxes are ``(x0, y0, x1, y1)`` in points from the upper left corner of the page as shown. A quote is
found by its letters and digits alone: the text of a PDF and the text for reading differ in white
space, hyphenation, ligatures, separate accents and running headers.
"""

import re
import unicodedata
from bisect import bisect, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, takewhile
from os.path import commonprefix
from typing import Final, Protocol, TypeVar

from services.domain import ParsedDocument, RecognisedWord
from services.domain.passages import Box, PageImage, PageWord
from services.domain.value import BETWEEN_CELLS, Span

SEED: Final = 12
"""Fewest letters of a piece of an interrupted quote."""
ENOUGH: Final = 0.9
"""Share of an interrupted quote that its pieces must cover."""


@dataclass(frozen=True)
class Letters:
    """The letters and digits of a text in their simplest form, with their offsets."""

    text: str
    offsets: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the source, end exclusive, from which these letters come."""
        return self.offsets[start], self.offsets[end - 1] + 1


def letters(source: str) -> Letters:
    """Simplify letters: ``ﬁ`` becomes ``fi``, ``ä`` (however composed) ``a``, ``²`` ``2``."""
    plain = [_plain(character) for character in source]
    return Letters("".join(plain), tuple(n for n, some in enumerate(plain) for _ in some))


def _plain(character: str) -> str:
    if character.isascii():
        return character if character.isalnum() else ""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", character)))


def locate(page: str, quote: str, before: str = "", after: str = "") -> list[tuple[int, int]]:
    """Return the spans of a quote's letters on a page, several if a header interrupts it.

    ``before`` and ``after`` are the letters around it, which select among equal occurrences.
    """
    if not quote:
        return []
    starts = [match.start() for match in re.finditer(f"(?={re.escape(quote)})", page)]
    if not starts:
        return _pieces(page, quote)

    def context_length(start: int) -> int:
        end = start + len(quote)
        preceding = page[max(0, start - len(before)) : start]
        following = page[end : end + len(after)]
        contexts = (preceding[::-1], before[::-1]), (following, after)
        return sum(len(commonprefix(pair)) for pair in contexts)  # noqa: RUF071 (characters)

    best = max(starts, key=context_length)
    return [(best, best + len(quote))]


def locate_lines(source: str, page: Letters, quote: str) -> list[tuple[int, int]]:
    """Return the spans of a quote's lines on a page, none if a line is not found.

    A row of a table is written as ``Nuklid: H-3 | Grenze: 1000``; the page has only ``H-3 1000``.
    The first cells may be missing if the row shares them with rows above.
    """
    spans: list[tuple[int, int]] = []
    for line in filter(str.strip, quote.splitlines()):
        cells = line.split(BETWEEN_CELLS)
        candidates = (_row_span(source, page, cells[start:]) for start in range(len(cells) - 1))
        row = next(filter(None, candidates), None)
        located = [row] if row else locate(page.text, letters(line).text)
        if not located:
            return []
        spans += located
    return spans


def _row_span(source: str, page: Letters, cells: Sequence[str]) -> tuple[int, int] | None:
    """Return the first span where the cells follow one another, between word boundaries."""
    pattern = "".join(f"(?:{'|'.join(map(re.escape, _readings(cell)))})" for cell in cells)
    for match in re.finditer(pattern, page.text):
        if match.end() > match.start():
            start, end = page.span(*match.span())
            if (
                not source[max(start - 1, 0) : start].isalnum()
                and not source[end : end + 1].isalnum()
            ):
                return match.span()
    return None


def _readings(cell: str) -> list[str]:
    """Return the letters of a cell, with and without the text before each colon."""
    after = (match.end() for match in re.finditer(r": ", cell))
    return list(dict.fromkeys(letters(cell[start:]).text for start in (0, *after)))


def _pieces(page: str, quote: str) -> list[tuple[int, int]]:
    """Return the spans of the quote's pieces in order, each as long as possible."""
    spans: list[tuple[int, int]] = []
    page_offset = offset = 0
    while offset < len(quote):
        length = _longest(page, quote[offset:], page_offset)
        if length < min(SEED, len(quote) - offset):
            offset += 1
            continue
        start = page.index(quote[offset : offset + length], page_offset)
        page_offset = start + length
        spans.append((start, page_offset))
        offset += length
    covered = sum(end - start for start, end in spans)
    return spans if covered >= ENOUGH * len(quote) else []


def _longest(page: str, quote: str, after: int) -> int:
    """Return the length of the longest beginning of the quote on the page behind ``after``."""
    lengths = range(1, len(quote) + 1)
    return bisect(lengths, False, key=lambda length: page.find(quote[:length], after) < 0)


CONTEXT: Final = 300
"""Characters around a quote that distinguish it from equal ones on its page."""
AROUND: Final = 96.0
CLOSE: Final = 14.0
"""Points of the page above and below the quote: to read an excerpt on screen, and in print."""
SCALE: Final = 2.0
ENLARGED: Final = 3.0
"""Pixels per point: sharp on a high-density screen, and also when enlarged there."""


@dataclass(frozen=True)
class RenderRequest:
    """A page (1-based) to draw, with the piece of a quote on it to mark.

    ``around`` are points to show above and below the quote, None for the entire page; ``words`` are
    recognised in a picture; ``scale`` is pixels per point, and large pages get fewer.
    """

    page: int
    quote: str = ""
    before: str = ""
    after: str = ""
    around: float | None = None
    words: tuple[RecognisedWord, ...] = ()
    scale: float = SCALE


def render_request(
    text: str,
    pages: tuple[int, ...],
    page: int,
    span: tuple[int, int] | None,
    *,
    around: float | None = None,
    words: tuple[RecognisedWord, ...] = (),
    scale: float = SCALE,
) -> RenderRequest:
    """Return a request to draw a page (1-based) with the piece of a span on it.

    ``pages`` has the offsets of the pages in the text; the span may extend beyond the page.
    """
    first = pages[page - 1]
    last = pages[page] if page < len(pages) else len(text)
    start, end = (first, first) if span is None else (max(span[0], first), min(span[1], last))
    request = RenderRequest(page, words=words, scale=scale)
    if start >= end:
        return request
    before, after = text[max(first, start - CONTEXT) : start], text[end : min(last, end + CONTEXT)]
    return replace(request, quote=text[start:end], before=before, after=after, around=around)


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

    @cached_property
    def letters(self) -> Letters:
        """The letters of the text."""
        return letters(self.text)

    def boxes(self, indices: Iterable[int]) -> list[BoxTuple]:
        """Return the boxes of the visible characters among these, merged by line."""


class PageWords(PageText):
    """The words of a page, drawn or recognised; characters share the width of their word evenly."""

    def __init__(self, words: Sequence[PageWord | RecognisedWord]) -> None:
        self._words = [PageWord(*word[:5]) for word in words]
        self._ends = list(accumulate(len(word.text) + 1 for word in words))
        self.text = "".join(f"{word.text} " for word in words)

    def boxes(self, indices: Iterable[int]) -> list[BoxTuple]:
        return list(merged(map(self._box, indices)))

    def blocks(self) -> list[BoxTuple]:
        return list(merged(word[1:] for word in self._words))

    def lines(self) -> Lines:
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
    page = PageWords([word for line in image.lines for word in line])
    requests = (render_request(parsed.text, parsed.pages, image.page, span) for span in spans)
    return [
        tuple(Box(x0=x0, y0=y0, x1=x1, y1=y1) for x0, y0, x1, y1 in quote_boxes(page, request))
        for request in requests
    ]


def quote_boxes(page: PageText, request: RenderRequest) -> list[BoxTuple]:
    """Return the boxes of the quote of a request, none if it is not found."""
    text, quote = page.letters.text, letters(request.quote).text
    is_table = BETWEEN_CELLS in request.quote and quote not in text
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
