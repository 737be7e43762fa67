"""The objects of a PDF page, and which of its texts it may not show, told without drawing it."""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray
from pypdfium2 import PdfPage, PdfTextPage

_DEEPEST: Final = 8
"""Levels of forms within forms."""
_FAR: Final = 10_000.0
"""Points over which a page is measured in pixels."""
_MOST_TEXTS: Final = 2000
"""Texts of a page that are compared with one another; one with more is a drawing."""
_LIGHT: Final = 200
"""Shade, of 255, from which on a colour may be that of the paper."""
_CONTRAST: Final = 60
"""Difference of colours, of 255, by which a text is seen on a ground."""
_THIN: Final = 2.0
"""Points up to which a line hides no letter."""
_TOUCHED: Final = 0.25
"""Share of a text's height that something must take to hide it."""
_COVERING: Final = {
    pdfium.FPDF_PAGEOBJ_IMAGE,
    pdfium.FPDF_PAGEOBJ_PATH,
    pdfium.FPDF_PAGEOBJ_SHADING,
}
_PLAIN_MODES: Final = {pdfium.FPDF_TEXTRENDERMODE_FILL, pdfium.FPDF_TEXTRENDERMODE_FILL_STROKE}

Handle = Any
"""An object of a page, as PDFium hands it over."""
Box = tuple[float, float, float, float]
"""Left, bottom, right and top."""
Matrix = NDArray[np.float64]
Corners = NDArray[np.float64]
"""Two opposite corners of a box."""


class PageObject(NamedTuple):
    """An object with its type, and the matrix of its points to those of the page.

    ``box`` is in its own points.
    """

    handle: Handle
    kind: int
    matrix: Matrix
    box: Box
    in_form: bool


def page_objects(page: PdfPage) -> list[PageObject]:
    """Return the objects of a page and of the forms on it, in the order in which they are drawn."""
    of_page = pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject
    return [*_objects(*of_page, page.raw, np.eye(3), 0)]


def _objects(
    count: Callable[..., int],
    get: Callable[..., Handle],
    container: object,
    matrix: Matrix,
    depth: int,
) -> Iterator[PageObject]:
    left, bottom, right, top = edges = tuple(ctypes.c_float() for _ in range(4))
    for index in range(count(container)):
        item = get(container, index)
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
            form = pdfium.FS_MATRIX()
            pdfium.FPDFPageObj_GetMatrix(item, form)
            rows = [(form.a, form.b, 0), (form.c, form.d, 0), (form.e, form.f, 1)]
            of_form = pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject
            yield from _objects(*of_form, item, np.array(rows) @ matrix, depth + 1)
        elif pdfium.FPDFPageObj_GetBounds(item, *edges):
            box = left.value, bottom.value, right.value, top.value
            yield PageObject(item, kind, matrix, box, depth > 0)


def address(handle: Handle) -> int | None:
    """Return by what a handle is the same as another one."""
    return ctypes.cast(handle, ctypes.c_void_p).value


def is_invisible(text: Handle) -> bool:
    """Return whether a text is written without ink."""
    return bool(pdfium.FPDFTextObj_GetTextRenderMode(text) == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE)


def letter_box(text_page: PdfTextPage, index: int) -> Box:
    """Return the box of the ink of a character in the page's points."""
    left, right, bottom, top = edges = tuple(ctypes.c_double() for _ in range(4))
    pdfium.FPDFText_GetCharBox(text_page, index, *edges)
    return left.value, bottom.value, right.value, top.value


def to_pixels(page: PdfPage, height: int, width: int) -> Matrix:
    """Return the matrix of a page's points to the pixels of its picture."""
    x, y = ctypes.c_int(), ctypes.c_int()
    points = []
    for point in ((0, 0), (_FAR, 0), (0, _FAR)):
        pdfium.FPDF_PageToDevice(page.raw, 0, 0, width, height, 0, *point, x, y)
        points.append((x.value, y.value))
    origin, right, up = np.array(points)
    rows = [(*(right - origin) / _FAR, 0), (*(up - origin) / _FAR, 0), (*origin, 1)]
    return np.array(rows, dtype=float)


def corners(box: Box, matrix: Matrix) -> Corners:
    """Return two corners of a box where a matrix maps them."""
    return (np.array([(*box[:2], 1), (*box[2:], 1)]) @ matrix)[:, :2]


def edges(box: Corners) -> Box:
    """Return the edges of a box by two of its corners."""
    (left, bottom), (right, top) = box.min(axis=0), box.max(axis=0)
    return left, bottom, right, top


def doubtful_texts(page: PdfPage, objects: Sequence[PageObject]) -> list[PageObject]:
    """Return the texts that the page may not show: all but plain ones on plain ground."""
    covers = _Covers(objects)
    page_box = page.get_bbox()
    texts = [item for item in objects if item.kind == pdfium.FPDF_PAGEOBJ_TEXT]
    shared = (row.any() for row in covering_texts(texts))
    return [
        item
        for order, item in enumerate(objects)
        if item.kind == pdfium.FPDF_PAGEOBJ_TEXT
        and (
            next(shared)
            or item.in_form
            or not _is_within(item.box, page_box)
            or (colour := _plain_colour(item.handle)) is None
            or _is_optional(item.handle)
            or _may_be_cut(item)
            or covers.may_hide(item.box, colour, order)
        )
    ]


def covering_texts(texts: Sequence[PageObject]) -> NDArray[np.bool_]:
    """Return for each text which others take half of its place or more; none in a drawing."""
    if len(texts) > _MOST_TEXTS:
        return np.zeros((len(texts), 0), dtype=bool)
    left, bottom, right, top = _boxes(texts)
    across = np.minimum(right[:, None], right) - np.maximum(left[:, None], left)
    down = np.minimum(top[:, None], top) - np.maximum(bottom[:, None], bottom)
    area = (right - left) * (top - bottom)
    covering = (across > 0) & (down > 0) & (across * down >= area[:, None] / 2)
    np.fill_diagonal(covering, False)
    return covering


def _boxes(objects: Sequence[PageObject]) -> NDArray[np.float64]:
    """Return the left, bottom, right and top edges of objects in the page's points."""
    boxes = [
        edges(corners(item.box, item.matrix)) if item.in_form else item.box for item in objects
    ]
    return np.array(boxes, dtype=float).reshape(-1, 4).T


class _Covers:
    """What may lie over or under text: filled paths, broad lines, pictures and shadings."""

    def __init__(self, objects: Sequence[PageObject]) -> None:
        covers = [
            (order, item)
            for order, item in enumerate(objects)
            if item.kind in _COVERING and _is_broad(item)
        ]
        self._boxes = _boxes([item for _, item in covers])
        self._orders = np.array([order for order, _ in covers])
        colours = [
            item.kind == pdfium.FPDF_PAGEOBJ_PATH and _fill(item.handle) for _, item in covers
        ]
        self._colours = np.array([colour or (np.nan,) * 3 for colour in colours]).reshape(-1, 3)

    def may_hide(self, box: Box, colour: tuple[int, ...], order: int) -> bool:
        """Return whether one lies above a text, or below it in a colour like its own."""
        if not self._orders.size:
            return False
        left, bottom, right, top = self._boxes
        across = np.minimum(right, box[2]) - np.maximum(left, box[0])
        down = np.minimum(top, box[3]) - np.maximum(bottom, box[1])
        touching = (across > 0) & (down > _TOUCHED * (box[3] - box[1]))
        unlike = np.abs(self._colours - np.array(colour)).max(axis=1) >= _CONTRAST
        return bool((touching & ((self._orders > order) | ~unlike)).any())


def _is_broad(item: PageObject) -> bool:
    """Return whether an object can cover a letter."""
    left, bottom, right, top = item.box
    if min(right - left, top - bottom) <= _THIN:
        return False
    if item.kind != pdfium.FPDF_PAGEOBJ_PATH:
        return True
    fill, stroke, width = ctypes.c_int(), ctypes.c_int(), ctypes.c_float()
    pdfium.FPDFPath_GetDrawMode(item.handle, fill, stroke)
    pdfium.FPDFPageObj_GetStrokeWidth(item.handle, width)
    return bool(fill.value) or (bool(stroke.value) and width.value > _THIN)


def _is_within(box: Box, outer: Box) -> bool:
    return (
        outer[0] <= box[0] < box[2] <= outer[2] and outer[1] <= box[1] < box[3] <= outer[3]
    )  # fmt: skip


def _plain_colour(text: Handle) -> tuple[int, ...] | None:
    """Return the colour of a text that is filled with a dark one."""
    mode = pdfium.FPDFTextObj_GetTextRenderMode(text)
    colour = _fill(text) if mode in _PLAIN_MODES else None
    return colour if colour and max(colour) < _LIGHT else None


def _fill(item: Handle) -> tuple[int, ...] | None:
    """Return red, green and blue of an opaque object."""
    shades = tuple(ctypes.c_uint() for _ in range(4))
    if not pdfium.FPDFPageObj_GetFillColor(item, *shades) or shades[3].value < 255:
        return None
    if pdfium.FPDFPageObj_HasTransparency(item):
        return None
    return tuple(shade.value for shade in shades[:3])


def _is_optional(text: Handle) -> bool:
    """Return whether a text is of a layer, which may be switched off."""
    name, length = (ctypes.c_ushort * 3)(), ctypes.c_ulong()
    for index in range(pdfium.FPDFPageObj_CountMarks(text)):
        mark = pdfium.FPDFPageObj_GetMark(text, index)
        pdfium.FPDFPageObjMark_GetName(mark, name, ctypes.sizeof(name), length)
        if bytes(name).decode("utf-16-le") == "OC\0":
            return True
    return False


def _may_be_cut(item: PageObject) -> bool:
    """Return whether something clips a text otherwise than by a rectangle around it."""
    return any(
        not is_rectangle or not _is_within(item.box, box)
        for is_rectangle, box in clips(item.handle)
    )


def clips(item: Handle) -> Iterator[tuple[bool, Box]]:
    """Yield of each path that clips an object its box, and whether it is no more than that."""
    x, y = ctypes.c_float(), ctypes.c_float()
    clip = pdfium.FPDFPageObj_GetClipPath(item)
    for path in range(max(pdfium.FPDFClipPath_CountPaths(clip), 0)):
        points = []
        for index in range(pdfium.FPDFClipPath_CountPathSegments(clip, path)):
            segment = pdfium.FPDFClipPath_GetPathSegment(clip, path, index)
            pdfium.FPDFPathSegment_GetPoint(segment, x, y)
            points.append((x.value, y.value))
        if points:
            xs, ys = zip(*points, strict=True)
            is_rectangle = len({*xs}) == len({*ys}) == 2
            yield is_rectangle, (min(xs), min(ys), max(xs), max(ys))
