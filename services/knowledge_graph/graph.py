"""The graph of a scope in memory: numbered nodes, edges and passages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from services.ingestion.registry import Registry
from services.knowledge_graph.values import EdgeKind, Node, Place, Step
from services.types import Language


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between numbered nodes; ``weight`` counts how often it was read, or how surely."""

    source: int
    target: int
    kind: EdgeKind
    weight: float
    label: str = ""
    place: Place | None = None
    by_model: bool = False


@dataclass(frozen=True)
class Mentioned:
    """A passage that names a node, so often."""

    chunk: int
    node: int
    times: int


@dataclass(frozen=True, eq=False)
class ScopeGraph:
    """Everything in a fixed order: nodes by id, passages by document and place.

    ``home`` has the section (or the document) that each passage stands in, ``headings`` what the
    sections are about, ``aliases`` other names of nodes, ``sections`` the first section that has a
    label in a document, ``languages`` those of the documents. ``total`` counts all documents of the
    scope, with those that nothing has been built of.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    chunks: tuple[str, ...]
    home: tuple[int, ...]
    mentioned: tuple[Mentioned, ...]
    cited: tuple[Mentioned, ...]
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
    def touching(self) -> Sequence[tuple[int, ...]]:
        """The numbers of the edges at each node, in order."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for n, edge in enumerate(self.edges):
            found[edge.source].append(n)
            if edge.target != edge.source:
                found[edge.target].append(n)
        return tuple(map(tuple, found))

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
