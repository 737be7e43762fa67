"""Values in the form that a column asks for, as they are compared and sorted."""

import re
from typing import Final, NamedTuple

from services.domain.grids import YES_NO, Form
from services.domain.value import Language
from services.language.quantities import agreement, in_digits, quantities
from services.language.vocabulary import months

DAYS: Final = {"month": 365.25 / 12, "s": 1 / 86_400}
_ISO: Final = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")
_MONTHS: Final = {
    **{name.capitalize(): number for name, number in months("de", "en").items()},
    **months("fr", "es"),
}
"""As they are written, so that the verb ``may`` is none."""
_PLAIN: Final = re.compile(r"[^\w%€$£]+")


class Normal(NamedTuple):
    text: str
    amount: float | None = None


def normalise(value: str, form: Form, language: Language) -> Normal:
    """Return a value in the form of its column; text where it is not in that form.

    A number is in its base unit (``90 day``, ``0.02``), a date ISO 8601. Dates are sorted as
    YYYYMMDD, times as days.
    """
    if form == "yesno":
        word = re.split(r"\W", value.strip().casefold(), maxsplit=1)[0]
        return Normal(YES_NO.get(word, word))
    if form == "date" and (match := _ISO.match(value.strip())):
        year, month, day = (int(group or 0) for group in match.groups())
        return Normal(match.group(), float(year * 10_000 + month * 100 + day))
    if form == "number" and (numbers := quantities(in_digits(value, language), language)):
        number = numbers[0]
        unit = " ".join(filter(None, (number.unit or number.noun, number.period)))
        amount = number.value * DAYS.get(number.unit or "", 1.0)
        return Normal(f"{number.value:.12g} {unit}".rstrip(), amount)
    return Normal(" ".join(_PLAIN.sub(" ", value).casefold().split()))


def unstated(value: str, form: Form, language: Language, *sources: tuple[str, Language]) -> str:
    """Return the numbers of a value that its sources (each with its language) do not state."""
    if form == "date" and (match := _ISO.match(value.strip())) and not match[3]:
        is_stated = any(_states_month(match[1], match[2], *source) for source in sources)
        return "" if is_stated else value
    stated = [
        number
        for text, of_text in sources
        for written in (text, in_digits(text, of_text))
        for number in quantities(written, of_text)
    ]
    numbers = quantities(in_digits(value, language), language)
    lacking = (n.text for n in numbers if agreement(n, stated) not in ("full", "weak", "bound"))
    return ", ".join(lacking)


def _states_month(year: str, month: str | None, text: str, language: Language) -> bool:
    days = (number for number in quantities(text, language) if number.unit == "date")
    if any(f"{day.number:08.0f}".startswith(f"{year}{month or ''}") for day in days):
        return True
    if year not in text or month is None:
        return year in text
    names = [rf"\b{name}\b" for name, number in _MONTHS.items() if number == int(month)]
    number = f"0?{int(month)}"
    by_number = (rf"(?<!\d){number}[./-]\s?{year}", rf"{year}[./-]{number}(?!\d)")
    return re.search("|".join((*names, *by_number)), text) is not None
