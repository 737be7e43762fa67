"""Numerals: how numbers, dates and version numbers are written in German and English."""

import re
from typing import Final

from services.types import Language

WORDS: Final = {
    word: float(value)
    for value, words in enumerate(
        (
            "null zero",
            "ein eine einem einen einer eines one",
            "zwei two",
            "drei three",
            "vier four",
            "fünf five",
            "sechs six",
            "sieben seven",
            "acht eight",
            "neun nine",
            "zehn ten",
            "elf eleven",
            "zwölf twelve",
        )
    )
    for word in words.split()
}
SCALES: Final = {
    **dict.fromkeys(("tausend", "thousand"), 1e3),
    **dict.fromkeys(("million", "millionen", "mio"), 1e6),
    **dict.fromkeys(("milliarde", "milliarden", "mrd", "billion"), 1e9),
}
_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "januar january jan",
            "februar february feb",
            "märz march mar",
            "april apr",
            "mai may",
            "juni june jun",
            "juli july jul",
            "august aug",
            "september sep sept",
            "oktober october okt oct",
            "november nov",
            "dezember december dez dec",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
DATE = re.compile(
    rf"""(?<![\w.])(?:
        (?P<day>\d{{1,2}})\.\s*(?P<month>\d{{1,2}})\.\s*(?P<year>\d{{4}})
      | (?P<day2>\d{{1,2}})\.?[\s-]+(?P<name>{_MONTH})\.?,?[\s-]+(?P<year2>\d{{4}})
      | (?P<name2>{_MONTH})\.?\s+(?P<day3>\d{{1,2}}),\s*(?P<year3>\d{{4}})
      | (?P<year4>\d{{4}})-(?P<month2>\d{{2}})-(?P<day4>\d{{2}})
    )(?!\w)""",
    re.VERBOSE | re.IGNORECASE,
)
VERSION = re.compile(r"\b(?:Python|[Vv]ersion|v)\s?(\d+)\.(\d+)\b")
_GROUPED: Final = {
    ".": re.compile(r"\d{1,3}(?:\.\d{3})+"),
    ",": re.compile(r"\d{1,3}(?:,\d{3})+"),
}


def parse_number(digits: str, language: Language) -> float | None:
    """Read digits with separators: ``1.000`` is a thousand in German, one in English.

    Args:
        digits: digits with points, commas and spaces between them.
        language: decides what separates thousands; English has the comma, others the point.

    Returns:
        The number, None for something else such as ``1.2.3``.
    """
    plain = re.sub(r"\s", "", digits)
    group, decimal = (",", ".") if language == "en" else (".", ",")
    if group in plain and decimal not in plain:
        if _GROUPED[group].fullmatch(plain):
            return float(plain.replace(group, ""))
        group, decimal = decimal, group  # a decimal separator after the other custom
    plain = plain.replace(group, "").replace(decimal, ".")
    return float(plain) if plain.count(".") <= 1 else None


def date_value(match: re.Match[str]) -> int:
    """A date that `DATE` found as the number YYYYMMDD."""
    found = match.groupdict()
    day = found["day"] or found["day2"] or found["day3"] or found["day4"]
    year = found["year"] or found["year2"] or found["year3"] or found["year4"]
    name = found["name"] or found["name2"]
    month = _MONTHS[name.casefold()] if name else int(found["month"] or found["month2"])
    return int(year) * 10_000 + month * 100 + int(day)
