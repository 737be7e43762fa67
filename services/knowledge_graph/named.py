"""What nodes are called, for whoever looks for duplicates; light, since the catalog imports it."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from services.knowledge_graph.values import NodeKind
from services.types import Language

RESOLVED: Final[Sequence[NodeKind]] = ("term", "entity", "word", "abbreviation")
"""Kinds of nodes that may be one, those that stand for others first."""


class Named(NamedTuple):
    """A node as it is called in texts of a language; ``places`` counts the spans that name it."""

    node_id: str
    kind: NodeKind
    name: str
    places: int
    language: Language
