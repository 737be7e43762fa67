"""Text that is only a picture, recognised by an installed Tesseract.

Its library is called in the process, because a confined worker may not start a program.
"""

import ctypes
import ctypes.util
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Protocol, Self

from PIL.Image import Image

LANGUAGES: Final = "deu+eng"
_WORD: Final = 5
"""The level of a row of Tesseract's table that holds a word."""


@dataclass(frozen=True, slots=True)
class RecognisedLine:
    """A line; box in pixels, y downwards; ``confidence`` is that of its worst word, 0 to 100."""

    text: str
    left: int
    top: int
    right: int
    bottom: int
    confidence: float


class Engine(Protocol):
    """Reads the text of a picture."""

    def lines(self, image: Image, dpi: int) -> list[RecognisedLine]:
        """The lines in reading order."""
        ...


class Tesseract:
    """The engine of the system's package; close it, or use it in a ``with`` block.

    Raises:
        OSError: the library or the data of a language is not installed.
    """

    def __init__(self, languages: str = LANGUAGES) -> None:
        name = ctypes.util.find_library("tesseract")
        if name is None:
            raise OSError("libtesseract is not installed")
        self._library = ctypes.CDLL(name)
        self._library.TessBaseAPICreate.restype = ctypes.c_void_p
        self._library.TessBaseAPIGetTsvText.restype = ctypes.c_void_p
        self._handle = ctypes.c_void_p(self._library.TessBaseAPICreate())
        if self._library.TessBaseAPIInit3(self._handle, None, languages.encode()):
            self.close()
            raise OSError(f"Tesseract has no data for {languages}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the engine."""
        self._library.TessBaseAPIDelete(self._handle)

    def lines(self, image: Image, dpi: int) -> list[RecognisedLine]:
        """The lines in reading order; an empty picture has none."""
        grey = image.convert("L")
        self._library.TessBaseAPISetImage(
            self._handle, grey.tobytes(), grey.width, grey.height, 1, grey.width
        )
        self._library.TessBaseAPISetSourceResolution(self._handle, dpi)
        table = ctypes.c_void_p(self._library.TessBaseAPIGetTsvText(self._handle, 0))
        try:
            return list(_lines(ctypes.string_at(table).decode() if table else ""))
        finally:
            self._library.TessDeleteText(table)


def _lines(table: str) -> Iterator[RecognisedLine]:
    """Join the words of Tesseract's table: level, four numbers of a line, word, box, text."""
    rows = (row.split("\t") for row in table.splitlines())
    words = (row for row in rows if int(row[0]) == _WORD and row[11].strip())
    for _, group in groupby(words, key=lambda row: row[1:5]):
        line = list(group)
        boxes = [tuple(int(value) for value in row[6:10]) for row in line]
        yield RecognisedLine(
            text=" ".join(row[11] for row in line),
            left=min(x for x, _, _, _ in boxes),
            top=min(y for _, y, _, _ in boxes),
            right=max(x + width for x, _, width, _ in boxes),
            bottom=max(y + height for _, y, _, height in boxes),
            confidence=min(float(row[10]) for row in line),
        )
