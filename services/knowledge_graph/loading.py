"""The graph of a scope from the parts of its texts and the references between them."""

import threading
from bisect import bisect_right
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from services.catalog import Catalog
from services.catalog.corpus import CorpusDocument, SectionLine
from services.ingestion.registry import Registry
from services.knowledge_graph.graph import Edge, Mentioned, ScopeGraph
from services.knowledge_graph.interface import GraphParts
from services.knowledge_graph.values import EdgeKind, Node, Place
from services.types import Scope, SearchFilter

KEPT: Final = 4
"""Graphs of scopes that stay in memory."""

Key = tuple[str, str, EdgeKind, str]


class GraphLoader:
    """Reads graphs and keeps the latest few until something of them has changed."""

    def __init__(self, catalog: Catalog, parts: GraphParts) -> None:
        self._catalog = catalog
        self._parts = parts
        self._kept: OrderedDict[tuple[str, ...], tuple[str, ScopeGraph]] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, scope: Scope) -> ScopeGraph:
        """The graph of what a request may read; empty where nothing has been built."""
        place, version = tuple(sorted(scope.collections)), self.version(scope)
        with self._lock:
            kept = self._kept.get(place)
            if kept is None or kept[0] != version:
                kept = version, _Reading(self._catalog, self._parts, scope).graph()
            self._kept[place] = kept
            self._kept.move_to_end(place)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return kept[1]

    def version(self, scope: Scope) -> str:
        """Changes with the parts and with the documents of a scope."""
        versions = sorted(self._catalog.collections.versions(scope).items())
        contents = (f"{name}:{version}" for name, version in versions)
        return " ".join([self._parts.version(scope), *contents])


class _Reading:
    """One reading of a scope: what is found is numbered at the end, in the order of ids."""

    def __init__(self, catalog: Catalog, parts: GraphParts, scope: Scope) -> None:
        self._catalog = catalog
        self._scope = scope
        self._merged = parts.merged(scope)
        self._parts = {part.text_id: part for part in parts.parts(scope)}
        everything = catalog.corpus.documents(scope, SearchFilter())
        self._total = len(everything)
        self._documents = [each for each in everything if each.text_id in self._parts]
        self._sections = {
            each.text_id: catalog.corpus.sections(each.text_id) for each in self._documents
        }
        self._names = catalog.references.aliases(scope)
        self._registry = Registry(self._names)
        self._nodes: dict[str, Node] = {}
        self._aliases: dict[str, dict[str, None]] = defaultdict(dict)
        self._headings: dict[str, str] = {}
        self._labelled: dict[tuple[str, str], str] = {}
        self._edges: dict[Key, tuple[float, Place | None, bool]] = {}
        self._chunks: list[str] = []
        self._home: list[str] = []
        self._mentioned: dict[tuple[int, str], int] = defaultdict(int)
        self._cited: dict[tuple[int, str], int] = defaultdict(int)

    def graph(self) -> ScopeGraph:
        for document in self._documents:
            self._name_own(document)
        for document in self._documents:
            self._take_part(document)
        places = defaultdict(list)
        for place in self._catalog.corpus.chunk_places(self._scope) if self._documents else ():
            places[place.text_id].append(place)
        for document in self._documents:
            first = len(self._chunks)
            starts = [each.start for each in places[document.text_id]]
            homes = _Homes(self._sections[document.text_id], document.text_id)
            self._chunks += [each.chunk_id for each in places[document.text_id]]
            self._home += [homes(start) for start in starts]
            self._mentions(document, _chunk_at(starts, first))
            self._citations(document, homes, _chunk_at(starts, first))
        return self._numbered()

    def _name_own(self, document: CorpusDocument) -> None:
        """The nodes of a document and of its sections, whether or not its part names them."""
        short = self._registry.name_of(document.document_id) or document.document
        own = f"document:{document.text_id}"
        self._nodes[own] = Node(node_id=own, kind="document", name=short)
        self._headings[own] = document.title
        self._aliases[own] |= {
            each.alias: None for each in self._names if each.document_id == document.document_id
        }
        for n, section in enumerate(self._sections[document.text_id]):
            node = f"section:{document.text_id}:{n}"
            heading = " ".join(section.title.removeprefix(section.label).split())
            labelled = (document.document_id, section.label)
            first = bool(section.label) and labelled not in self._labelled
            if first:
                self._labelled[labelled] = node
            name = f"{short} {section.label}" if first else f"{short} {section.label} {heading}"
            name = " ".join(name.split())
            self._nodes[node] = Node(node_id=node, kind="section", name=name)
            self._headings[node] = heading

    def _take_part(self, document: CorpusDocument) -> None:
        part = self._parts[document.text_id]
        for node in part.nodes:
            kept = self._kept(node.node_id)
            if kept != node.node_id:
                self._aliases[kept][node.name] = None
            if kept not in self._nodes or (
                kept == node.node_id and self._nodes[kept].kind not in ("document", "section")
            ):
                self._nodes[kept] = Node(node_id=kept, kind=node.kind, name=node.name)
        for edge in part.edges:
            place = self._place(document, edge.start, edge.end)
            key = (edge.source, edge.target, edge.kind, edge.label)
            self._connect(key, edge.weight, place, by_model=edge.by == "model")

    def _mentions(self, document: CorpusDocument, chunk_at: Callable[[int], int | None]) -> None:
        """Which passages name what; the edges of sections to it are in the part."""
        for mention in self._parts[document.text_id].mentions:
            if (chunk := chunk_at(mention.start)) is not None:
                self._mentioned[chunk, self._kept(mention.node_id)] += 1

    def _citations(
        self, document: CorpusDocument, homes: "_Homes", chunk_at: Callable[[int], int | None]
    ) -> None:
        """References between sections of the scope; one to a whole document leads to that."""
        text_of = {each.document_id: each.text_id for each in self._documents}
        length = len(self._catalog.corpus.text(document.text_id))
        source = document.document_id
        for reference in self._catalog.references.within(source, 0, length):
            way = self._registry.resolve(reference, from_document_id=source)
            if way.document_id is None or way.document_id not in text_of:
                continue
            target = f"document:{text_of[way.document_id]}"
            if way.label is not None:
                target = self._labelled.get((way.document_id, way.label), "")
            here = homes(reference.start)
            if not target or target == here or (way.label is None and way.document_id == source):
                continue
            place = self._place(document, reference.start, reference.end)
            self._connect((here, target, "cites", ""), 1.0, place)
            if (chunk := chunk_at(reference.start)) is not None:
                self._cited[chunk, target] += 1

    def _kept(self, node_id: str) -> str:
        """The node that stands for this one after all merges."""
        seen = {node_id}
        while (further := self._merged.get(node_id)) is not None and further not in seen:
            seen.add(further)
            node_id = further
        return node_id

    def _connect(
        self, key: Key, weight: float, place: Place | None, *, by_model: bool = False
    ) -> None:
        """Adds to an edge; of several places the first in reading order is shown."""
        source, target, kind, label = key
        key = (self._kept(source), self._kept(target), kind, label)
        if key[0] == key[1]:
            return
        sum_, first, model = self._edges.get(key, (0.0, place, by_model))
        self._edges[key] = (sum_ + weight, first, model and by_model)

    def _place(self, document: CorpusDocument, start: int, end: int) -> Place:
        return Place(
            document_id=document.document_id, text_id=document.text_id, start=start, end=end
        )

    def _numbered(self) -> ScopeGraph:
        times: dict[str, int] = defaultdict(int)
        for (_, node), found in self._mentioned.items():
            times[node] += found
        ids = sorted(self._nodes)
        number = {node_id: n for n, node_id in enumerate(ids)}
        return ScopeGraph(
            nodes=tuple(
                self._nodes[each].model_copy(update={"places": times.get(each, 0)}) for each in ids
            ),
            edges=tuple(self._numbered_edges(number)),
            chunks=tuple(self._chunks),
            home=tuple(number[each] for each in self._home),
            mentioned=_numbered_mentions(self._mentioned, number),
            cited=_numbered_mentions(self._cited, number),
            headings={number[each]: text for each, text in sorted(self._headings.items())},
            aliases={
                number[each]: tuple(sorted(names))
                for each, names in sorted(self._aliases.items())
                if each in number
            },
            sections={key: number[node] for key, node in sorted(self._labelled.items())},
            documents={
                each.document_id: number[f"document:{each.text_id}"] for each in self._documents
            },
            languages=tuple(dict.fromkeys(each.language for each in self._documents)),
            registry=self._registry,
            total=self._total,
            merges=len(self._merged),
        )

    def _numbered_edges(self, number: Mapping[str, int]) -> Iterator[Edge]:
        for (source, target, kind, label), (weight, place, by_model) in sorted(
            self._edges.items(), key=lambda item: item[0]
        ):
            if source in number and target in number:
                yield Edge(number[source], number[target], kind, weight, label, place, by_model)


class _Homes:
    """The section of a text that holds a character, or the text where none does."""

    def __init__(self, sections: Sequence[SectionLine], text_id: str) -> None:
        self._sections = sections
        self._starts = [each.start for each in sections]
        self._text_id = text_id

    def __call__(self, offset: int) -> str:
        n = bisect_right(self._starts, offset) - 1
        if n < 0 or offset >= self._sections[n].end:
            return f"document:{self._text_id}"
        return f"section:{self._text_id}:{n}"


def _chunk_at(starts: Sequence[int], first: int) -> Callable[[int], int | None]:
    """The number of the last chunk that begins at or before a character."""

    def find(offset: int) -> int | None:
        n = bisect_right(starts, offset) - 1
        return None if n < 0 else first + n

    return find


def _numbered_mentions(
    counts: Mapping[tuple[int, str], int], number: Mapping[str, int]
) -> tuple[Mentioned, ...]:
    return tuple(
        sorted(
            (
                Mentioned(chunk, number[node], times)
                for (chunk, node), times in counts.items()
                if node in number
            ),
            key=lambda each: (each.chunk, each.node),
        )
    )
