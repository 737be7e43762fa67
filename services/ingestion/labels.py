"""The citable part of a heading: ``§ 78`` of "§ 78 Grenzwerte für beruflich exponierte …"."""

import re
from dataclasses import dataclass
from typing import Final, Literal

LabelKind = Literal["container", "article", "paragraph", "annex", "number"]


@dataclass(frozen=True, slots=True)
class Label:
    """A label with its role in the structure.

    ``unit`` tells units of the same rank apart: a new ``Kapitel`` closes the open one.
    """

    text: str
    kind: LabelKind
    unit: str


_GERMAN: Final = "Buch|Teil|Kapitel|Abschnitt|Unterabschnitt|Titel|Untertitel"
_CONTAINERS: Final = f"{_GERMAN}|Book|Part|Chapter|Division|Subpart|Subtitle|Title"
_ORDINALS: Final = (
    "Erst|Zweit|Dritt|Viert|Fünft|Sechst|Sieb(?:en)?t|Acht|Neunt|Zehnt|Elft|Zwölft|"
    "Dreizehnt|Vierzehnt|Fünfzehnt"
)
_NUMERAL: Final = r"(?:\d+[a-z]?|[IVXLC]+|[A-Z])"
_END: Final = r"(?![\w])"

_PARAGRAPH = re.compile(
    rf"§{{1,2}}\s*(?P<numbers>\d+[a-z]{{0,2}}(?:\s*(?:bis|und|–|-|,)\s*(?:§\s*)?\d+[a-z]?)*){_END}"
)
_ARTICLE = re.compile(
    rf"(?P<word>Artikel|Article|Art\.|Section|Sec\.)\s+(?P<number>\d+[a-z]?|[IVX]+){_END}"
)
_ANNEX = re.compile(
    rf"(?P<word>Anlage|Anhang|Annex|Appendix|Schedule)\s+(?P<number>{_NUMERAL}){_END}",
    re.IGNORECASE,
)
_ONLY_ANNEX = re.compile(r"(?P<word>Anlage|Anhang|ANLAGE|ANHANG)\s*(?=\(zu|$)")
_CONTAINER = re.compile(rf"(?P<word>{_CONTAINERS})\s+(?P<number>{_NUMERAL}){_END}")
_ORDINAL = re.compile(
    rf"(?P<ordinal>(?:{_ORDINALS})e[rs]?|\d{{1,2}}\.)\s+(?P<word>{_GERMAN}){_END}"
)
_NUMBER = re.compile(
    r"(?P<number>\d{1,2}(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3})+|[IVX]+(?=[.)]))[.)]?\s+(?=\S)"
)
_FULL_WORDS: Final = {"Art.": "Artikel", "Sec.": "Section"}


def label_of(title: str) -> Label | None:
    """Read the label at the start of a heading, or None if the heading has none.

    Ranges stay together (``§§ 5 bis 7``); abbreviations are written out (``Artikel 5``).
    """
    for read in (_paragraph, _article, _annex, _container, _number):
        label = read(title)
        if label is not None:
            return label
    return None


def is_label(text: str) -> bool:
    """Whether a text is a label alone: ``Anlage 4``, but not ``Anlagen`` or ``2 Scope``."""
    label = label_of(text)
    return label is not None and label.text == text


def _paragraph(title: str) -> Label | None:
    match = _PARAGRAPH.match(title)
    if match is None:
        return None
    numbers = " ".join(match["numbers"].split())
    sign = "§" if re.fullmatch(r"\w+", numbers) else "§§"
    return Label(f"{sign} {numbers}", "paragraph", "§")


def _article(title: str) -> Label | None:
    match = _ARTICLE.match(title)
    if match is None:
        return None
    word = _FULL_WORDS.get(match["word"], match["word"])
    return Label(f"{word} {match['number']}", "article", word)


def _annex(title: str) -> Label | None:
    if match := _ANNEX.match(title):
        word = match["word"].capitalize()
        return Label(f"{word} {match['number']}", "annex", word)
    if match := _ONLY_ANNEX.match(title):
        word = match["word"].capitalize()
        return Label(word, "annex", word)
    return None


def _container(title: str) -> Label | None:
    if match := _CONTAINER.match(title):
        return Label(f"{match['word']} {match['number']}", "container", match["word"])
    if match := _ORDINAL.match(title):
        return Label(f"{match['ordinal']} {match['word']}", "container", match["word"])
    return None


def _number(title: str) -> Label | None:
    match = _NUMBER.match(title)
    return None if match is None else Label(match["number"], "number", "number")
