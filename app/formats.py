"""Numbers, durations and times as people of a language write them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.texts import Language


def number(value: float, language: Language, digits: int = 0) -> str:
    """``1.234,5`` in German, ``1,234.5`` in English."""
    text = f"{value:,.{digits}f}"
    return text.translate(str.maketrans(",.", ".,")) if language == "de" else text


def duration(seconds: float, language: Language) -> str:
    """``0,4 s``, ``12 s`` or ``8:10 min``."""
    if seconds < 10:
        return f"{number(seconds, language, 1)} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d} min"


def moment(stamp: str, language: Language, timezone: str | None) -> str:
    """An ISO time in the browser's time zone, to the minute."""
    try:
        zone = ZoneInfo(timezone) if timezone else UTC
    except (ZoneInfoNotFoundError, ValueError):
        zone = UTC
    local = datetime.fromisoformat(stamp).astimezone(zone)
    return local.strftime("%d.%m.%Y %H:%M" if language == "de" else "%Y-%m-%d %H:%M")


def age_s(stamp: str, now: datetime | None = None) -> float:
    """Seconds since an ISO time."""
    return ((now or datetime.now(UTC)) - datetime.fromisoformat(stamp)).total_seconds()
