"""The characters of a PDF page with their boxes, and the boxes of a quote among them.

Boxes are ``(x0, y0, x1, y1)`` in points from the upper left corner of the page as shown.
"""

import ctypes
import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, takewhile
from typing import Final

import pypdfium2.raw as pdfium
from pypdfium2 import PdfPage, PdfTextPage

from services.domain import RecognisedWord
from services.library.pages.letters import letters, locate, locate_rows
from services.library.pages.request import RenderRequest

BoxTuple = tuple[float, float, float, float]
_FINE: Final = 64
"""Device units per point in which PDFium maps coordinates."""
_SAME_LINE: Final = 0.5
"""Least overlap of boxes of a line, as a share of the smaller height."""
_COLUMN_GAP: Final = 4.0
"""Distance between two words, in heights, from which on they are in different columns."""


class Characters:
    """The characters of a page in the order of its content stream."""

    def __init__(
        self, page: PdfPage, text_page: PdfTextPage, unseen: frozenset[int] = frozenset()
    ) -> None:
        self._page, self._text_page = page, text_page
        width, height = page.get_size()
        self._size = max(1, round(width * _FINE)), max(1, round(height * _FINE))
        self._rect = pdfium.FS_RECTF()
        self._x, self._y = ctypes.c_int(), ctypes.c_int()
        count = max(pdfium.FPDFText_CountChars(text_page), 0)
        codes = [pdfium.FPDFText_GetUnicode(text_page, index) for index in range(count)]
        self.text = "".join(
            chr(code) if code <= sys.maxunicode and index not in unseen else " "
            for index, code in enumerate(codes)
        )

    def boxes(self, indices: Iterable[int]) -> list[BoxTuple]:
        """Return the boxes of the visible characters among these, merged by line."""
        visible = (index for index in indices if not self.text[index].isspace())
        return [self._as_shown(*box) for box in merged(map(self._box, visible))]

    def blocks(self) -> list[BoxTuple]:
        """Return the boxes of lines, or of pieces of lines."""
        text = self._text_page
        return [self._as_shown(*text.get_rect(index)) for index in range(text.count_rects())]

    def _box(self, index: int) -> BoxTuple | None:
        """Return left, bottom, right and top of a character in PDF coordinates.

        It is as high as its font; None for a character without extent.
        """
        rect = self._rect
        if not pdfium.FPDFText_GetLooseCharBox(self._text_page, index, rect):
            return None
        box = (rect.left, rect.bottom, rect.right, rect.top)
        return box if box[2] > box[0] and box[3] > box[1] else None

    def _as_shown(self, left: float, bottom: float, right: float, top: float) -> BoxTuple:
        one, two = self._page_point(left, bottom), self._page_point(right, top)
        (x0, x1), (y0, y1) = sorted((one[0], two[0])), sorted((one[1], two[1]))
        return x0, y0, x1, y1

    def _page_point(self, x: float, y: float) -> tuple[float, float]:
        """Map PDF coordinates to the page as shown, cropped and rotated."""
        pdfium.FPDF_PageToDevice(self._page, 0, 0, *self._size, 0, x, y, self._x, self._y)
        return self._x.value / _FINE, self._y.value / _FINE


class Words:
    """The recognised words of a page that is a picture; each is marked entirely."""

    def __init__(self, words: Sequence[RecognisedWord]) -> None:
        self._boxes = [word[1:5] for word in words]
        self._ends = list(accumulate(len(word.text) + 1 for word in words))
        self.text = "".join(f"{word.text} " for word in words)

    def boxes(self, indices: Iterable[int]) -> list[BoxTuple]:
        """Return the boxes of the words of these characters, merged by line."""
        numbers = dict.fromkeys(bisect_right(self._ends, index) for index in indices)
        return list(merged(self._boxes[number] for number in numbers))

    def blocks(self) -> list[BoxTuple]:
        """Return the boxes of lines, or of pieces of lines."""
        return list(merged(self._boxes))


def merged(boxes: Iterable[BoxTuple | None]) -> Iterator[BoxTuple]:
    """Merge boxes that follow one another in a line."""
    line: BoxTuple | None = None
    for box in filter(None, boxes):
        if line is not None and not _same_line(line, box):
            yield line
            line = None
        line = box if line is None else united([line, box])
    if line is not None:
        yield line


def quote_boxes(characters: Characters | Words, request: RenderRequest) -> list[BoxTuple]:
    """Return the boxes of the quote of a request, none if it is not found."""
    page = letters(characters.text)
    quote = letters(request.quote).text
    rows = [] if quote in page.text else locate_rows(characters.text, page, request.quote)
    spans = rows or locate(
        page.text, quote, letters(request.before).text, letters(request.after).text
    )
    boxes: list[BoxTuple] = []
    for position, span in enumerate(spans):
        start, end = page.span(*span)
        if position == 0:
            start -= _edge_length(characters.text[:start][::-1], _edge(request.quote))
        if position == len(spans) - 1:
            end += _edge_length(characters.text[end:], _edge(request.quote[::-1]))
        boxes += characters.boxes(range(start, end))
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
