"""The date that a text states.

Apart from `services.references`, which is slow to load in the process that reads files.
"""

import re
from typing import Final

from services.language.vocabulary import months

_MONTHS: Final = months("de")
_DATE = re.compile(rf"(\d{{1,2}})\.\s*(?:({'|'.join(_MONTHS)})\s+|(\d{{1,2}})\.\s*)(\d{{4}})", re.I)
_ISO_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")


def iso_date(text: str) -> str | None:
    """Return the first date of a text (``20. Juli 2001``, ``20.7.2001``, ISO) as ``YYYY-MM-DD``."""
    if match := _ISO_DATE.search(text):
        return match.group()
    match = _DATE.search(text)
    if match is None:
        return None
    month = _MONTHS.get(match[2].casefold()) if match[2] else int(match[3])
    return f"{match[4]}-{month:02d}-{int(match[1]):02d}" if month is not None else None
