"""Sentences that say the same of the same thing, but with another value or the other way round."""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from services.citations.polarity import polarity_problems
from services.quantities import Quantity, agreement, quantities
from services.text import stem_sequence
from services.value import Language, Value

ALIKE: Final = 0.85
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
    """Why two sentences about the same cannot both hold; "" where they can.

    Values are compared where each sentence states a single one. What else it counts or dates is a
    condition (``under 18 years``) and must be the same.
    """
    first, conditions = _value(one, language)
    second, others = _value(other, language)
    if conditions != others:
        return ""
    if first is not None and second is not None:
        alike = first.unit == second.unit and (first.period, first.bound) == (
            second.period,
            second.bound,
        )
        differs = alike and agreement(first, [second]) == "none"
        return f"{first.text} against {second.text}" if differs else ""
    if first is None and second is None:
        problems = polarity_problems(one, other, language)
        return problems[0] if problems else ""
    return ""


def _value(text: str, language: Language) -> tuple[Quantity | None, tuple[tuple[str, float], ...]]:
    """The one value that a sentence states, and its other numbers as (unit or thing, value)."""
    found = [each for each in quantities(text, language) if not each.article]
    stated = [each for each in found if each.measured] or [each for each in found if each.unit]
    value = stated[0] if len(stated) == 1 else None
    rest = [each for each in found if each is not value]
    return value, tuple(sorted((each.unit or each.noun or "", each.value) for each in rest))
