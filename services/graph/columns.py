"""A part of the graph as arrays: what is loaded by the hundred thousand is no object each."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from services.graph.names import node_id
from services.graph.values import EdgeKind, NodeKind, PassageFacts

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]

EDGE_KINDS: Final[tuple[EdgeKind, ...]] = (
    "abbreviates",
    "cites",
    "contains",
    "cooccurs",
    "defines",
    "mentions",
    "relates",
)
"""In the order of their names; columns have their numbers."""
KIND_NUMBER: Final[Mapping[str, int]] = {kind: n for n, kind in enumerate(EDGE_KINDS)}
_ENTITY: Final[NodeKind] = "entity"


@dataclass(frozen=True, eq=False, slots=True)
class PartColumns:
    """What one text says. Nodes are numbered in the part.

    ``mentions`` has rows of node, start, end; ``edges`` of source, target, kind, start, end;
    ``labels`` those of the edges that have one; edges from ``by_model`` on were read by a model.
    """

    text_id: str
    nodes: tuple[tuple[str, NodeKind, str, int], ...]
    """Each its id, kind, name and places."""
    mentions: Numbers
    edges: Numbers
    weights: Floats
    labels: Mapping[int, str]
    by_model: int

    def __len__(self) -> int:
        return len(self.nodes) + len(self.mentions) + len(self.edges)


def table(numbers: object, width: int) -> Numbers:
    """Rows of ``width`` whole numbers, shape (n, width)."""
    return np.asarray(numbers, dtype=np.int64).reshape(-1, width)


def with_facts(part: PartColumns, read: Sequence[PassageFacts]) -> PartColumns:
    """The part with the entities and relations that a model found in its text."""
    entities = [(node_id("entity", each.name), each) for facts in read for each in facts.entities]
    relations = [fact for facts in read for fact in facts.facts]
    places = Counter(identity for identity, _ in entities)
    names = {identity: entity.name for identity, entity in reversed(entities)}
    number = {identity: n for n, identity in enumerate(places, start=len(part.nodes))}
    mentions = [(number[identity], each.start, each.end) for identity, each in entities]
    edges = [
        (
            number[node_id("entity", each.subject)],
            number[node_id("entity", each.object)],
            KIND_NUMBER["relates"],
            each.start,
            each.end,
        )
        for each in relations
    ]
    labels = {n: each.relation for n, each in enumerate(relations, start=len(part.edges))}
    nodes = ((identity, _ENTITY, names[identity], count) for identity, count in places.items())
    return replace(
        part,
        nodes=(*part.nodes, *nodes),
        mentions=np.concatenate([part.mentions, table(mentions, 3)]),
        edges=np.concatenate([part.edges, table(edges, 5)]),
        weights=np.append(part.weights, np.ones(len(relations))),
        labels={**part.labels, **labels},
    )
