"""Read cards, the glossary, paths and neighbouring sections from a graph, without a search."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, Final

import numpy as np

from services.catalog.graph import EDGE_KINDS
from services.domain.errors import NotFound
from services.graph.graph import EDGE_SHARES, ScopeGraph
from services.graph.values import EntityCard, ReferenceNeighbour, Step, TextSpan

LONGEST_DEFINITION: Final = 400
DEFINED: Final = ("term", "abbreviation")
LONGEST_PATH: Final = 6
"""Steps; nodes that are further apart are not related in a useful sense."""
MOST_REFERENCES: Final = 12
"""References of a section in one direction; more of them say little each."""


def card_of(graph: ScopeGraph, node: int, text: Callable[[str], str], *, limit: int) -> EntityCard:
    """Return the card of a node with its closest neighbours, the most frequent first."""
    at = graph.touching(node)
    rows, shares = graph.edges[at], graph.shares(at, node)

    def closest(n: int) -> tuple[Any, ...]:
        row = rows[n]
        kind = EDGE_KINDS[row["kind"]]
        return -shares[n], -row["weight"], graph.other_end(int(at[n]), node), kind, row["label"]

    order = sorted(range(len(at)), key=closest)[:limit]
    definition, location = definition_of(graph, node, text)
    name = graph.nodes[node].name
    return EntityCard(
        node=graph.nodes[node],
        definition=definition,
        defined_at=location,
        neighbours=graph.steps([node] * len(order), [int(at[n]) for n in order]),
        aliases=tuple(alias for alias in graph.aliases.get(node, ()) if alias != name),
    )


def not_called(name: str) -> NotFound:
    """Return the error for a name that no node has."""
    return NotFound(
        "Nothing in the knowledge graph is called {name}. Ask for a section (§ 78 "
        "StrlSchG), a defined term or an abbreviation of the documents.",
        name=name,
    )


def definition_of(
    graph: ScopeGraph, node: int, text: Callable[[str], str]
) -> tuple[str, TextSpan | None]:
    """Return the first definition of a node and its location; "" and None if there is none."""
    for edge in graph.touching(node, "defines"):
        if graph.edges["target"][edge] == node:
            location = graph.location(edge)
            definition = text(location.text_id)[location.start : location.end]
            return " ".join(definition.split())[:LONGEST_DEFINITION], location
    return "", None


def glossary_of(graph: ScopeGraph, text: Callable[[str], str]) -> tuple[EntityCard, ...]:
    """Return every defined term and abbreviation with its definition, by name."""
    cards = (
        EntityCard(node=node, definition=definition, defined_at=location)
        for n, node in enumerate(graph.nodes)
        if node.kind in DEFINED
        for definition, location in [definition_of(graph, n, text)]
        if definition
    )
    return tuple(sorted(cards, key=lambda card: card.node.name.casefold()))


def undirected(graph: ScopeGraph) -> Any:
    """Return the graph without directions for networkx; steps of weaker kinds cost more than 1."""
    from networkx import from_scipy_sparse_array

    costs = 2.0 - EDGE_SHARES.max(axis=1)[graph.edges["kind"]]
    return from_scipy_sparse_array(graph.cheapest(np.tile(costs, 2)), edge_attribute="cost")


def shortest_paths(
    graph: ScopeGraph, network: Any, first: int, second: int, *, limit: int
) -> tuple[tuple[Step, ...], ...]:
    """Return up to ``limit`` paths without loops, the cheapest first, ties by node ids.

    Args:
        graph: the graph.
        network: ``undirected(graph)``.
        first: start of the paths.
        second: end of the paths.
        limit: maximum number of paths.
    """
    from networkx import NetworkXNoPath, path_weight, shortest_simple_paths

    if first == second:
        return ()
    try:
        candidates = shortest_simple_paths(network, first, second, weight="cost")
        paths = list(islice(candidates, 2 * limit))
    except NetworkXNoPath:
        return ()
    paths.sort(key=lambda path: (round(path_weight(network, path, "cost"), 9), path))
    return tuple(
        graph.steps(path, [_plainest(graph, *pair) for pair in pairwise(path)])
        for path in paths[:limit]
        if len(path) <= LONGEST_PATH + 1
    )


def _plainest(graph: ScopeGraph, one: int, other: int) -> int:
    """Return the cheapest edge between two nodes, the first of equal ones."""
    between = graph.between(one, other)
    return int(between[np.argmax(EDGE_SHARES.max(axis=1)[graph.edges["kind"][between]])])


def reference_neighbours(
    graph: ScopeGraph, chunk_ids: Sequence[str]
) -> tuple[ReferenceNeighbour, ...]:
    """Return the sections that the passages refer to, or that refer to them, each once.

    They come in the order of the passages and of the nodes, and include the passages' own sections
    where these refer to each other.
    """
    neighbours: dict[int, ReferenceNeighbour] = {}
    numbers = graph.chunk_number
    homes = (graph.home[numbers[chunk_id]] for chunk_id in chunk_ids if chunk_id in numbers)
    for home in dict.fromkeys(homes):
        for edge in _references(graph, home):
            other = graph.other_end(edge, home)
            if other not in neighbours and graph.chunks_of[other]:
                neighbours[other] = ReferenceNeighbour(
                    chunk_ids=tuple(graph.chunks[chunk] for chunk in graph.chunks_of[other]),
                    step=graph.step(edge, start=home),
                )
    return tuple(neighbours.values())


def _references(graph: ScopeGraph, home: int) -> Iterator[int]:
    """Yield the edges of a section's references to others, then of references to it."""
    if graph.nodes[home].kind != "section":
        return
    at = graph.touching(home, "cites")
    for here, there in (("source", "target"), ("target", "source")):
        sections = [
            n
            for n in at[graph.edges[here][at] == home].tolist()
            if graph.nodes[graph.edges[there][n]].kind == "section"
        ]
        if len(sections) <= MOST_REFERENCES:
            yield from sections
