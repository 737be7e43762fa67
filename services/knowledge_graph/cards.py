"""What a node is and what it is tied to, and how much of everything a graph has."""

from collections import Counter
from collections.abc import Callable
from typing import Final

from services.errors import NotFound
from services.knowledge_graph.columns import KIND_NUMBER
from services.knowledge_graph.edges import Edge
from services.knowledge_graph.graph import ScopeGraph
from services.knowledge_graph.pagerank import share_of
from services.knowledge_graph.values import EntityCard, GraphStatus, Place

LONGEST_DEFINITION: Final = 400


def card_of(graph: ScopeGraph, node: int, text: Callable[[str], str], *, limit: int) -> EntityCard:
    """The card of a node: first its closest neighbours, of each kind the most frequent first."""
    edges = [graph.edges[n] for n in graph.touching[node]]
    ordered = sorted(
        edges,
        key=lambda edge: (
            -share_of(edge, start=node),
            -edge.weight,
            _other(edge, node),
            edge.kind,
            edge.label,
        ),
    )
    definition, place = definition_of(graph, node, text)
    return EntityCard(
        node=graph.nodes[node],
        definition=definition,
        defined_at=place,
        neighbours=tuple(graph.step(edge, start=node) for edge in ordered[:limit]),
        aliases=tuple(
            name for name in graph.aliases.get(node, ()) if name != graph.nodes[node].name
        ),
    )


def not_called(name: str) -> NotFound:
    """What is said where no node has a name."""
    return NotFound(
        f"Nothing in the knowledge graph is called {name}. Ask for a section (§ 78 StrlSchG), "
        "a defined term or an abbreviation of the documents."
    )


def definition_of(
    graph: ScopeGraph, node: int, text: Callable[[str], str]
) -> tuple[str, Place | None]:
    """What the first text that defines a node says of it, and where; nothing where none does."""
    edges = graph.edges
    for n in graph.touching[node]:
        if edges.kind[n] != KIND_NUMBER["defines"] or edges.target[n] != node:
            continue
        if (edge := graph.edges[n]).place is not None:
            said = text(edge.place.text_id)[edge.place.start : edge.place.end]
            return " ".join(said.split())[:LONGEST_DEFINITION], edge.place
    return "", None


def status_of(graph: ScopeGraph, *, facts: int, communities: int) -> GraphStatus:
    """How much a graph holds; ``built`` of ``documents`` have a part."""
    nodes = Counter(node.kind for node in graph.nodes)
    return GraphStatus(
        documents=graph.total,
        built=len(graph.documents),
        facts=facts,
        nodes=dict(sorted(nodes.items())),
        edges=dict(graph.edges.counts()),
        merges=graph.merges,
        communities=communities,
    )


def _other(edge: Edge, node: int) -> int:
    return edge.target if edge.source == node else edge.source
