"""Text that a PDF page holds and does not show: cropped, clipped, covered, or white on white.

A quote must be what a person sees. So the page is rendered, and a text counts only if there is ink
where it stands. Two kinds of text count without: what was recognised of a scanned picture, and what
has no ink even alone, for PDFium lacks its font where another program has it.
"""

import ctypes
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray
from pypdfium2 import PdfPage

_SCALE: Final = 1.0
"""Pixels a point."""
_CLOSER: Final = 3
"""Times as many, where small or coloured letters are looked for a second time."""
_COARSEST: Final = 0.7
"""Pixels a point of a huge page; fewer blur its letters."""
_INK: Final = 10
"""Difference between the lightest and the darkest pixel, of 255, where something is drawn."""
_MOST_PIXELS: Final = 12_000_000
_FAR: Final = 10_000.0
"""Points over which a page is measured in pixels."""
_SMALLEST: Final = 0.01
"""Square points of a letter that is written to be seen."""
_DEEPEST: Final = 8
"""Levels of forms within forms."""
_MARGIN: Final = 0.1
"""Share of a text's height that is left out at its top and bottom, where a rule may touch it."""

Handle = Any
"""An object of a page, as PDFium hands it over."""
Pixels = NDArray[np.uint8]
Corners = NDArray[np.float64]
"""Two opposite corners of a box, in pixels from the top left."""
Matrix = NDArray[np.float64]


def hide_unseen_text(page: PdfPage) -> int:
    """Deactivate the text objects of a page that it does not show, and return their number.

    To be called before the text of the page is loaded. A page that is too large to be rendered,
    or has no size, stays as it is.
    """
    width, height = page.get_size()
    if width * height <= 0:
        return 0
    scale = min(_SCALE, math.sqrt(_MOST_PIXELS / (width * height)))
    if scale < _COARSEST:
        return 0
    pixels = _rendered(page, scale)
    drawn = [*_drawn(page, pixels)]
    pictures = [corners for item, kind, corners in drawn if kind == pdfium.FPDF_PAGEOBJ_IMAGE]
    texts = [(item, corners) for item, kind, corners in drawn if kind == pdfium.FPDF_PAGEOBJ_TEXT]
    if _are_recognised(texts, pictures):
        texts = [(item, corners) for item, corners in texts if not _is_invisible(item)]
    unseen = [
        (item, corners)
        for item, corners in texts
        if (_is_invisible(item) or not _has_ink(pixels, corners))
        and not _lacks_font(page, item, corners, pixels)
    ]
    if unseen:
        closer = min(_CLOSER, math.sqrt(_MOST_PIXELS / (width * height)) / scale)
        coloured = _rendered(page, scale * closer, grayscale=False)
        unseen = [text for text in unseen if not _has_ink(coloured, text[1] * closer, 2)]
    for text, _ in unseen:
        pdfium.FPDFPageObj_SetIsActive(text, False)
    return len(unseen)


def _rendered(page: PdfPage, scale: float, *, grayscale: bool = True) -> Pixels:
    """Return the pixels of a page: height, width and channels."""
    bitmap = page.render(scale=scale, grayscale=grayscale, may_draw_forms=False)
    pixels: Pixels = bitmap.to_numpy()
    return pixels.reshape((*pixels.shape[:2], -1))


def _drawn(page: PdfPage, pixels: Pixels) -> Iterator[tuple[Handle, int, Corners]]:
    """Yield each text and picture of a page with its type and its box."""
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    of_page = pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject
    for item, kind, matrix in _objects(*of_page, page.raw, _to_pixels(page, pixels), 0):
        if pdfium.FPDFPageObj_GetBounds(item, left, bottom, right, top):
            margin = _MARGIN * (top.value - bottom.value)
            first = left.value, bottom.value + margin, 1
            last = right.value, top.value - margin, 1
            yield item, kind, (np.array([first, last]) @ matrix)[:, :2]


def _to_pixels(page: PdfPage, pixels: Pixels) -> Matrix:
    """Return the matrix of a page's points to its pixels."""
    height, width = pixels.shape[:2]
    x, y = ctypes.c_int(), ctypes.c_int()
    corners = []
    for point in ((0, 0), (_FAR, 0), (0, _FAR)):
        pdfium.FPDF_PageToDevice(page.raw, 0, 0, width, height, 0, *point, x, y)
        corners.append((x.value, y.value))
    origin, right, up = np.array(corners)
    rows = [(*(right - origin) / _FAR, 0), (*(up - origin) / _FAR, 0), (*origin, 1)]
    return np.array(rows, dtype=float)


def _objects(
    count: Callable[..., int],
    get: Callable[..., Handle],
    container: object,
    matrix: Matrix,
    depth: int,
) -> Iterator[tuple[Handle, int, Matrix]]:
    """Yield the objects of a page or form, inner ones too, with the matrix to the page's pixels."""
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


def _are_recognised(texts: Sequence[tuple[Handle, Corners]], pictures: Sequence[Corners]) -> bool:
    """Return whether the texts without ink were recognised: most lie within pictures."""
    inside = [
        any(
            (box.min(axis=0) <= middle).all() and (middle <= box.max(axis=0)).all()
            for box in pictures
        )
        for middle in (corners.mean(axis=0) for text, corners in texts if _is_invisible(text))
    ]
    return 2 * sum(inside) > len(inside)


def _is_invisible(text: Handle) -> bool:
    return bool(pdfium.FPDFTextObj_GetTextRenderMode(text) == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE)


def _is_drawable(text: Handle) -> bool:
    """Return whether a text is written with ink, in letters that have a size."""
    size, matrix = ctypes.c_float(), pdfium.FS_MATRIX()
    pdfium.FPDFTextObj_GetFontSize(text, size)
    pdfium.FPDFPageObj_GetMatrix(text, matrix)
    area = abs(matrix.a * matrix.d - matrix.b * matrix.c) * size.value**2
    mode = pdfium.FPDFTextObj_GetTextRenderMode(text)
    return area > _SMALLEST and 0 <= mode < pdfium.FPDF_TEXTRENDERMODE_INVISIBLE


def _lacks_font(page: PdfPage, text: Handle, corners: Corners, pixels: Pixels) -> bool:
    """Return whether a text on the page has no ink even alone."""
    x, y = corners.mean(axis=0)
    within = 0 <= x < pixels.shape[1] and 0 <= y < pixels.shape[0]
    if not within or not _is_drawable(text) or _is_clipped(text):
        return False
    bitmap = pdfium.FPDFTextObj_GetRenderedBitmap(page.pdf.raw, page.raw, text, _SCALE)
    if not bitmap:
        return True
    try:
        length = pdfium.FPDFBitmap_GetStride(bitmap) * pdfium.FPDFBitmap_GetHeight(bitmap)
        return not any(ctypes.string_at(pdfium.FPDFBitmap_GetBuffer(bitmap), length))
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)


def _is_clipped(text: Handle) -> bool:
    """Return whether the middle of a text is beyond the box of a path that clips it."""
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    x, y = ctypes.c_float(), ctypes.c_float()
    pdfium.FPDFPageObj_GetBounds(text, left, bottom, right, top)
    middle = np.array([left.value + right.value, bottom.value + top.value]) / 2
    clip = pdfium.FPDFPageObj_GetClipPath(text)
    for path in range(pdfium.FPDFClipPath_CountPaths(clip)):
        points = []
        for segment in range(pdfium.FPDFClipPath_CountPathSegments(clip, path)):
            pdfium.FPDFPathSegment_GetPoint(
                pdfium.FPDFClipPath_GetPathSegment(clip, path, segment), x, y
            )
            points.append((x.value, y.value))
        if points and ((middle < np.min(points, 0)) | (middle > np.max(points, 0))).any():
            return True
    return False


def _has_ink(pixels: Pixels, corners: Corners, wider: int = 1) -> bool:
    """Return whether a box, some pixels wider on each side, is of more than one shade."""
    left, top = map(math.floor, corners.min(axis=0) - wider)
    right, bottom = map(math.ceil, corners.max(axis=0) + wider)
    area = pixels[max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)]
    if not area.size:
        return False
    return any(int(shades.max()) - int(shades.min()) >= _INK for shades in np.moveaxis(area, -1, 0))
