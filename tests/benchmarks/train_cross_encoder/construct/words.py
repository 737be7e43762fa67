"""Word lists and patterns of the edits, as ``words.toml`` holds them by module."""

import tomllib
from functools import cache
from pathlib import Path

_TEXTS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def _text(name: str) -> str:
    module, key = name.split(".")
    return str(_TEXTS[module][key])


@cache
def pattern(name: str) -> str:
    """The pattern of a module, ``german.negation``."""
    return "".join(_text(name).splitlines())


@cache
def words(name: str) -> list[str]:
    """The words of a text."""
    return _text(name).split()


def pairs(name: str) -> list[tuple[str, str]]:
    """Pairs written as "one = other; …"."""
    found = (part.split(" = ") for part in " ".join(_text(name).split()).split(";"))
    return [(one.strip(), other.strip()) for one, other in found]


SAME_DE = pairs("tables.same_de")
OPPOSITE_DE = pairs("tables.opposite_de")
SAME_EN = pairs("tables.same_en")
OPPOSITE_EN = pairs("tables.opposite_en")
STRONG_DE = pairs("tables.strong_de")
IRREGULAR_EN = pairs("tables.irregular_en")
FINITE_DE = words("tables.finite_de")
AUXILIARIES_DE = words("tables.auxiliaries_de")
PLURAL_DE = words("tables.plural_de")
PREPOSITIONS_DE = words("tables.prepositions_de")
SEPARABLE_DE = words("tables.separable_de")
INSEPARABLE_DE = words("tables.inseparable_de")
SMALL_DE = words("tables.small_de")
SMALL_EN = words("tables.small_en")
