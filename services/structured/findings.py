"""Findings in evidence: entities, dates, and contradictions between sentences."""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import combinations
from math import isclose
from typing import Final, TypeVar

from services.domain.answers import EvidenceSentence
from services.domain.value import Language
from services.evidence.grounding import ungrounded_names, ungrounded_words
from services.language.quantities import Quantity, quantities
from services.structured.values import EntityCount

T = TypeVar("T")
MOST: Final = 20
NAMED: Final = "named"
NO_DAY: Final = 99_999_999
_YEAR: Final = re.compile(r"(?<![\w.,/-])((?:19|20)\d{2})(?![\w/-]|[.,]\d)")


def entity_table(
    linked: Iterable[tuple[str, str]], named: Iterable[str], texts: Sequence[str]
) -> tuple[EntityCount, ...]:
    """Return each entity once, whatever its case, the most frequent first, ties by name.

    Args:
        linked: (name, kind) of the nodes that the graph linked the question to.
        named: names in the question itself.
        texts: of the passages in the evidence, with their headings.
    """
    kinds: dict[str, tuple[str, str]] = {}
    for name, kind in (*linked, *((name, NAMED) for name in named)):
        kinds.setdefault(name.casefold(), (name, kind))
    folded = [text.casefold() for text in texts]
    counted = [
        EntityCount(name=name, kind=kind, passages=sum(key in text for text in folded))
        for key, (name, kind) in kinds.items()
        if key
    ]
    return tuple(sorted(counted, key=lambda entity: (-entity.passages, entity.name))[:MOST])


def covered_dates(days: Iterable[str]) -> str | None:
    """Return the range of ISO dates or times, such as ``2017-06-27 - 2024-01-05``.

    Invalid dates are ignored; without any valid one, None is returned.
    """
    dates = sorted(day for day in map(_day, days) if day is not None)
    if not dates:
        return None
    first, last = dates[0].isoformat(), dates[-1].isoformat()
    return first if first == last else f"{first} - {last}"


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _first_day(text: str, language: Language) -> int | None:
    """Return the first day that a sentence names as YYYYMMDD; a bare year is its first day."""
    days = [round(number.number) for number in quantities(text, language) if number.unit == "date"]
    years = [int(match[1]) * 10_000 + 101 for match in _YEAR.finditer(text)]
    return next(iter(days or years), None)


def sort_by_date(dated: Sequence[tuple[str, str | None, T]], language: Language) -> list[T]:
    """Return values in the order of their days; those without a day come last, in their order.

    Args:
        dated: triples of a sentence, a day (ISO 8601) and a value. The first day that the sentence
            names counts before the given one.
        language: of the sentences.
    """

    def day_of(entry: tuple[str, str | None, T]) -> int:
        day = _day(entry[1]) if entry[1] else None
        return _first_day(entry[0], language) or (int(day.strftime("%Y%m%d")) if day else NO_DAY)

    return [value for _, _, value in sorted(dated, key=day_of)]


def contradictions(
    sentences: Sequence[EvidenceSentence], language: Language
) -> list[tuple[int, int, str]]:
    """Return pairs of sentences that cannot both hold: their positions, and why in English.

    Only sentences of different sections are compared: a section gives many limits, each for
    something else. Code compares values; the judge's verdict on two sections was wrong too often.
    """
    texts = [sentence.full_quote for sentence in sentences]
    sections = [(sentence.document_id, sentence.section) for sentence in sentences]
    pairs = ((i, j) for i, j in combinations(range(len(texts)), 2) if sections[i] != sections[j])
    return [(i, j, why) for i, j in pairs if (why := _conflict(texts[i], texts[j], language))]


def _conflict(one: str, other: str, language: Language) -> str:
    """Return ``30 Tage against 60 Tage`` if two sentences share all words but a value, else "".

    Other numbers and dates in a sentence are conditions (``under 18 years``) and must be equal.
    """
    for text, other_text in ((one, other), (other, one)):
        if ungrounded_words(text, other_text, language):
            return ""
        if ungrounded_names(text, other_text, language):
            return ""
    first, conditions = _value(one, language)
    second, others = _value(other, language)
    if first is None or second is None or conditions != others:
        return ""
    alike = all(getattr(first, n) == getattr(second, n) for n in ("unit", "period", "bound"))
    if not alike or isclose(first.value, second.value):
        return ""
    return f"{one[first.start : first.end]} against {other[second.start : second.end]}"


def _value(text: str, language: Language) -> tuple[Quantity | None, tuple[tuple[str, float], ...]]:
    """Return the only value that a sentence states, and its other numbers as (unit, value)."""
    numbers = [number for number in quantities(text, language) if not number.article]
    measured = [number for number in numbers if number.measured]
    stated = measured or [number for number in numbers if number.unit]
    value = stated[0] if len(stated) == 1 else None
    others = [number for number in numbers if number is not value]
    return value, tuple(sorted((n.unit or n.noun or "", n.value) for n in others))
