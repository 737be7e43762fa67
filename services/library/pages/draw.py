"""Drawing a page with a quote marked, in the process that opens foreign files.

That process starts fast, so nothing slow may be imported here; see ``services.ingestion.worker``.
"""

import base64
import ctypes
import io
import re
import sys
from collections.abc import Iterable, Iterator
from math import sqrt
from pathlib import Path
from typing import Final

import pypdfium2.raw as pdfium
from PIL import ImageDraw
from PIL.Image import Image
from PIL.Image import new as new_image
from pypdfium2 import PdfDocument, PdfiumError, PdfPage, PdfTextPage

from services.domain import RecognisedWord
from services.domain.errors import UnreadableDocument
from services.domain.passages import PageWord
from services.ingestion.parsers.pdf.visible import load_visible_text
from services.library.pages.marks import (
    BoxTuple,
    Lines,
    PageText,
    PageWords,
    RenderRequest,
    grouped,
    lines_of,
    merged,
    quote_boxes,
    united,
)

_FINE: Final = 64
"""Device units per point in which PDFium maps coordinates."""

_SURROGATES: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_JOINED: Final = "\u2060"
"""Stands for the second half of a character for which PDFium has two indices."""


class DrawnCharacters(PageText):
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
        units = "".join(
            chr(code) if code <= sys.maxunicode and index not in unseen else " "
            for index, code in enumerate(codes)
        )
        self.text = _SURROGATES.sub(_join, units)

    def boxes(self, indices: Iterable[int]) -> list[BoxTuple]:
        """Return the boxes of the visible characters among these, merged by line."""
        visible = (index for index in indices if not self.text[index].isspace())
        return [self._as_shown(*box) for box in merged(map(self._box, visible))]

    def blocks(self) -> list[BoxTuple]:
        text = self._text_page
        return [self._as_shown(*text.get_rect(index)) for index in range(text.count_rects())]

    def lines(self) -> Lines:
        return lines_of(self._words())

    def _words(self) -> Iterator[PageWord]:
        """Yield the words; one that is broken at the end of a line is two."""
        for match in re.finditer(r"\S+", self.text):
            drawn = ((index, self._box(index)) for index in range(*match.span()))
            placed = [(index, self._as_shown(*box)) for index, box in drawn if box is not None]
            for piece in grouped(placed, lambda character: character[1]):
                text = "".join(self.text[index] for index, _ in piece).replace(_JOINED, "")
                yield PageWord(text, *united(box for _, box in piece))

    def _box(self, index: int) -> BoxTuple | None:
        """Return left, bottom, right and top of a character in PDF coordinates, if it has any."""
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


def _join(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le") + _JOINED


MOST_PIXELS: Final = 6_000_000
"""Pages may state any size; larger ones are drawn smaller."""
ACCENT: Final = (29, 92, 99)
OPACITY: Final = 66
"""Of 255, so that black text stays black."""
LEAST_HEIGHT: Final = 3.125
"""Least height of an excerpt, as a multiple of what it shows above the quote."""
GAP: Final = 4.0
"""Points above the first line of an excerpt and below the last."""
MARGIN: Final = 22.0
"""Points on both sides of the text of an excerpt."""


def draw(path: Path, request: RenderRequest) -> dict[str, object]:
    """Return the fields of a ``PageImage``, ready for JSON; raise UnreadableDocument."""
    try:
        with PdfDocument(path) as document:
            if not 1 <= request.page <= len(document):
                raise UnreadableDocument(
                    "there is no page {page}; pages in the document: {pages}",
                    pages=len(document),
                    page=request.page,
                )
            return _draw(document, request)
    except PdfiumError as error:
        raise UnreadableDocument("the PDF cannot be displayed ({error})", error=error) from error


def _draw(document: PdfDocument, request: RenderRequest) -> dict[str, object]:
    page = document[request.page - 1]
    visible = load_visible_text(page)
    try:
        words = [RecognisedWord(*word) for word in request.words]  # of JSON, which has lists
        characters = (
            PageWords(words) if words else DrawnCharacters(page, visible.text_page, visible.unseen)
        )
        boxes = quote_boxes(characters, request) if request.quote else []
        region = _region(page.get_size(), characters, boxes, request)
        image = _rendered(page, region, request.scale)
        lines = characters.lines()
    finally:
        visible.text_page.close()
    width, height = page.get_size()
    _mark(image, boxes, region)
    return {
        "page": request.page,
        "pages": len(document),
        "last_page": request.page,
        "width": width,
        "height": height,
        "region": _fields(region),
        "boxes": [_fields(box) for box in boxes],
        "recognised": bool(request.words),
        "doubtful": _doubtful(words, boxes),
        "lines": lines,
        "png": _png(image),
    }


def _region(
    size: tuple[float, float],
    characters: DrawnCharacters | PageWords,
    boxes: list[BoxTuple],
    request: RenderRequest,
) -> BoxTuple:
    """Return the region to draw: the page, or the quote's surroundings without white margins."""
    width, height = size
    around = request.around
    blocks = characters.blocks() if boxes and around is not None else []
    if around is None or not blocks:
        return 0.0, 0.0, width, height
    extent, marked = united(blocks), united(boxes)
    least = around * LEAST_HEIGHT
    missing = max(0.0, least - (marked[3] - marked[1]) - 2 * around) / 2
    top = max(0.0, marked[1] - around - missing)
    bottom = min(height, max(marked[3] + around + missing, top + least))
    top, bottom = _between_lines(blocks, top, bottom)
    return (
        max(0.0, extent[0] - MARGIN),
        max(0.0, top),
        min(width, extent[2] + MARGIN),
        min(height, bottom),
    )


def _between_lines(blocks: list[BoxTuple], top: float, bottom: float) -> tuple[float, float]:
    """Move top and bottom between lines, so that no line is cut and no part of the next shows."""
    upper = min([block[1] for block in blocks if block[1] < top < block[3]], default=top)
    lower = max([block[3] for block in blocks if block[1] < bottom < block[3]], default=bottom)
    above = max([min(block[3], upper) for block in blocks if _middle(block) < upper], default=0.0)
    below = [max(block[1], lower) for block in blocks if _middle(block) > lower]
    return max(upper - GAP, above), min([lower + GAP, *below])


def _middle(block: BoxTuple) -> float:
    return (block[1] + block[3]) / 2


def _doubtful(words: list[RecognisedWord], boxes: list[BoxTuple]) -> tuple[str, int] | None:
    marked = (
        word
        for word in words
        for x0, y0, x1, y1 in boxes
        if x0 <= word.x0 <= word.x1 <= x1 and y0 <= word.y0 <= word.y1 <= y1
    )
    worst = min(marked, key=lambda word: word.confidence, default=None)
    return None if worst is None else (worst.text, worst.confidence)


def _rendered(page: PdfPage, region: BoxTuple, scale: float) -> Image:
    width, height = page.get_size()
    area = (region[2] - region[0]) * (region[3] - region[1])
    scale = min(scale, sqrt(MOST_PIXELS / max(area, 1.0)))
    crop = (region[0], height - region[3], width - region[2], region[1])
    bitmap = page.render(scale=scale, crop=crop, rev_byteorder=True)
    image: Image = bitmap.to_pil().convert("RGB")
    return image


def _mark(image: Image, boxes: list[BoxTuple], region: BoxTuple) -> None:
    """Tint the boxes with the accent colour, once where they overlap."""
    across = image.width / (region[2] - region[0])
    down = image.height / (region[3] - region[1])
    mask = new_image("L", image.size, 0)
    pen = ImageDraw.Draw(mask)
    for x0, y0, x1, y1 in boxes:
        left, right = (x0 - region[0]) * across, (x1 - region[0]) * across
        top, bottom = (y0 - region[1]) * down, (y1 - region[1]) * down
        pen.rounded_rectangle((left - 2, top, right + 1, bottom), radius=3, fill=OPACITY)
    image.paste(ACCENT, mask=mask)


def _png(image: Image) -> str:
    stream = io.BytesIO()
    image.save(stream, "PNG", compress_level=1)
    return base64.b64encode(stream.getvalue()).decode("ascii")


def _fields(box: BoxTuple) -> dict[str, float]:
    names = ("x0", "y0", "x1", "y1")
    return {name: round(value, 2) for name, value in zip(names, box, strict=True)}
