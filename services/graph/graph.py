"""The graph of a scope in memory: numbered nodes, edges and passages.

Edges and mentions are arrays: a million of them as objects would fill the memory.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from services.domain import Language
from services.graph.columns import EDGE_KINDS, KIND_NUMBER, Edges, Floats, Numbers
from services.graph.values import EdgeKind, Node, NodeKind, Place, Step
from services.ingestion.registry import Registry

FIXED_RARITY: Mapping[NodeKind, float] = {"document": 0.1, "section": 1.0}


@dataclass(frozen=True, eq=False)
class ScopeGraph:
    """Everything in a fixed order: nodes by id, passages by document and place.

    ``edges`` are rows of `EDGE`, which lie in ``texts`` (document and text ids). ``mentioned`` and
    ``cited`` are sparse matrices of how often each passage names or cites each node, shape
    (passages, nodes). ``home`` has the section (or the document) that each passage stands in,
    ``headings`` what the sections are about, ``aliases`` other names of nodes, ``sections`` the
    first section that has a label in a document, ``languages`` those of the documents.
    """

    nodes: tuple[Node, ...]
    edges: Edges
    texts: Sequence[tuple[str, str]]
    chunks: tuple[str, ...]
    home: tuple[int, ...]
    mentioned: Any
    cited: Any
    headings: Mapping[int, str]
    aliases: Mapping[int, tuple[str, ...]]
    sections: Mapping[tuple[str, str], int]
    languages: tuple[Language, ...]
    registry: Registry

    @cached_property
    def number(self) -> Mapping[str, int]:
        """The number of each node, by its id."""
        return {node.node_id: n for n, node in enumerate(self.nodes)}

    @cached_property
    def chunk_number(self) -> Mapping[str, int]:
        """The number of each passage, by its id."""
        return {chunk_id: n for n, chunk_id in enumerate(self.chunks)}

    @cached_property
    def chunks_of(self) -> Sequence[tuple[int, ...]]:
        """The passages that stand in each node itself, in reading order."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for chunk, node in enumerate(self.home):
            found[node].append(chunk)
        return tuple(map(tuple, found))

    @cached_property
    def rarity(self) -> Floats:
        """How much it says of a passage that it names a node, 0-1 by node: the fewer, the more."""
        chunks = len(self.chunks)
        holding = self.mentioned.count_nonzero(axis=0).tolist()
        return np.array(
            [
                FIXED_RARITY.get(node.kind)
                or max(0.05, math.log((2 + chunks) / (1 + count)) / math.log(2 + chunks))
                for node, count in zip(self.nodes, holding, strict=True)
            ]
        )

    def is_kind(self, *kinds: NodeKind) -> Any:
        """Whether each node is of one of these kinds, as an array."""
        return np.array([node.kind in kinds for node in self.nodes], dtype=np.bool_)

    @cached_property
    def _incidence(self) -> tuple[Numbers, Numbers]:
        """The numbers of edges by the nodes at their ends, and where those of each node begin."""
        numbers = np.tile(np.arange(len(self.edges), dtype=np.int64), 2)
        ends = np.concatenate([self.edges["source"], self.edges["target"]])
        order = np.lexsort((numbers, ends))
        return numbers[order], np.searchsorted(ends[order], np.arange(len(self.nodes) + 1))

    def touching(self, node: int, kind: EdgeKind | None = None) -> Numbers:
        """The numbers of the edges at a node, in order; those of one kind only where it is said."""
        numbers, first = self._incidence
        at = numbers[first[node] : first[node + 1]]
        return at if kind is None else at[self.edges["kind"][at] == KIND_NUMBER[kind]]

    def between(self, one: int, other: int) -> Numbers:
        """The numbers of the edges between two nodes, in order."""
        at = self.touching(one)
        return at[(self.edges["source"][at] == other) | (self.edges["target"][at] == other)]

    def edges_by_kind(self) -> dict[str, int]:
        """How many edges there are of each kind that there is."""
        counts = np.bincount(self.edges["kind"], minlength=len(EDGE_KINDS)).tolist()
        return {kind: count for kind, count in zip(EDGE_KINDS, counts, strict=True) if count}

    def other_end(self, edge: int, node: int) -> int:
        """The end of an edge that is not this node."""
        row = self.edges[edge]
        return int(row["target"] if row["source"] == node else row["source"])

    def place(self, edge: int) -> Place:
        """Where an edge was read."""
        row = self.edges[edge]
        document_id, text_id = self.texts[row["document"]]
        return Place(
            document_id=document_id, text_id=text_id, start=int(row["start"]), end=int(row["end"])
        )

    def step(self, edge: int, *, start: int) -> Step:
        """An edge walked from one of its ends."""
        row = self.edges[edge]
        return Step(
            source=self.nodes[start],
            kind=EDGE_KINDS[row["kind"]],
            target=self.nodes[self.other_end(edge, start)],
            label=row["label"],
            against=bool(row["source"] != start),
            weight=round(float(row["weight"]), 4),
            place=self.place(edge),
            by="model" if row["by_model"] else "structure",
        )

    def steps(self, walk: Sequence[int], edges: Iterable[int]) -> tuple[Step, ...]:
        """A walk over nodes as it is shown; ``edges`` are those between each two of them."""
        return tuple(self.step(edge, start=at) for at, edge in zip(walk, edges, strict=False))
