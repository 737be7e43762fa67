"""Find numbers with their units in text, and compare the amounts that two texts state."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from services.domain.value import Language
from services.language.quantities.numbers import (
    COVER,
    CURRENCIES,
    MONEY_SCALES,
    SCALES,
    SHORT_SCALES,
    SLASHED_DATE,
    VERSION,
    WORDS,
    Bound,
    bound_before,
    days,
    parse_number,
    parse_unit,
    period_after,
    slashed_dates,
    without_names,
)

Agreement = Literal["full", "weak", "bound", "unit", "none"]
"""``full``: same value and unit. ``weak``: same number, one of them without a unit. ``bound``: same
value, but opposite limits. ``unit``: same number with another unit or period. ``none``: another
number.
"""
_ORDER: tuple[Agreement, ...] = ("full", "weak", "bound", "unit", "none")
_TIMES: Final = ("month", "day", "s")


@dataclass(frozen=True)
class Quantity:
    """A number as a text states it; ``text`` stands at ``start``/``end``, without its unit.

    ``unit`` is the base unit (``Sv``, ``month``, ``date``, ``version``), ``factor`` how much of it
    one is. ``period`` is what a rate refers to (``year``), ``bound`` whether the number is a limit,
    ``noun`` the next word where there is no unit.
    """

    number: float
    text: str
    start: int
    end: int
    unit: str | None = None
    factor: float = 1.0
    period: str | None = None
    bound: Bound | None = None
    noun: str | None = None

    @property
    def value(self) -> float:
        return self.number * self.factor

    @property
    def article(self) -> bool:
        """Return whether this is ``ein`` or ``one``, which rarely counts."""
        return self.number == 1.0 and self.text[0].isalpha()

    @property
    def measured(self) -> bool:
        """Return whether this is a physical or monetary amount, not a count, age or date."""
        return self.unit is not None and self.unit not in (*_TIMES, "date", "version")


_RAISED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻−", "0123456789+--")
_EXPONENT: Final = r"(?:[+−-]?\d+|[⁺⁻]?[⁰¹²³⁴-⁹]+)"
_NUMBER = re.compile(
    r"(?:(?<![\w.,§–-])|(?<=\d[-–])|(?<=[\s(][-−])|(?<=^[-−]))"
    rf"(?:10(?=[\^⁰¹²³⁴-⁹⁺⁻])\^?(?P<power>{_EXPONENT})"
    r"|(?P<digits>\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*)"
    rf"(?:\s?(?:E|[x·×]\s?10\^?)\s?(?P<exponent>{_EXPONENT}))?(?!\w*\d)"
    rf"|(?P<word>{'|'.join(sorted(WORDS, key=len, reverse=True))})(?!\w))",
    re.IGNORECASE,
)
_SIGN = re.compile(r"(?:(?:\A|[ (\n\t])[-−]|(?<!\d\s)\bminus\s)\Z", re.IGNORECASE)
"""What makes the next number negative: a minus that is neither a dash nor a subtraction."""
_SCALE = re.compile(
    rf"[\s-]*({'|'.join(sorted(SCALES, key=len, reverse=True))})\b\.?", re.IGNORECASE
)
_MONEY_SCALE = re.compile(rf"\s?({'|'.join(MONEY_SCALES)})\b", re.IGNORECASE)
_SIGNS: Final = "".join(name for name in CURRENCIES if len(name) == 1)
_UNIT = re.compile(
    r"[\s\u00a0-]*(per\s?cent|vom\s+Hundert|Grad\s+Celsius|US(?:[\s-]?[Dd]ollars?|\$)|°C"
    rf"|[%‰°{_SIGNS}]|[^\W\d_]+[²³]?(?:\d(?!\d))?)"
)
_CURRENCY = re.compile(
    rf"(?<!\d)(?<!\d\s)(\b(?:{'|'.join(CURRENCIES.values())})|(?:\b[A-Z]{{1,2}})?[{_SIGNS}])\s?\Z"
)
"""A currency that stands before its amount; an unknown one is ``A$``."""
_NEXT_WORDS = re.compile(r"(?:\s+[^\W\d_]+){1,3}")
_PER = re.compile(r"\s*(?:/|\b(?:pro|je|per)\b)\s*([^\W\d_]+[²³]?(?:\d(?!\d))?)", re.IGNORECASE)
_LINK = re.compile(r"\s*(?:bis|und|oder|to|and|or|[-–,/])\s*(?:zu\s+|von\s+)?", re.IGNORECASE)
_LOOK_BACK: Final = 30
LARGEST_EXPONENT: Final = 99  # larger ones are pieces of hashes
_LOOK_AHEAD: Final = 60


@lru_cache(maxsize=8_192)
def quantities(text: str, language: Language) -> tuple[Quantity, ...]:
    """Return the numbers of a text that state something, in order.

    Labels (``§ 78``), enumerators (``(2)``) and numbers in names (``Radon-222``) do not. Number
    words count up to twelve; ``ein`` and ``one`` only before a unit or as a limit.
    """
    result = [*_dates_and_versions(text)]
    characters = [*text]
    for quantity in result:
        characters[quantity.start : quantity.end] = COVER * (quantity.end - quantity.start)
    masked = without_names("".join(characters))
    result += _numbers(masked, language)
    return tuple(_share_units(sorted(result, key=lambda quantity: quantity.start), masked))


def _dates_and_versions(text: str) -> Iterator[Quantity]:
    for named in days(text):
        if named.year:
            written = text[named.start : named.end]
            yield Quantity(named.number, written, named.start, named.end, unit="date")
    for match in SLASHED_DATE.finditer(text):
        for day in sorted(slashed_dates(match)):
            yield Quantity(day, match.group(), *match.span(), unit="date")
    for match in VERSION.finditer(text):
        number = int(match.group(1)) * 1_000 + int(match.group(2))
        yield Quantity(number, match.group(), *match.span(), unit="version")


def _numbers(text: str, language: Language) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(text):
        number = _parse_match(match, language)
        before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
        start, currency = match.start(), _CURRENCY.search(before)
        factor, end = _scale_behind(match, language, is_money=currency is not None)
        if number is None or math.isinf(number * factor):
            continue
        written = text[start:end].rstrip(".")
        if currency:
            start, before = start - len(currency.group()), before[: currency.start()]
        bare = Quantity(number * factor, written, start, end, bound=bound_before(before))
        quantity = _as_money(bare, currency[1], text) if currency else _with_unit(bare, text)
        attached = end < len(text) and text[end].isalpha() and quantity.unit is None
        if not attached and (quantity.unit or quantity.bound or not quantity.article):
            yield quantity


def _scale_behind(match: re.Match[str], language: Language, *, is_money: bool) -> tuple[float, int]:
    """Return the scale behind a number, and where it ends; ``billion`` is 10^9 in English only."""
    text, end = match.string, match.end()
    scale = _SCALE.match(text, end) or (_MONEY_SCALE.match(text, end) if is_money else None)
    if scale is None:
        return 1.0, end
    word = scale[1].casefold()
    short = SHORT_SCALES.get(word) if language == "en" else None
    return short or SCALES.get(word) or MONEY_SCALES[word], scale.end()


def _parse_match(match: re.Match[str], language: Language) -> float | None:
    if match["word"]:
        return WORDS[match["word"].casefold()]
    number = 1.0 if match["power"] else parse_number(match["digits"], language)
    if number is None:
        return None
    if written := match["power"] or match["exponent"]:
        exponent = float(written.translate(_RAISED))
        if abs(exponent) > LARGEST_EXPONENT:
            return None
        number *= 10.0**exponent
    before = match.string[max(0, match.start() - _LOOK_BACK) : match.start()]
    return -number if _SIGN.search(before) else number


def _with_unit(quantity: Quantity, text: str) -> Quantity:
    match = _UNIT.match(text, quantity.end)
    if match is None:
        return quantity
    unit = parse_unit(re.sub(r"\s", "", match.group(1)))
    if unit is None:
        return _with_remote_unit(replace(quantity, noun=match.group(1)), text)
    name, factor = unit
    end = match.end()
    per = _PER.match(text, end)
    divisor = parse_unit(per.group(1)) if per else None
    if per and divisor and divisor[0] not in _TIMES:
        name, factor, end = f"{name}/{divisor[0]}", factor / divisor[1], per.end()
    period = None
    if name not in _TIMES:
        period = period_after(text[end : end + _LOOK_AHEAD])
    return replace(quantity, unit=name, factor=factor, period=period, end=end)


def _as_money(quantity: Quantity, currency: str, text: str) -> Quantity:
    """Add a currency before the number, if it is known: ``$5 million a year``."""
    unit, factor = parse_unit(currency) or (None, 1.0)
    period = period_after(text[quantity.end : quantity.end + _LOOK_AHEAD])
    return replace(quantity, unit=unit, factor=factor, period=period)


def _with_remote_unit(quantity: Quantity, text: str) -> Quantity:
    """Add a unit of time after adjectives: ``fünf aufeinander folgenden Jahren``."""
    match = _NEXT_WORDS.match(text, quantity.end)
    for word in re.finditer(r"\S+", match.group()) if match else ():
        if word.group().casefold() in WORDS:
            break  # the unit is that of the other number
        unit = parse_unit(word.group())
        if unit and unit[0] in ("month", "day") and len(word.group()) > 2:
            if period_after(word.string[: word.end()]):
                break
            return replace(quantity, unit=unit[0], factor=unit[1], noun=None)
    return quantity


def _share_units(numbers: list[Quantity], text: str) -> list[Quantity]:
    """Give the first numbers of ranges and lists the unit of the last: ``16 bis 18 Jahren``."""
    shared = list(numbers)
    for index, (quantity, _) in reversed(list(enumerate(pairwise(numbers)))):
        following = shared[index + 1]
        between = text[quantity.end : following.start]
        if quantity.unit is None and following.unit and _LINK.fullmatch(between):
            shared[index] = replace(
                quantity,
                unit=following.unit,
                factor=following.factor,
                period=following.period,
                noun=None,
            )
    return shared


def agreement(claim: Quantity, sources: Sequence[Quantity]) -> Agreement:
    return min((_compare(claim, source) for source in sources), key=_ORDER.index, default="none")


def _compare(claim: Quantity, source: Quantity) -> Agreement:
    if claim.unit is None and source.unit == "date":
        day = None if claim.noun else source.number % 100  # ``31. März``
        return "full" if claim.number in (source.number // 10_000, day) else "none"
    if claim.unit == source.unit and math.isclose(claim.value, source.value, rel_tol=1e-9):
        return _same_limits(claim, source)
    if not math.isclose(claim.number, source.number, rel_tol=1e-9):
        return "none"
    if claim.unit == source.unit:
        return "unit"
    bare = claim if claim.unit is None else source
    counts = bare.noun is not None and bare.noun[0].isupper()  # things, as in ``3 Personen``
    return "weak" if bare.unit is None and not counts else "unit"


def _same_limits(claim: Quantity, source: Quantity) -> Agreement:
    if claim.period and source.period and claim.period != source.period:
        return "unit"
    if claim.bound and source.bound and claim.bound != source.bound:
        return "bound"
    return "full"
