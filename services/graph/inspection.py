"""What is read off a graph without a search: cards, paths, reference neighbours."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, Final

import numpy as np

from services.catalog.graph import EDGE_KINDS
from services.domain.errors import NotFound
from services.graph.graph import EDGE_SHARES, ScopeGraph
from services.graph.values import EntityCard, Place, ReferenceNeighbour, Step

LONGEST_DEFINITION: Final = 400
DEFINED: Final = ("term", "abbreviation")
LONGEST_PATH: Final = 6
"""Steps; two nodes that are further apart have nothing to tell of each other."""
MOST_REFERENCES: Final = 12
"""References of a section, either way; of one that has more each says little."""


def card_of(graph: ScopeGraph, node: int, text: Callable[[str], str], *, limit: int) -> EntityCard:
    """The card of a node: first its closest neighbours, of each kind the most frequent first."""
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
    """What is said where no node has a name."""
    return NotFound(
        "Nothing in the knowledge graph is called {name}. Ask for a section (§ 78 "
        "StrlSchG), a defined term or an abbreviation of the documents.",
        name=name,
    )


def definition_of(
    graph: ScopeGraph, node: int, text: Callable[[str], str]
) -> tuple[str, Place | None]:
    """What the first text that defines a node says of it, and where; nothing where none does."""
    for edge in graph.touching(node, "defines"):
        if graph.edges["target"][edge] == node:
            location = graph.location(edge)
            definition = text(location.text_id)[location.start : location.end]
            return " ".join(definition.split())[:LONGEST_DEFINITION], location
    return "", None


def glossary_of(graph: ScopeGraph, text: Callable[[str], str]) -> tuple[EntityCard, ...]:
    """Every term and abbreviation that a text defines, with its definition, by name."""
    cards = (
        EntityCard(node=node, definition=definition, defined_at=location)
        for n, node in enumerate(graph.nodes)
        if node.kind in DEFINED
        for definition, location in [definition_of(graph, n, text)]
        if definition
    )
    return tuple(sorted(cards, key=lambda card: card.node.name.casefold()))


def undirected(graph: ScopeGraph) -> Any:
    """The graph without directions for networkx; a step costs 1, more where its kind says less."""
    from networkx import from_scipy_sparse_array

    costs = 2.0 - EDGE_SHARES.max(axis=1)[graph.edges["kind"]]
    return from_scipy_sparse_array(graph.cheapest(np.tile(costs, 2)), edge_attribute="cost")


def shortest_paths(
    graph: ScopeGraph, network: Any, first: int, second: int, *, limit: int
) -> tuple[tuple[Step, ...], ...]:
    """Up to ``limit`` paths without a loop, the cheapest first, of equal ones by the ids on them.

    Args:
        graph: is walked.
        network: ``undirected(graph)``.
        first: where the paths begin.
        second: where they end.
        limit: most paths.
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
    """The edge between two nodes that costs a path least, of equal ones the first."""
    between = graph.between(one, other)
    return int(between[np.argmax(EDGE_SHARES.max(axis=1)[graph.edges["kind"][between]])])


def reference_neighbours(
    graph: ScopeGraph, chunk_ids: Sequence[str]
) -> tuple[ReferenceNeighbour, ...]:
    """Sections that the passages refer to, or that refer to them, each once.

    They are in the order of the passages and of the nodes. The sections of the passages themselves
    are among them where they refer to each other.
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
    """The numbers of the references of a section to others, and then of those to it."""
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
