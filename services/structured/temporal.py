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


def by_date(pairs: Sequence[tuple[str, T]], language: Language) -> list[T]:
    """The things whose sentences name a day in the order of these, then the others as they were."""
    days = [dated_in(text, language) for text, _ in pairs]
    order = sorted(range(len(pairs)), key=lambda n: (days[n] is None, days[n] or 0, n))
    return [pairs[n][1] for n in order]
