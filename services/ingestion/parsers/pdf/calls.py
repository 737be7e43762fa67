"""Ask PDFium about many characters or objects of a page at once.

A call through pypdfium2 takes longer to check its arguments than to answer. The functions here take
plain numbers for handles, and pass them on unchecked.
"""

import ctypes
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, Final

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray
from pypdfium2 import PdfTextPage

Handle = int | None
"""The address of something that PDFium holds; the same thing has the same one."""
Numbers = NDArray[Any]

_POINTER: Final = type(ctypes.POINTER(ctypes.c_int))


def handle_of(pointer: Any) -> Handle:
    """Return the handle to which pypdfium2 points."""
    return ctypes.cast(pointer, ctypes.c_void_p).value


def unchecked(function: Any) -> Callable[..., Any]:
    """Return a function of PDFium that takes and returns handles, and takes any pointers."""
    copy = type(function)(handle_of(function))
    copy.restype, *copy.argtypes = (
        ctypes.c_void_p if isinstance(kind, _POINTER) else kind
        for kind in (function.restype, *function.argtypes)
    )
    return copy


def written(
    function: Callable[..., Any], rows: Numbers, *arguments: Iterable[Any], pointers: int = 0
) -> list[Any]:
    """Call a function once for each row, with one of each of the arguments, and let it write there.

    It writes its results one after the other, through ``pointers``: one for each column, if not
    said otherwise. Return what it returns.
    """
    start, width = rows.ctypes.data, rows.shape[1] * rows.itemsize
    starts = range(0, width, width // (pointers or rows.shape[1]))
    columns = [range(start + at, start + at + rows.nbytes, width) for at in starts]
    return [*map(function, *arguments, *columns)]


_UNICODE: Final = unchecked(pdfium.FPDFText_GetUnicode)
_TEXT: Final = unchecked(pdfium.FPDFText_GetTextObject)
_SIZE: Final = unchecked(pdfium.FPDFText_GetFontSize)
_WEIGHT: Final = unchecked(pdfium.FPDFText_GetFontWeight)
_FONT: Final = unchecked(pdfium.FPDFText_GetFontInfo)
_ANGLE: Final = unchecked(pdfium.FPDFText_GetCharAngle)
_INDEX: Final = unchecked(pdfium.FPDFText_GetCharIndexFromTextIndex)
_ORIGIN: Final = unchecked(pdfium.FPDFText_GetCharOrigin)
_BOX: Final = unchecked(pdfium.FPDFText_GetCharBox)
_LOOSE_BOX: Final = unchecked(pdfium.FPDFText_GetLooseCharBox)
_LONGEST_NAME: Final = 128


class Characters:
    """The characters of a text page, by their indices there, in the page's own points.

    The text page must stay open.
    """

    def __init__(self, text_page: PdfTextPage) -> None:
        self._page = handle_of(text_page.raw)
        self.count = text_page.count_chars()

    def letters(self, indices: Sequence[int]) -> list[str]:
        """Return the characters."""
        return [*map(chr, self._all(_UNICODE, indices))]

    def texts(self, indices: Sequence[int]) -> list[Handle]:
        """Return the objects that hold them."""
        return [*self._all(_TEXT, indices)]

    def sizes(self, indices: Sequence[int]) -> list[float]:
        """Return the sizes of their fonts."""
        return [*self._all(_SIZE, indices)]

    def weights(self, indices: Sequence[int]) -> list[int]:
        """Return the weights of their fonts."""
        return [*self._all(_WEIGHT, indices)]

    def font_names(self, indices: Sequence[int]) -> Iterator[bytes]:
        """Yield the names of their fonts."""
        name, flags = ctypes.create_string_buffer(_LONGEST_NAME), ctypes.byref(ctypes.c_int())
        for index in indices:
            name.value = b""
            _FONT(self._page, index, name, _LONGEST_NAME, flags)
            yield name.value

    def angles(self, indices: Sequence[int]) -> Numbers:
        """Return by how many radians they are turned to the left."""
        return np.array([*self._all(_ANGLE, indices)])

    def origins(self, indices: Sequence[int]) -> Numbers:
        """Return the points where they are placed: (n, 2)."""
        points = np.zeros((len(indices), 2))
        written(_ORIGIN, points, repeat(self._page), indices)
        return points

    def boxes(self, indices: Sequence[int]) -> Numbers:
        """Return the left, bottom, right and top edges of their ink: (n, 4)."""
        edges = np.zeros((len(indices), 4))
        written(_BOX, edges, repeat(self._page), indices)
        return edges[:, [0, 2, 1, 3]]

    def loose_boxes(self, indices: Sequence[int]) -> Numbers:
        """Return the left, bottom, right and top edges of the places that they take: (n, 4)."""
        edges = np.zeros((len(indices), 4), np.float32)
        written(_LOOSE_BOX, edges, repeat(self._page), indices, pointers=1)
        return edges[:, [0, 3, 2, 1]].astype(float)

    def indices(self, length: int) -> Numbers:
        """Return the index of each position in the page's text, which has a length in UTF-16.

        What both ends of a range tell holds within it, for indices increase with positions.
        """
        indices = np.zeros(length, int)
        ranges = [(0, length - 1)] if length else []
        while ranges:
            start, stop = ranges.pop()
            first, last = _INDEX(self._page, start), _INDEX(self._page, stop)
            if last - first == stop - start:
                indices[start : stop + 1] = np.arange(first, last + 1)
            else:
                middle = (start + stop) // 2
                ranges += [(start, middle), (middle + 1, stop)]
        return indices

    def _all(self, function: Callable[..., Any], indices: Sequence[int]) -> Iterator[Any]:
        return map(function, repeat(self._page), indices)
