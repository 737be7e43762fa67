"""The lines of a PDF page with their geometry, and its outline, as PDFium reports them.

Coordinates are points in the page with its text upright: x to the right, y upwards.
"""

import re
from bisect import bisect, bisect_left
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, islice, pairwise
from typing import Final

import numpy as np
import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfiumError, PdfPage

from services.ingestion.parsers.extraction import RAISABLE, clean, to_superscript
from services.ingestion.parsers.pdf.calls import Characters, Display, Numbers, upright
from services.ingestion.parsers.pdf.letters import FontLooks
from services.ingestion.parsers.pdf.notes import NO_NOTES, FieldValue, PageNotes, read_notes
from services.ingestion.parsers.pdf.objects import PageObject
from services.ingestion.parsers.pdf.rules import Glyph, Ruled, grids, rules_of
from services.ingestion.parsers.pdf.visible import VisibleText, load_visible_text
from services.ingestion.parsers.symbols import PRIVATE_CHARACTER, UNKNOWN, symbol_font, symbols
from services.language.legibility import is_legible

_BOLD_NAME = re.compile(r"bold|black|heavy|semibold|demi|cmbx|sfbx|sfsx", re.IGNORECASE)
_BOLD_WEIGHT: Final = 600
# PDFium puts U+FFFE in place of a hyphen at the end of a line and of the line break.
_LINE = re.compile("([^\r\n\ufffe]*)(\r\n|\n|\r|\ufffe|$)")
_RUN = re.compile("[^\\s\ufffe]+")
_WORD = re.compile(r"\S{2,40}")
_RAISABLE = re.compile(f"(?<=[^\\s\ufffe])[{re.escape(RAISABLE)}]")
_SMALLER: Final = 0.9
_ABOVE: Final = 0.15
"""Shares of the size of a word's letters: of a raised figure, and by how much it stands above."""
_FIGURE = re.compile(f"[{re.escape(RAISABLE)}]+")
_TOPS: Final = {1: 1, 3: 0, 7: 0}
"""At which place the views XYZ, FitH and FitBH of a target say where it starts."""
WIDE: Final = 0.9
"""Width, in heights of the line, of a gap that may part columns: some three spaces."""
_FIELD_HEIGHT: Final = 12.0  # points of the letters in a field, at most
_MISREAD: Final = 0.2
"""Share of characters with wrong maps, from which a page is no text."""
MOST_UNREAD: Final = 20
"""Pages that may be missing; a file may also claim millions that it does not have."""

Gap = tuple[int, float, float]
"""How many words of a line stand before a gap, where it begins and where it ends."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text with its box; ``height`` is that of the font, from ascent to descent.

    ``hyphen`` is what PDFium takes for hyphenation; the text then ends in "-". ``row`` is one
    of a table. ``gaps`` are those between its words, if it may be a row of columns.
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
    gaps: tuple[Gap, ...] = ()

    @property
    def top(self) -> float:
        return self.baseline + 0.8 * self.height


@dataclass(frozen=True, slots=True)
class Page:
    """Lines in the order of the content stream, which is the reading order.

    Where the page has ``grids`` of rules, ``glyphs`` are all its characters. ``has_images`` is
    whether it shows any; ``height`` is in points. ``fields`` are the
    values of its form; ``notes`` has more than its text.
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
    has_images: bool = False
    height: float = 0.0
    fields: tuple[Line, ...] = ()
    notes: PageNotes = NO_NOTES
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
    """Extract the lines of all pages (from 0); one that cannot be loaded is unreadable.

    Raises PdfiumError if this holds for all of them, or for more than `MOST_UNREAD`.
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
            few = len(misread) <= _MISREAD * visible.text_page.count_chars()
            reader = _Reader(page, visible, number)
            is_text = is_legible(reader.text.replace("\ufffe", "-"))
            if misread:
                visible = visible._replace(unseen=visible.unseen | misread)
                reader = _Reader(page, visible, number)
            tables, glyphs, fault = _ruled(visible.objects, reader)
            lines = tuple(reader.lines())
            notes = read_notes(document, page)
            fields = tuple(_field(value, number, reader.display) for value in notes.values)
            return Page(
                number,
                lines,
                grids=tables,
                glyphs=glyphs,
                has_images=any(item.kind == pdfium.FPDF_PAGEOBJ_IMAGE for item in visible.objects),
                height=page.get_height(),
                fields=fields,
                notes=notes,
                hidden=visible.hidden,
                fault=fault,
                misread=bool(misread),
                legible=is_text and few,
            )


def _field(value: FieldValue, number: int, display: Display) -> Line:
    (x0, y0), (x1, y1) = display(*value.box[:2]), display(*value.box[2:])
    height = min(abs(y1 - y0), _FIELD_HEIGHT)
    baseline = (y0 + y1) / 2 - 0.3 * height
    return Line(value.text, number, min(x0, x1), max(x0, x1), baseline, height, bold=False)


def _ruled(
    objects: Sequence[PageObject], reader: "_Reader"
) -> tuple[tuple[Ruled, ...], tuple[Glyph, ...], str]:
    """Return the grids of a page with its characters, and the error that prevented finding them."""
    try:
        tables = tuple(grids(rules_of(objects, reader.display)))
        return tables, tuple(reader.glyphs()) if tables else (), ""
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        return (), (), f"{type(error).__name__}: {error}"


class _Reader:
    """Reads one page; PDFium is asked about the characters of all its lines at once."""

    def __init__(self, page: PdfPage, visible: VisibleText, number: int) -> None:
        self._characters, self._unseen = Characters(visible.text_page), visible.unseen
        self.text, self._number = visible.text(), number
        self._indices = _indices(self.text, self._characters)
        self.text = self._with_symbols()
        self._words = [word.span() for word in _RUN.finditer(self.text)]
        self.display = upright(page, self._characters)

    def lines(self) -> Iterator[Line]:
        if not self._words:
            return
        starts, stops = map(list, zip(*self._words, strict=True))
        lines = [
            (match, numbers)
            for match in _LINE.finditer(self._with_superscripts)
            if (numbers := range(bisect_left(starts, match.start()), bisect(stops, match.end(1))))
        ]
        firsts, lasts = self._at(starts), self._at([stop - 1 for stop in stops])
        heads = [numbers[0] for _, numbers in lines]
        ends = [numbers[-1] for _, numbers in lines]
        named = [next(filter(self._has_letter, numbers), numbers[0]) for _, numbers in lines]
        boxes, ends_of_words = np.split(self._loose_boxes([*firsts, *lasts]), 2)
        right = ends_of_words[:, 2]
        of_lines = [firsts[number] for number in named]
        baselines = self._baselines(of_lines)
        gaps = _gaps(boxes, right, heads, baselines)
        edges = np.column_stack([boxes[heads, 0], boxes[named, 1:], right[ends]]).tolist()
        measures = zip(lines, edges, baselines, self._are_bold(of_lines), strict=True)
        for number, ((match, numbers), box, baseline, is_bold) in enumerate(measures):
            x0, bottom, x1, top, end = box
            texts, hyphen = clean(match[1]).split(), match[2] == "\ufffe"
            if texts:
                yield Line(
                    " ".join(texts) + "-" * hyphen,
                    self._number,
                    x0,
                    max(x1, end),
                    baseline,
                    top - bottom,
                    is_bold,
                    hyphen,
                    gaps=gaps.get(number, ()) if len(texts) == len(numbers) else (),
                )

    def glyphs(self) -> Iterator[Glyph]:
        indices = [n for n in range(self._characters.count) if n not in self._unseen]
        boxes = self._loose_boxes(indices).tolist()
        raised = dict(zip(self._indices.tolist(), self._with_superscripts, strict=True))
        letters = zip(indices, self._characters.letters(indices), strict=True)
        for (index, letter), box in zip(letters, boxes, strict=True):
            yield Glyph(raised.get(index, letter), *box)

    def _has_letter(self, number: int) -> bool:
        """Return whether a word has a letter or figure: the mark of an item has its own font."""
        return any(map(str.isalnum, self.text[slice(*self._words[number])]))

    def _at(self, positions: Sequence[int]) -> list[int]:
        indices: list[int] = self._indices[[*positions]].tolist() if positions else []
        return indices

    def _with_symbols(self) -> str:
        """Return the text with signs of symbol fonts; letters stay private, as in a drawn page."""
        letters = [*self.text]
        private = [match.start() for match in PRIVATE_CHARACTER.finditer(self.text)]
        names = self._characters.font_names(self._at(private))
        for at, name in zip(private, names, strict=True):
            sign = symbols(symbol_font(name.decode("utf-8", "replace")), letters[at])
            if not sign.isalnum() and sign != UNKNOWN:
                letters[at] = sign
        return "".join(letters)

    @cached_property
    def _with_superscripts(self) -> str:
        starts = [start for start, _ in self._words]
        digits = (bisect(starts, digit.start()) - 1 for digit in _RAISABLE.finditer(self.text))
        with_digits = [
            range(*match.span())
            for number in dict.fromkeys(digits)
            for match in _WORD.finditer(self.text, *self._words[number])
            if _RAISABLE.search(self.text, match.start() + 1, match.end())
        ]
        letters = [*self.text]
        for at in self._raised_alone():
            letters[at] = to_superscript(letters[at])
        indices = self._at([at for word in with_digits for at in word])
        sizes = iter(self._characters.sizes(indices))
        for word in with_digits:
            its_sizes = [*islice(sizes, len(word))]
            largest = max(its_sizes)
            if min(its_sizes) > _SMALLER * largest:
                continue
            heights = self._baselines(self._at(word))
            for at, size, height in zip(word, its_sizes, heights, strict=True):
                if size <= _SMALLER * largest and height - min(heights) > _ABOVE * largest:
                    letters[at] = to_superscript(letters[at])
        return "".join(letters)

    def _raised_alone(self) -> Iterator[int]:
        pairs = [
            (before[1] - 1, word)
            for before, word in pairwise(self._words)
            if _FIGURE.fullmatch(self.text, *word) and "\n" in self.text[before[1] : word[0]]
        ]
        befores, firsts = (
            self._at([at for at, _ in pairs]),
            self._at([word[0] for _, word in pairs]),
        )
        sizes = np.array(self._characters.sizes([*befores, *firsts])).reshape(2, -1)
        heights = np.array(self._baselines([*befores, *firsts])).reshape(2, -1)
        rights, lefts = self._loose_boxes(befores)[:, 2], self._loose_boxes(firsts)[:, 0]
        is_raised = (
            (sizes[1] <= _SMALLER * sizes[0])
            & (heights[1] - heights[0] > _ABOVE * sizes[0])
            & (abs(lefts - rights) < _ABOVE * sizes[0])
        )
        for (_, word), raised in zip(pairs, is_raised.tolist(), strict=True):
            yield from range(*word) if raised else ()

    def _baselines(self, indices: Sequence[int]) -> list[float]:
        heights: list[float] = self.display(*self._characters.origins(indices).T)[1].tolist()
        return heights

    def _loose_boxes(self, indices: Sequence[int]) -> Numbers:
        left, bottom, right, top = self._characters.loose_boxes(indices).T
        points = np.array([self.display(left, bottom), self.display(right, top)])
        return np.concatenate([points.min(axis=0), points.max(axis=0)]).T

    def _are_bold(self, indices: Sequence[int]) -> Iterator[bool]:
        names, weights = self._characters.font_names(indices), self._characters.weights(indices)
        for name, weight in zip(names, weights, strict=True):
            yield _is_bold_name(name) or weight >= _BOLD_WEIGHT


@lru_cache(maxsize=1024)
def _is_bold_name(name: bytes) -> bool:
    return _BOLD_NAME.search(name.decode("utf-8", "replace")) is not None


def _gaps(
    boxes: Numbers, right: Numbers, heads: Sequence[int], baselines: Sequence[float]
) -> dict[int, tuple[Gap, ...]]:
    """Return the gaps of lines that may be of columns: with a wide one, or level with others.

    ``boxes`` are of first letters of words, ``right`` edges of last ones, ``heads`` words of
    lines.
    """
    counts = np.diff(heads, append=len(boxes))
    of_line = np.repeat(np.arange(len(heads)), counts)
    heights = boxes[heads, 3] - boxes[heads, 1]
    widths, height = boxes[1:, 0] - right[:-1], heights[of_line][1:]
    is_wide = (widths > WIDE * height) | (widths <= -height)
    is_wide &= of_line[1:] == of_line[:-1]
    order = np.argsort(baselines)
    is_level = np.diff(np.array(baselines)[order]) < heights.max() / 2
    level = {*order[1:][is_level].tolist(), *order[:-1][is_level].tolist()}
    return {
        number: tuple(
            zip(
                range(1, counts[number]),
                right[start : start + counts[number] - 1].tolist(),
                boxes[start + 1 : start + counts[number], 0].tolist(),
                strict=True,
            )
        )
        for number in {*of_line[1:][is_wide].tolist(), *level}
        for start in [heads[number]]
    }


def _indices(text: str, characters: Characters) -> Numbers:
    """Return which of PDFium's characters, counted in UTF-16, is at each position of the text."""
    length = len(text.encode("utf-16-le", "surrogatepass")) // 2
    indices = characters.indices(length)
    if length == len(text):
        return indices
    units = accumulate((1 + (letter > "\uffff") for letter in text[:-1]), initial=0)
    return indices[[*units]]
