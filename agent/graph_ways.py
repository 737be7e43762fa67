"""Ways through the knowledge graph in words, one line a way or a step."""

from collections.abc import Sequence
from typing import Final

from services.knowledge_graph.values import EdgeKind, Step

FORWARDS: Final[dict[EdgeKind, str]] = {
    "contains": "contains",
    "cites": "refers to",
    "defines": "defines",
    "abbreviates": "stands for",
    "mentions": "names",
    "cooccurs": "stands beside",
    "relates": "is related to",
}
AGAINST: Final[dict[EdgeKind, str]] = {
    "contains": "is part of",
    "cites": "is referred to by",
    "defines": "is defined in",
    "abbreviates": "is shortened to",
    "mentions": "is named in",
    "cooccurs": "stands beside",
    "relates": "is related to",
}


def relation(step: Step) -> str:
    """What a step says, as it is walked; in the words of the text where it has any."""
    if step.label and not step.against:
        return step.label
    return (AGAINST if step.against else FORWARDS)[step.kind]


def as_text(way: Sequence[Step]) -> str:
    """``StrlSchV § 77 refers to StrlSchV § 175``; empty for a way of no steps."""
    if not way:
        return ""
    return way[0].source.name + "".join(f" {relation(step)} {step.target.name}" for step in way)
