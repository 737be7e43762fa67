"""What a spreadsheet shows in a cell, by its value and its number format (ECMA-376, 18.8.31).

No format says in which country it is read, so the caller says whether decimals have a comma.
"""

import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from math import isfinite
from typing import Final

_GENERAL: Final = 11  # significant digits that the format General shows
_LITERAL: Final = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|_.|\*.|\[(?!h|m|s)[^\]]*\]')
"""Quoted text, an escaped character, a currency, a space, a fill, a colour or condition."""
_DIGITS: Final = re.compile(r"[0#?][0#?,]*(?:\.[0#?]*)?,*(E[+-]0+)?")
_GENERAL_NUMBER: Final = re.compile("general|@", re.IGNORECASE)
_CONDITION: Final = re.compile(r"\[[<>=]")
_TIME: Final = re.compile(r"\[(h+|m+|s+)\]|(y+|m+|d+|h+|s+)(\.0+)?|(AM/PM|A/P)", re.IGNORECASE)
_ENGLISH: Final[Mapping[int, str]] = {}
_GERMAN: Final[Mapping[int, str]] = {ord(","): ".", ord("."): ","}
_START: Final = datetime(1899, 12, 30)
_DATES: Final = {
    "y": "%y", "yy": "%y", "yyy": "%Y", "yyyy": "%Y", "m": "{0.month}", "mm": "%m", "mmm": "%b",
    "mmmm": "%B", "mmmmm": "%b", "d": "{0.day}", "dd": "%d", "ddd": "%a", "dddd": "%A",
    "h": "{0.hour}", "hh": "%H", "s": "{0.second}", "ss": "%S",
}  # fmt: skip
_HALF_DAYS: Final = _DATES | {"h": "{1}", "hh": "%I"}
_MINUTES: Final = {"m": "{0.minute}", "mm": "%M"}


def format_value(value: object, number_format: str, *, decimal_comma: bool = False) -> str:
    """Return a cell as its sheet shows it, or the plain value in an unknown format."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime | date | time | timedelta):
        return _moment(value, number_format.split(";")[0])
    if isinstance(value, int | float):
        return _number(value, number_format, _GERMAN if decimal_comma else _ENGLISH)
    return str(value)


def _number(value: float, number_format: str, marks: Mapping[int, str]) -> str:
    general = (f"{value:.{_GENERAL}g}" if isinstance(value, float) else str(value)).translate(marks)
    if _CONDITION.search(number_format) or not isfinite(value):
        return general
    sections = number_format.split(";")
    negative = value < 0 and len(sections) > 1
    section = sections[1] if negative else sections[0]
    if value == 0 and len(sections) > 2:
        section = sections[2]
    plain, literals = _without_literals(section)
    digits = _DIGITS.search(plain)
    if digits is None and (literals or _GENERAL_NUMBER.search(plain)):
        text = _GENERAL_NUMBER.sub(
            general.removeprefix("-") if negative else general, plain, count=1
        )
        return _with_literals(text, literals).strip()
    if digits is None or "/" in plain:
        return general
    scaled = Decimal(repr(abs(value) if negative else value))
    scaled *= 100 ** plain.count("%")
    pattern = digits[0]
    scaled /= 1000 ** (len(pattern) - len(pattern.rstrip(",")))
    text = _scientific(scaled, pattern) if digits[1] else _fixed(scaled, pattern)
    text = plain[: digits.start()] + text.translate(marks) + plain[digits.end() :]
    return _with_literals(text, literals).strip()


def _scientific(value: Decimal, pattern: str) -> str:
    mantissa = pattern.partition("E")[0]
    return f"{float(value):.{len(mantissa.partition('.')[2])}E}"


def _fixed(value: Decimal, pattern: str) -> str:
    """Return a number with the decimals and the leading zeros of a pattern such as ``#,##0.00``."""
    integer, _, decimals = pattern.replace(",", "").replace("?", "#").partition(".")
    with localcontext() as context:
        context.rounding = ROUND_HALF_UP
        text = f"{value:.{len(decimals)}f}"
    optional = len(decimals) - len(decimals.rstrip("#"))
    for _ in range(optional):
        text = text.removesuffix("0")
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    before, point, after = text.removesuffix(".").partition(".")
    before = before.zfill(integer.count("0"))
    if "," in pattern.partition(".")[0].rstrip(","):
        before = f"{int(before):,}"
    return sign + before + point + after


def _moment(value: date | time | timedelta, number_format: str) -> str:
    plain, literals = _without_literals(number_format)
    if plain.strip().casefold() in ("", "general") or not _TIME.search(plain):
        return str(value)
    if plain == "mm-dd-yy":  # the date of the country in which the sheet is opened
        plain = "yyyy-mm-dd"
    hours = _HALF_DAYS if any(match[4] for match in _TIME.finditer(plain)) else _DATES
    elapsed = value if isinstance(value, timedelta) else timedelta()
    moment = _START + value if isinstance(value, timedelta) else _as_datetime(value)
    after_hours = False
    texts: list[str] = []
    end = 0
    for match in _TIME.finditer(plain):
        texts.append(plain[end : match.start()])
        end = match.end()
        token = (match[2] or "").lower()
        follows = _TIME.search(plain, end)
        if match[1]:
            texts.append(_elapsed(elapsed, match[1].lower()))
        elif match[4]:
            texts.append(f"{moment:%p}")
        elif set(token) == {"m"} and (after_hours or (follows and follows[0][0] in "sS")):
            texts.append(moment.strftime(_MINUTES.get(token, "%M")).format(moment))
        else:
            texts.append(
                moment.strftime(hours.get(token, "")).format(moment, moment.hour % 12 or 12)
            )
        after_hours = bool(match[1]) or set(token) == {"h"}
    return _with_literals("".join([*texts, plain[end:]]), literals).strip()


def _as_datetime(value: date | time) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, time):
        return datetime.combine(_START, value)
    return datetime.combine(value, time())


def _elapsed(value: timedelta, unit: str) -> str:
    seconds = {"h": 3600, "m": 60, "s": 1}[unit[0]]
    return str(int(value.total_seconds()) // seconds).zfill(len(unit))


def _without_literals(section: str) -> tuple[str, list[str]]:
    """Put a private character in place of each literal, and return those with the literals."""
    literals: list[str] = []

    def placeholder(match: re.Match[str]) -> str:
        literals.append(match[1] or match[2] or match[3] or "")
        return chr(0xE000 + len(literals) - 1)

    return _LITERAL.sub(placeholder, section), literals


def _with_literals(text: str, literals: list[str]) -> str:
    for number, literal in enumerate(literals):
        text = text.replace(chr(0xE000 + number), literal)
    return text
