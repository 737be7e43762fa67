"""Names of documents: inflection, versions, numbers in a series, and comparison keys."""

import re
from dataclasses import dataclass
from typing import Final

_NEUTER: Final = r"gesetzbuch|gesetz|übereinkommen|abkommen|protokoll|buch"
_FEMININE: Final = r"verordnung|ordnung|richtlinie|satzung|leitlinie|konvention|regelung"
_MASCULINE: Final = r"vertrag"
_HEAD = re.compile(
    rf"(?<![\w-])(?P<stem>[\w-]*?(?:(?P<neuter>{_NEUTER})|(?P<feminine>{_FEMININE})|(?P<masculine>{_MASCULINE})))"
    r"(?P<ending>e?s|en|n|e)?(?![\w-])",
    re.IGNORECASE,
)
_WEAK_ADJECTIVE = re.compile(r"(?<![\w-])([A-ZÄÖÜ][a-zäöüß]+)en(?= )")
_DAY: Final = r"\d{1,2}\.\s*(?:[A-ZÄÖÜa-zäöü]+|\d{1,2}\.)\s*\d{4}"
_IN_FORCE: Final = r"in (?:der|seiner|ihrer) (?:\S+ ){1,12}?geltenden Fassung"
_VERSION = re.compile(
    rf"(?:\s+(?:in der Fassung (?:der Bekanntmachung )?)?(?:vom|v\.) {_DAY}(?:\s+{_IN_FORCE})?"
    rf"|(?:\s+|^){_IN_FORCE})$"
)
_PLAIN = re.compile(r"(?P<series>PEP|RFC|BCP)s?[\s_-]*0*(?P<number>\d{1,5})(?!\w)", re.I)
_STANDARD = re.compile(
    r"(?P<series>(?:(?:DIN|ÖNORM|SN|BS|EN|ISO|IEC|ASTM|IEEE|VDE|VDI|KTA|ETSI|TS|TR|PAS|V|Std\.?)"
    r"[\s/_-]+)*(?:DIN|ÖNORM|SN|BS|EN|ISO|IEC|ASTM|IEEE|VDE|VDI|KTA|ETSI|TS|TR|PAS|V))[\s_-]?"
    r"(?P<number>[A-Z]?\d{2,6}(?:[-.]\d{1,5}){0,3})(?::(?P<edition>\d{4})(?:-\d\d)?)?(?!\w)"
)
_BODIES: Final = ("ISO", "IEC", "IEEE", "ASTM", "ETSI", "VDE", "VDI", "KTA", "EN", "ÖNORM", "DIN")
_EU_KINDS: Final = {
    word: f"EU {kind}"
    for kind, words in (
        ("regulation", ("verordnung", "regulation")),
        ("directive", ("richtlinie", "directive")),
        ("decision", ("beschluss", "beschlüsse", "entscheidung", "decision")),
    )
    for word in words
}
_EU_ACT = re.compile(
    r"(?:(?:delegierten?|delegated|implementing|council|commission)\s+)*(?:durchführungs)?"
    rf"(?P<kind>{'|'.join(_EU_KINDS)})\w*\s+(?:\([^)]*\)\s*)?(?:n[or]\.?\s*)?"
    r"(?P<number>\d{1,4}/\d{1,4})(?:/[A-Za-z]+)?(?!\w)",
    re.IGNORECASE,
)


def nominative(name: str) -> str:
    """Return the base form of a German document name; other names come back as they are.

    ``Atomgesetzes`` is ``Atomgesetz``, ``Bürgerlichen Gesetzbuchs`` ``Bürgerliches Gesetzbuch``.
    """
    head = _HEAD.search(name)
    if head is None:
        return name
    ending = "es" if head["neuter"] else "e" if head["feminine"] else "er"
    before = _WEAK_ADJECTIVE.sub(rf"\1{ending}", name[: head.start()])
    return before + head["stem"] + name[head.end() :]


def split_version(name: str) -> tuple[str, str | None]:
    """Separate a name from what says which version is meant (``vom 20. Juli 2001``)."""
    match = _VERSION.search(name)
    if match is None:
        return name, None
    return name[: match.start()].strip(), match.group().strip()


def day(date: str) -> str:
    """Return an ISO date in German form: ``20.7.2001``."""
    year, month, number = date.split("-")
    return f"{int(number)}.{int(month)}.{year}"


def key(name: str) -> str:
    """Return a key for all spellings of a name: base form, no case, no hyphens or spaces."""
    return re.sub(r"[\s\u00ad_.,;:'’\"„“–-]+", "", nominative(name)).casefold()


@dataclass(frozen=True, slots=True)
class Numbered:
    """A document of a series.

    A standard belongs to the body that numbers it: ``DIN EN ISO 9001`` is ``ISO`` ``9001``.
    ``edition`` is a year, if one is stated; ``name`` is to be shown.
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
        bodies = re.split(r"[\s/_-]+", match["series"])
        body = next((body for body in _BODIES if body in bodies), None)
        return Numbered(body, match["number"], match.group(), match["edition"]) if body else None
    if match := _EU_ACT.match(text):
        return Numbered(_EU_KINDS[match["kind"].casefold()], match["number"], match.group())
    return None
