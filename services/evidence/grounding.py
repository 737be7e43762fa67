"""What a sentence states that its sources do not: numbers, names with numbers, labels, words.

Code checks what is formal. Whether a sentence follows is left to a model that reads both.
"""

import re
from calendar import monthrange
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import lru_cache
from itertools import accumulate, permutations, product
from math import isclose
from typing import Final, NamedTuple, Protocol

from services.domain import DetectedReference, Language
from services.evidence.units import COUNTED
from services.language.quantities import Quantity, agreement, in_digits, quantities
from services.language.quantities.numbers import days
from services.language.text.sentences import clauses
from services.language.text.words import best_match, stems
from services.references import detect_references

STATED: Final = ("full", "weak", "bound")
"""Degrees of agreement that count as stated; whether a limit is meant is left to the model."""
_NUMBERED: Final = re.compile(r"(?:PEP|RFC|BCP) \d+")
_DIGITS: Final = re.compile(r"\d+(?:[^\W\d_](?!\w))?")
_YEAR: Final = re.compile(r"(?<![\w.,/-])[12]\d{3}(?![\w/-]|[.,]\d)")
FACTORS: Final = (2.0, 7.0, 12.0, 24.0, 60.0, 100.0, 1_000.0)
"""Factors that calculations use without naming them: halves, days a week, months, hours, …."""
NAMES: Final = ("date", "version")
"""Units of numbers that name something."""
MOST_SUMMED: Final = 6
"""Most results whose sums are tried, each counted up to twice ("two quarters of 13,825 each")."""


class SourceSection(Protocol):
    """A section that a sentence cites; ``headings`` include the name of its document."""

    @property
    def label(self) -> str: ...
    @property
    def headings(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def language(self) -> Language: ...


def ungrounded_numbers(
    text: str, question: str, sections: Sequence[SourceSection], language: Language
) -> tuple[str, ...]:
    """Return the numbers of a claim that neither its sections nor the question state.

    Words for numbers above twelve are given in digits. A number that follows from stated numbers of
    the claim (`underivable`), or a day that follows from another and a period (`calculated_days`),
    counts as stated.
    """
    text = in_digits(text, language, least=13)  # smaller ones are read as they are
    claimed = [one for one in quantities(text, language) if _says_something(one, text)]
    passages = [(question, language)]
    for section in sections:
        passages += [(section.headings, section.language), (section.text, section.language)]
    source = "\n".join(passage for passage, _ in passages)
    stated = [number for passage in passages for number in quantities(*passage)]
    missing = _missing(claimed, stated, source)
    if missing:  # perhaps a source says it in words; that takes longer to see
        for passage, written_in in passages:
            stated += quantities(in_digits(passage, written_in), written_in)
        missing = _missing(claimed, stated, source)
    operands = [one for one in claimed if one not in missing]
    spans = calculated_days(text, question, operands) if missing else ()
    missing = [one for one in missing if not any(a <= one.start < b for a, b in spans)]
    unstated = [one.text for one in underivable(missing, operands)]
    return (*unstated, *ungrounded_names(text, source, language))


def _missing(
    claimed: Sequence[Quantity], stated: Sequence[Quantity], source: str
) -> list[Quantity]:
    return [one for one in claimed if not _is_stated(one, stated, source)]


def _says_something(number: Quantity, text: str) -> bool:
    """Return whether a number is neither an article nor the minutes of a full hour (``20:00``)."""
    full_hour = number.number == 0 and text[: number.start].endswith(":")
    return not full_hour and (number.unit is not None or not number.article)


def _is_stated(claimed: Quantity, stated: Sequence[Quantity], source: str) -> bool:
    """Return whether a source states a number, with the same unit where both have one.

    A number in a name of the source ("lift 4") is no amount, and counts all the same.
    """
    if agreement(claimed, stated) in STATED:
        return True
    same = [number for number in stated if number.number == claimed.number]
    if not same:
        return (
            re.search(rf"(?<![\w.,]){re.escape(claimed.text)}(?![\w.,'’]*\d)", source) is not None
        )
    return any(claimed.unit is None or number.unit is None for number in same)


def ungrounded_labels(
    text: str, question: str, sections: Iterable[SourceSection]
) -> tuple[str, ...]:
    """Return the section labels of a claim that neither its sections nor the question name."""
    source = [question]
    for section in sections:
        source += (section.label, section.headings, section.text)
    stated = {*labels_in("\n".join(source)), *(section.label for section in sections)}
    return tuple(dict.fromkeys(label for label in labels_in(text) if label not in stated))


@lru_cache(maxsize=4_096)
def _references(text: str) -> tuple[DetectedReference, ...]:
    """Return the references to sections and to documents of a series."""
    return tuple(
        reference
        for reference in detect_references(text)
        if reference.label or _NUMBERED.fullmatch(reference.document or "")
    )


def labels_in(text: str) -> tuple[str, ...]:
    """Return the section labels in a text in order, without subdivisions."""
    names = ((reference.document or "", reference.label) for reference in _references(text))
    labels = ((name if _NUMBERED.fullmatch(name) else "", label) for name, label in names)
    return tuple(label for pair in labels for label in pair if label)


def without_labels(text: str) -> str:
    """Return a text without section labels, whose words are no statement."""
    for start, end in sorted(
        {(reference.start, reference.end) for reference in _references(text)}, reverse=True
    ):
        text = f"{text[:start]} {text[end:]}"
    return text


def ungrounded_names(sentence: str, source: str, language: Language) -> tuple[str, ...]:
    """Return the numbers in names (``Radon-220``, ``Tabelle 5``) that do not occur in the source.

    Amounts, section labels and item numbers are not names.
    """
    stated = {digits.casefold() for digits in _DIGITS.findall(source)}
    items = (COUNTED.match(sentence, *item) for item in clauses(sentence, 0, len(sentence)))
    covered = [item.span() for item in items if item]
    covered += [(reference.start, reference.end) for reference in _references(sentence)]
    covered += [(number.start, number.end) for number in quantities(sentence, language)]
    return tuple(
        match[0]
        for match in _DIGITS.finditer(sentence)
        if match[0].casefold() not in stated
        and not any(start <= match.start() < end for start, end in covered)
    )


@lru_cache(maxsize=4_096)
def content_words(text: str, language: Language) -> tuple[str, ...]:
    """Return the distinct stems of a text without section labels, numbers and units."""
    text = without_labels(text)
    for number in reversed(quantities(text, language)):
        text = f"{text[: number.start]} {text[number.end :]}"
    return tuple(dict.fromkeys(stem for stem in stems(text, language) if not stem[0].isdigit()))


def ungrounded_words(claim: str, source: str, language: Language) -> tuple[str, ...]:
    """Return the content words of a claim that are not in the source, not even in a compound."""
    source_stems = stem_set(source, language)
    return tuple(
        word for word in content_words(claim, language) if not best_match(word, source_stems)
    )


@lru_cache(maxsize=4_096)
def stem_set(text: str, language: Language) -> frozenset[str]:
    return frozenset(stems(text, language))


def underivable(numbers: Sequence[Quantity], operands: Sequence[Quantity]) -> list[Quantity]:
    """Return those numbers of a claim that cannot be calculated from its operands.

    A result takes one step from operands and earlier results, perhaps with a common factor; or it
    is a sum of some that stand together, or a rounded result. Dates and versions are names.
    """
    names = [number for number in numbers if number.unit in NAMES]
    left, results = [number for number in numbers if number.unit not in NAMES], list[float]()
    reachable = [number.number for number in operands if number.unit not in NAMES]
    while reached := [number for number in left if _is_reached(number, reachable, results)]:
        results += [number.number for number in reached]
        reachable += [number.number for number in reached]
        left = [number for number in left if number not in reached]
    return [*names, *left]


def _is_reached(number: Quantity, reachable: Sequence[float], results: Sequence[float]) -> bool:
    decimals = _decimals(number.text)

    def fits(result: float) -> bool:
        if isclose(number.number, result, rel_tol=1e-6):
            return True
        return decimals > 0 and round(result, decimals) == number.number

    is_integer = number.number.is_integer()
    rounded = is_integer and any(0 < abs(result - number.number) < 1 for result in results)
    return rounded or any(
        map(fits, (*_calculated(reachable), *_sums(reachable), *_sums(results, 2)))
    )


def _decimals(text: str) -> int:
    """Return the number of decimals, 0 where a separator marks thousands."""
    _, sign, behind = text.replace(",", ".").rpartition(".")
    return len(behind) if sign and behind.isdigit() and len(behind) != 3 else 0


def _calculated(numbers: Sequence[float]) -> Iterator[float]:
    """Yield every result of one step, and each of them by a factor."""
    for value in numbers:
        yield from _by_factor(value)
    for one, other in permutations(numbers, 2):
        for result in _steps(one, other):
            yield result
            yield from _by_factor(result)


def _steps(one: float, other: float) -> Iterator[float]:
    yield one + other
    yield one - other
    yield one * other
    if other:
        yield one / other


def _by_factor(value: float) -> Iterator[float]:
    for factor in FACTORS:
        yield value * factor
        yield value / factor


def _sums(values: Sequence[float], times: int = 1) -> Iterator[float]:
    """Yield the sums of values that stand together, with ``times`` > 1 also with repeated ones."""
    if len(values) < 2:
        return
    for first in range(len(values) - 1):
        yield from list(accumulate(values[first:]))[1:]
    if times > 1 and len(values) <= MOST_SUMMED:
        for counts in product(range(times + 1), repeat=len(values)):
            yield sum(count * value for count, value in zip(counts, values, strict=True))


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

    The days of the ``question`` count as well, and the end of each year that is named; ``periods``
    are quantities of the claim.
    """
    claimed = list(calendar_days(claim))
    years = {int(year) for year in _YEAR.findall(f"{question}\n{claim}")}
    lengths = [
        p for p in periods if p.value.is_integer() and p.value <= LONGEST.get(p.unit or "", 0)
    ]
    return [
        (day.start, day.end)
        for day in claimed
        if _ends_year(day, years, lengths)
        or any(
            day.is_same(_moved(base.day, period, sign) + timedelta(days=spread))
            for base in (*calendar_days(question), *(other for other in claimed if other != day))
            if base.has_year or not day.has_year
            for period in lengths
            for sign in (1, -1)
            for spread in SPREAD
        )
    ]


def _ends_year(day: CalendarDay, years: Collection[int], periods: Sequence[Quantity]) -> bool:
    """Return whether a day is the last of a year that is so many whole years after another."""
    return (
        day.has_year
        and (day.day.month, day.day.day) == (12, 31)
        and any(
            period.unit == "month" and day.day.year - period.value / 12 in years
            for period in periods
        )
    )


def _moved(day: date, period: Quantity, sign: int) -> date:
    """Return the day a period later or earlier; a month that is too short ends on its last day."""
    length = sign * int(period.value)
    if period.unit == "day":
        return day + timedelta(days=length)
    years, month = divmod(day.month - 1 + length, 12)
    last = monthrange(day.year + years, month + 1)[1]
    return date(day.year + years, month + 1, min(day.day, last))
