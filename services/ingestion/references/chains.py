"""Chains of section citations and the document that they belong to.

``§ 6 Absatz 1, § 7 oder § 9 des Atomgesetzes`` is one chain of three groups; the law at its end
belongs to all of them, as German drafting rules have it. Without one, they cite the text itself.
"""

import re
from dataclasses import dataclass
from typing import Final

from services.ingestion.references.documents import ABBREVIATED, CITED, read_version
from services.ingestion.references.grammar import END, GAP, OPT, collapse
from services.ingestion.references.sections import FIRST_MARK, Group, read_group

_LINK: Final = (
    rf"(?:und|oder|sowie|bis|beziehungsweise|bzw\.|auch|jeweils|den|der|des|die|"
    rf"in{GAP}Verbindung{GAP}mit|i\.{OPT}V\.{OPT}m\.|iVm|and|or|to)"
)
_SEPARATOR = re.compile(
    rf"(?:{OPT},)?{GAP}(?:{_LINK}{GAP}){{1,6}}|{OPT},{GAP}|(?<=\d){GAP}(?=§)|/(?=§)"
)
_THIS = re.compile(
    rf",?{GAP}(?:dieses|dieser|diesem|this|of{GAP}this){GAP}"
    rf"(?:Gesetz(?:es|buch(?:e?s)?)?|Verordnung|Übereinkommens?|Vertrag(?:e?s)?|Richtlinie|Ordnung|"
    rf"Satzung|Regulation|Directive|Act|document|standard|specification|PEP|RFC){END}"
)
_INTRODUCED = re.compile(rf"{GAP}(?:des|der|zum|zur|im|von|(?:of|in|to)(?:{GAP}the)?){GAP}")
_AFTER_COMMA = re.compile(rf",{GAP}(?:des|der){GAP}")
_JOINED = re.compile(r"Verbindung\s+mit|i\.\s?V\.\s?m\.")


@dataclass(frozen=True, slots=True)
class Cited:
    """The document that a chain names: as written, or None for the text itself."""

    name: str | None
    end: int


@dataclass(frozen=True, slots=True)
class Chain:
    """Groups of sections with the document of all of them; ``cited`` is None if none is named."""

    groups: tuple[Group, ...]
    cited: Cited | None

    @property
    def document(self) -> str | None:
        return self.cited.name if self.cited else None

    @property
    def end(self) -> int:
        return self.cited.end if self.cited else self.groups[-1].end

    def spans(self) -> list[tuple[int, int]]:
        """Where each group stands; the last one includes the name of the document."""
        return [(group.start, group.end) for group in self.groups[:-1]] + [
            (self.groups[-1].start, self.end)
        ]


def read_chain(text: str, first: re.Match[str]) -> Chain:
    """Read the chain that begins with a match of `MARK`."""
    groups: list[Group] = []
    match: re.Match[str] | None = first
    while match is not None:
        groups.append(read_group(text, match))
        cited = _read_cited(text, groups[-1])
        if cited:
            return Chain(tuple(groups), cited)
        separator = _SEPARATOR.match(text, groups[-1].end)
        match = FIRST_MARK.match(text, separator.end()) if separator else None
    return Chain(tuple(groups), None)


def _read_cited(text: str, group: Group) -> Cited | None:
    if match := _THIS.match(text, group.end):
        return Cited(None, match.end())
    if match := ABBREVIATED.match(text, group.end):
        return _with_version(text, match["name"], match.end())
    introduced = _INTRODUCED.match(text, group.end)
    if introduced is None and _JOINED.search(text, group.start, group.end):
        introduced = _AFTER_COMMA.match(text, group.end)
    if introduced and (match := CITED.match(text, introduced.end())):
        return _with_version(text, match.group(), match.end())
    version, end = read_version(text, group.end, dated=False)
    return Cited(version, end) if version else None


def _with_version(text: str, name: str, end: int) -> Cited:
    version, end = read_version(text, end)
    return Cited(f"{collapse(name)} {version}".strip(), end)
