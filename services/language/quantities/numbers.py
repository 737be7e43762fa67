"""Parse numbers and units in German and English text, with limits, periods and labels."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

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
    **dict.fromkeys(("milliarde", "milliarden", "mrd", "bn"), 1e9),
    **dict.fromkeys(("billion", "billionen"), 1e12),
    **dict.fromkeys(("trillion", "trillionen"), 1e18),
}
SHORT_SCALES: Final = {"billion": 1e9, "trillion": 1e12}
"""English words for smaller numbers than in other languages."""
MONEY_SCALES: Final = {"k": 1e3, "m": 1e6}
"""What stands behind an amount of money: ``$2m``."""
_SCALED: Final = re.compile(rf"(\d[\s-]*(?:{'|'.join(SCALES)})\b)", re.IGNORECASE)
"""``5 Millionen``, where the word is no number of its own."""
_MONTHS: Final = months("de", "en")
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ORDINAL: Final = r"(?:st|nd|rd|th)(?:\s+of)?"
_DAY: Final = re.compile(
    rf"""(?<![\w.])(?:
        (?P<day>\d{{1,2}})\.\s*(?P<month>\d{{1,2}})\.(?:\s*(?P<year>\d{{4}}))?
      | (?P<day2>\d{{1,2}})(?:\.[\s-]*|(?:{_ORDINAL})?[\s-]+)(?P<name>{_MONTH})\.?
        (?:,?[\s-]+(?P<year2>\d{{4}}))?
      | (?P<name2>{_MONTH})\.?\s+(?P<day3>\d{{1,2}})(?:{_ORDINAL})?(?:,?\s+(?P<year3>\d{{4}}))?
      | (?P<year4>\d{{4}})-(?P<month2>\d{{2}})-(?P<day4>\d{{2}})
      | (?<!version\s)(?P<day5>[0-3]\d)\.(?P<month3>0\d|1[0-2])\.(?P<year5>\d{{2}})(?!\.\d)
    )(?![^\WT]|T(?!\d))""",
    re.VERBOSE | re.IGNORECASE,
)
"""Days with and without a year; one of two digits only where day and month have two as well, since
``3.2.10`` is a version or a section.
"""
FIRST_OF_1900S: Final = 69
"""Years of two digits from here on are of the last century, as POSIX has it."""
SLASHED_DATE: Final = re.compile(r"(?<![\w./])(\d{1,2})/(\d{1,2})/(\d{4})(?![\w/])")
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
    """Parse digits with separators: ``1.000`` is a thousand in German; None for ``1.2.3``."""
    plain = re.sub(r"[\s'’]", "", digits)
    group, decimal = (",", ".") if language == "en" else (".", ",")
    if group in plain and decimal not in plain:
        if re.fullmatch(rf"\d{{1,3}}(?:\{group}\d{{3}})+", plain):
            return float(plain.replace(group, ""))
        group, decimal = decimal, group  # the decimal separator of the other language
    elif re.fullmatch(rf"\d{{1,3}}(?:\{decimal}\d{{3}})+\{group}\d+", plain):
        group, decimal = decimal, group  # both separators are those of the other language
    plain = plain.replace(group, "").replace(decimal, ".")
    return float(plain) if plain.count(".") <= 1 else None


class Day(NamedTuple):
    """A day that a text names, perhaps of no year, and perhaps one that no calendar has."""

    year: int | None
    month: int
    day: int
    start: int
    end: int

    @property
    def number(self) -> float:
        return float((self.year or 0) * 10_000 + self.month * 100 + self.day)


def days(text: str) -> Iterator[Day]:
    """Yield the days that a text names: ``3. Mai``, ``May 3, 2020``, ``03.05.20``, ISO 8601."""
    for match in _DAY.finditer(text):
        groups = {name.rstrip("2345"): text for name, text in match.groupdict().items() if text}
        month = _MONTHS.get(groups["name"].casefold()) if "name" in groups else groups["month"]
        if month is None:  # matched, since case does not count: ``APRİL``
            continue
        year = int(groups["year"]) if "year" in groups else None
        if year is not None and year < 100:
            year += 2000 if year < FIRST_OF_1900S else 1900
        yield Day(year, int(month), int(groups["day"]), *match.span())


def iso_date(text: str) -> str | None:
    dates = (day for day in days(text) if day.year)
    return next((f"{day.year}-{day.month:02d}-{day.day:02d}" for day in dates), None)


def slashed_dates(match: re.Match[str]) -> set[float]:
    """Return the days that a match of `SLASHED_DATE` may mean, each as the number YYYYMMDD."""
    first, second, year = map(int, match.groups())
    orders = ((first, second), (second, first))
    return {float(year * 10_000 + month * 100 + day) for day, month in orders if month <= 12}


@lru_cache(maxsize=1_024)
def in_digits(text: str, language: Language, *, least: int = 3) -> str:
    """Return a text with its number words from ``least`` on in digits; smaller ones may stay."""
    from text_to_num import alpha2digit

    pieces = _SCALED.split(text)
    try:
        pieces[::2] = [alpha2digit(piece, language, least) for piece in pieces[::2]]
    except ValueError:
        return text
    return "".join(pieces)


def without_names(text: str) -> str:
    """Mask the numbers of labels (``§ 78 Absatz 3``) and enumerators, which only name something."""
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
    match = _PERIOD.search(re.split(r"[,;:.]|\d", following, maxsplit=1)[0])
    match = match or re.match(r"\s*/\s*(h|d|a|min|s)\b", following)
    return _PERIODS[next(filter(None, match.groups())).casefold()] if match else None


Reading = tuple[str, float]

_PREFIXES: Final = (
    (1e-9, "nano n"), (1e-6, "mikro micro µ μ u"), (1e-3, "milli m"), (1e-2, "zenti centi c"),
    (1e-1, "dezi deci d"), (1e2, "hekto hecto h"), (1e3, "kilo k"), (1e6, "mega M"),
    (1e9, "giga G"), (1e12, "tera T"), (1e15, "peta P"),
)  # fmt: skip
_PREFIX: Final = {name: factor for factor, names in _PREFIXES for name in names.split()}
# Words and symbols of units that take prefixes.
_BASES: Final = {
    word: symbol
    for symbol, words in {
        "Sv": "sievert", "Bq": "becquerel", "Gy": "gray", "g": "gramm gram", "m": "meter metre",
        "l": "liter litre", "W": "watt", "Wh": "wattstunde watthour", "V": "volt", "Hz": "hertz",
        "J": "joule", "eV": "elektronvolt electronvolt", "A": "ampere", "T": "tesla",
        "Pa": "pascal", "N": "newton", "B": "byte", "K": "kelvin", "Ci": "curie",
    }.items()
    for word in words.split()
}  # fmt: skip
_SYMBOLS: Final = tuple(sorted(set(_BASES.values()), key=len, reverse=True))
# Words and symbols of units without prefixes.
_PLAIN: Final[dict[str, Reading]] = {
    word: (name, factor)
    for name, factor, words in (
        ("s", 1.0, "sekunde second s sek sec"),
        ("s", 60.0, "minute min"),
        ("s", 3600.0, "stunde hour h std"),
        ("day", 1.0, "tag day kalendertag werktag arbeitstag tägig"),
        ("day", 7.0, "woche week kalenderwoche wöchig"),
        ("month", 1.0, "monat month kalendermonat monatig"),
        ("month", 12.0, "jahr year kalenderjahr lebensjahr jährig"),
        ("%", 1.0, "prozent percent vomhundert %"),
        ("%", 0.1, "promille ‰"),
        ("EUR", 1.0, "euro eur"),
        ("USD", 1.0, "dollar usd us-dollar usdollar us$"),
        ("CHF", 1.0, "franken"),
        ("JPY", 1.0, "yen"),
        ("deg", 1.0, "grad degree °"),
        ("degC", 1.0, "°c gradcelsius celsius"),
        ("g", 1e6, "tonne t"),
        ("m2", 1e4, "hektar hectare ha"),
        ("bit", 1.0, "bit"),
    )
    for word in words.split()
}
CURRENCIES: Final = {
    name: entry[:3]
    for entry in (
        *("EUR€", "USD$", "GBP£", "CHF", "JPY¥", "CNY", "KRW₩", "INR₹", "AUD", "CAD", "NZD", "HKD"),
        *("SGD", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON", "RUB₽", "UAH₴", "ILS₪", "BRL"),
    )
    for name in (entry[:3], *entry[3:])
}
"""The ISO 4217 code of each code and sign; not PHP, which is rarely money."""
_POWERS: Final = {"quadrat": 2, "square": 2, "kubik": 3, "cubic": 3, "²": 2, "³": 3, "2": 2, "3": 3}
_ENDINGS: Final = ("", "n", "s", "e", "en", "es", "er", "em")
_POWER_MARK = re.compile(r"(?:\^?([23])|([²³]))$")
_POWER_WORD = re.compile(r"(quadrat|square|kubik|cubic)\s*")
_PREFIX_WORD = re.compile("|".join(name for name in _PREFIX if len(name) > 1))


@lru_cache(maxsize=4_096)
def parse_unit(word: str) -> Reading | None:
    """Return the base unit and the factor to it (``("Sv", 0.001)``), None if it is no unit."""
    if currency := CURRENCIES.get(word):
        return currency, 1.0
    return _plain(word) or _symbol(word) or _word(word.casefold())


def _plain(word: str) -> Reading | None:
    folded = word.casefold().rstrip(".")
    if len(word) == 1 and word not in "sht%‰°":
        return None
    forms = (form for form in _forms(folded) if len(form) > 1 or word == form)
    return next((_PLAIN[form] for form in forms if form in _PLAIN), None)


def _symbol(word: str) -> Reading | None:
    mark = _POWER_MARK.search(word)
    stem, power = (word[: mark.start()], _POWERS[mark[1] or mark[2]]) if mark else (word, 1)
    for symbol in _SYMBOLS:
        prefix = stem.removesuffix(symbol)
        if stem == symbol:
            return _raised(symbol, 1.0, power)
        if prefix != stem and len(prefix) == 1 and prefix in _PREFIX:
            return _raised(symbol, _PREFIX[prefix], power)
    return None


def _word(word: str) -> Reading | None:
    power, factor = 1, 1.0
    if raised := _POWER_WORD.match(word):
        word, power = word[raised.end() :], _POWERS[raised[1]]
    if scaled := _PREFIX_WORD.match(word):
        word, factor = word[scaled.end() :], _PREFIX[scaled[0]]
    base = next((_BASES[form] for form in _forms(word) if form in _BASES), None)
    return _raised(base, factor, power) if base else None


def _forms(word: str) -> list[str]:
    return [word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending)]


def _raised(name: str, factor: float, power: int) -> Reading:
    if name == "l":  # a litre is a cubic decimetre
        return "m3", factor * 1e-3
    return (name if power == 1 else f"{name}{power}"), factor**power
