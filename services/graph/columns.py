"""A part of the graph as arrays: what is loaded by the hundred thousand is no object each."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, get_args

import numpy as np
from numpy.typing import NDArray

from services.graph.names import node_id
from services.graph.values import EdgeKind, NodeKind, PassageFacts

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]
Edges = NDArray[np.void]
"""Rows of `EDGE`."""

EDGE_KINDS: Final[tuple[EdgeKind, ...]] = tuple(sorted(get_args(EdgeKind)))
"""In the order of their names; arrays have their numbers."""
KIND_NUMBER: Final[Mapping[str, int]] = {kind: n for n, kind in enumerate(EDGE_KINDS)}
EDGE: Final = np.dtype(
    [
        ("source", np.int64),
        ("target", np.int64),
        ("kind", np.int64),
        ("label", object),
        ("weight", np.float64),
        ("document", np.int64),
        ("start", np.int64),
        ("end", np.int64),
        ("by_model", np.bool_),
    ]
)
"""Its ends are numbers of nodes; ``document`` is the text's number in its scope, 0 in a part."""


@dataclass(frozen=True, eq=False, slots=True)
class PartColumns:
    """What one text says. Nodes are numbered in the part; ``mentions`` are node, start, end."""

    text_id: str
    nodes: tuple[tuple[str, NodeKind, str, int], ...]
    """Each its id, kind, name and places."""
    mentions: Numbers
    edges: Edges

    def __len__(self) -> int:
        return len(self.nodes) + len(self.mentions) + len(self.edges)


def table(numbers: object, width: int) -> Numbers:
    """Rows of ``width`` whole numbers, shape (n, width)."""
    return np.asarray(numbers, dtype=np.int64).reshape(-1, width)


def sparse(values: object, ends: Iterable[Any], shape: tuple[int, int]) -> Any:
    """A sparse matrix of values at rows and columns; where a place recurs they are added up."""
    from scipy.sparse import csr_array

    rows, columns = (np.asarray(each, dtype=np.int32) for each in ends)
    return csr_array((values, (rows, columns)), shape=shape)


def edge_rows(rows: Sequence[tuple[Any, ...]]) -> Edges:
    """An array of edges; each row has the fields of `EDGE`."""
    return np.array(list(rows), dtype=EDGE)


def with_facts(part: PartColumns, read: Sequence[PassageFacts]) -> PartColumns:
    """The part with the entities and relations that a model found in its text."""
    entities = [(node_id("entity", each.name), each) for facts in read for each in facts.entities]
    places = Counter(identity for identity, _ in entities)
    names = {identity: entity.name for identity, entity in reversed(entities)}
    number = {identity: n for n, identity in enumerate(places, start=len(part.nodes))}
    nodes: list[tuple[str, NodeKind, str, int]] = [
        (identity, "entity", names[identity], count) for identity, count in places.items()
    ]
    mentions = [(number[identity], each.start, each.end) for identity, each in entities]
    relates = [
        (
            number[node_id("entity", each.subject)],
            number[node_id("entity", each.object)],
            KIND_NUMBER["relates"],
            each.relation,
            1.0,
            0,
            each.start,
            each.end,
            True,
        )
        for facts in read
        for each in facts.facts
    ]
    return replace(
        part,
        nodes=(*part.nodes, *nodes),
        mentions=np.concatenate([part.mentions, table(mentions, 3)]),
        edges=np.concatenate([part.edges, edge_rows(relates)]),
    )
