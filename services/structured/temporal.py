"""The time that evidence covers, and sentences in the order of what they date."""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Final, TypeVar

from services.quantities import quantities
from services.value import Language

T = TypeVar("T")
_YEAR: Final = re.compile(r"(?<![\w.,/-])((?:19|20)\d{2})(?![\w/-]|[.,]\d)")


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
    days = [dated_in(text, language) or _number(day) for text, day, _ in dated]
    order = sorted(range(len(dated)), key=lambda n: (days[n] is None, days[n] or 0, n))
    return [dated[n][2] for n in order]


def _number(day: str | None) -> int | None:
    """YYYYMMDD of an ISO date, None where it is none."""
    known = _day(day) if day else None
    return int(known.strftime("%Y%m%d")) if known else None
