"""Whether two texts state the same amount."""

import math
from collections.abc import Sequence
from typing import Literal

from services.quantities.parse import Quantity

Agreement = Literal["full", "weak", "bound", "unit", "none"]
"""``full``: same value and unit. ``weak``: same number, one of them without a unit. ``bound``: same
value, but at most on one side and at least on the other. ``unit``: same number with another unit or
period. ``none``: the number is not there."""

_ORDER: tuple[Agreement, ...] = ("full", "weak", "bound", "unit", "none")


def agreement(claim: Quantity, sources: Sequence[Quantity]) -> Agreement:
    """How well the best of the source quantities agrees with a claimed one."""
    return min((_compare(claim, source) for source in sources), key=_ORDER.index, default="none")


def _compare(claim: Quantity, source: Quantity) -> Agreement:
    if claim.unit is None and source.unit == "date":
        return "full" if claim.number == source.number // 10_000 else "none"
    if claim.unit == source.unit:
        if not math.isclose(claim.value, source.value, rel_tol=1e-9):
            return "unit" if _same_number(claim, source) else "none"
        return _same_limits(claim, source)
    if not _same_number(claim, source):
        return "none"
    bare = claim if claim.unit is None else source
    if None in (claim.unit, source.unit) and not _counts(bare):
        return "weak"
    return "unit"


def _same_number(claim: Quantity, source: Quantity) -> bool:
    return math.isclose(claim.number, source.number, rel_tol=1e-9)


def _same_limits(claim: Quantity, source: Quantity) -> Agreement:
    if claim.period and source.period and claim.period != source.period:
        return "unit"
    if claim.bound and source.bound and claim.bound != source.bound:
        return "bound"
    return "full"


def _counts(quantity: Quantity) -> bool:
    """Whether a number without a unit counts things, as in ``3 Personen``."""
    return quantity.noun is not None and quantity.noun[0].isupper()
