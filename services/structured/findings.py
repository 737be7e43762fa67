"""What evidence speaks of and when, and sentences of different places that cannot both hold."""

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
    """Each thing once, whatever its case, the most frequent first, ties by name.

    Args:
        linked: (name, kind) of the nodes that the graph linked the question to.
        named: what the question's own words name.
        texts: of the passages that were kept, with their headings.
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
    return tuple(sorted(counted, key=lambda each: (-each.passages, each.name))[:MOST])


def covered_time(days: Iterable[str]) -> str | None:
    """``2017-06-27 - 2024-01-05``: from the earliest to the latest of ISO dates or times.

    Compared as dates; what is no date counts as none, and None is given where there is none.
    """
    found = sorted(day for day in map(_day, days) if day is not None)
    if not found:
        return None
    first, last = found[0].isoformat(), found[-1].isoformat()
    return first if first == last else f"{first} - {last}"


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def dated_in(text: str, language: Language) -> int | None:
    """The first day that a sentence names, as YYYYMMDD; a bare year is its first day."""
    days = [round(each.number) for each in quantities(text, language) if each.unit == "date"]
    years = [int(match[1]) * 10_000 + 101 for match in _YEAR.finditer(text)]
    found = days or years
    return found[0] if found else None


def by_date(dated: Sequence[tuple[str, str | None, T]], language: Language) -> list[T]:
    """Things in the order of their days; those without a day come last, as they were.

    Args:
        dated: of each thing a sentence, whose first day counts, and the day (ISO 8601) that counts
            where the sentence names none.
        language: of the sentences.
    """

    def day_of(entry: tuple[str, str | None, T]) -> int:
        day = _day(entry[1]) if entry[1] else None
        return dated_in(entry[0], language) or (int(day.strftime("%Y%m%d")) if day else NO_DAY)

    return [thing for _, _, thing in sorted(dated, key=day_of)]


def contradictions(
    sentences: Sequence[EvidenceSentence], language: Language
) -> list[tuple[int, int, str]]:
    """Pairs of sentences, by position, that cannot both hold, and why in a few English words.

    Only sentences of different sections are compared: a section gives many limits, each for
    something else. Code compares values; the judge's verdict on two places was wrong too often.
    """
    texts = [each.whole for each in sentences]
    places = [(each.document_id, each.section) for each in sentences]
    apart = ((i, j) for i, j in combinations(range(len(texts)), 2) if places[i] != places[j])
    return [(i, j, why) for i, j in apart if (why := _other_value(texts[i], texts[j], language))]


def _other_value(one: str, other: str, language: Language) -> str:
    """``30 Tage against 60 Tage`` where two sentences have all words but a value in common.

    What else a sentence counts or dates is a condition (``under 18 years``) and must be the same.
    """
    for text, beside in ((one, other), (other, one)):
        if ungrounded_words(text, beside, language) or ungrounded_names(text, beside, language):
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
    """The one value that a sentence states, and its other numbers as (unit or thing, value)."""
    found = [each for each in quantities(text, language) if not each.article]
    stated = [each for each in found if each.measured] or [each for each in found if each.unit]
    value = stated[0] if len(stated) == 1 else None
    rest = [each for each in found if each is not value]
    return value, tuple(sorted((each.unit or each.noun or "", each.value) for each in rest))
