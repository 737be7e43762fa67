"""Names of other documents: laws, EU acts, numbered series and standards.

`CITED` and `ABBREVIATED` read a name where one is expected (``§ 5 des …``), the others find those
that are recognisable anywhere. All match the name alone; `read_version` reads what dates it.
"""

import re
from typing import Final

from services.references.grammar import DATE, END, GAP, OPT, collapse

_EU_BODY: Final = r"(?:EU|EG|EWG|EC|EEC|EURATOM|Euratom|EAG)"
EU_ACT: Final = (
    rf"(?:Delegierten?{GAP}|Delegated{GAP}|Implementing{GAP}|Council{GAP}|Commission{GAP}){{0,2}}"
    rf"(?:(?:Durchführungsv|V)erordnung(?:en)?|(?:Durchführungsb|B)eschl(?:uss|usses|üsse[n]?)|"
    rf"Entscheidung|Richtlinien?|Empfehlung|Regulations?|Directives?|Decisions?|Recommendation)"
    rf"{GAP}(?:\({_EU_BODY}(?:,{OPT}{_EU_BODY})?\){GAP}(?:N[ro]\.?{OPT})?\d{{1,4}}/\d{{1,4}}{END}"
    rf"|\d{{2,4}}/\d{{1,4}}[/ ]{_EU_BODY}{END})"
)

_STANDARD_BODY: Final = (
    r"(?:(?:DIN|ÖNORM|SN|BS)[ -])?(?:EN[ -])?"
    r"(?:ISO(?:/IEC|/ASTM)?|IEC(?:/ISO)?|EN|DIN|ÖNORM|IEEE|VDE|VDI|KTA|ETSI|ASTM)"
    r"(?:/(?:TS|TR|PAS))?"
)
STANDARD: Final = (
    rf"{_STANDARD_BODY}(?:{GAP}|-)(?:(?:TS|TR|V|VDE|Std\.?){GAP})?[A-Z]?\d{{2,6}}"
    rf"(?:[-.]\d{{1,5}}){{0,3}}(?::\d{{4}}(?:-\d\d)?)?{END}"
)
SERIES_WORDS: Final = r"PEP|RFC|BCP"
SERIES: Final = rf"(?P<word>{SERIES_WORDS})(?P<plural>s?)[ -]?0*(?P<number>\d{{1,5}}){END}"

_ADJECTIVE: Final = rf"[A-ZÄÖÜ][a-zäöüß]{{2,30}}(?:en|er|es|e){GAP}"
_LEGAL_ADJECTIVE: Final = rf"[A-ZÄÖÜ][a-zäöüß]{{0,30}}(?:lich|isch|mein|st|t)e[nrs]?{GAP}"
_SUSPENDED: Final = rf"[A-ZÄÖÜ][\w-]{{1,40}}-{GAP}(?:und|oder){GAP}"
_LAW_HEAD: Final = r"(?:[Gg]esetz(?:buch(?:e?s)?|es)?|[Vv]erordnung)"
_ORDER_HEAD: Final = (
    r"(?:gewerbe|abgaben|prozess|haushalts|gerichts|insolvenz|approbations|handwerks|"
    r"verkehrs|zulassungs|vergabe|gebühren|grundbuch|bau|berufs|wahl)-?[Oo]rdnung"
)
_OTHER_HEAD: Final = (
    r"(?:[Oo]rdnung|[Vv]ertrag(?:e?s)?|[Üü]bereinkommens?|[Aa]bkommens?|[Pp]rotokolls?|"
    r"[Ss]atzung|[Rr]ichtlinie|[Ll]eitlinie|[Kk]onvention)"
)
_STANDING: Final = (
    rf"(?:{_ADJECTIVE}){{1,2}}(?:Gesetzbuch(?:e?s)?|Übereinkommens?|Abkommens?|Protokolls?)"
)
_SOCIAL_CODE: Final = (
    rf"(?:[A-ZÄÖÜ][a-zäöüß]{{2,12}}(?:ten|te|tes){GAP})?Buch(?:e?s)?{GAP}(?:des{GAP})?"
    rf"Sozialgesetzbuch(?:e?s)?"
)

# Words that any law may use for rules that are not named.
_GENERIC: Final = (
    r"(?:Rechts|Recht|Eil|Durchführungs|Ausführungs|Kosten|Gebühren|Bundes|Landes|Bundesrechts|"
    r"Zustimmungs|Änderungs|Not|Natur|Verfahrens|Polizei|Parlaments|Steuer|Straf|Einzel|Spezial|"
    r"Vertrags|Rahmen|Ver|An|Zu|Vorgänger|Ursprungs|Stamm)"
)
_NOT_GENERIC: Final = (
    rf"(?!{_GENERIC}-?(?:[Gg]esetz(?:e[ns]?)?|[Vv]erordnung(?:en)?|[Oo]rdnung(?:en)?){END})"
)

_MODIFIER: Final = (
    r"(?:(?!eine|keine|diese|jede)[a-zäöüß-]{3,40}(?:e|en|er|es|em)|"
    r"[A-ZÄÖÜ][a-zäöüß]{1,20}(?:isch|lich)e[nrsm]?)"
)
_NOUN: Final = r"[A-ZÄÖÜ][\w-]{1,60}"
_NOUN_PHRASE: Final = (
    rf"(?:(?:das|die|den|dem|der|des|ihre[nrsm]?|seine[nrsm]?){GAP})?"
    rf"(?:(?:(?:und|oder){GAP})?(?:mit{GAP}(?:{_MODIFIER}{GAP})?{_NOUN}{GAP})?{_MODIFIER}{GAP}){{0,3}}"
    rf"{_NOUN}"
)
_PREPOSITION: Final = (
    rf"(?:über|zum|zur|zu{GAP}dem|zu|gegen|betreffend|vor|für|bei|an|am|auf|von|mit|zwischen|in|im)"
)
_ANOTHER_ACT: Final = (
    rf"(?:(?:des|der|dem|den|die|das|zur|zum){GAP})?"
    r"(?:§|Artikel|[\w-]{0,60}?(?:[Gg]esetz|[Vv]erordnung|[Rr]ichtlinie)(?!e?s?-))"
)
_ORDINAL: Final = rf"(?:[A-ZÄÖÜ][a-zäöüß]{{2,20}}(?:te|ste)[nrs]?{GAP})?"
_DESCRIBED_HEAD: Final = (
    r"(?:Gesetz(?:es)?|(?:(?:Durchführungs|Ausführungs|Kosten|Gebühren)v|V)erordnung|"
    r"Übereinkommens?|Vertrag(?:e?s)?|Richtlinie)"
)
_CONNECTED: Final = rf"{GAP}(?:und|oder|sowie)(?!{GAP}{_ANOTHER_ACT})(?:{GAP}{_PREPOSITION})?"
_DESCRIBED: Final = (
    rf"{_ORDINAL}{_DESCRIBED_HEAD}{GAP}(?:über|zum|zur|zu{GAP}dem|zu|betreffend){GAP}{_NOUN_PHRASE}"
    rf"(?:(?:{_CONNECTED}|{GAP}{_PREPOSITION}|(?={GAP}(?:des|der){GAP})){GAP}{_NOUN_PHRASE}){{0,6}}"
)
_DATED_ACT: Final = rf"(?:Gesetzes|Gesetz|Verordnung|[GV])(?={GAP}(?:vom|v\.){GAP}{DATE})"
_ENGLISH_ACT: Final = (
    rf"(?:[A-Z][\w-]{{1,30}}{GAP}(?:(?:of|and|on){GAP})?){{1,6}}"
    rf"(?:Act|Code|Ordinance|Regulations?|Convention|Constitution)(?:{GAP}(?:19|20)\d\d)?{END}"
)
_COMPOUND: Final = rf"{_NOT_GENERIC}(?:{_SUSPENDED})?{_NOT_GENERIC}[A-ZÄÖÜ][\w-]{{1,60}}?"

_NO_RUNNING_TITLE: Final = rf"(?![\w-])(?!(?:{GAP}\d{{4}})?{OPT}[·|])"
_ABBREVIATION: Final = (
    rf"(?:SGB(?:{GAP}[IVX]{{1,4}})?|DS-GVO|[A-ZÄÖÜ][A-Za-zÄÖÜäöüß]{{0,12}}[GBOV]"
    rf"(?:{GAP}(?:19|20)\d\d)?){_NO_RUNNING_TITLE}"
)

CITED = re.compile(
    rf"{EU_ACT}|{STANDARD}|(?:{SERIES_WORDS})[ -]?\d{{1,5}}{END}|{_SOCIAL_CODE}|{_DESCRIBED}|"
    rf"{_DATED_ACT}|(?:{_ADJECTIVE}){{0,2}}{_COMPOUND}(?:{_LAW_HEAD}|{_OTHER_HEAD}){END}|"
    rf"{_STANDING}{END}|{_ENGLISH_ACT}|{_ABBREVIATION}"
)
"""The name of a document, where one is expected."""

ABBREVIATED = re.compile(rf"{GAP}(?P<name>{_ABBREVIATION}|[GV](?={GAP}v\.{GAP}{DATE}))")
"""A law's abbreviation right behind a section: ``§ 78 StrlSchG``, ``Art. 4 G v. 23.10.2024``."""

ABBREVIATED_BEHIND_ARTICLE = re.compile(
    rf"{GAP}(?P<name>(?=\w*[A-ZÄÖÜ]\w*[A-ZÄÖÜ])[A-ZÄÖÜ][^\W\d_]{{2,12}}(?<![A-Z]s)){_NO_RUNNING_TITLE}"
)
"""Any abbreviation behind an article or paragraph of a law: ``Art. 8 EMRK``, ``§ 34 TVöD``."""

SHORT_TITLE: Final = (
    rf"(?:{_LEGAL_ADJECTIVE}){{0,2}}{_COMPOUND}(?:{_LAW_HEAD}|(?:{_ORDER_HEAD})){END}|"
    rf"{_SOCIAL_CODE}{END}|"
    rf"(?:{_LEGAL_ADJECTIVE}|[A-ZÄÖÜ][a-z]{{3,15}}er{GAP})(?:Gesetzbuch(?:e?s)?|Übereinkommens?){END}"
)
"""A law by its short title; a name of its own, so it is recognised anywhere."""

LONG_TITLE: Final = rf"(?<=\b[dz][aeiu][smrne][ \n])(?!Vertrag){_DESCRIBED}"
"""A law by its full title, behind an article or ``zum``."""

_AFTER_ARTICLE: Final = "|".join(
    rf"(?<=\b{word}[ \n])"
    for word in ("de[mrs]", "d(?:as|ie)", "zu[mr]", "im", "the", "nach", "gemäß")
)
_AFTER_PREPOSITION: Final = "|".join(rf"(?<=\b{word}[ \n])" for word in ("nach", "gemäß", "laut"))
_MIXED: Final = r"(?![MGT]eV)[A-ZÄÖÜ][a-zäöüß]{1,8}(?:[A-ZÄÖÜ][a-zäöüß]{0,8}){0,4}[GV]"
MENTIONED_ABBREVIATION: Final = (
    rf"(?:(?:{_AFTER_ARTICLE}){_MIXED}|(?:{_AFTER_PREPOSITION})[A-ZÄÖÜ]{{3,7}}[GV])"
    rf"{_NO_RUNNING_TITLE}|{_ABBREVIATION}(?=[^\S\n]§)"
)
"""An abbreviation that is surely one: behind an article or preposition, or before a section."""

_DATED = re.compile(
    rf"{GAP}(?:in{GAP}der{GAP}Fassung{GAP}(?:der{GAP}Bekanntmachung{GAP})?)?(?:vom|v\.){GAP}{DATE}"
)
_GAZETTE = re.compile(rf"{GAP}\([^()§]{{0,120}}\)")
_FORMER = re.compile(
    rf"{GAP}in{GAP}(?:der|seiner|ihrer){GAP}(?:bis|vor|am|damals|früher){END}[^,;()§]{{0,80}}?"
    rf"{GAP}geltenden{GAP}Fassung{END}"
)


def read_version(text: str, end: int, *, dated: bool = True) -> tuple[str, int]:
    """Read which version of a document is meant, right behind its name, and where that ends.

    It is the date and the former wording as written (``vom 20. Juli 2001``, ``in der bis zum 31.
    Dezember 2018 geltenden Fassung``), empty for the wording in force. Only where ``dated`` a date
    alone tells a version; after a mere section it does not.
    """
    version = ""
    if dated and (match := _DATED.match(text, end)):
        version, end = match.group(), match.end()
    gazette = _GAZETTE.match(text, end)
    if match := _FORMER.match(text, gazette.end() if gazette else end):
        version, end = version + match.group(), match.end()
    return collapse(version), end


def read_dated(text: str, name: str, end: int) -> tuple[str, int]:
    """Return the name that ends at ``end`` in one line, with its version, and where both end."""
    version, end = read_version(text, end)
    return f"{collapse(name)} {version}".strip(), end
