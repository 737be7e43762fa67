"""Sentences that say the same of the same thing, but with another value or the other way round."""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from services.citations.polarity import polarity_problems
from services.quantities import Quantity, agreement, quantities
from services.text import stem_sequence
from services.value import Language, Value

ALIKE: Final = 0.75
"""Share of their words that two sentences have in common if they speak of the same thing."""

FEWEST_WORDS: Final = 3


class Statement(Value):
    """A sentence and where it stands: ``place`` is that of its section."""

    text: str
    place: str


def contradictions(
    statements: Sequence[Statement], language: Language
) -> list[tuple[int, int, str]]:
    """Pairs of statements, by position, that cannot both hold, and why in a few English words.

    Only statements of different places are compared, and only such as have all but their numbers
    and negations in common: a law gives many limits, each for something else.
    """
    found = []
    for (i, one), (j, other) in combinations(enumerate(statements), 2):
        if one.place == other.place or not _same_thing(one.text, other.text, language):
            continue
        if why := _difference(one.text, other.text, language):
            found.append((i, j, why))
    return found


def _same_thing(one: str, other: str, language: Language) -> bool:
    first, second = _words(one, language), _words(other, language)
    if min(len(first), len(second)) < FEWEST_WORDS:
        return False
    return len(first & second) >= ALIKE * len(first | second)


def _words(text: str, language: Language) -> frozenset[str]:
    """Stems without numbers and their units."""
    plain = text
    for each in reversed(quantities(text, language)):
        plain = plain[: each.start] + " " + plain[each.end :]
    return frozenset(stem for stem in stem_sequence(plain, language) if not stem[0].isdigit())


def _difference(one: str, other: str, language: Language) -> str:
    first, second = _values(one, language), _values(other, language)
    for value in first:
        rivals = [each for each in second if each.unit == value.unit and each.bound == value.bound]
        if rivals and agreement(value, second) == "none" and not _has_all(second, first):
            return f"{value.text} against {rivals[0].text}"
    if not first and not second:
        problems = polarity_problems(one, other, language)
        return problems[0] if problems else ""
    return ""


def _values(text: str, language: Language) -> list[Quantity]:
    return [each for each in quantities(text, language) if each.unit and not each.article]


def _has_all(some: Sequence[Quantity], of: Sequence[Quantity]) -> bool:
    return bool(some) and all(agreement(each, of) == "full" for each in some)
