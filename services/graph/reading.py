"""The graph of a scope from the parts of its texts and the references between them."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np

from services.catalog import Catalog
from services.catalog.corpus import ChunkPlace, CorpusDocument
from services.catalog.graph import Graph
from services.domain import Scope, SearchFilter
from services.domain.passages import title_of
from services.graph.columns import (
    EDGE_KINDS,
    KIND_NUMBER,
    Edges,
    Numbers,
    PartColumns,
    edge_rows,
    sparse,
    table,
)
from services.graph.graph import ScopeGraph
from services.graph.values import Node, NodeKind
from services.ingestion.headings import is_label
from services.ingestion.registry import Registry

T = TypeVar("T")
END_OF_TEXT: Final = 2**31 - 1
"""After every character that a text can have."""


def read_graph(catalog: Catalog, parts: Graph, scope: Scope) -> ScopeGraph:
    """Everything that a scope holds, numbered in the order of ids; empty where nothing is built."""
    return _Reading(catalog, parts, scope).graph()


class _Reading:
    """One reading of a scope: all nodes are named first, then numbered, then tied."""

    def __init__(self, catalog: Catalog, parts: Graph, scope: Scope) -> None:
        self._catalog = catalog
        self._scope = scope
        self._merged = parts.merges.merged(scope.collections)
        self._parts = {part.text_id: part for part in parts.columns(scope)}
        everything = catalog.corpus.documents(scope, SearchFilter())
        self._documents = [each for each in everything if each.text_id in self._parts]
        self._text_of = {each.document_id: each.text_id for each in self._documents}
        self._sections = {
            each.text_id: catalog.corpus.sections(each.text_id) for each in self._documents
        }
        self._aliases = catalog.references.aliases(scope)
        self._registry = Registry(self._aliases)
        self._named: dict[str, tuple[NodeKind, str]] = {}
        self._headings: dict[str, str] = {}
        self._other_names: defaultdict[str, set[str]] = defaultdict(set)
        self._labelled: dict[tuple[str, str], str] = {}
        self._number: dict[str, int] = {}

    def graph(self) -> ScopeGraph:
        for document in self._documents:
            self._name_own(document)
        for alias in self._aliases:
            if alias.document_id in self._text_of:
                self._other_names[f"document:{self._text_of[alias.document_id]}"].add(alias.alias)
        for document in self._documents:
            self._name_of_part(self._parts[document.text_id])
        self._number = {node_id: n for n, node_id in enumerate(sorted(self._named))}
        size = len(self._number)
        places: defaultdict[str, list[ChunkPlace]] = defaultdict(list)
        for place in self._catalog.corpus.chunk_places(self._scope) if self._documents else ():
            places[place.text_id].append(place)
        chunks: list[str] = []
        home: list[int] = []
        edges, mentioned, cited = [edge_rows(())], [table((), 2)], [table((), 2)]
        for n, document in enumerate(self._documents):
            part, homes = self._parts[document.text_id], self._homes(document.text_id)
            ids = (self._merged.get(node_id, node_id) for node_id, *_ in part.nodes)
            numbers = np.array([self._number[each] for each in ids], dtype=np.int64)
            starts = [each.start for each in places[document.text_id]]
            cites = edge_rows(list(self._citations(n, document, homes)))
            edges += [_renumbered(part.edges, numbers, n), cites]
            named = numbers[part.mentions[:, 0]]
            mentioned.append(_within(starts, part.mentions[:, 1], named, len(chunks)))
            cited.append(_within(starts, cites["start"], cites["target"], len(chunks)))
            chunks += [each.chunk_id for each in places[document.text_id]]
            home += map(homes, starts)
        names = _counted(np.concatenate(mentioned), (len(chunks), size))
        places_of = names.sum(axis=0).tolist()
        return ScopeGraph(
            nodes=tuple(
                Node(node_id=node_id, kind=kind, name=name, places=places_of[n])
                for node_id, n in self._number.items()
                for kind, name in [self._named[node_id]]
            ),
            edges=_summed(np.concatenate(edges), size),
            texts=[(each.document_id, each.text_id) for each in self._documents],
            chunks=tuple(chunks),
            home=tuple(home),
            mentioned=names,
            cited=_counted(np.concatenate(cited), (len(chunks), size)),
            headings=self._by_number(self._headings),
            aliases=self._by_number(
                {node: tuple(sorted(names)) for node, names in self._other_names.items()}
            ),
            sections={key: self._number[node] for key, node in sorted(self._labelled.items())},
            languages=tuple(dict.fromkeys(each.language for each in self._documents)),
            registry=self._registry,
        )

    def _name_own(self, document: CorpusDocument) -> None:
        """The nodes of a document and of its sections, whether or not its part names them."""
        short = self._registry.name_of(document.document_id) or document.document
        own = f"document:{document.text_id}"
        self._named[own] = "document", short
        self._headings[own] = title_of(document.title, document.document)
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

    def _name_of_part(self, part: PartColumns) -> None:
        """The nodes of a part after all merges; documents and sections keep their names."""
        for node_id, kind, name, _ in part.nodes:
            kept = self._merged.get(node_id, node_id)
            if kept != node_id:
                self._other_names[kept].add(name)
            own = self._named.get(kept, ("",))[0] in ("document", "section")
            if kept not in self._named or (kept == node_id and not own):
                self._named[kept] = kind, name

    def _citations(
        self, n: int, document: CorpusDocument, homes: Callable[[int], int]
    ) -> Iterator[tuple[Any, ...]]:
        """Edges of references between sections; one to a whole document leads to that."""
        source = document.document_id
        for reference in self._catalog.references.within(source, 0, END_OF_TEXT):
            meant = self._registry.resolve(reference, from_document_id=source)
            if meant.document_id is None or meant.document_id not in self._text_of:
                continue
            node: str | None = f"document:{self._text_of[meant.document_id]}"
            if meant.label is not None:
                node = self._labelled.get((meant.document_id, meant.label))
            here = homes(reference.start)
            if node is None or (meant.label is None and meant.document_id == source):
                continue
            if (target := self._number[node]) != here:
                span = (reference.start, reference.end)
                yield here, target, KIND_NUMBER["cites"], "", 1.0, n, *span, False

    def _homes(self, text_id: str) -> Callable[[int], int]:
        """Gives the section that holds a character of a text, or the text where none does."""
        sections, number = self._sections[text_id], self._number
        starts = [each.start for each in sections]

        def home(offset: int) -> int:
            n = bisect_right(starts, offset) - 1
            outside = n < 0 or offset >= sections[n].end
            return number[f"document:{text_id}" if outside else f"section:{text_id}:{n}"]

        return home

    def _by_number(self, values: Mapping[str, T]) -> dict[int, T]:
        """The values by the numbers of their nodes, in the order of these."""
        return {self._number[node]: values[node] for node in sorted(values)}


def _renumbered(edges: Edges, numbers: Numbers, document: int) -> Edges:
    """The edges of a part in the numbers of the scope."""
    found = edges.copy()
    found["source"], found["target"] = numbers[edges["source"]], numbers[edges["target"]]
    found["document"] = document
    return found


def _within(starts: Sequence[int], offsets: Numbers, nodes: Numbers, first: int) -> Numbers:
    """Pairs of the passage that holds each offset and the node read there, shape (n, 2)."""
    chunk = np.searchsorted(starts, offsets, side="right") - 1
    return np.stack([first + chunk, nodes], axis=1)[chunk >= 0]


def _counted(pairs: Numbers, shape: tuple[int, int]) -> Any:
    """How often each pair occurs, as a sparse matrix."""
    return sparse(np.ones(len(pairs), dtype=np.int64), pairs.T, shape)


def _summed(edges: Edges, nodes: int) -> Edges:
    """Each edge that weighs anything once, its weights added up; the first of several places."""
    edges = edges[(edges["source"] != edges["target"]) & (edges["weight"] > 0)]
    labels = {label: n for n, label in enumerate(sorted(set(edges["label"].tolist())))}
    label = np.array([labels[each] for each in edges["label"].tolist()], dtype=np.int64)
    sizes = (max(1, nodes), max(1, nodes), len(EDGE_KINDS), max(1, len(labels)))
    keys = np.ravel_multi_index((edges["source"], edges["target"], edges["kind"], label), sizes)
    _, first, edge = np.unique(keys, return_index=True, return_inverse=True)
    found = edges[first]
    found["weight"] = np.bincount(edge, edges["weight"], minlength=len(first))
    found["by_model"] = np.bincount(edge, ~edges["by_model"], minlength=len(first)) == 0
    return found
