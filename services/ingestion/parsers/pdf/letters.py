"""Whether the letters of a PDF page look like the characters that its file maps them to.

Fonts may have wrong maps: a page shows "The tenant pays", its text says "Wkh whqdqw sd|v". So
letters are cut out of the drawn page and compared: where the map is right, they resemble hardly any
other character more than their own; where it is wrong, half of them.
"""

import ctypes
import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from string import ascii_letters, ascii_lowercase
from typing import Final, NamedTuple

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray
from PIL import Image, ImageFont
from pypdfium2 import PdfDocument, PdfPage

from services.ingestion.parsers.pdf.calls import Characters, Handle, Numbers, direct, handle_of
from services.ingestion.parsers.pdf.objects import corners, is_invisible, to_pixels
from services.ingestion.parsers.pdf.visible import VisibleText

_WRONG: Final = 0.25
"""Share of other characters that a font's letters resemble more than their own; 0.5 by chance."""
_FEWEST: Final = 6  # different letters that tell something
_ENOUGH: Final = 15  # different letters after which a font is known
_MOST_PAGES: Final = 3  # pages on which the letters of a font are looked at
_SAMPLED: Final = 1000  # characters of a page
_EXAMPLES: Final = 2  # of a letter in a font, for one may touch another thing
_SCALE: Final = 3.0  # pixels a point
_MOST_PIXELS: Final = 12_000_000
_SIDE: Final = 16  # pixels of a letter's picture in which it is compared
_DARK: Final = 0.4
_SMALLEST: Final = 7  # pixels of a letter's height
_LARGEST: Final = 600
_CONTRAST: Final = 60
_SLANT: Final = 5.0  # degrees by which text may be off the upright
_OVERLAPPING: Final = 0.4
"""Share of a letter's box that is its neighbour's, from which boxes tell no letter."""
_WIDTH_COUNTS: Final = 0.3
"""How much the width of letters counts beside their ink, and the largest difference that does."""
_WIDEST: Final = 1.5
_NOTABLE: Final = 0.02
"""Share of a page's letters in fonts that are not known, from which the page is drawn."""
_SMOOTH: Final = Image.Resampling.BILINEAR
_STANDARD_FONTS: Final = (b"Helvetica", b"Times-Roman", b"Times-Italic", b"Courier")
_WORLD: Final = ("KurintoSans", "KurintoSansSC", "KurintoSansJP", "KurintoSansKR", "KurintoSansTC")
_CELL: Final = 32  # pixels of the size in which a letter is drawn for comparison
_JOINED: Final = ("ARABIC", "SYRIAC", "MONGOLIAN", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
_INDIC: Final = range(0x0900, 0x0E00)
"""Letters of these scripts change their look beside others."""

Picture = NDArray[np.float64]
"""A letter's ink in 16 x 16 pixels, of mean 0 and length 1, and the logarithm of its width."""


class _Letter(NamedTuple):
    position: int
    text: str
    font: str


class FontLooks:
    """Remembers of the fonts of a document how far their letters look like others."""

    def __init__(self) -> None:
        self._shares: defaultdict[str, dict[str, float]] = defaultdict(dict)
        self._pages: Counter[str] = Counter()

    def misread(self, page: PdfPage, visible: VisibleText) -> frozenset[int]:
        """Return the characters of a page whose fonts look unlike what they are mapped to."""
        fonts = _fonts(visible)
        if not all(map(self._is_known, fonts.values())):
            letters = list(_letters(visible, fonts))
            unknown = [letter for letter in letters if not self._is_known(letter.font)]
            if len(unknown) > _NOTABLE * len(letters):
                self._measure(page, visible, unknown)
            self._pages.update(set(fonts.values()))
        wrong = {key for key, font in fonts.items() if self._is_wrong(font)}
        if not wrong:
            return frozenset()
        characters = Characters(visible.text_page)
        texts = characters.texts(range(characters.count))
        return frozenset(
            index
            for index, text in enumerate(texts)
            if text and direct.FPDFTextObj_GetFont(text) in wrong
        )

    def _is_known(self, font: str) -> bool:
        return len(self._shares[font]) >= _ENOUGH or self._pages[font] >= _MOST_PAGES

    def _is_wrong(self, font: str) -> bool:
        shares = self._shares[font]
        return len(shares) >= _FEWEST and _mean(shares) >= _WRONG

    def _measure(self, page: PdfPage, visible: VisibleText, letters: Sequence[_Letter]) -> None:
        """Compare some letters of each font with those of the page and of the Latin alphabet."""
        alphabet = _Alphabet({*ascii_lowercase, *(letter.text for letter in letters)})
        by_font: defaultdict[str, list[tuple[str, Picture]]] = defaultdict(list)
        for letter, ink in _cut_out(page, visible, _examples(letters)):
            if letter.text in alphabet.texts:
                by_font[letter.font].append((letter.text, ink))
        for font, inks in by_font.items():
            upright = alphabet.shares(inks, 0)
            if _mean(upright) >= _WRONG:
                turned = (alphabet.shares(inks, quarters) for quarters in (1, 2, 3))
                upright = min([upright, *turned], key=_mean)
            for text, share in upright.items():
                self._shares[font][text] = min(share, self._shares[font].get(text, 1.0))


def _mean(shares: Mapping[str, float]) -> float:
    return sum(shares.values()) / max(len(shares), 1)


class _Alphabet:
    """Letters as they look in the fonts at hand; ``texts`` are those that one of the fonts has."""

    def __init__(self, texts: Iterable[str]) -> None:
        pictures = {text: _references(text) for text in sorted(texts) if _is_comparable(text)}
        self.texts = [text for text in pictures if pictures[text]]
        self._small = np.array([text.lower() for text in self.texts])
        self._pictures = np.stack([one for text in self.texts for one in pictures[text]])
        counts = [len(pictures[text]) for text in self.texts]
        self._starts = np.cumsum([0, *counts[:-1]])

    def shares(self, inks: Sequence[tuple[str, Picture]], quarters: int) -> dict[str, float]:
        """Return what share of others each letter, turned, resembles more than its own."""
        pictures = [(text, _picture(np.rot90(ink, quarters))) for text, ink in inks]
        items = [(text, picture) for text, picture in pictures if picture is not None]
        if not items:
            return {}
        rows = np.stack([picture for _, picture in items])
        mapped = self._pictures[[self._starts[self.texts.index(text)] for text, _ in items]]
        rows[:, -1] -= np.median(rows[:, -1] - mapped[:, -1])  # narrow and wide fonts
        widths = np.abs(rows[:, -1:] - self._pictures[:, -1]).clip(max=_WIDEST)
        # Threads, among which @ divides this, would take longer to wait for one another.
        alike = np.einsum("ip,jp->ij", rows[:, :-1], self._pictures[:, :-1])
        alike -= _WIDTH_COUNTS * widths
        alike = np.maximum.reduceat(alike, self._starts, axis=1)
        same = np.array([text.lower() for text, _ in items])[:, None] == self._small
        nearest = np.where(same, alike, -np.inf).max(axis=1, keepdims=True)
        more = ((alike > nearest) & ~same).sum(axis=1) / (~same).sum(axis=1)
        shares: dict[str, float] = {}
        for (text, _), share in zip(items, more.tolist(), strict=True):
            shares[text] = min(share, shares.get(text, 1.0))
        return shares


def _fonts(visible: VisibleText) -> dict[Handle, str]:
    """Return the names of a page's fonts, each with the size of its file or else with its page."""
    name, size = ctypes.create_string_buffer(100), ctypes.c_size_t()
    fonts = {}
    texts = (o.handle for o in visible.objects if o.kind == pdfium.FPDF_PAGEOBJ_TEXT)
    for font in dict.fromkeys(map(direct.FPDFTextObj_GetFont, texts)):
        direct.FPDFFont_GetBaseFontName(font, name, len(name))
        direct.FPDFFont_GetFontData(font, None, 0, ctypes.byref(size))
        which = str(size.value) if size.value else f"{font} {handle_of(visible.text_page.raw)}"
        fonts[font] = f"{name.value!r} {which}"
    return fonts


def _letters(visible: VisibleText, fonts: Mapping[Handle, str]) -> Iterator[_Letter]:
    characters = Characters(visible.text_page)
    indices = range(0, characters.count, max(1, characters.count // _SAMPLED))
    of_page = zip(indices, characters.letters(indices), characters.texts(indices), strict=True)
    for index, letter, text in of_page:
        if letter.isalpha() and text and index not in visible.unseen and not is_invisible(text):
            yield _Letter(index, letter, fonts[direct.FPDFTextObj_GetFont(text)])


def _examples(letters: Sequence[_Letter]) -> Iterator[_Letter]:
    counts: Counter[tuple[str, str]] = Counter()
    for letter in letters:
        counts[letter.font, letter.text] += 1
        if counts[letter.font, letter.text] <= _EXAMPLES and _is_comparable(letter.text):
            yield letter


@cache
def _is_comparable(letter: str) -> bool:
    """Return whether a letter is one sign that looks the same whatever stands beside it."""
    script = unicodedata.name(letter, "").split(" ", 1)[0]
    is_one = len(unicodedata.normalize("NFKC", letter)) == 1 != letter.isspace()
    return is_one and script not in _JOINED and ord(letter) not in _INDIC


def _cut_out(
    page: PdfPage, visible: VisibleText, letters: Iterable[_Letter]
) -> Iterator[tuple[_Letter, Picture]]:
    width, height = page.get_size()
    scale = min(_SCALE, math.sqrt(_MOST_PIXELS / (width * height)))
    pixels = page.render(scale=scale, grayscale=True, may_draw_forms=False).to_numpy()
    pixels = pixels.reshape(pixels.shape[:2])
    matrix = to_pixels(page, *pixels.shape)
    characters = Characters(visible.text_page)
    letters = [*letters]
    positions = [letter.position for letter in letters]
    around = [characters.boxes([position + step for position in positions]) for step in (0, -1, 1)]
    shared = np.maximum(_shared(around[0], around[1]), _shared(around[0], around[2]))
    angles = np.degrees(characters.angles(positions))
    are_alone = (shared <= _OVERLAPPING) & (np.abs(angles - 90 * np.rint(angles / 90)) <= _SLANT)
    for letter, box, is_alone in zip(letters, corners(around[0], matrix), are_alone, strict=True):
        if not is_alone:
            continue
        left, top = np.floor(box.min(axis=0)).astype(int) - 1
        right, bottom = np.ceil(box.max(axis=0)).astype(int) + 1
        area = pixels[max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)].astype(float)
        if not area.size or max(area.shape) > _LARGEST:
            continue
        edge = np.array([*area[0], *area[-1], *area[:, 0], *area[:, -1]])
        ground, contrast = np.median(edge), area.max() - area.min()
        if contrast >= _CONTRAST:
            yield letter, np.abs(area - ground) / contrast


def _shared(boxes: Numbers, others: Numbers) -> Numbers:
    left, bottom, right, top = boxes.T
    across = np.minimum(right, others[:, 2]) - np.maximum(left, others[:, 0])
    down = np.minimum(top, others[:, 3]) - np.maximum(bottom, others[:, 1])
    area = np.maximum((right - left) * (top - bottom), 1e-9)
    return across.clip(min=0) * down.clip(min=0) / area


def _picture(ink: NDArray[np.float64]) -> Picture | None:
    rows = np.flatnonzero(ink.max(axis=1) > _DARK)
    columns = np.flatnonzero(ink.max(axis=0) > _DARK)
    if not rows.size or rows[-1] - rows[0] + 1 < _SMALLEST:
        return None
    ink = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    small = Image.fromarray((255 * ink).astype(np.uint8)).resize((_SIDE, _SIDE), _SMOOTH)
    shades = np.asarray(small, dtype=float).ravel()
    shades -= shades.mean()
    length = np.linalg.norm(shades)
    return np.append(shades / length, math.log(ink.shape[1] / ink.shape[0])) if length else None


@cache
def _references(letter: str) -> list[Picture]:
    if letter in ascii_letters:
        pictures = [_STANDARD[name, letter] for name in _STANDARD_FONTS]
    else:
        drawn = (_drawn(letter, number) for number in range(len(_WORLD)))
        pictures = [next((picture for picture in drawn if picture is not None), None)]
    return [picture for picture in pictures if picture is not None]


@cache
def _world_font(number: int) -> tuple[ImageFont.FreeTypeFont, bytes]:
    """Return a font, and what it shows for a letter that it lacks."""
    folder = files("weblate_fonts") / "static/weblate_fonts/kurinto/ttf"
    font = ImageFont.truetype(str(folder / f"{_WORLD[number]}-Rg.ttf"), _CELL)
    return font, bytes(font.getmask("\uffff", mode="L"))


def _drawn(letter: str, number: int) -> Picture | None:
    font, missing = _world_font(number)
    mask = font.getmask(letter, mode="L")
    if not all(mask.size) or bytes(mask) == missing:
        return None
    return _picture(np.frombuffer(bytes(mask), np.uint8).reshape(mask.size[::-1]) / 255)


def _standard() -> dict[tuple[bytes, str], Picture | None]:
    document = PdfDocument.new()
    page = document.new_page(2 * _CELL * len(ascii_letters), 2 * _CELL * len(_STANDARD_FONTS))
    cells = [
        (name, letter, 2 * _CELL * column, 2 * _CELL * row)
        for row, name in enumerate(_STANDARD_FONTS)
        for column, letter in enumerate(ascii_letters)
    ]
    for name, letter, x, y in cells:
        font = pdfium.FPDFText_LoadStandardFont(document, name)
        item = pdfium.FPDFPageObj_CreateTextObj(document, font, _CELL)
        pdfium.FPDFText_SetText(item, (ctypes.c_ushort * 2)(ord(letter), 0))
        pdfium.FPDFPageObj_Transform(item, 1, 0, 0, 1, x + _CELL / 2, y + _CELL / 2)
        pdfium.FPDFPage_InsertObject(page, item)
    drawn = page.render(grayscale=True).to_numpy()[::-1]
    ink = 1 - drawn.reshape(drawn.shape[:2]) / 255
    return {
        (name, letter): _picture(ink[y : y + 2 * _CELL, x : x + 2 * _CELL][::-1])
        for name, letter, x, y in cells
    }


_STANDARD: Final = _standard()
