"""Formatting of foreign text, numbers, durations and times.

Whole sentences and quotes are shown with ``st.text``, which reads no Markdown. Labels, headings
and captions read it, links and images included: any text in them goes through ``plain``.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.locale import Language
from services.domain.markdown import plain_markdown

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_BEFORE_NUMBER = re.compile(r"(?:(?<=§)|(?<=\b[Sp]\.)) (?=\d)")
_ISO_DATE = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
DATE_PATTERN: Mapping[Language, str] = {"de": "DD.MM.YYYY", "en": "YYYY-MM-DD"}


def plain(text: str, limit: int | None = None) -> str:
    """Return a text as one line of at most ``limit`` characters, with its Markdown escaped."""
    return plain_markdown(unbroken(one_line(text, limit)))


def plain_inline(text: str, *, strong: bool) -> str:
    """Return ``plain`` text for use amid text: a blank at either end stays, outside the bold."""
    head, tail = " " * text[:1].isspace(), " " * text[-1:].isspace()
    if not (escaped := plain(text)):
        return head
    return f"{head}**{escaped}**{tail}" if strong else f"{head}{escaped}{tail}"


def unbroken(text: str) -> str:
    """Put a non-breaking space between ``§`` or ``p.`` and its number."""
    return _BEFORE_NUMBER.sub("\u00a0", text)


def one_line(text: str, limit: int | None = None) -> str:
    """Return a text without line breaks and runs of blanks, cut to ``limit`` characters."""
    line = " ".join(text.split())
    if limit is None or len(line) <= limit:
        return line
    return f"{line[: limit - 1].rstrip()}…"


def escape_controls(text: str) -> str:
    """Escape control characters as JSON does, in JSON or in several lines for a terminal."""
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def terminal_line(text: str, limit: int | None = None) -> str:
    """Return foreign text as ``one_line`` for a terminal, with control characters escaped."""
    line = one_line(text, limit)
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in line)


def number(value: float, language: Language, digits: int = 0) -> str:
    """Return ``1.234,5`` in German, ``1,234.5`` in English."""
    text = f"{value:,.{digits}f}"
    return text.translate(str.maketrans(",.", ".,")) if language == "de" else text


def duration(seconds: float, language: Language) -> str:
    """Return ``0,4 s``, ``12 s`` or ``8:10 min``."""
    if seconds < 10:
        return f"{number(seconds, language, 1)}\u00a0s"
    if seconds < 60:
        return f"{seconds:.0f}\u00a0s"
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}\u00a0min"


def timestamp(stamp: str, language: Language, timezone: str | None) -> str:
    """Return an ISO time in a time zone, to the minute; UTC if the zone is unknown."""
    try:
        zone = ZoneInfo(timezone) if timezone else UTC
    except (ZoneInfoNotFoundError, ValueError):
        zone = UTC
    local = datetime.fromisoformat(stamp).astimezone(zone)
    return local.strftime("%d.%m.%Y %H:%M" if language == "de" else "%Y-%m-%d %H:%M")


def dates(text: str, language: Language) -> str:
    """Rewrite ISO dates as the language does: ``21.11.2026`` in German."""
    return _ISO_DATE.sub(r"\3.\2.\1", text) if language == "de" else text


def age_s(stamp: str, now: datetime | None = None) -> float:
    """Return the seconds since an ISO time."""
    return ((now or datetime.now(UTC)) - datetime.fromisoformat(stamp)).total_seconds()
