"""Numbered documents: PEPs, RFCs, standards and acts of the European Union."""

import re
from dataclasses import dataclass
from typing import Final

_PLAIN = re.compile(r"(?P<series>PEP|RFC|BCP)s?[\s_-]*0*(?P<number>\d{1,5})(?!\w)", re.I)
_STANDARD = re.compile(
    r"(?P<series>(?:(?:DIN|ÖNORM|SN|BS|EN|ISO|IEC|ASTM|IEEE|VDE|VDI|KTA|ETSI|TS|TR|PAS|V|Std\.?)"
    r"[\s/_-]+)*(?:DIN|ÖNORM|SN|BS|EN|ISO|IEC|ASTM|IEEE|VDE|VDI|KTA|ETSI|TS|TR|PAS|V))[\s_-]?"
    r"(?P<number>[A-Z]?\d{2,6}(?:[-.]\d{1,5}){0,3})(?::(?P<edition>\d{4})(?:-\d\d)?)?(?!\w)"
)
_BODIES: Final = ("ISO", "IEC", "IEEE", "ASTM", "ETSI", "VDE", "VDI", "KTA", "EN", "ÖNORM", "DIN")
_EU_ACT = re.compile(
    r"(?:(?:delegierten?|delegated|implementing|council|commission)\s+)*(?:durchführungs)?"
    r"(?P<kind>verordnung|richtlinie|beschluss|beschlüsse|entscheidung|regulation|directive|"
    r"decision)\w*\s+(?:\([^)]*\)\s*)?(?:n[or]\.?\s*)?(?P<number>\d{1,4}/\d{1,4})"
    r"(?:/[A-Za-z]+)?(?!\w)",
    re.I,
)
_EU_KINDS: Final = {
    "verordnung": "EU regulation",
    "regulation": "EU regulation",
    "richtlinie": "EU directive",
    "directive": "EU directive",
    "beschluss": "EU decision",
    "beschlüsse": "EU decision",
    "entscheidung": "EU decision",
    "decision": "EU decision",
}


@dataclass(frozen=True, slots=True)
class Numbered:
    """A document of a series.

    A standard belongs to the body that numbers it: ``DIN EN ISO 9001`` is ``ISO`` ``9001``,
    ``DIN 9001`` is another one. ``edition`` is a year, if one is stated; ``name`` is to be shown.
    """

    series: str
    number: str
    name: str
    edition: str | None = None


def read_numbered(text: str) -> Numbered | None:
    """Read the number at the start of a name or title, or None if it does not begin with one."""
    if match := _PLAIN.match(text):
        series = match["series"].upper()
        return Numbered(series, match["number"], f"{series} {match['number']}")
    if match := _STANDARD.match(text):
        parts = re.split(r"[\s/_-]+", match["series"])
        body = next((body for body in _BODIES if body in parts), None)
        return Numbered(body, match["number"], match.group(), match["edition"]) if body else None
    if match := _EU_ACT.match(text):
        return Numbered(_EU_KINDS[match["kind"].casefold()], match["number"], match.group())
    return None
