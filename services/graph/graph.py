"""The graph of a scope in memory: numbered nodes, edges and passages.

Edges and mentions are arrays: a million of them as objects would fill the memory.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from services.domain import Language
from services.graph.columns import EDGE_KINDS, Floats, Numbers
from services.graph.values import EdgeKind, Node, Place, Step
from services.ingestion.registry import Registry


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between numbered nodes; ``weight`` counts how often it was read, or how surely."""

    source: int
    target: int
    kind: EdgeKind
    weight: float
    label: str
    place: Place
    by_model: bool

    def other(self, node: int) -> int:
        """The end that is not this one."""
        return self.target if self.source == node else self.source


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges as arrays of equal length; an `Edge` is made of one where it is shown.

    ``kind`` has numbers of `EDGE_KINDS`, ``document`` those of ``documents`` (document and text
    ids), in which ``start`` and ``end`` lie.
    """

    source: Numbers
    target: Numbers
    kind: Numbers
    weight: Floats
    document: Numbers
    start: Numbers
    end: Numbers
    by_model: NDArray[np.bool_]
    labels: Mapping[int, str]
    documents: Sequence[tuple[str, str]]

    def __len__(self) -> int:
        return len(self.source)

    def __getitem__(self, n: int) -> Edge:
        document_id, text_id = self.documents[self.document[n]]
        start, end = int(self.start[n]), int(self.end[n])
        return Edge(
            source=int(self.source[n]),
            target=int(self.target[n]),
            kind=EDGE_KINDS[self.kind[n]],
            weight=float(self.weight[n]),
            label=self.labels.get(int(n), ""),
            place=Place(document_id=document_id, text_id=text_id, start=start, end=end),
            by_model=bool(self.by_model[n]),
        )

    def counts(self) -> dict[str, int]:
        """How many there are of each kind that there is."""
        found = np.bincount(self.kind, minlength=len(EDGE_KINDS)).tolist()
        return {kind: count for kind, count in zip(EDGE_KINDS, found, strict=True) if count}


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Passages that name (or cite) nodes, and how often, as arrays of equal length."""

    chunk: Numbers
    node: Numbers
    times: Numbers

    def __len__(self) -> int:
        return len(self.chunk)


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
    mentioned: Occurrences
    cited: Occurrences
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
    def chunks_of(self) -> Sequence[tuple[int, ...]]:
        """The passages that stand in each node itself, in reading order."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for chunk, node in enumerate(self.home):
            found[node].append(chunk)
        return tuple(map(tuple, found))

    @cached_property
    def _incidence(self) -> tuple[Numbers, Numbers]:
        """The numbers of edges by the nodes at their ends, and where those of each node begin."""
        edges = self.edges
        numbers = np.tile(np.arange(len(edges), dtype=np.int64), 2)
        ends = np.concatenate([edges.source, edges.target])
        order = np.lexsort((numbers, ends))
        return numbers[order], np.searchsorted(ends[order], np.arange(len(self.nodes) + 1))

    def touching(self, node: int) -> Numbers:
        """The numbers of the edges at a node, in order."""
        numbers, first = self._incidence
        return numbers[first[node] : first[node + 1]]

    def between(self, one: int, other: int) -> list[Edge]:
        """The edges between two nodes, in order."""
        at = self.touching(one)
        there = (self.edges.source[at] == other) | (self.edges.target[at] == other)
        return [self.edges[n] for n in at[there]]

    def step(self, edge: Edge, *, start: int) -> Step:
        """An edge walked from one of its ends."""
        return Step(
            source=self.nodes[start],
            kind=edge.kind,
            target=self.nodes[edge.other(start)],
            label=edge.label,
            against=edge.source != start,
            weight=round(edge.weight, 4),
            place=edge.place,
            by="model" if edge.by_model else "structure",
        )

    def steps(self, walk: Sequence[int], edges: Iterable[Edge]) -> tuple[Step, ...]:
        """A walk over nodes as it is shown; ``edges`` are those between each two of them."""
        return tuple(self.step(edge, start=at) for at, edge in zip(walk, edges, strict=False))
