"""What stands around a number: whether it is a limit, and what a rate refers to."""

import re
from typing import Final, Literal

Bound = Literal["upper", "lower"]

_PERIOD = re.compile(
    r"\b(?:(?:im|pro|je|per|an?|in\s+(?:einem|jedem|any|one|a)|innerhalb\s+eines|each|every|jede[sn]?)\s+"
    r"(?:kalender|calendar\s+)?(jahr|monat|woche|tag|stunde|year|month|week|day|hour)\w*"
    r"|(jähr|monat|wöchent|täg|stünd)lich\w*|(annual|year|month|week|dai|hour)ly\b|(annual)\b)",
    re.IGNORECASE,
)
_PERIODS: Final = {
    **dict.fromkeys(("jahr", "jähr", "year", "annual"), "year"),
    **dict.fromkeys(("monat", "month"), "month"),
    **dict.fromkeys(("woche", "wöchent", "week"), "week"),
    **dict.fromkeys(("tag", "täg", "day", "dai"), "day"),
    **dict.fromkeys(("stunde", "stünd", "hour"), "hour"),
}
_NOT_LESS = re.compile(
    r"\b(?:nicht\s+(?:unter|weniger\s+als)|not\s+(?:under|below|less\s+than)|no\s+less\s+than)\s*$",
    re.IGNORECASE,
)
_UPPER = re.compile(
    r"(?:\b(?:unter|weniger\s+als|kleiner\s+als|bis\s+zu|höchstens|maximal|längstens|nicht\s+mehr\s+als"
    r"|nicht\s+über|under|below|less\s+than|fewer\s+than|up\s+to|at\s+most|no\s+more\s+than"
    r"|not\s+more\s+than|not\s+exceed(?:ing)?)|[<≤])\s*(?:eine[rmns]?\s+)?$",
    re.IGNORECASE,
)
_LOWER = re.compile(
    r"(?:\b(?:über|mehr\s+als|größer\s+als|höher\s+als|mindestens|wenigstens"
    r"|over|above|more\s+than|greater\s+than|at\s+least|exceeding)"
    r"|[>≥])\s*(?:eine[rmns]?\s+)?$",
    re.IGNORECASE,
)


def bound_before(before: str) -> Bound | None:
    """Whether the words before a number make it a limit: ``höchstens``, ``more than``."""
    if _UPPER.search(before) and not _NOT_LESS.search(before):
        return "upper"
    return "lower" if _LOWER.search(before) or _NOT_LESS.search(before) else None


def period_after(following: str) -> str | None:
    """The period of a rate, up to the next number or end of the clause."""
    match = _PERIOD.search(re.split(r"[,;:.]|\d", following, maxsplit=1)[0])
    if match is None:
        per_time = re.match(r"\s*/\s*(h|d|a)\b", following)
        return {"h": "hour", "d": "day", "a": "year"}[per_time.group(1)] if per_time else None
    return _PERIODS[next(group for group in match.groups() if group).casefold()]
