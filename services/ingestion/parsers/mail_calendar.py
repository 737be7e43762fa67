"""Invitations of e-mails (iCalendar): what, when and where, as lines of text."""

import re
from collections.abc import Iterator
from typing import Final

_NAMES: Final = {
    "SUMMARY": "Event",
    "DTSTART": "Start",
    "DTEND": "End",
    "RRULE": "Repeats",
    "LOCATION": "Location",
}
_FOLD: Final = re.compile(r"\r?\n[ \t]")
_EVENT: Final = re.compile(r"^BEGIN:VEVENT\s*$(.*?)^END:VEVENT\s*$", re.DOTALL | re.MULTILINE)
_PROPERTY: Final = re.compile(r'([\w-]+)((?:;[\w-]+=(?:"[^"]*"|[^";:]*))*):(.*)')
_TIME: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?")
_ZONE: Final = re.compile(r';TZID="?([^";]+)')
_INNER: Final = re.compile(r"^BEGIN:(?!VEVENT)(\w+).*?^END:\1\s*$", re.DOTALL | re.MULTILINE)
"""Alarms of an event."""


def calendar_lines(text: str) -> Iterator[str]:
    """Yield a line for each thing that is said of the events in a calendar."""
    for event in _EVENT.findall(_FOLD.sub("", text.replace("\r\n", "\n"))):
        for line in _INNER.sub("", event).splitlines():
            match = _PROPERTY.fullmatch(line.strip())
            if match and (name := _NAMES.get(match[1].upper())) and match[3]:
                yield f"{name}: {_readable(match[3], match[2])}"


def _readable(value: str, parameters: str) -> str:
    """Return a value as people write it: times with their zone, without escapes."""
    if not (time := _TIME.fullmatch(value)):
        return " ".join(re.sub(r"\\(.)", lambda match: match[1].replace("n", " "), value).split())
    year, month, day, hour, minute, utc = time.groups()
    zone = _ZONE.search(parameters)
    zone_name = "UTC" if utc else zone[1] if zone else ""
    clock = f" {hour}:{minute} {zone_name}" if hour else ""
    return f"{year}-{month}-{day}{clock}".strip()
