"""The characters of a PDF page with their boxes, as PDFium knows them."""

import ctypes
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

import pypdfium2.raw as pdfium
from pypdfium2 import PdfPage, PdfTextPage

from services.domain.passages import PageWord
from services.library.pages.letters import Letters, letters
from services.library.pages.marks import BoxTuple, Lines, grouped, lines_of, merged, united

_FINE: Final = 64
"""Device units per point in which PDFium maps coordinates."""


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

    @cached_property
    def letters(self) -> Letters:
        """The letters of the text."""
        return letters(self.text)

    def lines(self) -> Lines:
        """Return the words, line by line, in the order of the content stream."""
        return lines_of(self._words())

    def _words(self) -> Iterator[PageWord]:
        """Yield the words; one that is broken at the end of a line is two."""
        for match in re.finditer(r"\S+", self.text):
            drawn = ((index, self._box(index)) for index in range(*match.span()))
            placed = [(index, self._as_shown(*box)) for index, box in drawn if box is not None]
            for piece in grouped(placed, lambda character: character[1]):
                text = "".join(self.text[index] for index, _ in piece)
                yield PageWord(text, *united(box for _, box in piece))

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
