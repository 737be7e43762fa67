"""Days that follow from another day and a period, as the end of a notice does."""

from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple

from services.language.quantities import Quantity
from services.language.quantities.numbers import days

ANY_YEAR: Final = 2023
"""Stands for the year of days without one; it has no 29 February."""
LONGEST: Final = {"day": 36_525, "month": 1_200}
"""A period of a century, by its unit."""
YEARS: Final = range(1_000, 9_000)
"""From and to which a century can be counted."""
SPREAD: Final = (-1, 0, 1)
"""Days between the ways to count: from the day itself or the next, until the last or after it."""


class CalendarDay(NamedTuple):
    """A day that a text names, with its place there."""

    day: date
    has_year: bool
    start: int
    end: int

    def is_same(self, other: date) -> bool:
        """Return whether another day is this one, whatever its year if this has none."""
        return self.day == (other if self.has_year else _in_any_year(other))


def _in_any_year(day: date) -> date:
    return day.replace(year=ANY_YEAR, day=min(day.day, monthrange(ANY_YEAR, day.month)[1]))


def calendar_days(text: str) -> Iterator[CalendarDay]:
    """Yield the days that a text names; one that no calendar has is none."""
    for named in days(text):
        try:
            day = date(named.year or ANY_YEAR, named.month, named.day)
        except ValueError:
            continue
        if day.year in YEARS:
            yield CalendarDay(day, named.year is not None, named.start, named.end)


def calculated_days(
    claim: str, question: str, periods: Sequence[Quantity]
) -> list[tuple[int, int]]:
    """Return the spans of the days of a claim that are another's, a period later or earlier.

    The days of the ``question`` count as well; ``periods`` are quantities of the claim.
    """
    days = list(calendar_days(claim))
    lengths = [
        p for p in periods if p.value.is_integer() and p.value <= LONGEST.get(p.unit or "", 0)
    ]
    return [
        (day.start, day.end)
        for day in days
        if any(
            day.is_same(_moved(base.day, period, sign) + timedelta(days=spread))
            for base in (*calendar_days(question), *(other for other in days if other != day))
            if base.has_year or not day.has_year
            for period in lengths
            for sign in (1, -1)
            for spread in SPREAD
        )
    ]


def _moved(day: date, period: Quantity, sign: int) -> date:
    """Return the day a period later or earlier; a month that is too short ends on its last day."""
    length = sign * int(period.value)
    if period.unit == "day":
        return day + timedelta(days=length)
    years, month = divmod(day.month - 1 + length, 12)
    last = monthrange(day.year + years, month + 1)[1]
    return date(day.year + years, month + 1, min(day.day, last))
