"""Whether the numbers that a claim calculates follow from those that it names."""

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from math import isclose
from typing import Final

from services.language.quantities import Quantity

FACTORS: Final = (2.0, 7.0, 12.0, 24.0, 60.0, 100.0, 1_000.0)
"""By which calculations multiply and divide without naming it: halves, days of a week, months,
hours, minutes and seconds, percent, and thousands."""
NAMES: Final = ("date", "version")
"""Units of numbers that name something."""
MOST_SUMMED: Final = 6
"""Results of which sums are tried, each counted up to twice ("two quarters of 13,825 each")."""


def uncalculated(numbers: Sequence[Quantity], operands: Sequence[Quantity]) -> list[Quantity]:
    """Those of some numbers of a claim that are no result of its operands.

    A result is reached in one step from operands and earlier results, perhaps by a factor that
    everybody knows besides; or it is a sum of them, or one of them rounded. Written with decimals
    it may be rounded, too. Dates and versions are no numbers to calculate with.
    """
    named = [each for each in numbers if each.unit in NAMES]
    left, results = [each for each in numbers if each.unit not in NAMES], list[float]()
    known = [each.number for each in operands if each.unit not in NAMES]
    while reached := [each for each in left if _is_reached(each, known, results)]:
        results += [each.number for each in reached]
        known += [each.number for each in reached]
        left = [each for each in left if each not in reached]
    return [*named, *left]


def _is_reached(number: Quantity, known: Sequence[float], results: Sequence[float]) -> bool:
    decimals = _decimals(number.text)

    def fits(result: float) -> bool:
        if isclose(number.number, result, rel_tol=1e-6):
            return True
        return decimals > 0 and round(result, decimals) == number.number

    whole = number.number.is_integer()
    rounded = whole and any(0 < abs(each - number.number) < 1 for each in results)
    return rounded or any(map(fits, (*_calculated(known), *_sums(known), *_sums(results, 2))))


def _decimals(text: str) -> int:
    """Digits behind the last point or comma, where these are no thousands."""
    _, sign, behind = text.replace(",", ".").rpartition(".")
    return len(behind) if sign and behind.isdigit() and len(behind) != 3 else 0


def _calculated(known: Sequence[float]) -> Iterator[float]:
    """Every result of one step, and these by a factor."""
    for value in known:
        yield from _by_factor(value)
    for one, other in permutations(known, 2):
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
    """The sum of all values, and with ``times`` those in which each counts so often at most."""
    if len(values) < 2:
        return
    yield sum(values)
    if times > 1 and len(values) <= MOST_SUMMED:
        for counts in product(range(times + 1), repeat=len(values)):
            yield sum(count * value for count, value in zip(counts, values, strict=True))
