"""Find the time spans that a question names: ``seit 2019``, ``between 2010 and 2015``.

A year counts only with a word that makes it a time, so that a document's number is no limit.
"""

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import Final

from services.domain.value import Language
from services.language.quantities import quantities
from services.language.query.keywords import without_accents
from services.language.query.values import DateRange
from services.language.vocabulary import months

_MONTHS: Final = {
    without_accents(name): number for name, number in months("de", "en", "fr", "es").items()
}
_MONTH: Final = (
    r"(?:jan|ene|feb|fev|mar|apr|avr|abr|mai|may|jun|jui|jul|aug|aou|ago|sep|set|okt|oct|nov|dez"
    r"|dec|dic)[a-z]*"
)
_YEAR: Final = r"(?:19|20)\d{2}"
# A point in time at any precision: 31.12.2018, 2018-12-31, 3 March 2020, March 2020, 2020.
_POINT: Final = (
    rf"(?:[12]\d{{3}}-\d{{1,2}}-\d{{1,2}}|\d{{1,2}}[./]\d{{1,2}}[./]{_YEAR}|\d{{1,2}}(?:\.|st|nd|rd|th"
    rf"|er)?\s+(?:of\s+|de\s+)?{_MONTH}\.?\s+(?:de\s+|del\s+)?{_YEAR}|{_MONTH}\.?\s+\d{{1,2}}(?:st"
    rf"|nd|rd|th)?,?\s+{_YEAR}|{_MONTH}\.?\s+(?:de\s+|del\s+|of\s+)?{_YEAR}|{_YEAR})(?![\w/-]"
    rf"|\.\d)"
)
_FILLER: Final = (
    # an article makes a year part of a name: "since the 2019 report"
    rf"(?!(?:the|la|les|los|die|das|le|der)\s+{_YEAR}\b)"
    r"(?:(?:the|dem|den|der|das|jahr(?:en?|es)?|years?|le|la|les|el|l'|los|anos?|annees?|anno"
    r"|start\s+of|end\s+of|beginn|anfang|ende|1\.\s+januar)\s*)*"
)
_TO: Final = r"(?:bis(?:\s+zum)?|to|until|till|through|a|au|jusqu'(?:a|en|au)|hasta|al|[-–])"
_BETWEEN: Final = (
    rf"(?<!\w)(?:(?:zwischen|between|entre)\s+{_FILLER}(?P<a>{_POINT})\s*(?:und|and|et"
    rf"|y)\s+{_FILLER}(?P<b>{_POINT})|(?:von|from|de|desde|du|vom"
    rf"|del)\s+{_FILLER}(?P<e>{_POINT})\s*{_TO}\s*{_FILLER}(?P<f>{_POINT})"
    rf"|(?:in|im|en|within)\s+{_FILLER}(?P<c>{_YEAR})\s+(?:und|and|et|y)\s+"
    rf"(?P<d>{_YEAR})(?!\w))"
)
_YEARS: Final = rf"(?<![\w:.-])(?P<a>{_YEAR})\s*{_TO}\s*(?P<b>{_YEAR})(?!\w)"
"""``in den Jahren 2018 bis 2020``, and the dash between two years."""
_DENIED: Final = r"(?:nicht|not?)\s+"
_SINCE: Final = (
    rf"(?<!\w)(?P<denied>{_DENIED})?(?P<word>seit(?:dem)?|ab|since|from|as\s+of|starting|depuis"
    rf"|des|a\s+partir\s+d[eu]|a\s+partir\s+del|desde|nach|after|later\s+than|apres"
    rf"|despues\s+de[l]?|tras)\s+{_FILLER}(?P<a>{_POINT})(?:\s+an\b)?"
)
_UNTIL: Final = (
    rf"(?<!\w)(?P<denied>{_DENIED})?(?P<word>vor|bis(?:\s+zu[mr]?)?|before|until|till|up\s+to|by"
    rf"|prior\s+to|earlier\s+than|avant|jusqu'(?:a|en|au)|antes\s+de[l]?|hasta|spatestens)\s+"
    rf"{_FILLER}(?P<a>{_POINT})"
)
_DURING: Final = (
    rf"(?<!\w)(?:in|im|en|au|during|wahrend|durante|pendant|courant|am|on|le|el"
    rf"|anno)\s+{_FILLER}(?P<a>{_POINT})"
)
_STRICT: Final = (
    *("nach", "after", "later", "apres", "despues", "tras"),
    *("vor", "before", "prior", "earlier", "avant", "antes"),
)
_DAY: Final = timedelta(days=1)
_LONGEST: Final = 2_000


def date_range(question: str, language: Language) -> DateRange | None:
    """Return the dates by which a question limits what it asks for, None if it names none.

    ``vor`` and ``after`` exclude the named day, month or year; ``bis`` and ``since`` include it.
    Impossible dates (31.2.) are no dates. The words of all languages are matched at once.
    """
    text = without_accents(_without_amounts(question[:_LONGEST], language).replace("’", "'"))
    bounds = _bound(text, _SINCE, after=True) | _bound(text, _UNTIL, after=False)
    match = re.search(_BETWEEN, text, re.IGNORECASE)
    if match is None and len(bounds) < 2:
        match = re.search(_YEARS, text, re.IGNORECASE)
    if match:
        named = [group for group in match.groups() if group]
        first, last = sorted(map(_days, named), key=lambda days: days[0] or date.max)
        return _ordered(first[0], last[1])
    if bounds:
        return _ordered(bounds.get("since"), bounds.get("until"))
    match = re.search(_DURING, text, re.IGNORECASE)
    return _ordered(*_days(match["a"])) if match else None


def _without_amounts(text: str, language: Language) -> str:
    """Blank German and English numbers that measure or count: ``bis 2000 Euro``, ``2000 Stück``."""
    for number in quantities(text, language) if language in ("de", "en") else ():
        counts = language == "de" and number.noun and number.noun[0].isupper()
        if counts or number.unit not in (None, "date"):
            blank = " " * (number.end - number.start)
            text = text[: number.start] + blank + text[number.end :]
    return text


def _bound(text: str, pattern: str, *, after: bool) -> dict[str, date]:
    """Return the first day after a point in time, or the last before; ``not`` turns it round."""
    match = re.search(pattern, text, re.IGNORECASE)
    first, last = _days(match["a"]) if match else (None, None)
    if match is None or first is None or last is None:
        return {}
    strictly = match["word"].casefold().startswith(_STRICT)
    if strictly and match["denied"]:
        return {"until": last} if after else {"since": first}
    if strictly:
        return {"since": last + _DAY} if after else {"until": first - _DAY}
    return {"since": first} if after else {"until": last}


def _ordered(since: date | None, until: date | None) -> DateRange | None:
    if since and until and since > until:
        since, until = until, since
    return DateRange(since=since, until=until) if since or until else None


def _days(point: str) -> tuple[date, date] | tuple[None, None]:
    year, month, day = _year_month_day(point)
    try:
        last_month = date(year, month or 12, 1)
        last_day = day or monthrange(year, last_month.month)[1]
        return date(year, month or 1, day or 1), last_month.replace(day=last_day)
    except ValueError:  # an impossible date
        return None, None


def _year_month_day(point: str) -> tuple[int, int | None, int | None]:
    numbers = [int(digits) for digits in re.findall(r"\d+", point)]
    year = next(number for number in numbers if number >= 1000)
    small = [number for number in numbers if number < 1000]
    words = re.findall(r"[a-z]+", point.casefold())
    month = next((_MONTHS[word] for word in words if word in _MONTHS), None)
    if month is not None:
        return year, month, small[0] if small else None
    if len(small) < 2:
        return year, None, None
    return (year, small[0], small[1]) if numbers[0] == year else (year, small[1], small[0])
