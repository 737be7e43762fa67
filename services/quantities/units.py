"""Units of measurement in German and English, reduced to one name and a factor.

``20 mSv``, ``20 Millisievert`` and ``0,02 Sv`` are the same value; periods (``im Kalenderjahr``)
are no part of the unit, since texts leave them out.
"""

import re
from functools import lru_cache
from typing import Final

_PREFIX_WORDS: Final = {
    "nano": 1e-9,
    "mikro": 1e-6,
    "micro": 1e-6,
    "milli": 1e-3,
    "zenti": 1e-2,
    "centi": 1e-2,
    "dezi": 1e-1,
    "deci": 1e-1,
    "hekto": 1e2,
    "hecto": 1e2,
    "kilo": 1e3,
    "mega": 1e6,
    "giga": 1e9,
    "tera": 1e12,
    "peta": 1e15,
}
_PREFIX_SYMBOLS: Final = {
    "n": 1e-9,
    "µ": 1e-6,
    "μ": 1e-6,
    "u": 1e-6,
    "m": 1e-3,
    "c": 1e-2,
    "d": 1e-1,
    "h": 1e2,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "P": 1e15,
}
# Word of the unit -> its symbol. Both take prefixes.
_BASES: Final = {
    "sievert": "Sv",
    "becquerel": "Bq",
    "gray": "Gy",
    "gramm": "g",
    "gram": "g",
    "meter": "m",
    "metre": "m",
    "liter": "l",
    "litre": "l",
    "watt": "W",
    "wattstunde": "Wh",
    "watthour": "Wh",
    "volt": "V",
    "hertz": "Hz",
    "joule": "J",
    "elektronvolt": "eV",
    "electronvolt": "eV",
    "ampere": "A",
    "tesla": "T",
    "pascal": "Pa",
    "newton": "N",
    "byte": "B",
    "kelvin": "K",
    "curie": "Ci",
}
# Whole words and symbols without prefixes -> (name, factor).
_PLAIN: Final = {
    **dict.fromkeys(("sekunde", "second", "s", "sek", "sec"), ("s", 1.0)),
    **dict.fromkeys(("minute", "min"), ("s", 60.0)),
    **dict.fromkeys(("stunde", "hour", "h", "std"), ("s", 3600.0)),
    **dict.fromkeys(("tag", "day", "kalendertag", "werktag", "arbeitstag", "tägig"), ("day", 1.0)),
    **dict.fromkeys(("woche", "week", "kalenderwoche", "wöchig"), ("day", 7.0)),
    **dict.fromkeys(("monat", "month", "kalendermonat", "monatig"), ("month", 1.0)),
    **dict.fromkeys(("jahr", "year", "kalenderjahr", "lebensjahr", "jährig"), ("month", 12.0)),
    **dict.fromkeys(("prozent", "percent", "vomhundert", "%"), ("%", 1.0)),
    **dict.fromkeys(("promille", "‰"), ("%", 0.1)),
    **dict.fromkeys(("euro", "eur", "€"), ("EUR", 1.0)),
    **dict.fromkeys(("dollar", "usd", "$"), ("USD", 1.0)),
    **dict.fromkeys(("grad", "degree", "°"), ("deg", 1.0)),
    **dict.fromkeys(("°c", "gradcelsius", "celsius"), ("degC", 1.0)),
    **dict.fromkeys(("tonne", "t"), ("g", 1e6)),
    **dict.fromkeys(("hektar", "hectare", "ha"), ("m2", 1e4)),
    "bit": ("bit", 1.0),
}
_POWERS: Final = {"quadrat": 2, "square": 2, "kubik": 3, "cubic": 3}
_ENDINGS: Final = ("", "n", "s", "e", "en", "es", "er", "em")
_POWER_MARK = re.compile(r"(?:\^?([23])|([²³]))$")


@lru_cache(maxsize=4_096)
def parse_unit(word: str) -> tuple[str, float] | None:
    """Read a unit.

    Args:
        word: a word or symbol, without ``pro``/``per``: ``Millisievert``, ``mSv``, ``cm²``.

    Returns:
        The unit's name and the factor to it (``("Sv", 0.001)``), None if it is none.
    """
    return _plain(word) or _symbol(word) or _word(word)


def _plain(word: str) -> tuple[str, float] | None:
    folded = word.casefold().rstrip(".")
    if len(word) == 1 and word not in "sht%‰€$°":
        return None
    for form in _forms(folded):
        if form in _PLAIN and (len(form) > 1 or word == form):
            return _PLAIN[form]
    return None


def _symbol(word: str) -> tuple[str, float] | None:
    """Symbols, in which case counts: ``mSv``, ``MBq``, ``cm2``."""
    power, stem = _power(word)
    for symbol in _SYMBOLS:
        if stem == symbol:
            return _raised(symbol, 1.0, power)
        if stem.endswith(symbol) and stem[: -len(symbol)] in _PREFIX_SYMBOLS:
            return _raised(symbol, _PREFIX_SYMBOLS[stem[: -len(symbol)]], power)
    return None


def _word(word: str) -> tuple[str, float] | None:
    """Words with prefixes, powers and endings: ``Millisievert``, ``Quadratzentimetern``."""
    rest, power, factor = word.casefold(), 1, 1.0
    for prefix, exponent in _POWERS.items():
        if rest.startswith(prefix):
            rest, power = rest.removeprefix(prefix).strip(), exponent
    for prefix, scale in _PREFIX_WORDS.items():
        if rest.startswith(prefix):
            rest, factor = rest.removeprefix(prefix), scale
            break
    for form in _forms(rest):
        if form in _BASES:
            return _raised(_BASES[form], factor, power)
    return None


def _forms(word: str) -> list[str]:
    """A word without each of the endings that it may have."""
    return [word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending)]


def _power(word: str) -> tuple[int, str]:
    match = _POWER_MARK.search(word)
    if match is None:
        return 1, word
    return int(match.group(1) or {"²": "2", "³": "3"}[match.group(2)]), word[: match.start()]


def _raised(name: str, factor: float, power: int) -> tuple[str, float]:
    if name == "l":  # a litre is a cubic decimetre
        return "m3", factor * 1e-3
    return (name if power == 1 else f"{name}{power}"), factor**power


_SYMBOLS: Final = tuple(sorted(set(_BASES.values()), key=len, reverse=True))
