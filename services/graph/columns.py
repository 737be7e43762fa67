"""A part of the graph as arrays: what is loaded by the hundred thousand is no object each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from services.graph.values import EdgeKind, GraphPart, NodeKind

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
_PART: Final[TypeAdapter[GraphPart]] = TypeAdapter(GraphPart)


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


def columns_of(part: GraphPart) -> PartColumns:
    """The columns of a part, in which edges that a model read stand last."""
    number = {node.node_id: n for n, node in enumerate(part.nodes)}
    edges = sorted(part.edges, key=lambda edge: edge.by == "model")
    return PartColumns(
        text_id=part.text_id,
        nodes=tuple((each.node_id, each.kind, each.name, each.places) for each in part.nodes),
        mentions=table([(number[e.node_id], e.start, e.end) for e in part.mentions], 3),
        edges=table(
            [
                (number[e.source], number[e.target], KIND_NUMBER[e.kind], e.start, e.end)
                for e in edges
            ],
            5,
        ),
        weights=np.array([each.weight for each in edges], dtype=np.float64),
        labels={n: each.label for n, each in enumerate(edges) if each.label},
        by_model=sum(each.by != "model" for each in edges),
    )


def part_of(columns: PartColumns) -> GraphPart:
    """The part that these columns are of."""
    names = [node_id for node_id, *_ in columns.nodes]
    edges = zip(columns.edges.tolist(), columns.weights.tolist(), strict=True)
    return _PART.validate_python(
        {
            "text_id": columns.text_id,
            "nodes": [
                {"node_id": node_id, "kind": kind, "name": name, "places": places}
                for node_id, kind, name, places in columns.nodes
            ],
            "mentions": [
                {"node_id": names[node], "start": start, "end": end}
                for node, start, end in cast("list[list[int]]", columns.mentions.tolist())
            ],
            "edges": [
                {
                    "source": names[source],
                    "target": names[target],
                    "kind": EDGE_KINDS[kind],
                    "label": columns.labels.get(n, ""),
                    "weight": weight,
                    "start": start,
                    "end": end,
                    "by": "structure" if n < columns.by_model else "model",
                }
                for n, ((source, target, kind, start, end), weight) in enumerate(edges)
            ],
        }
    )
