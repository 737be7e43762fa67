"""Automatic numbers of headings and list items, as word processors compute them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_LATIN: Final = "abcdefghijklmnopqrstuvwxyz"
_GREEK: Final = "αβγδεζηθικλμνξοπρστυφχψω"
_RUSSIAN: Final = "абвгдежзиклмнопрстуфхцчшщыэюя"
_ALPHABETS: Final[Mapping[str, str]] = {
    "lowerLetter": _LATIN,
    "upperLetter": _LATIN.upper(),
    "α": _GREEK,
    "Α": _GREEK.upper(),
    "russianLower": _RUSSIAN,
    "russianUpper": _RUSSIAN.upper(),
}
_ROMAN: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MOST: Final = 100_000
"""Numbers above it are written in figures: a hostile file may ask for a million letters."""


@dataclass(frozen=True, slots=True)
class Level:
    """How one level of a list is numbered.

    ``template`` shows the number of the first level at ``%1``. ``number_format`` has the names of
    WordprocessingML (ISO/IEC 29500-1, 17.18.59), or is the first number of a custom format:
    ``001``, ``α``. An item of level ``restarts_after`` (from 0) or above lets the numbers start
    again.
    """

    template: str
    number_format: str = "decimal"
    start: int = 1
    restarts_after: int = 8
    in_figures: bool = False
    """Whether the numbers of outer levels are written in figures."""


class ListCounter:
    """The numbers of one list, up to the last item."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def restart(self, depth: int, number: int | None = None) -> None:
        """Let the next item of a level have a number, by default its first."""
        self._numbers.pop(depth, None)
        if number is not None:
            self._numbers[depth] = number - 1

    def label(self, levels: Mapping[int, Level], depth: int) -> str | None:
        """Count an item at ``depth`` (from 0); return its label, None in an unknown format."""
        for outer in range(1, depth):
            if outer in levels:
                self._numbers.setdefault(outer, levels[outer].start)
        level = levels[depth]
        self._numbers[depth] = self._numbers.get(depth, level.start - 1) + 1
        for deeper in [other for other in self._numbers if other > depth]:
            if deeper in levels and depth <= levels[deeper].restarts_after:
                del self._numbers[deeper]
        numbers = {
            str(outer + 1): format_number(
                self._numbers.get(outer, other.start),
                "decimal" if level.in_figures else other.number_format,
            )
            for outer, other in levels.items()
            if f"%{outer + 1}" in level.template
        }
        if None in numbers.values():
            return None
        return re.sub("%([1-9])", lambda match: numbers.get(match[1]) or "", level.template)


def format_number(number: int, number_format: str) -> str | None:
    """Return a number as a list shows it; None where the format is unknown."""
    if number_format in ("none", "bullet"):
        return ""
    if number_format == "decimal" or number > _MOST:
        return str(number)
    if number_format == "decimalZero" or number_format.isdecimal():
        width = len(number_format) if number_format.isdecimal() else 2
        return str(number).zfill(width)
    if number_format == "ordinal":
        return f"{number}{_ordinal_ending(number)}"
    if number_format in _ALPHABETS:
        alphabet = _ALPHABETS[number_format]
        rounds, letter = divmod(number - 1, len(alphabet))
        return alphabet[letter] * (rounds + 1)
    if number_format in ("lowerRoman", "upperRoman"):
        roman = _roman(number)
        return roman.upper() if number_format == "upperRoman" else roman
    return None


def _ordinal_ending(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _roman(number: int) -> str:
    letters = ""
    for value, letter in _ROMAN:
        count, number = divmod(number, value)
        letters += letter * count
    return letters
