"""The graph of a scope from the parts of its texts and the references between them."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

import numpy as np

from services.catalog import Catalog
from services.catalog.graph import Graph
from services.catalog.texts import ChunkPlace, CorpusDocument
from services.domain import Scope, SearchFilter
from services.graph.columns import (
    EDGE_KINDS,
    KIND_NUMBER,
    Floats,
    Numbers,
    PartColumns,
    table,
)
from services.graph.graph import Edges, Occurrences, ScopeGraph
from services.graph.values import Node, NodeKind
from services.ingestion.headings import is_label
from services.ingestion.registry import Registry

T = TypeVar("T")
END_OF_TEXT: Final = 2**31 - 1
"""After every character that a text can have."""


def read_graph(catalog: Catalog, parts: Graph, scope: Scope) -> ScopeGraph:
    """Everything that a scope holds, numbered in the order of ids; empty where nothing is built."""
    return _Reading(catalog, parts, scope).graph()


class _Nodes:
    """Nodes as they are met; they get their final numbers at the end."""

    def __init__(self, merged: Mapping[str, str]) -> None:
        self._merged = merged
        self.number: dict[str, int] = {}
        self.names: list[str] = []
        self.kinds: list[NodeKind] = []
        self.aliases: dict[int, dict[str, None]] = defaultdict(dict)

    def add(self, node_id: str, kind: NodeKind, name: str) -> int:
        """A node by this name; a later name takes the place of an earlier one."""
        n = self.number.setdefault(node_id, len(self.names))
        if n == len(self.names):
            self.names.append(name)
            self.kinds.append(kind)
        self.names[n], self.kinds[n] = name, kind
        return n

    def of_part(self, part: PartColumns) -> Numbers:
        """The numbers of a part's nodes, after all merges; documents and sections keep names."""
        return np.array([self._met(*each[:3]) for each in part.nodes], dtype=np.int64)

    def _met(self, node_id: str, kind: NodeKind, name: str) -> int:
        kept = self._merged.get(node_id, node_id)
        n = self.number.get(kept)
        if n is None or (kept == node_id and self.kinds[n] not in ("document", "section")):
            n = self.add(kept, kind, name)
        if kept != node_id:
            self.aliases[n][name] = None
        return n


class _EdgeRows:
    """Edges as they are read, text by text; the same edge may be read often.

    Rows have source, target, kind, label, document, start, end, and whether a model read it.
    """

    def __init__(self) -> None:
        self._rows: list[Numbers] = []
        self._cites: list[tuple[int, ...]] = []
        self._weights: list[Floats] = []
        self._labels: dict[str, int] = {"": 0}

    def of_part(self, part: PartColumns, numbers: Numbers, document: int) -> None:
        """The edges of a part; ``numbers`` are those of its nodes."""
        edges, count = part.edges, len(part.edges)
        labels = np.zeros(count, dtype=np.int64)
        for n, label in part.labels.items():
            labels[n] = self._labels.setdefault(label, len(self._labels))
        read = [edges[:, 2], labels, np.full(count, document), edges[:, 3:]]
        by_model = np.arange(count) >= part.by_model
        self._rows.append(np.column_stack([numbers[edges[:, :2]], *read, by_model]))
        self._weights.append(part.weights)

    def cites(self, source: int, target: int, document: int, start: int, end: int) -> None:
        self._cites.append((source, target, KIND_NUMBER["cites"], 0, document, start, end, 0))

    def summed(self, final: Numbers, documents: Sequence[tuple[str, str]]) -> Edges:
        """Each edge once, its weights added up; of several places the first that was read.

        Args:
            final: the number that each node has in the end.
            documents: document and text ids, by the numbers of the documents.
        """
        rows = np.concatenate([*self._rows, table(self._cites, 8)])
        weights: Floats = np.concatenate([*self._weights, np.ones(len(self._cites))])
        named = sorted(self._labels)
        order = {label: n for n, label in enumerate(named)}
        rows[:, 3] = np.array([order[each] for each in self._labels])[rows[:, 3]]
        rows[:, :2] = final[rows[:, :2]]
        loops = rows[:, 0] == rows[:, 1]
        rows, weights = rows[~loops], weights[~loops]
        sizes = (max(1, len(final)), max(1, len(final)), len(EDGE_KINDS), len(named))
        keys = np.ravel_multi_index(tuple(rows[:, :4].T), sizes)
        _, first, edge = np.unique(keys, return_index=True, return_inverse=True)
        source, target, kind, label, document, start, end, _ = rows[first].T.copy()
        read: Numbers = np.bincount(edge, rows[:, 7] == 0, minlength=len(first))
        return Edges(
            source=source,
            target=target,
            kind=kind,
            weight=np.bincount(edge, weights, minlength=len(first)).astype(np.float64),
            document=document,
            start=start,
            end=end,
            by_model=read == 0,
            labels={n: named[each] for n, each in enumerate(label.tolist()) if named[each]},
            documents=documents,
        )


def _occurrences(pairs: Numbers, final: Numbers) -> Occurrences:
    """How often each passage and node occur among the pairs, by passage and node.

    Args:
        pairs: shape (n, 2), a passage and a node as they were read.
        final: the number that each node has in the end.
    """
    nodes = max(1, len(final))
    keys, times = np.unique(pairs[:, 0] * nodes + final[pairs[:, 1]], return_counts=True)
    return Occurrences(chunk=keys // nodes, node=keys % nodes, times=times.astype(np.int64))


class _Reading:
    """One reading of a scope: what is found is numbered at the end, in the order of ids."""

    def __init__(self, catalog: Catalog, parts: Graph, scope: Scope) -> None:
        self._catalog = catalog
        self._scope = scope
        merged = parts.merged(scope)
        self._merges = len(merged)
        self._parts = {part.text_id: part for part in parts.columns(scope)}
        everything = catalog.corpus.documents(scope, SearchFilter())
        self._total = len(everything)
        self._documents = [each for each in everything if each.text_id in self._parts]
        self._text_of = {each.document_id: each.text_id for each in self._documents}
        self._sections = {
            each.text_id: catalog.corpus.sections(each.text_id) for each in self._documents
        }
        self._names = catalog.references.aliases(scope)
        self._registry = Registry(self._names)
        self._nodes = _Nodes(merged)
        self._headings: dict[int, str] = {}
        self._labelled: dict[tuple[str, str], int] = {}
        self._edges = _EdgeRows()
        self._chunks: list[str] = []
        self._home: list[int] = []
        self._mentioned: list[Numbers] = [np.empty((0, 2), np.int64)]
        self._cited: list[tuple[int, int]] = []

    def graph(self) -> ScopeGraph:
        aliases: dict[str, list[str]] = defaultdict(list)
        for each in self._names:
            aliases[each.document_id].append(each.alias)
        for document in self._documents:
            self._name_own(document, aliases[document.document_id])
        numbers = []
        for n, document in enumerate(self._documents):
            part = self._parts[document.text_id]
            numbers.append(self._nodes.of_part(part))
            self._edges.of_part(part, numbers[n], n)
        places: dict[str, list[ChunkPlace]] = defaultdict(list)
        for place in self._catalog.corpus.chunk_places(self._scope) if self._documents else ():
            places[place.text_id].append(place)
        for n, document in enumerate(self._documents):
            self._passages(n, document, places[document.text_id], numbers[n])
        return self._numbered()

    def _name_own(self, document: CorpusDocument, aliases: Sequence[str]) -> None:
        """The nodes of a document and of its sections, whether or not its part names them."""
        short = self._registry.name_of(document.document_id) or document.document
        own = self._nodes.add(f"document:{document.text_id}", "document", short)
        self._headings[own] = document.title
        self._nodes.aliases[own] |= dict.fromkeys(aliases)
        for n, section in enumerate(self._sections[document.text_id]):
            heading = " ".join(section.title.removeprefix(section.label).split())
            labelled = (document.document_id, section.label)
            first = bool(section.label) and labelled not in self._labelled
            label = section.label.removeprefix(short)
            name = f"{short} {label}" if first and label else f"{short} {label} {heading}"
            node_id = f"section:{document.text_id}:{n}"
            node = self._nodes.add(node_id, "section", " ".join(name.split()))
            if first:
                self._labelled[labelled] = node
            self._headings[node] = heading or ("" if is_label(section.title) else section.title)

    def _passages(
        self, n: int, document: CorpusDocument, places: Sequence[ChunkPlace], numbers: Numbers
    ) -> None:
        """The passages of a document, what they name, and what they refer to."""
        offset, starts = len(self._chunks), [each.start for each in places]
        homes = self._homes(document.text_id)
        self._chunks += [each.chunk_id for each in places]
        self._home += map(homes, starts)
        mentions = self._parts[document.text_id].mentions
        chunk = np.searchsorted(starts, mentions[:, 1], side="right") - 1
        named = np.stack([offset + chunk, numbers[mentions[:, 0]]], axis=1)
        self._mentioned.append(named[chunk >= 0])
        for here, target, start, end in self._citations(document, homes):
            self._edges.cites(here, target, n, start, end)
            if (at := bisect_right(starts, start)) > 0:
                self._cited.append((offset + at - 1, target))

    def _citations(
        self, document: CorpusDocument, homes: Callable[[int], int]
    ) -> list[tuple[int, int, int, int]]:
        """References between sections of the scope; one to a whole document leads to that.

        Each its source and target nodes, and its start and end in the text.
        """
        source, found = document.document_id, []
        for reference in self._catalog.references.within(source, 0, END_OF_TEXT):
            meant = self._registry.resolve(reference, from_document_id=source)
            if meant.document_id is None or meant.document_id not in self._text_of:
                continue
            target = self._nodes.number[f"document:{self._text_of[meant.document_id]}"]
            if meant.label is not None:
                target = self._labelled.get((meant.document_id, meant.label), -1)
            here = homes(reference.start)
            if target in (-1, here) or (meant.label is None and meant.document_id == source):
                continue
            found.append((here, target, reference.start, reference.end))
        return found

    def _homes(self, text_id: str) -> Callable[[int], int]:
        """Gives the section that holds a character of a text, or the text where none does."""
        sections, number = self._sections[text_id], self._nodes.number
        starts = [each.start for each in sections]

        def home(offset: int) -> int:
            n = bisect_right(starts, offset) - 1
            outside = n < 0 or offset >= sections[n].end
            return number[f"document:{text_id}" if outside else f"section:{text_id}:{n}"]

        return home

    def _numbered(self) -> ScopeGraph:
        nodes = self._nodes
        ids = sorted(nodes.number)
        order = np.array([nodes.number[each] for each in ids], dtype=np.int64)
        final = np.empty_like(order)
        final[order] = np.arange(len(order))
        mentioned = _occurrences(np.concatenate(self._mentioned), final)
        named = np.bincount(mentioned.node, mentioned.times, minlength=len(ids)).astype(np.int64)
        number: list[int] = final.tolist()
        aliases = {n: tuple(sorted(names)) for n, names in nodes.aliases.items()}
        return ScopeGraph(
            nodes=tuple(
                Node(node_id=node_id, kind=nodes.kinds[at], name=nodes.names[at], places=places)
                for node_id, at, places in zip(ids, order.tolist(), named.tolist(), strict=True)
            ),
            edges=self._edges.summed(
                final, [(each.document_id, each.text_id) for each in self._documents]
            ),
            chunks=tuple(self._chunks),
            home=tuple(number[each] for each in self._home),
            mentioned=mentioned,
            cited=_occurrences(table(self._cited, 2), final),
            headings=_by_number(self._headings, number),
            aliases=_by_number(aliases, number),
            sections={key: number[node] for key, node in sorted(self._labelled.items())},
            documents={
                each.document_id: number[nodes.number[f"document:{each.text_id}"]]
                for each in self._documents
            },
            languages=tuple(dict.fromkeys(each.language for each in self._documents)),
            registry=self._registry,
            total=self._total,
            merges=self._merges,
        )


def _by_number(values: Mapping[int, T], number: Sequence[int]) -> dict[int, T]:
    """The values by the final numbers of their nodes, in the order of these."""
    return {n: values[node] for n, node in sorted((number[node], node) for node in values)}
