"""Parse numbers in German and English text, with their limits, periods and labels."""

import re
from functools import lru_cache
from typing import Final, Literal

from services.domain.value import Language
from services.language.vocabulary import months

Bound = Literal["upper", "lower"]

_NUMERALS: Final = (
    "null|zero ein|eine|einem|einen|einer|eines|one zwei|two drei|three vier|four fünf|five"
    " sechs|six sieben|seven acht|eight neun|nine zehn|ten elf|eleven zwölf|twelve"
)
WORDS: Final = {
    word: float(value) for value, words in enumerate(_NUMERALS.split()) for word in words.split("|")
}
SCALES: Final = {
    **dict.fromkeys(("tausend", "thousand"), 1e3),
    **dict.fromkeys(("million", "millionen", "mio"), 1e6),
    **dict.fromkeys(("milliarde", "milliarden", "mrd", "billion"), 1e9),
}
_MONTHS: Final = months("de", "en")
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ORDINAL: Final = r"(?:st|nd|rd|th)(?:\s+of)?"
DATE = re.compile(
    rf"""(?<![\w.])(?:
        (?P<day>\d{{1,2}})\.\s*(?P<month>\d{{1,2}})\.\s*(?P<year>\d{{4}})
      | (?P<day2>\d{{1,2}})(?:\.|{_ORDINAL})?[\s-]+(?P<name>{_MONTH})\.?,?[\s-]+(?P<year2>\d{{4}})
      | (?P<name2>{_MONTH})\.?\s+(?P<day3>\d{{1,2}})(?:{_ORDINAL})?,\s*(?P<year3>\d{{4}})
      | (?P<year4>\d{{4}})-(?P<month2>\d{{2}})-(?P<day4>\d{{2}})
    )(?!\w)""",
    re.VERBOSE | re.IGNORECASE,
)
SLASHED_DATE: Final = re.compile(r"(?<![\w./])(\d{1,2})/(\d{1,2})/(\d{4})(?![\w/])")
"""Day and month, in whichever order."""
VERSION = re.compile(r"\b(?:Python|[Vv]ersion|v)\s?(\d{1,9})\.(\d{1,9})\b")

_LABEL: Final = (
    r"(?:(?<!§)§+|\b(?:Abs(?:atz|atzes|ätzen?)?|Nr|Nrn|Nummern?|S(?:atz|atzes|ätzen?)|S(?=\.)"
    r"|Art(?:ikeln?|ikels)?"
    r"|Anlagen?|Anl|Anhang|Kapiteln?|Teile?n?|(?:Unter)?[Aa]bschnitte?n?s?|Tabellen?|Spalten?"
    r"|Zeilen?|Abbildung(?:en)?|Abb|Buchstaben?|Seiten?|PEPs?|Fig(?:ures?)?|Tables?|[Ss]ections?|Sec"
    r"|[Cc]hapters?|[Ss]teps?|[Pp]ages?|pp?(?=\.)|Appendix|Annex|Nos?|Richtlinie"
    r"|Verordnung\ \(E[UG]\)|RFC|ISO|DIN|Kategorien?|Klassen?|Rule|Equation|Eq)\b\.?)"
)
_UNIT_AHEAD: Final = (
    r"(?!\s*(?:Jahr|Monat|Tag|Woche|Stunde|Milli|Mikro|Kilo|mSv|Bq|Becq|Prozent|%|Euro|year|month|day"
    r"|week|hour|percent))"
)
_LABELLED = re.compile(
    rf"{_LABEL}\s*\d+[a-z]*(?:[./]\d+)*"
    rf"(?:\s*(?:,|–|-|\b(?:bis|und|oder|sowie|and|or|to)\b)\s*(?:§+\s*)?\d+[a-z]*\b{_UNIT_AHEAD})*"
)
_NO_ITEM: Final = rf"(?:Lebens)?(?:[Jj]ahr|Tag|Monat|Woche)|(?i:{'|'.join(months('de'))})\b"
"""A number with a full stop before one of these is a day or an age, not an item."""
_ENUMERATOR = re.compile(
    rf"(?<![^\s(])(?:\d{{1,2}}[a-z]?\.(?=\s+[^\W\d])(?!\s+(?:{_NO_ITEM}))|\(\d{{1,2}}[a-z]?\))"
)
COVER: Final = "¦"

_PERIOD = re.compile(
    r"\b(?:(?:im|pro|je|per|an?|in\s+(?:einem|jedem|any|one|a)|innerhalb\s+eines|each|every|jede[sn]?)\s+"
    r"(?:kalender|calendar\s+)?(jahr|monat|woche|tag|stunde|year|month|week|day|hour)\w*"
    r"|(jähr|monat|wöchent|täg|stünd)lich\w*|(annual|year|month|week|dai|hour)ly\b|(annual)\b)",
    re.IGNORECASE,
)
_PERIODS: Final = {
    **dict.fromkeys(("jahr", "jähr", "year", "annual", "a"), "year"),
    **dict.fromkeys(("monat", "month"), "month"),
    **dict.fromkeys(("woche", "wöchent", "week"), "week"),
    **dict.fromkeys(("tag", "täg", "day", "dai", "d"), "day"),
    **dict.fromkeys(("stunde", "stünd", "hour", "h"), "hour"),
    **{"min": "minute", "s": "second"},
}
_BOUND = re.compile(
    r"(?:(?P<negated>\b(?:nicht|not?)\s+)?\b(?:"
    r"(?P<below>unter|under|below|(?:weniger|kleiner)\s+als|(?:less|fewer)\s+than)"
    r"|(?P<above>über|over|above|(?:mehr|größer|höher)\s+als|(?:more|greater)\s+than))"
    r"|(?P<most>\b(?:bis\s+zu|höchstens|maximal|längstens|up\s+to|at\s+most|not\s+exceed(?:ing)?)|[<≤])"
    r"|\b(?:mindestens|wenigstens|at\s+least|exceeding)|[>≥])\s*(?:eine[rmns]?\s+)?$",
    re.IGNORECASE,
)


def parse_number(digits: str, language: Language) -> float | None:
    """Parse digits with separators: ``1.000`` is a thousand in German, one in English.

    Returns:
        The number, None for something else such as ``1.2.3``.
    """
    plain = re.sub(r"\s", "", digits)
    group, decimal = (",", ".") if language == "en" else (".", ",")
    if group in plain and decimal not in plain:
        if re.fullmatch(rf"\d{{1,3}}(?:\{group}\d{{3}})+", plain):
            return float(plain.replace(group, ""))
        group, decimal = decimal, group  # the decimal separator of the other language
    elif re.fullmatch(rf"\d{{1,3}}(?:\{decimal}\d{{3}})+\{group}\d+", plain):
        group, decimal = decimal, group  # both separators are those of the other language
    plain = plain.replace(group, "").replace(decimal, ".")
    return float(plain) if plain.count(".") <= 1 else None


def date_value(match: re.Match[str]) -> float:
    """Return a match of `DATE` as the number YYYYMMDD."""
    groups = {name.rstrip("234"): text for name, text in match.groupdict().items() if text}
    month = _MONTHS[groups["name"].casefold()] if "name" in groups else int(groups["month"])
    return float(int(groups["year"]) * 10_000 + month * 100 + int(groups["day"]))


def slashed_dates(match: re.Match[str]) -> set[float]:
    """Return the days that a match of `SLASHED_DATE` may mean, each as the number YYYYMMDD."""
    first, second, year = map(int, match.groups())
    orders = ((first, second), (second, first))
    return {float(year * 10_000 + month * 100 + day) for day, month in orders if month <= 12}


@lru_cache(maxsize=1_024)
def in_digits(text: str, language: Language) -> str:
    """Return a text with its numbers in digits, of a language that the library knows."""
    from text_to_num import alpha2digit

    try:
        digits: str = alpha2digit(text, language)
    except ValueError:
        return text
    return digits


def without_names(text: str) -> str:
    """Mask labels (``§ 78 Absatz 3``, ``PEP 604``) and enumerators (``1.``, ``(2)``).

    Their numbers only name something. The text keeps its length.
    """
    for pattern in (_LABELLED, _ENUMERATOR):
        text = pattern.sub(lambda match: COVER * len(match.group()), text)
    return text


def bound_before(before: str) -> Bound | None:
    """Return whether the words before a number make it a limit: ``höchstens``, ``more than``."""
    match = _BOUND.search(before)
    if match is None:
        return None
    if match["negated"]:
        return "upper" if match["above"] else "lower"
    return "upper" if match["below"] or match["most"] else "lower"


def period_after(following: str) -> str | None:
    """Return the period of a rate, up to the next number or the end of the clause."""
    match = _PERIOD.search(re.split(r"[,;:.]|\d", following, maxsplit=1)[0])
    match = match or re.match(r"\s*/\s*(h|d|a|min|s)\b", following)
    return _PERIODS[next(filter(None, match.groups())).casefold()] if match else None
