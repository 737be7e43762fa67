"""The graph of a scope in memory: numbered nodes, edges and passages, a million edges as arrays."""

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from services.catalog import Catalog
from services.catalog.corpus import ChunkPlace, CorpusDocument
from services.catalog.graph import EDGE, EDGE_KINDS, Graph, PartRows
from services.domain import Language, Scope, SearchFilter
from services.domain.passages import title_of
from services.graph.values import EdgeKind, Node, NodeKind, Step, TextSpan
from services.ingestion.parsers.headings import is_label
from services.references.registry import Registry

T = TypeVar("T")
Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]
Edges = NDArray[np.void]

FIXED_RARITY: Final[Mapping[NodeKind, float]] = {"document": 0.1, "section": 1.0}
CITES: Final = EDGE_KINDS.index("cites")
END_OF_TEXT: Final = 2**31 - 1

WalkKind = EdgeKind | Literal["holds"]
SHARES: Final[Mapping[WalkKind, tuple[float, float]]] = {
    "cites": (1.0, 0.35),
    "defines": (0.5, 0.7),
    "abbreviates": (0.5, 0.5),
    "relates": (0.5, 0.5),
    "mentions": (0.3, 0.6),
    "cooccurs": (0.1, 0.1),
    "contains": (0.05, 0.1),
    "holds": (1.0, 0.5),
}
"""The share of each kind of edge in a walk, along the edge and against it.

``holds`` leads from a section to the passages in it.
"""
EDGE_SHARES: Final = np.array([SHARES[kind] for kind in EDGE_KINDS])
"""The shares by number of the edge's kind, shape (kinds, 2)."""


@dataclass(frozen=True, eq=False)
class ScopeGraph:
    """A graph in a fixed order: nodes by id, passages by document and offset.

    The ``document`` of an edge is an index of ``texts`` (document and text ids). ``home`` is the
    section (or document) of each passage; ``mentioned`` and ``cited`` say how often each passage
    names or cites each node, sparse, shape (passages, nodes). ``headings`` are without labels;
    ``sections`` has the first section of each document with a label.
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
        return {node.node_id: n for n, node in enumerate(self.nodes)}

    @cached_property
    def chunk_number(self) -> Mapping[str, int]:
        return {chunk_id: n for n, chunk_id in enumerate(self.chunks)}

    @cached_property
    def chunks_of(self) -> Sequence[Sequence[int]]:
        chunks: list[list[int]] = [[] for _ in self.nodes]
        for chunk, node in enumerate(self.home):
            chunks[node].append(chunk)
        return chunks

    @cached_property
    def rarity(self) -> Floats:
        """Return each node's weight, 0-1: the fewer passages name it, the more it says of them."""
        chunks = len(self.chunks)
        holding = self.mentioned.count_nonzero(axis=0).tolist()
        return np.array(
            [
                FIXED_RARITY.get(node.kind)
                or max(0.05, math.log((2 + chunks) / (1 + count)) / math.log(2 + chunks))
                for node, count in zip(self.nodes, holding, strict=True)
            ]
        )

    @cached_property
    def _incidence(self) -> tuple[Numbers, Numbers]:
        """Return edge numbers sorted by end node, and the index where each node's edges begin."""
        numbers = np.tile(np.arange(len(self.edges), dtype=np.int64), 2)
        ends = np.concatenate([self.edges["source"], self.edges["target"]])
        order = np.lexsort((numbers, ends))
        return numbers[order], np.searchsorted(ends[order], np.arange(len(self.nodes) + 1))

    def is_kind(self, *kinds: NodeKind) -> Any:
        return np.array([node.kind in kinds for node in self.nodes], dtype=np.bool_)

    def touching(self, node: int, kind: EdgeKind | None = None) -> Numbers:
        numbers, first = self._incidence
        at = numbers[first[node] : first[node + 1]]
        return at if kind is None else at[self.edges["kind"][at] == EDGE_KINDS.index(kind)]

    def between(self, one: int, other: int) -> Numbers:
        at = self.touching(one)
        return at[(self.edges["source"][at] == other) | (self.edges["target"][at] == other)]

    def shares(self, edges: Numbers, start: int) -> Floats:
        rows = self.edges[edges]
        shares: Floats = EDGE_SHARES[rows["kind"], (rows["source"] != start).astype(np.int64)]
        return shares

    def cheapest(self, costs: Floats) -> Any:
        """Return the lowest cost between nodes; ``costs`` are along edges, then against."""
        edges, count = self.edges, max(1, len(self.nodes))
        start = np.concatenate([edges["source"], edges["target"]])
        end = np.concatenate([edges["target"], edges["source"]])
        order = np.lexsort((costs, end, start))
        pairs, first = np.unique(start[order] * count + end[order], return_index=True)
        size = len(self.nodes)
        return sparse(costs[order][first], divmod(pairs, count), (size, size))

    def other_end(self, edge: int, node: int) -> int:
        row = self.edges[edge]
        return int(row["target"] if row["source"] == node else row["source"])

    def location(self, edge: int) -> TextSpan:
        row = self.edges[edge]
        document_id, text_id = self.texts[row["document"]]
        return TextSpan(
            document_id=document_id, text_id=text_id, start=int(row["start"]), end=int(row["end"])
        )

    def step(self, edge: int, *, start: int) -> Step:
        row = self.edges[edge]
        return Step(
            source=self.nodes[start],
            kind=EDGE_KINDS[row["kind"]],
            target=self.nodes[self.other_end(edge, start)],
            label=row["label"],
            against=bool(row["source"] != start),
            weight=round(float(row["weight"]), 4),
            place=self.location(edge),
            by="model" if row["by_model"] else "structure",
        )

    def steps(self, walk: Sequence[int], edges: Iterable[int]) -> tuple[Step, ...]:
        return tuple(self.step(edge, start=at) for at, edge in zip(walk, edges, strict=False))


def sparse(values: object, ends: Iterable[Any], shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_array

    rows, columns = (np.asarray(numbers, dtype=np.int32) for numbers in ends)
    return csr_array((values, (rows, columns)), shape=shape)


def read_graph(catalog: Catalog, store: Graph, scope: Scope) -> ScopeGraph:
    """Read everything in a scope, numbered in the order of ids; empty where nothing is built."""
    return _GraphReader(catalog, store, scope).graph()


class _GraphReader:
    def __init__(self, catalog: Catalog, store: Graph, scope: Scope) -> None:
        self._catalog = catalog
        self._scope = scope
        self._merged = store.merges.merged(scope.collections)
        self._rows = {rows.text_id: rows for rows in store.read(scope)}
        everything = catalog.corpus.documents(scope, SearchFilter())
        self._documents = [document for document in everything if document.text_id in self._rows]
        self._text_of = {document.document_id: document.text_id for document in self._documents}
        self._sections = {
            document.text_id: catalog.corpus.sections(document.text_id)
            for document in self._documents
        }
        self._aliases = catalog.references.aliases(scope)
        self._registry = Registry(self._aliases)
        self._named: dict[str, tuple[NodeKind, str]] = {}
        self._headings: dict[str, str] = {}
        self._other_names: defaultdict[str, set[str]] = defaultdict(set)
        self._labelled: dict[tuple[str, str], str] = {}
        self._number: dict[str, int] = {}

    def graph(self) -> ScopeGraph:
        self._name()
        self._number = {identity: n for n, identity in enumerate(sorted(self._named))}
        edges, chunks, home, mentioned, cited = self._read_edges()
        shape = len(chunks), len(self._number)
        names = _counted(mentioned, shape)
        places_of = names.sum(axis=0).tolist()
        return ScopeGraph(
            nodes=tuple(
                Node(node_id=identity, kind=kind, name=name, places=places_of[n])
                for identity, n in self._number.items()
                for kind, name in [self._named[identity]]
            ),
            edges=_summed(edges, len(self._number)),
            texts=[(document.document_id, document.text_id) for document in self._documents],
            chunks=tuple(chunks),
            home=tuple(home),
            mentioned=names,
            cited=_counted(cited, shape),
            headings=self._by_number(self._headings),
            aliases=self._by_number(
                {node: tuple(sorted(names)) for node, names in self._other_names.items()}
            ),
            sections={key: self._number[node] for key, node in sorted(self._labelled.items())},
            languages=tuple(dict.fromkeys(document.language for document in self._documents)),
            registry=self._registry,
        )

    def _name(self) -> None:
        for document in self._documents:
            self._name_document(document)
        for alias in self._aliases:
            if alias.document_id in self._text_of:
                self._other_names[f"document:{self._text_of[alias.document_id]}"].add(alias.alias)
        for document in self._documents:
            self._name_part(self._rows[document.text_id])

    def _read_edges(self) -> tuple[Edges, list[str], list[int], Numbers, Numbers]:
        """Return edges, passages, their homes, and pairs of mentions and of citations."""
        chunks_by_text: defaultdict[str, list[ChunkPlace]] = defaultdict(list)
        for chunk in self._catalog.corpus.chunk_places(self._scope) if self._documents else ():
            chunks_by_text[chunk.text_id].append(chunk)
        chunks: list[str] = []
        home: list[int] = []
        nothing = np.empty((0, 2), np.int64)
        edges, mentioned, cited = [np.empty(0, EDGE)], [nothing], [nothing]
        by_text = {one.text_id: (n, one) for n, one in reversed([*enumerate(self._documents)])}
        for n, document in sorted(by_text.values()):  # of files with the same text, the first
            rows, homes = self._rows[document.text_id], self._homes(document.text_id)
            ids = (self._merged.get(node_id, node_id) for node_id, *_ in rows.nodes)
            numbers = np.array([self._number[node_id] for node_id in ids], dtype=np.int64)
            starts = [chunk.start for chunk in chunks_by_text[document.text_id]]
            cites = np.array(list(self._citations(n, document, homes)), dtype=EDGE)
            edges += [_renumbered(rows.edges, numbers, n), cites]
            named = numbers[rows.mentions[:, 0]]
            mentioned.append(_within(starts, rows.mentions[:, 1], named, len(chunks)))
            cited.append(_within(starts, cites["start"], cites["target"], len(chunks)))
            chunks += [chunk.chunk_id for chunk in chunks_by_text[document.text_id]]
            home += map(homes, starts)
        return (
            np.concatenate(edges),
            chunks,
            home,
            np.concatenate(mentioned),
            np.concatenate(cited),
        )

    def _name_document(self, document: CorpusDocument) -> None:
        short = self._registry.name_of(document.document_id) or document.document
        document_node = f"document:{document.text_id}"
        self._named[document_node] = "document", short
        self._headings[document_node] = title_of(document.title, document.document)
        for n, section in enumerate(self._sections[document.text_id]):
            node = f"section:{document.text_id}:{n}"
            heading = " ".join(section.title.removeprefix(section.label).split())
            labelled = (document.document_id, section.label)
            label = section.label.removeprefix(short)
            is_first = bool(section.label) and labelled not in self._labelled
            if is_first:
                self._labelled[labelled] = node
            name = f"{short} {label}" if is_first and label else f"{short} {label} {heading}"
            self._named[node] = "section", " ".join(name.split())
            self._headings[node] = heading or ("" if is_label(section.title) else section.title)

    def _name_part(self, rows: PartRows) -> None:
        """Name the nodes of a part after all merges; documents and sections keep their names."""
        for node_id, kind, name, _ in rows.nodes:
            standing = self._merged.get(node_id, node_id)
            if standing != node_id:
                self._other_names[standing].add(name)
            is_named = self._named.get(standing, ("",))[0] in ("document", "section")
            if standing not in self._named or (standing == node_id and not is_named):
                self._named[standing] = kind, name

    def _citations(
        self, n: int, document: CorpusDocument, homes: Callable[[int], int]
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the edges of references; one to a whole document leads to the document's node."""
        source = document.document_id
        for reference in self._catalog.references.within(source, 0, END_OF_TEXT):
            if reference.type == "external":
                continue
            resolved = self._registry.resolve(reference, from_document_id=source)
            if resolved.document_id is None or resolved.document_id not in self._text_of:
                continue
            node: str | None = f"document:{self._text_of[resolved.document_id]}"
            if resolved.label is not None:
                node = self._labelled.get((resolved.document_id, resolved.label))
            here = homes(reference.start)
            if node is None or (resolved.label is None and resolved.document_id == source):
                continue
            if (target := self._number[node]) != here:
                span = (reference.start, reference.end)
                yield here, target, CITES, "", 1.0, n, *span, False

    def _homes(self, text_id: str) -> Callable[[int], int]:
        """Return a function from an offset to its section, or to the document outside of them."""
        sections, number = self._sections[text_id], self._number
        starts = [section.start for section in sections]

        def home(offset: int) -> int:
            n = bisect_right(starts, offset) - 1
            outside = n < 0 or offset >= sections[n].end
            return number[f"document:{text_id}" if outside else f"section:{text_id}:{n}"]

        return home

    def _by_number(self, values: Mapping[str, T]) -> dict[int, T]:
        return {self._number[node]: values[node] for node in sorted(values)}


def _renumbered(edges: Edges, numbers: Numbers, document: int) -> Edges:
    renumbered = edges.copy()
    renumbered["source"], renumbered["target"] = numbers[edges["source"]], numbers[edges["target"]]
    renumbered["document"] = document
    return renumbered


def _within(starts: Sequence[int], offsets: Numbers, nodes: Numbers, first: int) -> Numbers:
    chunk = np.searchsorted(starts, offsets, side="right") - 1
    return np.stack([first + chunk, nodes], axis=1)[chunk >= 0]


def _counted(pairs: Numbers, shape: tuple[int, int]) -> Any:
    return sparse(np.ones(len(pairs), dtype=np.int64), pairs.T, shape)


def _summed(edges: Edges, nodes: int) -> Edges:
    """Merge equal edges: add up weights, keep the first location, drop loops and zero weights."""
    edges = edges[(edges["source"] != edges["target"]) & (edges["weight"] > 0)]
    labels, label = np.unique(edges["label"], return_inverse=True)
    sizes = (max(1, nodes), max(1, nodes), len(EDGE_KINDS), max(1, len(labels)))
    keys = np.ravel_multi_index((edges["source"], edges["target"], edges["kind"], label), sizes)
    _, first, edge = np.unique(keys, return_index=True, return_inverse=True)
    summed = edges[first]
    summed["weight"] = np.bincount(edge, edges["weight"], minlength=len(first))
    summed["by_model"] = np.bincount(edge, ~edges["by_model"], minlength=len(first)) == 0
    return summed
