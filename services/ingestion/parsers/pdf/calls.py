"""Ask PDFium about many characters or objects of a page at once, by plain numbers for handles.

A call through pypdfium2 takes longer to check its arguments than to answer.
"""

import ctypes
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, Final

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray
from pypdfium2 import PdfPage, PdfTextPage

Handle = int | None
"""The address of something that PDFium holds; the same thing has the same one."""
Numbers = NDArray[Any]
Display = Callable[[Any, Any], tuple[Any, Any]]
"""A map of coordinates to those of the page as displayed: numbers or arrays of them."""

_POINTER: Final = type(ctypes.POINTER(ctypes.c_int))


def handle_of(pointer: Any) -> Handle:
    return ctypes.cast(pointer, ctypes.c_void_p).value


class _Direct:
    """The functions of PDFium by name; they take and return handles, and take any pointers."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function: Any = getattr(pdfium, name)
        copy = type(function)(handle_of(function))
        copy.restype, *copy.argtypes = (
            ctypes.c_void_p if isinstance(kind, _POINTER) else kind
            for kind in (function.restype, *function.argtypes)
        )
        setattr(self, name, copy)  # so that it is made only once
        return copy


direct: Final = _Direct()


def written(
    function: Callable[..., Any], rows: Numbers, *arguments: Iterable[Any], pointers: int = 0
) -> list[Any]:
    """Call a function once for each row, and return what it returns; it writes its results there.

    It does so through ``pointers``: one for each column, if not said otherwise.
    """
    start, width = rows.ctypes.data, rows.shape[1] * rows.itemsize
    starts = range(0, width, width // (pointers or rows.shape[1]))
    columns = [range(start + at, start + at + rows.nbytes, width) for at in starts]
    return [*map(function, *arguments, *columns)]


_LONGEST_NAME: Final = 128


class Characters:
    """The characters of an open text page, by their indices there, in the page's own points."""

    def __init__(self, text_page: PdfTextPage) -> None:
        self._page = handle_of(text_page.raw)
        self.count = text_page.count_chars()

    def letters(self, indices: Sequence[int]) -> list[str]:
        return [*map(chr, self._all(direct.FPDFText_GetUnicode, indices))]

    def texts(self, indices: Sequence[int]) -> list[Handle]:
        return [*self._all(direct.FPDFText_GetTextObject, indices)]

    def sizes(self, indices: Sequence[int]) -> list[float]:
        return [*self._all(direct.FPDFText_GetFontSize, indices)]

    def weights(self, indices: Sequence[int]) -> list[int]:
        return [*self._all(direct.FPDFText_GetFontWeight, indices)]

    def font_names(self, indices: Sequence[int]) -> Iterator[bytes]:
        name, flags = ctypes.create_string_buffer(_LONGEST_NAME), ctypes.byref(ctypes.c_int())
        for index in indices:
            name.value = b""
            direct.FPDFText_GetFontInfo(self._page, index, name, _LONGEST_NAME, flags)
            yield name.value

    def angles(self, indices: Sequence[int]) -> Numbers:
        """Return by how many radians they are turned to the left."""
        return np.array([*self._all(direct.FPDFText_GetCharAngle, indices)])

    def origins(self, indices: Sequence[int]) -> Numbers:
        """Return the points where they are placed: (n, 2)."""
        points = np.zeros((len(indices), 2))
        written(direct.FPDFText_GetCharOrigin, points, repeat(self._page), indices)
        return points

    def boxes(self, indices: Sequence[int]) -> Numbers:
        """Return the left, bottom, right and top edges of their ink: (n, 4)."""
        edges = np.zeros((len(indices), 4))
        written(direct.FPDFText_GetCharBox, edges, repeat(self._page), indices)
        return edges[:, [0, 2, 1, 3]]

    def loose_boxes(self, indices: Sequence[int]) -> Numbers:
        """Return the left, bottom, right and top edges of the places that they take: (n, 4)."""
        edges = np.zeros((len(indices), 4), np.float32)
        written(direct.FPDFText_GetLooseCharBox, edges, repeat(self._page), indices, pointers=1)
        return edges[:, [0, 3, 2, 1]].astype(float)

    def indices(self, length: int) -> Numbers:
        """Return the index of each position in the page's text, which has a length in UTF-16."""
        indices = np.zeros(length, int)
        ranges = [(0, length - 1)] if length else []
        while ranges:
            start, stop = ranges.pop()
            first, last = (
                direct.FPDFText_GetCharIndexFromTextIndex(self._page, start),
                direct.FPDFText_GetCharIndexFromTextIndex(self._page, stop),
            )
            if last - first == stop - start:
                indices[start : stop + 1] = np.arange(first, last + 1)
            else:
                middle = (start + stop) // 2
                ranges += [(start, middle), (middle + 1, stop)]
        return indices

    def _all(self, function: Callable[..., Any], indices: Sequence[int]) -> Iterator[Any]:
        return map(function, repeat(self._page), indices)


_SAMPLED: Final = 60
"""Characters of a page that are asked for the direction of its text."""
_UNSURE: Final = -1
"""The direction of letters that do not follow one another in the one in which they are turned."""


def upright(page: PdfPage, characters: Characters) -> Display:
    """Return the map of a page's own points to a frame in which most of its text is upright."""
    left, bottom, right, top = page.get_bbox()
    frames: dict[int, Display] = {
        0: lambda x, y: (x - left, y - bottom),
        90: lambda x, y: (y - bottom, right - x),
        180: lambda x, y: (right - x, top - y),
        270: lambda x, y: (top - y, x - left),
    }
    turned = _turned(characters)
    return frames[page.get_rotation() if turned is None else turned]


def _turned(characters: Characters) -> int | None:
    """Return by how many degrees most text is turned to the left; None where that is not sure.

    Letters must be turned as the line on which they follow: those of Arabic are not.
    """
    count = characters.count - 1
    sample = range(0, count, max(1, count // _SAMPLED))
    most = -(-len(sample) // 2)
    turns = _turns(characters, sample[:most])
    if len({*turns}) > 1:  # otherwise the others cannot outnumber them
        turns += _turns(characters, sample[most:])
    turned, _ = Counter(turns).most_common(1)[0] if turns else (_UNSURE, 0)
    return turned if turned != _UNSURE else None


def _turns(characters: Characters, indices: Sequence[int]) -> list[int]:
    steps = characters.origins([index + 1 for index in indices]) - characters.origins(indices)
    lines = np.rint(np.degrees(np.arctan2(steps[:, 1], steps[:, 0])) / 90) % 4
    letters = np.rint(np.degrees(characters.angles(indices)) / 90) % 4
    turns: list[int] = np.where(letters == lines, 90 * letters, _UNSURE).astype(int).tolist()
    return turns
