"""The font of each character in a PDF, and what stands for characters that no font has.

Roboto has Latin, Greek and Cyrillic; Kurinto Sans has nearly every other script and the symbols,
and its regional fonts the characters of Japanese, Chinese and Korean.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any, Final

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from services.export.texts import RIGHT_TO_LEFT, starts_right_to_left

FONT, BOLD = "Roboto", "Roboto-Bold"
WORLD: Final = "KurintoSans"
"""The font for text from right to left, which also has Latin letters and digits."""
FALLBACKS: Final = (WORLD, "KurintoSansJP", "KurintoSansSC", "KurintoSansTC", "KurintoSansKR")
_BACKWARD_WORDS: Final = re.compile(
    rf"{RIGHT_TO_LEFT.pattern}(?:(?:(?!\n)[\d\W])*{RIGHT_TO_LEFT.pattern})*"
)
"""With the digits and punctuation between them."""
_COMBINED: Final = re.compile("\\w[\u0300-\u036f]+")
SELECTORS: Final = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_DIRECTIONS: Final = "\u061c\u200e\u200f"
SOFT_HYPHEN: Final = "\xad"
_MAPPED: Final = re.compile(r"(?m)^(<..>) <([0-9A-F]{4,})>$")
_VIRAMA: Final = 9
"""The combining class of signs that join two letters of an Indic script."""


class Typesetter:
    """Splits text by font, and remembers what a reader must know.

    ``substituted`` are the characters that no font has, ``unjoined`` the scripts whose letters
    would have to be joined or moved, which reportlab does not do.
    """

    def __init__(self) -> None:
        self.substituted: dict[str, None] = {}
        self.unjoined: dict[str, None] = {}

    def pieces(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield pieces of text, each with the font that has all its characters.

        Arabic letters are joined, and pieces are in reading order: `visual_order` turns them. A
        character that no font has becomes ``[U+1F600]``.
        """
        text = _COMBINED.sub(lambda match: unicodedata.normalize("NFC", match[0]), text)
        for backward, segment in _by_direction(text):
            if backward:
                yield from self._by_font(_joined(segment), FALLBACKS)
            else:
                yield from self._by_font(segment, (FONT, *FALLBACKS))

    def _by_font(self, text: str, fonts: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Prefer the first font, and for what it lacks one font to several."""
        visible = (char for char in text if not _invisible(char))
        for in_first, group in groupby(visible, lambda char: has_glyph(fonts[0], char)):
            segment = "".join(group)
            font = fonts[0] if in_first else _font_with_all(segment, fonts[1:])
            self.unjoined |= dict.fromkeys(map(_script, filter(_joins, segment)))
            if font:
                yield font, segment
            else:
                yield from ((_font_with_all(char, fonts) or FONT, self._or_code(char, fonts))
                            for char in segment)  # fmt: skip

    def _or_code(self, char: str, fonts: Sequence[str]) -> str:
        if _font_with_all(char, fonts):
            return char
        self.substituted[char] = None
        return f"[U+{ord(char):04X}]"


def described(characters: Iterable[str]) -> str:
    """Return ``U+1F600 grinning face, U+E000``."""
    names = (f"U+{ord(char):04X} {unicodedata.name(char, '').lower()}" for char in characters)
    return ", ".join(map(str.strip, names))


def has_glyph(font: str, char: str) -> bool:
    """Whether a font has a character; a private one means something else in each font."""
    if char.isspace():
        return True
    return unicodedata.category(char) != "Co" and ord(char) in load_font(font).face.charToGlyph


def visual_order(text: str) -> str:
    """Return one line of text from right to left in the order in which it is drawn."""
    if not RIGHT_TO_LEFT.search(text):
        return text
    from bidi.algorithm import get_display  # the one that mirrors brackets

    return str(get_display(text, base_dir="R"))


@cache
def load_font(name: str) -> Any:
    if name in (FONT, BOLD):
        from font_roboto import font_files

        path = font_files[name.replace("-", "")]
    else:
        path = str(files("weblate_fonts") / f"static/weblate_fonts/kurinto/ttf/{name}-Rg.ttf")
    font = _Font(name, path)
    pdfmetrics.registerFont(font)
    bold = BOLD if name == FONT else name
    pdfmetrics.registerFontFamily(name, normal=name, bold=bold, italic=name, boldItalic=bold)
    return font


class _Font(TTFont):
    """Lets readers copy what was written: whole letters for their forms, and any plane."""

    def addObjects(self, doc: Any) -> None:
        before = set(doc.idToObject)
        super().addObjects(doc)
        for key in doc.idToObject.keys() - before:
            if key.startswith("toUnicodeCMap:"):
                stream = doc.idToObject[key]
                stream.content = _MAPPED.sub(_mapping, stream.content)


def _mapping(match: re.Match[str]) -> str:
    """Map a code to letters in UTF-16; ligatures are left to the reader."""
    char = chr(int(match[2], 16))
    letter = unicodedata.normalize("NFKC", char)
    form = "\ufb50" <= char <= "\ufefc" and len(letter) == 1
    return f"{match[1]} <{(letter if form else char).encode('utf-16-be').hex().upper()}>"


def _by_direction(text: str) -> Iterator[tuple[bool, str]]:
    """Yield segments of text, and whether one is written from right to left.

    Text that begins from right to left is one segment, with the foreign words in it.
    """
    if starts_right_to_left(text):
        yield True, text
        return
    start = 0
    for match in _BACKWARD_WORDS.finditer(text):
        yield False, text[start : match.start()]
        yield True, match[0]
        start = match.end()
    yield False, text[start:]


def _joined(text: str) -> str:
    """Return text with the forms of its Arabic letters, where the font has them."""
    return "".join(
        unicodedata.normalize("NFKC", form)
        if RIGHT_TO_LEFT.match(form) and not has_glyph(WORLD, form)
        else form
        for form in _reshaper().reshape(text)
    )


@cache
def _reshaper() -> Any:
    from arabic_reshaper import ArabicReshaper

    return ArabicReshaper({"delete_harakat": False, "ARABIC LIGATURE ALLAH": False})


def _joins(char: str) -> bool:
    return unicodedata.category(char) == "Mc" or unicodedata.combining(char) == _VIRAMA


def _script(char: str) -> str:
    return unicodedata.name(char).split()[0].title()


def _invisible(char: str) -> bool:
    if char == SOFT_HYPHEN:
        return False
    format_ = unicodedata.category(char) == "Cf" and unicodedata.bidirectional(char) == "BN"
    return format_ or char in _DIRECTIONS or SELECTORS.match(char) is not None


def _font_with_all(text: str, fonts: Sequence[str]) -> str:
    return next((font for font in fonts if all(has_glyph(font, char) for char in text)), "")
