"""Pieces of grammar that citations of all kinds share: white space, numerals, dates, ranges.

Every quantifier is bounded or possessive, so that no input makes matching slower than linear.
"""

import re
from string import ascii_uppercase
from typing import Final

from services.language.vocabulary import months

GAP: Final = r"(?:[^\S\n]++(?:\n[^\S\n]*+)?|\n[^\S\n]*+)"
"""White space with at most one line break: a citation never crosses an empty line."""

OPT: Final = rf"{GAP}?"
END: Final = r"(?![^\W_])"
"""The word or number ends here; an underscore may follow (reStructuredText)."""

NUMBER: Final = rf"\d{{1,4}}(?:\.\d{{1,3}})*(?!\.\d)[a-z]{{0,2}}{END}"
_NO_COMPOUND: Final = rf"{END}(?!-[^\W\d_]{{2}})"
ROMAN: Final = rf"[IVXLC]{{1,6}}{_NO_COMPOUND}"
NOT_I: Final = rf"(?!I{END}){ROMAN}"
"""A Roman numeral, but not the pronoun."""
LETTER: Final = rf"[A-Z]{_NO_COMPOUND}"

_MONTH: Final = "|".join(map(str.capitalize, months("de")))
DATE: Final = rf"\d{{1,2}}\.{OPT}(?:(?:{_MONTH}){GAP}|\d{{1,2}}\.{OPT})\d{{4}}"

EXPANDED: Final = 20
"""A range yields at most this many labels."""
LISTED: Final = 100
"""A list is read up to this many members, so that references stay linear in the text."""

_NUMERAL = re.compile(r"((?:\d+\.)*)(\d+)([a-z]{0,2})")
_ROMANS: Final = (
    *("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"),
    *("XI", "XII", "XIII", "XIV", "XV", "XVI", "XVII", "XVIII", "XIX", "XX"),
)


def collapse(text: str) -> str:
    return " ".join(text.split())


def expand(first: str, last: str) -> list[str]:
    """Return the labels of a range, both ends included, at most `EXPANDED`.

    A number with a letter counts as inserted after the plain one, as in statutes: ``5`` to ``7a``
    is 5, 6, 7, 7a. Roman numerals and single letters are counted up as well. Ends that do not form
    a range (``9`` to ``5``, ``3.1`` to ``4.2``) stay as they are.
    """
    labels = _number_range(first, last)
    for sequence in (_ROMANS, tuple(ascii_uppercase)):
        if first in sequence and last in sequence:
            labels = labels or list(sequence[sequence.index(first) : sequence.index(last) + 1])
    return labels[:EXPANDED] or list(dict.fromkeys((first, last)))


def _number_range(first: str, last: str) -> list[str]:
    low, high = _NUMERAL.fullmatch(first), _NUMERAL.fullmatch(last)
    if low is None or high is None or low[1] != high[1]:
        return []
    start, stop = int(low[2]), int(high[2])
    if start > stop or (start == stop and low[3] >= high[3]) or len(low[3] + high[3]) > 2:
        return []
    if start == stop:
        return _inserted(low[1] + low[2], low[3], high[3])
    between = range(start + 1, min(stop, start + EXPANDED) + 1)
    labels = [first, *(f"{low[1]}{number}" for number in between)]
    return labels + _inserted(low[1] + high[2], "", high[3])[1:]


def _inserted(number: str, first: str, last: str) -> list[str]:
    """Return ``7``, ``7a``, ``7b`` for the letters from ``first`` (may be empty) to ``last``."""
    labels = [] if first else [number]
    codes = range(ord(first or "a"), ord(last) + 1) if last else ()
    return labels + [f"{number}{chr(code)}" for code in codes]
