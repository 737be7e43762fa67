"""Text that is only a picture, recognised by an installed Tesseract.

A confined worker may not start a program, so its library is looked for when this module is loaded.
It is for a worker alone: torch loaded after it gives vectors that are no numbers.
"""

import ctypes
import ctypes.util
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from math import sqrt
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from PIL.Image import Image
from pypdfium2 import PdfDocument

from services.domain.errors import UnreadableDocument
from services.domain.passages import RecognisedLine, RecognisedWord

DATA: Final = ("Latin", "script/Latin")
"""Of all languages in Latin letters, by Debian's name and the project's own; the data of German and
English lost every fifth §."""
DPI: Final = 200  # at which pages are drawn, whatever the scan has
MOST_PIXELS: Final = 20_000_000
"""Of a drawn page, a little more than A3; a larger one is drawn coarser."""
_LIBRARY: Final = ctypes.util.find_library("tesseract")
COMMANDS: Final = {
    "apt-get": "sudo apt-get install tesseract-ocr tesseract-ocr-script-latn",
    "dnf": "sudo dnf install tesseract tesseract-script-latin",
    "brew": "brew install tesseract tesseract-lang",
}
"""What installs the library and its data, by the package manager of the system."""
_COMMAND: Final = next((COMMANDS[name] for name in COMMANDS if shutil.which(name)), None)
_POINTS: Final = 72
_NUMBER: Final = re.compile(r"-?[\d.]+")


class Tesseract:
    """The engine of the system's package; close it. Raises OSError if it or its data is missing."""

    def __init__(self) -> None:
        if _LIBRARY is None:
            raise OSError("libtesseract is not installed")
        os.environ["OMP_THREAD_LIMIT"] = "1"  # several threads took 3.5 times the processor time
        self._library = ctypes.CDLL(_LIBRARY)
        self._library.TessBaseAPICreate.restype = ctypes.c_void_p
        self._library.TessBaseAPIGetHOCRText.restype = ctypes.c_void_p
        self._handle = ctypes.c_void_p(self._library.TessBaseAPICreate())
        begin = self._library.TessBaseAPIInit3
        if all(begin(self._handle, None, name.encode()) for name in DATA):
            self.close()
            raise OSError("Tesseract has no data for Latin letters")

    def close(self) -> None:
        self._library.TessBaseAPIDelete(self._handle)

    def lines(self, image: Image, dpi: float = DPI) -> list[RecognisedLine]:
        """Return the lines in reading order; an empty picture has none."""
        grey = image.convert("L")
        self._library.TessBaseAPISetImage(
            self._handle, grey.tobytes(), grey.width, grey.height, 1, grey.width
        )
        self._library.TessBaseAPISetSourceResolution(self._handle, round(dpi))
        page = ctypes.c_void_p(self._library.TessBaseAPIGetHOCRText(self._handle, 0))
        try:
            return list(_lines(ctypes.string_at(page).decode(), _POINTS / dpi)) if page else []
        finally:
            self._library.TessDeleteText(page)


def recognise(path: Path, number: int) -> list[RecognisedLine]:
    """Return the lines of a page (from 1). Raises UnreadableDocument without Tesseract."""
    try:
        engine = Tesseract()
    except OSError as error:
        raise not_installed(_COMMAND) from error
    with closing(engine), PdfDocument(path) as document:
        page = document[number - 1]
        width, height = (side / _POINTS for side in page.get_size())
        dpi = min(DPI, sqrt(MOST_PIXELS / max(width * height, 1e-9)))
        return engine.lines(page.render(scale=dpi / _POINTS, grayscale=True).to_pil(), dpi)


def not_installed(command: str | None) -> UnreadableDocument:
    """Return the error for a page that cannot be recognised, with the command that helps."""
    if command is None:
        return UnreadableDocument(
            "to recognise it, install Tesseract with its data for Latin script and ingest the file "
            "again"
        )
    return UnreadableDocument(
        "to recognise it, run “{command}” and ingest the file again", command=command
    )


def _lines(page: str, scale: float) -> Iterator[RecognisedLine]:
    """Yield lines of hOCR (https://kba.github.io/hocr-spec/1.2/); ``scale``: points a pixel."""
    for element in ElementTree.fromstring(page).iter():
        words = tuple(
            RecognisedWord(text, x0, y0, x1, y1, int(_numbers(word, "x_wconf")[0]))
            for word in element.iterfind("*[@class='ocrx_word']")
            if (text := "".join(word.itertext()).strip())
            for x0, y0, x1, y1 in [_points(word, "bbox", scale)]
        )
        if words:
            bottom = _points(element, "bbox", scale)[3]
            rise = _points(element, "baseline", scale)[1]
            (height,) = _points(element, "x_size", scale)
            yield RecognisedLine(round(bottom + rise, 1), height, words)


def _points(element: ElementTree.Element, name: str, scale: float) -> list[float]:
    return [round(number * scale, 1) for number in _numbers(element, name)]


def _numbers(element: ElementTree.Element, name: str) -> list[float]:
    """Return the numbers of a property in ``title``: ``bbox 30 48 11 87; x_wconf 96``."""
    properties = dict(entry.split(maxsplit=1) for entry in element.get("title", "").split("; "))
    return [float(number) for number in _NUMBER.findall(properties[name])]
