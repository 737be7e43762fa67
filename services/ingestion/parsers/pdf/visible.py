"""Text that a PDF page holds and does not show: cropped, clipped, covered, or white on white.

Letters count only if there is ink where they stand, but for what was recognised of a scanned
picture, and what has no ink even alone, for PDFium lacks its font.
"""

import ctypes
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray
from pypdfium2 import PdfPage, PdfTextPage

from services.ingestion.parsers.pdf.calls import Characters, Handle, direct, handle_of
from services.ingestion.parsers.pdf.objects import (
    Corners,
    PageObject,
    clips,
    corners,
    covering_texts,
    doubtful_texts,
    is_invisible,
    page_objects,
    to_pixels,
)

_SCALE: Final = 1.0  # pixels a point
_CLOSER: Final = 3
"""Times as many, where small or coloured letters are looked for a second time."""
_COARSEST: Final = 0.7  # pixels a point of a huge page; fewer blur its letters
_INK: Final = 10
"""Difference between the lightest and the darkest pixel, of 255, where something is drawn."""
_MOST_PIXELS: Final = 12_000_000
_SMALLEST: Final = 0.01  # square points of a letter that is written to be seen
_MARGIN: Final = 0.1
"""Share of a text's height that is left out at its top and bottom, where a rule may touch it."""
_SAME_PLACE: Final = 0.15
"""Heights of a letter within which the same one, of another text, is written upon it."""
_BETWEEN_WORDS: Final = " \0\r\n\ufffe"


Pixels = NDArray[np.uint8]


class VisibleText(NamedTuple):
    """A page's text, its unseen characters, and how many texts are hidden; close the text page."""

    text_page: PdfTextPage
    objects: list[PageObject]
    unseen: frozenset[int] = frozenset()
    hidden: int = 0

    def text(self) -> str:
        """Return the text with a space for each unseen character."""
        text = self.text_page.get_text_range()
        units = bytearray(text.encode("utf-16-le", "surrogatepass"))
        for index in self.unseen:
            at = 2 * pdfium.FPDFText_GetTextIndexFromCharIndex(self.text_page, index)
            if at >= 0:
                units[at : at + 2] = b" \0"
        return units.decode("utf-16-le", "surrogatepass") if self.unseen else text


@dataclass(frozen=True, eq=False)
class _Text:
    handle: Handle
    corners: Corners
    source: PageObject


def load_visible_text(page: PdfPage) -> VisibleText:
    """Load the text of a page without what it does not show; one of no size or too large stays."""
    width, height = page.get_size()
    scale = min(_SCALE, math.sqrt(_MOST_PIXELS / (width * height))) if width * height > 0 else 0
    objects = page_objects(page)
    doubtful = doubtful_texts(page, objects) if scale >= _COARSEST else []
    if not doubtful:
        return VisibleText(page.get_textpage(), objects)
    look = _Look(page, scale, objects)
    visible, unseen = look.sort(doubtful)
    for text in unseen:
        direct.FPDFPageObj_SetIsActive(text.handle, False)
    text_page = page.get_textpage()
    letters = frozenset(look.unseen_letters(text_page, visible))
    return VisibleText(text_page, objects, letters, len(unseen) + look.hidden_words)


class _Look:
    """A page as it is drawn; ``hidden_words`` counts unseen words within seen texts."""

    def __init__(self, page: PdfPage, scale: float, objects: Sequence[PageObject]) -> None:
        width, height = page.get_size()
        self._page, self._objects, self._scale = page, objects, scale
        self._closer = min(_CLOSER, math.sqrt(_MOST_PIXELS / (width * height)) / scale)
        self._pixels = self._rendered()
        self._coloured: Pixels | None = None
        self.hidden_words = 0
        self._to_pixels = to_pixels(page, *self._pixels.shape[:2])

    def sort(self, doubtful: Sequence[PageObject]) -> tuple[list[_Text], list[_Text]]:
        texts = list(map(self._text, doubtful))
        pictures = [
            corners(item.box, item.matrix @ self._to_pixels)
            for item in self._objects
            if item.kind == pdfium.FPDF_PAGEOBJ_IMAGE
        ]
        if _are_recognised(texts, pictures):
            texts = [text for text in texts if not is_invisible(text.handle)]
        without = [
            text
            for text in texts
            if is_invisible(text.handle) or not _has_ink(self._pixels, text.corners)
        ]
        lacking = {text for text in without if self._lacks_font(text)}
        unseen = {
            text
            for text in without
            if text not in lacking and not self._has_coloured_ink(text.corners, 2)
        }
        visible = [text for text in texts if text not in lacking and text not in unseen]
        unseen |= {*self._covered(visible)}
        return [text for text in visible if text not in unseen], [*unseen]

    def unseen_letters(self, text_page: PdfTextPage, texts: Sequence[_Text]) -> Iterator[int]:
        """Yield the characters of words of which most letters are not seen."""
        if not texts:
            return
        doubtful = {text.handle: self._clips(text.source) for text in texts}
        written: defaultdict[str, list[tuple[Handle, float, float]]] = defaultdict(list)
        start, letters = 0, list[bool | None]()  # None for a letter that is written twice
        characters = Characters(text_page)
        everything = range(characters.count + 1)
        of_texts = characters.texts(everything)
        inside = [index for index, text in enumerate(of_texts) if text in doubtful]
        boxes = dict(zip(inside, corners(characters.boxes(inside), self._to_pixels), strict=True))
        in_text = zip(characters.letters(everything), of_texts, strict=True)
        for index, (letter, text) in enumerate(in_text):
            if letter in _BETWEEN_WORDS:
                if 2 * letters.count(True) < len(letters):
                    self.hidden_words += False in letters
                    yield from range(start, index)
                start, letters = index + 1, []
            elif letter.isalnum():
                if text not in doubtful:
                    letters.append(True)
                    continue
                box = boxes[index]
                x, y = box.mean(axis=0).tolist()
                near = _SAME_PLACE * abs(float(box[1, 1] - box[0, 1]))
                is_copy = any(
                    other != text and abs(x - other_x) <= near and abs(y - other_y) <= near
                    for other, other_x, other_y in written[letter]
                )
                letters.append(None if is_copy else self._shows(box, doubtful[text]))
                written[letter].append((text, x, y))

    def _shows(self, box: Corners, clips: Sequence[Corners]) -> bool:
        if not all(_is_inside(box.mean(axis=0), clip) for clip in clips):
            return False
        return _has_ink(self._pixels, box, 0) or self._has_coloured_ink(box, 1)

    def _covered(self, texts: Sequence[_Text]) -> Iterator[_Text]:
        """Yield the texts that have no ink without those at their place, above or below them."""
        others = [item for item in self._objects if item.kind == pdfium.FPDF_PAGEOBJ_TEXT]
        order = {item.handle: number for number, item in enumerate(others)}
        covering = covering_texts(others)
        for is_above in (True, False):
            checked, hidden = [], set[int]()
            for text in texts:
                number = order[text.handle]
                overlapping = np.flatnonzero(covering[number]) if covering.size else covering
                if overlapping.size and ((overlapping > number) == is_above).all():
                    checked.append((number, text))
                    hidden |= {*overlapping}
            if checked:
                pixels = self._rendered_without([others[number].handle for number in hidden])
                yield from (
                    text
                    for number, text in checked
                    if number not in hidden and not _has_ink(pixels, text.corners * self._closer, 0)
                )

    def _rendered_without(self, texts: Sequence[Handle]) -> Pixels:
        for text in texts:
            direct.FPDFPageObj_SetIsActive(text, False)
        pixels = self._rendered(self._closer, grayscale=False)
        for text in texts:
            direct.FPDFPageObj_SetIsActive(text, True)
        return pixels

    def _rendered(self, closer: float = 1.0, *, grayscale: bool = True) -> Pixels:
        bitmap = self._page.render(
            scale=self._scale * closer, grayscale=grayscale, may_draw_forms=False
        )
        pixels: Pixels = bitmap.to_numpy()
        return pixels.reshape((*pixels.shape[:2], -1))

    def _has_coloured_ink(self, box: Corners, wider: int) -> bool:
        if self._coloured is None:
            self._coloured = self._rendered(self._closer, grayscale=False)
        return _has_ink(self._coloured, box * self._closer, wider)

    def _text(self, item: PageObject) -> _Text:
        left, bottom, right, top = item.box
        margin = _MARGIN * (top - bottom)
        box = left, bottom + margin, right, top - margin
        return _Text(item.handle, corners(box, item.matrix @ self._to_pixels), item)

    def _clips(self, item: PageObject) -> list[Corners]:
        matrix = item.matrix @ self._to_pixels
        height, width = self._pixels.shape[:2]
        page = np.array([(0, 0), (width, height)], dtype=float)
        return [page, *(corners(box, matrix) for _, box in clips(item.handle))]

    def _lacks_font(self, text: _Text) -> bool:
        middle = text.corners.mean(axis=0)
        within = all(_is_inside(middle, clip) for clip in self._clips(text.source))
        if not within or not _is_drawable(text.handle):
            return False
        of_page = handle_of(self._page.pdf.raw), handle_of(self._page.raw)
        if not (address := direct.FPDFTextObj_GetRenderedBitmap(*of_page, text.handle, _SCALE)):
            return True
        bitmap = ctypes.cast(address, pdfium.FPDF_BITMAP)
        try:
            length = pdfium.FPDFBitmap_GetStride(bitmap) * pdfium.FPDFBitmap_GetHeight(bitmap)
            return not any(ctypes.string_at(pdfium.FPDFBitmap_GetBuffer(bitmap), length))
        finally:
            pdfium.FPDFBitmap_Destroy(bitmap)


def _are_recognised(texts: Sequence[_Text], pictures: Sequence[Corners]) -> bool:
    """Return whether the texts without ink were recognised: most lie within pictures."""
    inside = [
        any(_is_inside(text.corners.mean(axis=0), picture) for picture in pictures)
        for text in texts
        if is_invisible(text.handle)
    ]
    return 2 * sum(inside) > len(inside)


def _is_drawable(text: Handle) -> bool:
    size, matrix = ctypes.c_float(), pdfium.FS_MATRIX()
    direct.FPDFTextObj_GetFontSize(text, ctypes.byref(size))
    direct.FPDFPageObj_GetMatrix(text, ctypes.byref(matrix))
    area = abs(matrix.a * matrix.d - matrix.b * matrix.c) * size.value**2
    mode = direct.FPDFTextObj_GetTextRenderMode(text)
    return area > _SMALLEST and 0 <= mode < pdfium.FPDF_TEXTRENDERMODE_INVISIBLE


def _is_inside(point: NDArray[np.float64], box: Corners) -> bool:
    return bool((box.min(axis=0) <= point).all() and (point <= box.max(axis=0)).all())


def _has_ink(pixels: Pixels, box: Corners, wider: int = 1) -> bool:
    """Return whether a box, some pixels wider on each side, is of more than one shade."""
    left, top = map(math.floor, box.min(axis=0) - wider)
    right, bottom = map(math.ceil, box.max(axis=0) + wider)
    area = pixels[max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)]
    if not area.size:
        return False
    return any(int(shades.max()) - int(shades.min()) >= _INK for shades in np.moveaxis(area, -1, 0))
