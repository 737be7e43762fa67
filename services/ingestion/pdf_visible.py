"""Text that a PDF page holds and does not show: cropped, clipped, covered, or white on white.

A quote must be what a person sees. So the page is rendered, and a text counts only if there is ink
where it stands; recognised text behind a scanned picture has the ink of the picture.
"""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray
from pypdfium2 import PdfPage

_SCALE: Final = 1.5
"""Pixels a point."""
_INK: Final = 10
"""Difference between the lightest and the darkest pixel, of 255, where something is drawn."""
_MOST_PIXELS: Final = 12_000_000
_DEEPEST: Final = 8
"""Levels of forms within forms."""
_MARGIN: Final = 0.1
"""Share of a text's height that is left out at its top and bottom, where a rule may touch it."""

Handle = Any
"""An object of a page, as PDFium hands it over."""
Pixels = NDArray[np.uint8]
Corners = NDArray[np.int_]
"""Two opposite corners of a box, in pixels from the top left."""
Matrix = NDArray[np.float64]


def hide_unseen_text(page: PdfPage) -> int:
    """Deactivate the text objects of a page that it does not show, and return their number.

    To be called before the text of the page is loaded. A page that is too large to be rendered
    stays as it is.
    """
    width, height = page.get_size()
    if width * height * _SCALE**2 > _MOST_PIXELS:
        return 0
    pixels: Pixels = page.render(scale=_SCALE, grayscale=True, may_draw_forms=False).to_numpy()
    pixels = pixels.reshape(pixels.shape[:2])
    drawn = [*_drawn(page, pixels)]
    pictures = [corners for item, kind, corners in drawn if kind == pdfium.FPDF_PAGEOBJ_IMAGE]
    unseen = [
        item
        for item, kind, corners in drawn
        if kind == pdfium.FPDF_PAGEOBJ_TEXT
        and not _is_recognised(item, corners, pictures)
        and not _has_ink(pixels, corners)
    ]
    for text in unseen:
        pdfium.FPDFPageObj_SetIsActive(text, False)
    return len(unseen)


def _drawn(page: PdfPage, pixels: Pixels) -> Iterator[tuple[Handle, int, Corners]]:
    """Yield each text and picture of a page with its type and its box."""
    height, width = pixels.shape
    x, y = ctypes.c_int(), ctypes.c_int()
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))

    def in_pixels(point: Matrix) -> tuple[int, int]:
        pdfium.FPDF_PageToDevice(page.raw, 0, 0, width, height, 0, point[0], point[1], x, y)
        return x.value, y.value

    of_page = pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject
    for item, kind, matrix in _objects(*of_page, page.raw, np.eye(3), 0):
        if pdfium.FPDFPageObj_GetBounds(item, left, bottom, right, top):
            margin = _MARGIN * (top.value - bottom.value)
            first = left.value, bottom.value + margin, 1
            last = right.value, top.value - margin, 1
            yield (
                item,
                kind,
                np.array([in_pixels(point) for point in np.array([first, last]) @ matrix]),
            )


def _objects(
    count: Callable[..., int],
    get: Callable[..., Handle],
    container: object,
    matrix: Matrix,
    depth: int,
) -> Iterator[tuple[Handle, int, Matrix]]:
    """Yield the objects of a page or form, inner ones too, with the matrix to the page's points."""
    for index in range(count(container)):
        item = get(container, index)
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
            form = pdfium.FS_MATRIX()
            pdfium.FPDFPageObj_GetMatrix(item, form)
            rows = [(form.a, form.b, 0), (form.c, form.d, 0), (form.e, form.f, 1)]
            of_form = pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject
            yield from _objects(*of_form, item, np.array(rows) @ matrix, depth + 1)
        elif kind in (pdfium.FPDF_PAGEOBJ_TEXT, pdfium.FPDF_PAGEOBJ_IMAGE):
            yield item, kind, matrix


def _is_recognised(text: Handle, corners: Corners, pictures: Sequence[Corners]) -> bool:
    """Return whether a text is what was recognised of a picture: without ink, within its box."""
    if pdfium.FPDFTextObj_GetTextRenderMode(text) != pdfium.FPDF_TEXTRENDERMODE_INVISIBLE:
        return False
    middle = corners.mean(axis=0)
    return any(
        (box.min(axis=0) <= middle).all() and (middle <= box.max(axis=0)).all() for box in pictures
    )


def _has_ink(pixels: Pixels, corners: Corners) -> bool:
    """Return whether a box, widened by two pixels on each side, is of more than one shade."""
    (x0, y0), (x1, y1) = corners.min(axis=0) - 2, corners.max(axis=0) + 3
    part = pixels[max(y0, 0) : max(y1, 0), max(x0, 0) : max(x1, 0)]
    return part.size > 0 and int(part.max()) - int(part.min()) >= _INK
