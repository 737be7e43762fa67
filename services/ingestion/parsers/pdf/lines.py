"""The lines of a PDF page with their geometry, and its outline, as PDFium reports them.

Coordinates are points in the page with its text upright: x to the right, y upwards.
"""

import ctypes
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfiumError, PdfPage, PdfTextPage

from services.domain.value import Span
from services.ingestion.parsers.extraction import clean
from services.ingestion.parsers.pdf.letters import FontLooks
from services.ingestion.parsers.pdf.notes import NO_NOTES, FieldValue, Notes, read_notes
from services.ingestion.parsers.pdf.rules import Display, Glyph, Point, Ruled, grids, rules_of
from services.ingestion.parsers.pdf.visible import VisibleText, load_visible_text
from services.ingestion.parsers.superscripts import RAISABLE, to_superscript
from services.language.legibility import is_legible

_BOLD_NAME = re.compile(r"bold|black|heavy|semibold|demi|cmbx|sfbx|sfsx", re.IGNORECASE)
_BOLD_WEIGHT: Final = 600
# PDFium puts U+FFFE in place of a hyphen at the end of a line and of the line break.
_LINE = re.compile("([^\r\n\ufffe]*)(\r\n|\n|\r|\ufffe|$)")
_WORD = re.compile(r"\S{2,40}")
_RUN = re.compile(r"\S+")
_SMALLER: Final = 0.9
_ABOVE: Final = 0.15
"""Shares of the size of a word's letters: of a raised figure, and by how much it stands above."""
_TOPS: Final = {1: 1, 3: 0, 7: 0}
"""At which place the views XYZ, FitH and FitBH of a target say where it starts."""
_FIELD_HEIGHT: Final = 12.0
"""Points of the letters in a field, at most."""
_SAMPLED: Final = 200
"""Characters of a page that are asked for the direction of its text."""
_MISREAD: Final = 0.2
"""Share of characters with wrong maps, from which a page is no text."""
MOST_UNREAD: Final = 20
"""Pages that may be missing; a file may also claim millions that it does not have."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, with its box.

    ``height`` is the height of the font (ascent to descent), ``hyphen`` whether the line ends
    in a hyphen that PDFium takes for hyphenation; the text then ends in "-". ``row`` is one of a
    table, which `tables` has put together. ``gaps`` are those between its words: the number of
    words before it, where it begins and where it ends.
    """

    text: str
    page: int
    x0: float
    x1: float
    baseline: float
    height: float
    bold: bool
    hyphen: bool = False
    row: bool = False
    gaps: tuple[tuple[int, float, float], ...] = ()

    @property
    def top(self) -> float:
        return self.baseline + 0.8 * self.height


@dataclass(frozen=True, slots=True)
class Page:
    """Lines in the order of the content stream, which is the reading order.

    Where the page has ``grids`` of rules, ``glyphs`` are all its characters. ``picture`` is one
    that shows pictures and has no text; ``height`` is in points. ``is_form`` is one with fields,
    whose values are behind all its lines; ``notes`` has more than its text.
    ``hidden`` counts texts that the page does not show. ``fault`` is what kept its tables from
    being looked for. ``misread`` is whether words are left out that the file maps to others.
    ``legible`` is whether its characters are a text: fonts may have wrong
    character maps.
    """

    number: int
    lines: tuple[Line, ...]
    readable: bool = True
    grids: tuple[Ruled, ...] = ()
    glyphs: tuple[Glyph, ...] = ()
    picture: bool = False
    height: float = 0.0
    is_form: bool = False
    notes: Notes = NO_NOTES
    hidden: int = 0
    fault: str = ""
    misread: bool = False
    legible: bool = True


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """An entry of the outline. ``top`` is where its target starts, None if it does not say."""

    title: str
    level: int
    page: int
    top: float | None


def read_pages(document: PdfDocument) -> list[Page]:
    """Extract the lines of all pages; pages are numbered from 0.

    A page that PDFium cannot load has no lines and counts as unreadable.

    Raises:
        PdfiumError: this holds for all of them, or for more than `MOST_UNREAD`.
    """
    pages: list[Page] = []
    failures: list[PdfiumError] = []
    looks = FontLooks()
    for number in range(len(document)):
        try:
            pages.append(_read_page(document, number, looks))
        except PdfiumError as error:
            failures.append(error)
            pages.append(Page(number, (), readable=False))
        if len(failures) > MOST_UNREAD:
            break
    if failures and len(failures) in (len(pages), MOST_UNREAD + 1):
        raise failures[0]
    return pages


def read_outline(document: PdfDocument) -> Iterator[OutlineEntry]:
    """Yield the entries of the outline in order, without those that lead nowhere."""
    for bookmark in document.get_toc():
        title = " ".join(clean(bookmark.get_title()).split())
        target = bookmark.get_dest()
        page = target.get_index() if target else None
        if not title or target is None or page is None or page >= len(document):
            continue
        mode, position = target.get_view()
        top = next(iter(position[_TOPS[mode] :]), None) if mode in _TOPS else None
        yield OutlineEntry(title, bookmark.level, page, top or None)


def _read_page(document: PdfDocument, number: int, looks: FontLooks) -> Page:
    with closing(document[number]) as page:
        visible = load_visible_text(page)
        with closing(visible.text_page):
            misread = looks.misread(page, visible)
            is_text = is_legible(visible.text().replace("\ufffe", "-"))
            few = len(misread) <= _MISREAD * visible.text_page.count_chars()
            visible = visible._replace(unseen=visible.unseen | misread)
            reader = _Reader(page, visible, number)
            tables, glyphs, fault = _ruled(page, reader)
            lines = tuple(reader.lines())
            notes = read_notes(document, page)
            fields = tuple(_field(value, number, reader.display) for value in notes.values)
            return Page(
                number,
                (*lines, *fields),
                grids=tables,
                glyphs=glyphs,
                picture=not lines and any(page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE])),
                height=page.get_height(),
                is_form=bool(fields),
                notes=notes,
                hidden=visible.hidden,
                fault=fault,
                misread=bool(misread),
                legible=is_text and few,
            )


def _field(value: FieldValue, number: int, display: Display) -> Line:
    """Return the value of a field as a line in the middle of its box."""
    (x0, y0), (x1, y1) = display(*value.box[:2]), display(*value.box[2:])
    height = min(abs(y1 - y0), _FIELD_HEIGHT)
    baseline = (y0 + y1) / 2 - 0.3 * height
    return Line(value.text, number, min(x0, x1), max(x0, x1), baseline, height, bold=False)


def _ruled(page: PdfPage, reader: "_Reader") -> tuple[tuple[Ruled, ...], tuple[Glyph, ...], str]:
    """Return the grids of a page with its characters, and the error that prevented finding them."""
    try:
        tables = tuple(grids(rules_of(page, reader.display)))
        return tables, tuple(reader.glyphs()) if tables else (), ""
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        return (), (), f"{type(error).__name__}: {error}"


class _Reader:
    """Reads one page, with reused buffers: a law has thousands of lines."""

    def __init__(self, page: PdfPage, visible: VisibleText, number: int) -> None:
        self._text_page, self._unseen = visible.text_page, visible.unseen
        self._text = visible.text()
        self._number = number
        # PDFium counts in UTF-16, in which some characters take two units.
        self._units = [*accumulate((1 + (c > "\uffff") for c in self._text), initial=0)]
        self.display = _upright(page, self._text_page)
        self._box = pdfium.FS_RECTF()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._name = ctypes.create_string_buffer(128)
        self._flags = ctypes.c_int()

    def lines(self) -> Iterator[Line]:
        for match in _LINE.finditer(self._text):
            words = [word.span() for word in _RUN.finditer(self._text, *match.span(1))]
            text = " ".join(clean(self._with_raised(*match.span(1))).split())
            if text and words:
                hyphen = match[2] == "\ufffe"
                line = self._line(text + "-" * hyphen, words[0][0], words[-1][1] - 1, hyphen)
                yield replace(line, gaps=self._gaps(line, words))

    def _gaps(self, line: Line, words: Sequence[Span]) -> tuple[tuple[int, float, float], ...]:
        """Return the gaps between the words of a line."""
        if len(words) != len(line.text.split()):
            return ()
        ends = [self._loose_box(self._index(stop - 1))[2] for _, stop in words[:-1]]
        starts = [self._loose_box(self._index(start))[0] for start, _ in words[1:]]
        return tuple(zip(range(1, len(words)), ends, starts, strict=True))

    def _with_raised(self, start: int, stop: int) -> str:
        """Return a line with superscripts for digits that are smaller and above their word."""
        letters = list(self._text[start:stop])
        for word in _WORD.finditer(self._text, start, stop):
            positions = range(*word.span())
            if not any(self._text[at] in RAISABLE for at in positions[1:]):
                continue
            indices = [self._index(at) for at in positions]
            sizes = [pdfium.FPDFText_GetFontSize(self._text_page, index) for index in indices]
            if min(sizes) > _SMALLER * max(sizes):
                continue
            heights = [self._origin(index)[1] for index in indices]
            for at, size, height in zip(positions, sizes, heights, strict=True):
                small = size <= _SMALLER * max(sizes)
                if small and height - min(heights) > _ABOVE * max(sizes):
                    letters[at - start] = to_superscript(self._text[at])
        return "".join(letters)

    def _index(self, position: int) -> int:
        """Return the index among PDFium's characters of a position in the text."""
        index: int = pdfium.FPDFText_GetCharIndexFromTextIndex(
            self._text_page, self._units[position]
        )
        return index

    def glyphs(self) -> Iterator[Glyph]:
        for index in range(self._text_page.count_chars()):
            if index not in self._unseen:
                code = pdfium.FPDFText_GetUnicode(self._text_page, index)
                yield Glyph(chr(code), *self._loose_box(index))

    def _line(self, text: str, first: int, last: int, hyphen: bool) -> Line:
        """Measure a line by its first and last character (positions in the text)."""
        first, last = self._index(first), self._index(last)
        _, baseline = self._origin(first)
        left, bottom, right, top = self._loose_box(first)
        height = top - bottom
        end = self._loose_box(last)[2]
        return Line(text, self._number, left, max(right, end), baseline, height,
                    self._is_bold(first), hyphen)  # fmt: skip

    def _origin(self, index: int) -> tuple[float, float]:
        pdfium.FPDFText_GetCharOrigin(self._text_page, index, self._x, self._y)
        return self.display(self._x.value, self._y.value)

    def _loose_box(self, index: int) -> tuple[float, float, float, float]:
        pdfium.FPDFText_GetLooseCharBox(self._text_page, index, self._box)
        box = self._box
        xs, ys = zip(
            self.display(box.left, box.bottom), self.display(box.right, box.top), strict=True
        )
        return min(xs), min(ys), max(xs), max(ys)

    def _is_bold(self, index: int) -> bool:
        self._name.value = b""
        pdfium.FPDFText_GetFontInfo(
            self._text_page, index, self._name, len(self._name), self._flags
        )
        if _BOLD_NAME.search(self._name.value.decode("utf-8", "replace")):
            return True
        weight: int = pdfium.FPDFText_GetFontWeight(self._text_page, index)
        return weight >= _BOLD_WEIGHT


def _upright(page: PdfPage, text_page: PdfTextPage) -> Callable[[float, float], Point]:
    """Return the map of a page's own coordinates to a frame in which most of its text is upright.

    That of the page as displayed where there is no text, and nearly always otherwise too.
    """
    left, bottom, right, top = page.get_bbox()
    frames: dict[int, Callable[[float, float], Point]] = {
        0: lambda x, y: (x - left, y - bottom),
        90: lambda x, y: (y - bottom, right - x),
        180: lambda x, y: (right - x, top - y),
        270: lambda x, y: (top - y, x - left),
    }
    turned = _turned(text_page)
    return frames[page.get_rotation() if turned is None else turned]


def _turned(text_page: PdfTextPage) -> int | None:
    """Return by how many degrees most text is turned, to the left; None where that is not sure.

    Letters must be turned as the line on which they follow one another: mirrored ones are not, nor
    those of Arabic, nor those of vertical Chinese.
    """
    x, y = ctypes.c_double(), ctypes.c_double()

    def origin(index: int) -> tuple[float, float]:
        pdfium.FPDFText_GetCharOrigin(text_page, index, x, y)
        return x.value, y.value

    turns: Counter[int | None] = Counter()
    count = text_page.count_chars() - 1
    for index in range(0, count, max(1, count // _SAMPLED)):
        (x0, y0), (x1, y1) = origin(index), origin(index + 1)
        letter = math.degrees(pdfium.FPDFText_GetCharAngle(text_page, index))
        line = math.degrees(math.atan2(y1 - y0, x1 - x0))
        quarters = round(letter / 90) % 4
        turns[quarters * 90 if quarters == round(line / 90) % 4 else None] += 1
    return turns.most_common(1)[0][0] if turns else None
