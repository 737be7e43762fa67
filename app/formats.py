"""How foreign text, numbers, durations and times are written.

Whole sentences and quotes are shown with ``st.text``, which reads no Markdown. Labels, headings
and captions do read it, links and images included: what goes there passes ``plain``.
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
"""How widgets write a day."""


def plain(text: str, limit: int | None = None) -> str:
    """``plain_markdown`` of one line.

    Args:
        text: anything.
        limit: longest result in characters of the text, cut with an ellipsis.
    """
    return plain_markdown(unbroken(one_line(text, limit)))


def plain_inline(text: str, *, strong: bool) -> str:
    """``plain`` text amid other text: a blank at either end stays, outside of what is strong."""
    head, tail = " " * text[:1].isspace(), " " * text[-1:].isspace()
    if not (shown := plain(text)):
        return head
    return f"{head}**{shown}**{tail}" if strong else f"{head}{shown}{tail}"


def unbroken(text: str) -> str:
    """Text in which no line ends between ``§`` or ``p.`` and its number."""
    return _BEFORE_NUMBER.sub("\u00a0", text)


def one_line(text: str, limit: int | None = None) -> str:
    """Text without line breaks and runs of blanks, of at most ``limit`` characters."""
    line = " ".join(text.split())
    if limit is None or len(line) <= limit:
        return line
    return f"{line[: limit - 1].rstrip()}…"


def escape_controls(text: str) -> str:
    """Text of several lines for a terminal, or JSON: what would steer it is an escape in JSON."""
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def terminal_line(text: str, limit: int | None = None) -> str:
    """Foreign text for a terminal: one line, with what would steer it written as an escape.

    Args:
        text: anything.
        limit: longest result in characters of the text, cut with an ellipsis.
    """
    line = one_line(text, limit)
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in line)


def number(value: float, language: Language, digits: int = 0) -> str:
    """``1.234,5`` in German, ``1,234.5`` in English."""
    text = f"{value:,.{digits}f}"
    return text.translate(str.maketrans(",.", ".,")) if language == "de" else text


def duration(seconds: float, language: Language) -> str:
    """``0,4 s``, ``12 s`` or ``8:10 min``."""
    if seconds < 10:
        return f"{number(seconds, language, 1)}\u00a0s"
    if seconds < 60:
        return f"{seconds:.0f}\u00a0s"
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}\u00a0min"


def timestamp(stamp: str, language: Language, timezone: str | None) -> str:
    """An ISO time in the browser's time zone, to the minute."""
    try:
        zone = ZoneInfo(timezone) if timezone else UTC
    except (ZoneInfoNotFoundError, ValueError):
        zone = UTC
    local = datetime.fromisoformat(stamp).astimezone(zone)
    return local.strftime("%d.%m.%Y %H:%M" if language == "de" else "%Y-%m-%d %H:%M")


def dates(text: str, language: Language) -> str:
    """Text with its ISO days as the language writes them, ``21.11.2026`` in German."""
    return _ISO_DATE.sub(r"\3.\2.\1", text) if language == "de" else text


def age_s(stamp: str, now: datetime | None = None) -> float:
    """Seconds since an ISO time."""
    return ((now or datetime.now(UTC)) - datetime.fromisoformat(stamp)).total_seconds()
