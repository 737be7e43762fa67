"""Characters of symbol fonts, whose codes stand for pictures: a ticked box, a micro sign."""

import re
from typing import Final

from mammoth.docx.dingbats import dingbats

_FONTS: Final = ("Symbol", "Webdings", "Wingdings", "Wingdings 2", "Wingdings 3")
_PRIVATE: Final = range(0xF000, 0xF100)
"""Where Word stores the 256 characters of such a font."""
PRIVATE_CHARACTER: Final = re.compile("[\uf000-\uf0ff]")
_COMMON: Final = {
    0x1F5F5: "\N{BALLOT X}",
    0x1F5F6: "\N{BALLOT X}",
    0x1F5F7: "\N{BALLOT BOX WITH X}",
    0x1F5F8: "\N{CHECK MARK}",
    0x1F5F9: "\N{BALLOT BOX WITH CHECK}",
    0x1F78E: "\N{BALLOT BOX}",
    0x1F78F: "\N{BALLOT BOX}",
    0x1F7A8: "\N{BALLOT BOX}",
}
"""Ticks and boxes that few fonts have, and those that most have."""
UNKNOWN: Final = "\N{REPLACEMENT CHARACTER}"


def symbol_font(name: str) -> str:
    """Return which symbol font a PDF names (``ABCDEF+Wingdings-Regular``), "" for another one."""
    letters = re.sub(r"^[A-Z]{6}\+|[^A-Za-z0-9]", "", name)
    fonts = (font for font in _FONTS[::-1] if letters.startswith(font.replace(" ", "")))
    return next(fonts, "")


def is_symbol_font(font: str) -> bool:
    return font in _FONTS


def symbol(font: str, code: int) -> str:
    """Return the Unicode character that a symbol font shows, `UNKNOWN` where none is known."""
    if font in _FONTS:
        code_point = dingbats.get((font, code & 0xFF if code in _PRIVATE else code))
        return UNKNOWN if code_point is None else _COMMON.get(code_point) or chr(code_point)
    return UNKNOWN if code in _PRIVATE else chr(code)


def symbols(font: str, text: str) -> str:
    """Return a text with what the font shows; private characters of other fonts are unknown."""
    if font in _FONTS:
        return "".join(symbol(font, ord(c)) if ord(c) > 0x20 else c for c in text)
    return PRIVATE_CHARACTER.sub(UNKNOWN, text)
