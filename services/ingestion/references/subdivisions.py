"""What follows the number of a section: ``Absatz 3 Satz 1 Nummer 2``, ``(1)(a)``, ``ff.``."""

import re
from dataclasses import dataclass
from typing import Final

from services.ingestion.references.grammar import END, GAP, OPT

_PROVISION: Final = (
    r"Absatz(?:es)?|Absätzen?|Abs\.|Unterabsatz(?:es)?|UAbs\.|Satz(?:es)?|Sätzen?|S\.(?=\s?\d)|"
    r"Nummern?|Nrn?\.|Buchstaben?|Buchst\.|[Ll]it\.|Doppelbuchstaben?|Ziffern?|Ziff\.|"
    r"Halbsatz(?:es)?|Alternative|Alt\.|Variante|Var\.|Fall|Spiegelstrich|Anstrich|"
    r"paragraphs?|para\.|subparagraphs?|points?|sentences?"
)
_ANNEX: Final = (
    r"Teil(?:e[ns]?|s)?|Tabellen?|Spalten?|Zeilen?|Kapitel|Abschnitt(?:s|e[ns]?)?|Abbildung|"
    r"Tables?|Columns?|Rows?|Parts?|Figures?"
)
_ORDINAL: Final = (
    r"(?:(?:erste|zweite|dritte|vierte|fünfte|letzte)[rnms]?|\d\.)"
    rf"{GAP}(?:Halbsatz(?:es)?|Hs\.|HS|(?:Satzteil|Teilsatz)(?:e?s)?|Unterabsatz|Alternative|"
    rf"Alt\.|Variante|Spiegelstrich|Anstrich|Satz){END}"
)
_VALUE: Final = (
    rf"(?:\d{{1,4}}(?:\.\d{{1,3}})*(?!\.\d)[a-z]{{0,2}}|aa|bb|cc|dd|ee|ff|gg|hh|[a-z]|[ivx]{{1,4}}|"
    rf"[IVX]{{1,5}}|[A-Z]|\([a-z\d]{{1,3}}\)){END}"
)
_AND: Final = r"(?:und|oder|bis|sowie|bzw\.|and|or|to)"
_ALSO: Final = (
    r"(?:und|oder|sowie|bis|auch|jeweils|nach|and|or|"
    rf"in{GAP}Verbindung{GAP}mit|i\.{OPT}V\.{OPT}m\.)"
)

_FIRST_VALUE = re.compile(rf"{GAP}{_VALUE}")
_TO_SECTION_VALUE = re.compile(rf"{OPT}\([1-9]\d?[a-z]?\)(?:{OPT}\([a-z]{{1,3}}\)){{0,3}}")
_LEGAL_ROMAN = re.compile(rf"{GAP}[IVX]{{1,4}}{END}(?=,?{OPT}(?:\d|Nr\.|S\.|[A-ZÄÖÜ]\w*[A-ZÄÖÜ]))")
# A number after a comma that is followed by a full stop begins the next item of an enumeration.
_NEXT_VALUE = re.compile(
    rf"(?:(?P<comma>{OPT},{OPT})|{GAP}{_AND}{GAP}|[-–/])(?P<value>{_VALUE})"
    r"(?!\.\s+[a-zäöüß(])(?(comma)(?!\.(?:\s|$)|\)))"
)
_JOIN = rf"(?:,?{GAP}(?:{_ALSO}{GAP}){{0,5}}|,{OPT})"
_UNIT = re.compile(rf"{_JOIN}(?:(?P<ordinal>{_ORDINAL})|(?:{_PROVISION})(?={GAP}))")
_ANNEX_UNIT = re.compile(rf"{_JOIN}(?:(?P<ordinal>{_ORDINAL})|(?:{_PROVISION}|{_ANNEX})(?={GAP}))")
_FOLLOWING = re.compile(rf"{OPT}ff?{END}\.?")

BARE_UNIT: Final = rf"(?:{_PROVISION}|{_ANNEX}){GAP}(?:\d{{1,4}}[a-z]{{0,2}}|[a-z]|[A-Z]){END}"
"""A subdivision in front of its section: ``Absatz 2`` of ``Absatz 2 des § 5``."""
_ABSATZ = re.compile(rf"{GAP}Ab(?:satz|s\.|sätze)")


@dataclass(frozen=True, slots=True)
class Listed:
    """The section number before the subdivisions, where a list of sections may go on.

    In such a list a higher number is the next section if it has an ``Absatz`` of its own
    (``§§ 5 Absatz 1, 7 Absatz 2``) or if there is ``no_other`` section yet (``§§ 2 Absatz 1, 3``).
    """

    section: int
    no_other: bool


def read_subdivisions(text: str, start: int, *, annex: bool, listed: Listed | None) -> int:
    """Where the subdivisions that follow a section number at ``start`` end.

    Args:
        text: the text around the citation.
        start: right behind the section number.
        annex: whether parts, tables and columns can follow as well.
        listed: the section number, if it is one of a list.

    Returns:
        The end of the subdivisions; ``start`` if there are none.
    """
    end = start
    if match := _TO_SECTION_VALUE.match(text, end) or _LEGAL_ROMAN.match(text, end):
        end = match.end()
    unit = _ANNEX_UNIT if annex else _UNIT
    while match := unit.match(text, end):
        behind = match.end() if match["ordinal"] else _read_values(text, match.end(), listed)
        if behind is None:
            break
        end = behind
    if match := _FOLLOWING.match(text, end):
        end = match.end()
    return end


def _read_values(text: str, start: int, listed: Listed | None) -> int | None:
    first = _FIRST_VALUE.match(text, start)
    if first is None:
        return None
    end = first.end()
    while match := _NEXT_VALUE.match(text, end):
        if _is_next_section(text, match, listed):
            break
        end = match.end()
    return end


def _is_next_section(text: str, match: re.Match[str], listed: Listed | None) -> bool:
    digits = re.match(r"\d+", match["value"])
    if listed is None or digits is None or int(digits.group()) <= listed.section:
        return False
    return listed.no_other or _ABSATZ.match(text, match.end()) is not None
