"""The objects of a PDF page, and which of its texts it may not show, told without drawing it."""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Final, NamedTuple

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray
from pypdfium2 import PdfPage

from services.ingestion.parsers.pdf.calls import Handle, Numbers, direct, handle_of, written

_DEEPEST: Final = 8  # levels of forms within forms
_FAR: Final = 10_000.0  # points over which a page is measured in pixels
_MOST_TEXTS: Final = 2000
"""Texts of a page that are compared with one another; one with more is a drawing."""
_MOST_PAIRS: Final = 1_000_000  # texts and covers that are compared at once
_LIGHT: Final = 200  # shade, of 255, from which on a colour may be that of the paper
_CONTRAST: Final = 60
"""Difference of colours, of 255, by which a text is seen on a ground."""
_THIN: Final = 2.0  # points up to which a line hides no letter
_TOUCHED: Final = 0.25  # share of a text's height that something must take to hide it
_COVERING: Final = {
    pdfium.FPDF_PAGEOBJ_IMAGE,
    pdfium.FPDF_PAGEOBJ_PATH,
    pdfium.FPDF_PAGEOBJ_SHADING,
}
_PLAIN_MODES: Final = (pdfium.FPDF_TEXTRENDERMODE_FILL, pdfium.FPDF_TEXTRENDERMODE_FILL_STROKE)


Box = tuple[float, float, float, float]  # left, bottom, right and top
Matrix = NDArray[np.float64]
Corners = NDArray[np.float64]  # two opposite corners of a box


class PageObject(NamedTuple):
    """An object with its type, its box in its own points, and the matrix of these to the page's."""

    handle: Handle
    kind: int
    matrix: Matrix
    box: Box
    in_form: bool


def page_objects(page: PdfPage) -> list[PageObject]:
    """Return the objects of a page and of the forms on it, in the order in which they are drawn."""
    return [
        *_objects(
            direct.FPDFPage_CountObjects,
            direct.FPDFPage_GetObject,
            handle_of(page.raw),
            np.eye(3),
            0,
        )
    ]


def _objects(
    count: Callable[..., int],
    get: Callable[..., Handle],
    container: Handle,
    matrix: Matrix,
    depth: int,
) -> Iterator[PageObject]:
    handles = [*map(get, repeat(container), range(count(container)))]
    boxes = np.zeros((len(handles), 4), np.float32)
    have_boxes = written(direct.FPDFPageObj_GetBounds, boxes, handles)
    for handle, kind, has_box, (left, bottom, right, top) in zip(
        handles, map(direct.FPDFPageObj_GetType, handles), have_boxes, boxes.tolist(), strict=True
    ):
        if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
            form = pdfium.FS_MATRIX()
            direct.FPDFPageObj_GetMatrix(handle, ctypes.byref(form))
            rows = [(form.a, form.b, 0), (form.c, form.d, 0), (form.e, form.f, 1)]
            of_form = direct.FPDFFormObj_CountObjects, direct.FPDFFormObj_GetObject
            yield from _objects(*of_form, handle, np.array(rows) @ matrix, depth + 1)
        elif has_box:
            yield PageObject(handle, kind, matrix, (left, bottom, right, top), depth > 0)


def is_invisible(text: Handle) -> bool:
    return bool(direct.FPDFTextObj_GetTextRenderMode(text) == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE)


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


def corners(box: Box | Numbers, matrix: Matrix) -> Corners:
    """Return two corners of a box where a matrix maps them: (2, 2), or (n, 2, 2) of n boxes."""
    edges = np.asarray(box, float)
    points = np.ones((*edges.shape[:-1], 2, 3))
    points[..., :2] = edges.reshape(*edges.shape[:-1], 2, 2)
    return (points @ matrix)[..., :2]


def doubtful_texts(page: PdfPage, objects: Sequence[PageObject]) -> list[PageObject]:
    """Return the texts that the page may not show: all but plain ones on plain ground."""
    covers = _Covers(objects)
    page_box = page.get_bbox()
    orders = [n for n, item in enumerate(objects) if item.kind == pdfium.FPDF_PAGEOBJ_TEXT]
    texts = [objects[order] for order in orders]
    handles = [text.handle for text in texts]
    colours, are_opaque = _fills(handles)
    are_plain = are_opaque & (colours.max(axis=1, initial=0) < _LIGHT)
    are_plain &= np.isin([*map(direct.FPDFTextObj_GetTextRenderMode, handles)], _PLAIN_MODES)
    are_plain &= ~covering_texts(texts).any(axis=1)
    are_plain &= ~covers.may_hide(texts, colours, orders)
    return [
        item
        for item, is_plain in zip(texts, are_plain.tolist(), strict=True)
        if not is_plain
        or item.in_form
        or not _is_within(item.box, page_box)
        or _is_optional(item.handle)
        or _may_be_cut(item)
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
    pairs = [
        corners(item.box, item.matrix) if item.in_form else np.reshape(item.box, (2, 2))
        for item in objects
    ]
    boxes = np.array(pairs, dtype=float).reshape(-1, 2, 2)
    return np.concatenate([boxes.min(axis=1), boxes.max(axis=1)], axis=1).T


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
        colours, are_opaque = _fills([item.handle for _, item in covers])
        are_opaque &= np.array([item.kind == pdfium.FPDF_PAGEOBJ_PATH for _, item in covers], bool)
        self._colours = np.where(are_opaque[:, None], colours, np.nan)

    def may_hide(
        self, texts: Sequence[PageObject], colours: Numbers, orders: Sequence[int]
    ) -> NDArray[np.bool_]:
        """Return whether one lies above each text, or below it in a colour like its own."""
        hidden = np.zeros(len(texts), bool)
        boxes = np.array([text.box for text in texts]).reshape(-1, 4, 1)
        step = _MOST_PAIRS // max(len(self._orders), 1) + 1
        for start in range(0, len(texts) if self._orders.size else 0, step):
            window = slice(start, start + step)
            left, bottom, right, top = np.moveaxis(boxes[window], 1, 0)
            across = np.minimum(self._boxes[2], right) - np.maximum(self._boxes[0], left)
            down = np.minimum(self._boxes[3], top) - np.maximum(self._boxes[1], bottom)
            touching = (across > 0) & (down > _TOUCHED * (top - bottom))
            numbers, covers = np.nonzero(touching)
            of_texts = numbers + start
            unlike = np.abs(self._colours[covers] - colours[of_texts]).max(axis=1) >= _CONTRAST
            above = self._orders[covers] > np.array(orders)[of_texts]
            hidden[of_texts[above | ~unlike]] = True
        return hidden


def _is_broad(item: PageObject) -> bool:
    left, bottom, right, top = item.box
    if min(right - left, top - bottom) <= _THIN:
        return False
    if item.kind != pdfium.FPDF_PAGEOBJ_PATH:
        return True
    fill, stroke, width = ctypes.c_int(), ctypes.c_int(), ctypes.c_float()
    direct.FPDFPath_GetDrawMode(item.handle, ctypes.byref(fill), ctypes.byref(stroke))
    direct.FPDFPageObj_GetStrokeWidth(item.handle, ctypes.byref(width))
    return bool(fill.value) or (bool(stroke.value) and width.value > _THIN)


def _is_within(box: Box, outer: Box) -> bool:
    return (
        outer[0] <= box[0] < box[2] <= outer[2] and outer[1] <= box[1] < box[3] <= outer[3]
    )  # fmt: skip


def _fills(handles: Sequence[Handle]) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return red, green and blue of objects, (n, 3), and which of them are filled opaquely."""
    shades = np.zeros((len(handles), 4), np.uint32)
    are_filled = np.array(written(direct.FPDFPageObj_GetFillColor, shades, handles), bool) & (
        shades[:, 3] >= 255
    )
    are_filled &= ~np.array([*map(direct.FPDFPageObj_HasTransparency, handles)], bool)
    return shades[:, :3].astype(float), are_filled


def _is_optional(text: Handle) -> bool:
    """Return whether a text is of a layer, which may be switched off."""
    for index in range(direct.FPDFPageObj_CountMarks(text)):
        name, length = (ctypes.c_ushort * 3)(), ctypes.c_ulong()
        direct.FPDFPageObjMark_GetName(
            direct.FPDFPageObj_GetMark(text, index), name, ctypes.sizeof(name), ctypes.byref(length)
        )
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
    clip = direct.FPDFPageObj_GetClipPath(item)
    for path in range(max(direct.FPDFClipPath_CountPaths(clip), 0)):
        points = []
        for index in range(direct.FPDFClipPath_CountPathSegments(clip, path)):
            direct.FPDFPathSegment_GetPoint(
                direct.FPDFClipPath_GetPathSegment(clip, path, index),
                ctypes.byref(x),
                ctypes.byref(y),
            )
            points.append((x.value, y.value))
        if points:
            xs, ys = zip(*points, strict=True)
            is_rectangle = len({*xs}) == len({*ys}) == 2
            yield is_rectangle, (min(xs), min(ys), max(xs), max(ys))
