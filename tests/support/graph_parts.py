"""A small graph of two laws: what a search of the graph is tried on."""

import threading
from collections.abc import Iterator, Sequence
from typing import cast

from services.catalog import Alias, Catalog
from services.catalog.graph import EDGE_KINDS, PartRows
from services.catalog.values import NewMember
from services.domain import Principal, Scope, SearchFilter
from services.graph.values import GraphPart, Mention, Node, NodeKind, PartEdge
from services.references import detect_references
from tests.support.documents import law, store

ANNA = Principal(user="anna")
TERMS: dict[str, NodeKind] = {"Körperdosis": "term", "Kontrollbereich": "term", "Arzt": "word"}


class CountedParts:
    """The graph of a catalog, of which is counted how often it is read.

    ``size`` is how many passages it says that it has, ``number`` a part of its version; who reads
    it waits until ``readable``.
    """

    def __init__(self, catalog: Catalog, parts: Sequence[GraphPart]) -> None:
        for part in parts:
            catalog.graph.store(part, "test")
        self._graph = catalog.graph
        self.number = self.reads = 0
        self.size = len(parts)
        self.readable = threading.Event()
        self.readable.set()
        self.is_built, self.merges = self._graph.is_built, self._graph.merges
        self.status = self._graph.status

    def read(self, scope: Scope) -> Iterator[PartRows]:
        self.readable.wait()
        self.reads += 1
        return self._graph.read(scope)

    def passages(self, scope: Scope) -> int:
        return self.size

    def version(self, scope: Scope) -> str:
        return f"{self.number} {self._graph.version(scope)}"


def two_laws(catalog: Catalog) -> Scope:
    """A law on doses (ÄrzteG) and one on access (ZutrittsV), which refer to each other."""
    place = catalog.collections.ensure(ANNA, "laws").collection_id
    bodies = {
        "ÄrzteG": (
            "Die Körperdosis ist die Dosis eines Körpers.",
            "Wer untersucht wird, sagt § 3. Die Aufsicht führt das Amt.",
            "Ein Arzt braucht eine Ermächtigung des Amtes.",
        ),
        "ZutrittsV": (
            "Den Kontrollbereich betritt, wer nach § 2 ÄrzteG untersucht ist.",
            "Im Kontrollbereich wird die Körperdosis gemessen.",
        ),
    }
    for name, sections in bodies.items():
        parsed = law(*sections, title=f"Ein Gesetz ({name})")
        references = tuple(detect_references(parsed.text))
        document = store(catalog, place, parsed, name=f"{name}.txt", references=references)
        alias = Alias(
            document_id=document,
            document=f"{name}.txt",
            title=parsed.title,
            alias=name,
            kind="abbreviation",
        )
        catalog.documents.attach(place, NewMember(document, f"{name}.txt", None, [alias]))
        catalog.documents.mark_indexed(place, document)
    return catalog.collections.scope(ANNA, None)


def parts_of(catalog: Catalog, scope: Scope) -> list[GraphPart]:
    """What each text says of `TERMS`; the first section to name a term defines it."""
    return [
        _part(catalog, each.text_id) for each in catalog.corpus.documents(scope, SearchFilter())
    ]


def _part(catalog: Catalog, text_id: str) -> GraphPart:
    text, own = catalog.documents.text_of(text_id), f"document:{text_id}"
    nodes = [Node(node_id=own, kind="document", name="Gesetz")]
    edges: list[PartEdge] = []
    mentions: list[Mention] = []
    for n, section in enumerate(catalog.corpus.sections(text_id)):
        node = f"section:{text_id}:{n}"
        nodes.append(Node(node_id=node, kind="section", name=section.label))
        span = {"start": section.start, "end": section.end}
        edges.append(PartEdge(source=own, target=node, kind="contains", **span))
        for name, kind in TERMS.items():
            at = text.find(name, section.start, section.end)
            if at < 0:
                continue
            term, here = f"{kind}:{name.casefold()}", {"start": at, "end": at + len(name)}
            nodes.append(Node(node_id=term, kind=kind, name=name))
            mentions.append(Mention(node_id=term, **here))
            edges.append(PartEdge(source=node, target=term, kind="mentions", **here))
            if text.startswith("ist", at + len(name) + 1):
                edges.append(PartEdge(source=node, target=term, kind="defines", **span))
    unique = {node.node_id: node for node in nodes}
    return GraphPart(
        text_id=text_id,
        nodes=tuple(unique.values()),
        mentions=tuple(mentions),
        edges=tuple(edges),
    )


def stored_parts(catalog: Catalog, scope: Scope) -> list[GraphPart]:
    return [part_of(each) for each in catalog.graph.read(scope)]


def part_of(columns: PartRows) -> GraphPart:
    names = [node_id for node_id, *_ in columns.nodes]
    fields = ("label", "weight", "start", "end")
    return GraphPart.model_validate(
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
                    "source": names[each["source"]],
                    "target": names[each["target"]],
                    "kind": EDGE_KINDS[each["kind"]],
                    "by": "model" if each["by_model"] else "structure",
                    **{field: each[field] for field in fields},
                }
                for each in columns.edges
            ],
        }
    )
