"""Ways through the knowledge graph in words, one line a way or a step; its values for the pages."""

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
"""English and German."""


def location_name(location: Location) -> str:
    """Return the name of a location: ``StrlSchV.pdf § 77, p. 52``."""
    name = f"{location.document} {location.section}".strip()
    return name if location.page is None else f"{name}, p. {location.page}"


def relation(step: Step, language: str = "en") -> str:
    """What a step says, as it is walked; in the words of the text where it has any."""
    if step.label and not step.against:
        return step.label
    english, german = (AGAINST if step.against else FORWARDS)[step.kind]
    return german if language == "de" else english


def as_text(way: Sequence[Step]) -> str:
    """``StrlSchV § 77 refers to StrlSchV § 175``; empty for a way of no steps."""
    if not way:
        return ""
    return way[0].source.name + "".join(f" {relation(step)} {step.target.name}" for step in way)
