"""The graph of a scope in memory: numbered nodes, edges and passages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from services.ingestion.registry import Registry
from services.knowledge_graph.edges import Edge, Edges, Ties, Touching
from services.knowledge_graph.values import Node, Step
from services.types import Language


@dataclass(frozen=True, eq=False)
class ScopeGraph:
    """Everything in a fixed order: nodes by id, passages by document and place.

    ``home`` has the section (or the document) that each passage stands in, ``headings`` what the
    sections are about, ``aliases`` other names of nodes, ``sections`` the first section that has a
    label in a document, ``languages`` those of the documents. ``total`` counts all documents of the
    scope, with those that nothing has been built of.
    """

    nodes: tuple[Node, ...]
    edges: Edges
    chunks: tuple[str, ...]
    home: tuple[int, ...]
    mentioned: Ties
    cited: Ties
    headings: Mapping[int, str]
    aliases: Mapping[int, tuple[str, ...]]
    sections: Mapping[tuple[str, str], int]
    documents: Mapping[str, int]
    languages: tuple[Language, ...]
    registry: Registry
    total: int = 0
    merges: int = 0

    @cached_property
    def number(self) -> Mapping[str, int]:
        """The number of each node, by its id."""
        return {node.node_id: n for n, node in enumerate(self.nodes)}

    @cached_property
    def chunk_number(self) -> Mapping[str, int]:
        """The number of each passage, by its id."""
        return {chunk_id: n for n, chunk_id in enumerate(self.chunks)}

    @cached_property
    def touching(self) -> Touching:
        return Touching(self.edges, len(self.nodes))

    def between(self, one: int, other: int) -> list[Edge]:
        """The edges between two nodes, in order."""
        at = np.array(self.touching[one], dtype=np.int64)
        there = (self.edges.source[at] == other) | (self.edges.target[at] == other)
        return [self.edges[n] for n in at[there].tolist()]

    @cached_property
    def chunks_of(self) -> Sequence[tuple[int, ...]]:
        """The passages that stand in each node itself, in reading order."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for chunk, node in enumerate(self.home):
            found[node].append(chunk)
        return tuple(map(tuple, found))

    def step(self, edge: Edge, *, start: int) -> Step:
        """An edge walked from one of its ends."""
        against = edge.source != start
        source, target = (edge.target, edge.source) if against else (edge.source, edge.target)
        return Step(
            source=self.nodes[source],
            kind=edge.kind,
            target=self.nodes[target],
            label=edge.label,
            against=against,
            weight=round(edge.weight, 4),
            place=edge.place,
            by="model" if edge.by_model else "structure",
        )

    def steps(self, walk: Sequence[int], edges: Iterable[Edge]) -> tuple[Step, ...]:
        """A walk over nodes as it is shown; ``edges`` are those between each two of them."""
        return tuple(self.step(edge, start=at) for at, edge in zip(walk, edges, strict=False))
