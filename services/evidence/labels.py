"""Section labels that a sentence names: ``§ 78 StrlSchG``, ``Anlage 4``, ``PEP 604``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_ABBREVIATION = r"[A-ZÄÖÜ][A-Za-zÄÖÜäöü]*[A-ZÄÖÜ][A-Za-zÄÖÜäöü]*"
_REST = (
    r"(?:,?\s*(?:Abs(?:\.|ätze|atz)|S(?:\.|ätze|atz)|Nr\.|Nummern?|Buchst(?:\.|abe))\s*\d*\w*"
    r"(?:\s*(?:,|und|oder|bis)\s*\d+\b)*)*"
)
_PARAGRAPH = re.compile(
    rf"§+\s*(?P<first>\d+[a-z]?){_REST}(?P<more>(?:\s*(?:,|und|oder|sowie|bis)\s*(?:§+\s*)?\d+[a-z]?\b{_REST})*)"
    rf"(?:\s+(?:des\s+|der\s+)?(?P<law>{_ABBREVIATION})\b)?"
)
_NAMED = re.compile(
    r"\b(?P<kind>Anlage|Anhang|Artikel|Art\.|Kapitel|PEP|RFC|Section|Chapter|Appendix|Annex|Article)\s+"
    rf"(?P<number>\d+(?:\.\d+)*[a-z]?)(?:\s+(?:des\s+|der\s+)?(?P<law>{_ABBREVIATION})\b)?"
)
_ROLE = re.compile(r":pep:`(?:[^`<]*<)?(\d+)(?:#[^`>]*)?>?`")
_NUMBERS = re.compile(r"(?<![\w.])(?:§+\s*)?(\d+[a-z]?)\b")
_BARE = ("Section", "Chapter", "Kapitel")
_KINDS = {"Art.": "Artikel"}


@dataclass(frozen=True)
class Mention:
    """A label as a section is called, and the abbreviation of the law that follows it."""

    label: str
    law: str | None = None


@lru_cache(maxsize=4_096)
def mentions(text: str) -> tuple[Mention, ...]:
    """Labels in a text in order, one for each section of a list; subdivisions are left out."""
    found: list[tuple[int, Mention]] = []
    for match in _PARAGRAPH.finditer(text):
        numbers = [match["first"], *_NUMBERS.findall(re.sub(_REST, "", match["more"] or ""))]
        found += [(match.start(), Mention(f"§ {number}", match["law"])) for number in numbers]
    for match in _NAMED.finditer(text):
        kind = _KINDS.get(match["kind"], match["kind"])
        label = match["number"] if kind in _BARE else f"{kind} {match['number']}"
        found.append((match.start(), Mention(label, match["law"])))
    found += [(m.start(), Mention(f"PEP {int(m.group(1))}")) for m in _ROLE.finditer(text)]
    return tuple(mention for _, mention in sorted(found, key=lambda item: item[0]))


@lru_cache(maxsize=4_096)
def without_labels(text: str) -> str:
    """A text without the labels, whose words are no statement of their own."""
    for pattern in (_PARAGRAPH, _NAMED, _ROLE):
        text = pattern.sub(" ", text)
    return text


def other_labels(
    sentence: str, quote: str, sections: Sequence[str], documents: Sequence[str]
) -> list[str]:
    """Labels and laws of the sentence that are neither the quote's own nor mentioned in it."""
    named = mentions("\n".join((*sections, quote)))
    known = {*sections, *(mention.label for mention in named)}
    own = {abbreviation for document in documents if (abbreviation := _abbreviation(document))}
    laws = own | {mention.law for mention in named}
    others = []
    for mention in mentions(sentence):
        if mention.label not in known:
            others.append(mention.label)
        elif own and mention.law and mention.law not in laws:
            others.append(mention.law)
    return others


def _abbreviation(document: str) -> str | None:
    """The law that a file is named for, ``StrlSchG`` for ``StrlSchG.pdf``."""
    stem = re.sub(r"\.\w{1,5}$", "", document)
    return stem if re.fullmatch(_ABBREVIATION, stem) else None
