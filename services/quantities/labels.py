"""Numbers that only name something: sections, items of a list, standards."""

import re
from typing import Final

_LABEL: Final = (
    r"(?:§+|\b(?:Abs(?:atz|atzes|ätzen?)?|Nr|Nrn|Nummern?|S(?:atz|atzes|ätzen?)|S(?=\.)"
    r"|Art(?:ikeln?|ikels)?"
    r"|Anlagen?|Anl|Anhang|Kapiteln?|Teile?n?|(?:Unter)?[Aa]bschnitte?n?s?|Tabellen?|Spalten?"
    r"|Zeilen?|Abbildung(?:en)?|Abb|Buchstaben?|Seiten?|PEPs?|Fig(?:ures?)?|Tables?|[Ss]ections?|Sec"
    r"|[Cc]hapters?|[Ss]teps?|[Pp]ages?|pp?(?=\.)|Appendix|Annex|Nos?|Richtlinie"
    r"|Verordnung\ \(E[UG]\)|RFC|ISO|DIN|Kategorien?|Klassen?|Rule|Equation|Eq)\b\.?)"
)
_UNIT_AHEAD: Final = (
    r"(?!\s*(?:Jahr|Monat|Tag|Woche|Stunde|Milli|Mikro|Kilo|mSv|Bq|Becq|Prozent|%|Euro|year|month|day"
    r"|week|hour|percent))"
)
_LABELLED = re.compile(
    rf"{_LABEL}\s*\d+[a-z]*(?:[./]\d+)*"
    rf"(?:\s*(?:,|–|-|\b(?:bis|und|oder|sowie|and|or|to)\b)\s*(?:§+\s*)?\d+[a-z]*\b{_UNIT_AHEAD})*"
)
_ENUMERATOR = re.compile(
    r"(?<![^\s(])(?:\d{1,2}[a-z]?\.(?=\s+[^\W\d])(?!\s+(?:Lebens)?(?:[Jj]ahr|Tag|Monat|Woche))|\(\d{1,2}[a-z]?\))"
)

_COVER: Final = "¦"


def without_names(text: str) -> str:
    """Cover labels (``§ 78 Absatz 3``, ``PEP 604``) and enumerators (``1.``, ``(2)``).

    The text keeps its length.
    """
    for pattern in (_LABELLED, _ENUMERATOR):
        text = pattern.sub(lambda match: _COVER * len(match.group()), text)
    return text
