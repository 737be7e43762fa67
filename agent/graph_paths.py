"""Paths through the knowledge graph in words, and the values of the graph for the front ends."""

from collections.abc import Mapping, Sequence
from typing import Final

from services.domain.value import Location
from services.graph.values import Community as Community
from services.graph.values import EdgeKind
from services.graph.values import EntityCard as EntityCard
from services.graph.values import FactsCost as FactsCost
from services.graph.values import GraphStatus as GraphStatus
from services.graph.values import Step as Step

FORWARDS: Final[Mapping[EdgeKind, tuple[str, str]]] = {
    "contains": ("contains", "enthält"),
    "cites": ("refers to", "verweist auf"),
    "defines": ("defines", "bestimmt den Begriff"),
    "abbreviates": ("stands for", "steht für"),
    "mentions": ("names", "nennt"),
    "cooccurs": ("stands beside", "steht neben"),
    "relates": ("is related to", "hat zu tun mit"),
}
AGAINST: Final[Mapping[EdgeKind, tuple[str, str]]] = {
    "contains": ("is part of", "ist Teil von"),
    "cites": ("is referred to by", "Ziel eines Verweises in"),
    "defines": ("is defined in", "bestimmt in"),
    "abbreviates": ("is shortened to", "abgekürzt"),
    "mentions": ("is named in", "genannt in"),
    "cooccurs": ("stands beside", "steht neben"),
    "relates": ("is related to", "hat zu tun mit"),
}
"""English and German, for a step that is walked against its direction."""


def location_name(location: Location) -> str:
    """Return the name of a location: ``StrlSchV.pdf § 77, p. 52``."""
    name = f"{location.document} {location.section}".strip()
    return ", ".join(filter(None, [name, location.page_name()]))


def relation(step: Step, language: str = "en") -> str:
    """Return the relation of a step in its direction, in the words of the text if it has any."""
    if step.label and not step.against:
        return step.label
    english, german = (AGAINST if step.against else FORWARDS)[step.kind]
    return german if language == "de" else english


def as_text(path: Sequence[Step]) -> str:
    """Return ``StrlSchV § 77 refers to StrlSchV § 175``; "" for a path of no steps."""
    if not path:
        return ""
    return path[0].source.name + "".join(f" {relation(step)} {step.target.name}" for step in path)
