"""Parse units of measurement in German and English into a base unit and a factor.

``20 mSv``, ``20 Millisievert`` and ``0,02 Sv`` are the same value. Periods (``im Kalenderjahr``)
are not part of the unit, since texts leave them out.
"""

import re
from functools import lru_cache
from typing import Final

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
        ("EUR", 1.0, "euro eur €"),
        ("USD", 1.0, "dollar usd $"),
        ("deg", 1.0, "grad degree °"),
        ("degC", 1.0, "°c gradcelsius celsius"),
        ("g", 1e6, "tonne t"),
        ("m2", 1e4, "hektar hectare ha"),
        ("bit", 1.0, "bit"),
    )
    for word in words.split()
}
_POWERS: Final = {"quadrat": 2, "square": 2, "kubik": 3, "cubic": 3, "²": 2, "³": 3, "2": 2, "3": 3}
_ENDINGS: Final = ("", "n", "s", "e", "en", "es", "er", "em")
_POWER_MARK = re.compile(r"(?:\^?([23])|([²³]))$")
_POWER_WORD = re.compile(r"(quadrat|square|kubik|cubic)\s*")
_PREFIX_WORD = re.compile("|".join(name for name in _PREFIX if len(name) > 1))


@lru_cache(maxsize=4_096)
def parse_unit(word: str) -> Reading | None:
    """Parse a unit.

    Returns:
        The base unit and the factor to it (``("Sv", 0.001)``), None if it is no unit.
    """
    return _plain(word) or _symbol(word) or _word(word.casefold())


def _plain(word: str) -> Reading | None:
    folded = word.casefold().rstrip(".")
    if len(word) == 1 and word not in "sht%‰€$°":
        return None
    forms = (form for form in _forms(folded) if len(form) > 1 or word == form)
    return next((_PLAIN[form] for form in forms if form in _PLAIN), None)


def _symbol(word: str) -> Reading | None:
    """Parse symbols, in which case counts: ``mSv``, ``MBq``, ``cm2``."""
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
    """Parse words with prefixes, powers and endings: ``Millisievert``, ``Quadratzentimetern``."""
    power, factor = 1, 1.0
    if raised := _POWER_WORD.match(word):
        word, power = word[raised.end() :], _POWERS[raised[1]]
    if scaled := _PREFIX_WORD.match(word):
        word, factor = word[scaled.end() :], _PREFIX[scaled[0]]
    base = next((_BASES[form] for form in _forms(word) if form in _BASES), None)
    return _raised(base, factor, power) if base else None


def _forms(word: str) -> list[str]:
    """Return a word without each of the endings that it may have."""
    return [word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending)]


def _raised(name: str, factor: float, power: int) -> Reading:
    if name == "l":  # a litre is a cubic decimetre
        return "m3", factor * 1e-3
    return (name if power == 1 else f"{name}{power}"), factor**power
