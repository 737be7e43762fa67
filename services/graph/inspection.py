"""What is read off a graph without a search: cards, counts, paths, reference neighbours."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from services.domain.errors import NotFound
from services.graph.columns import KIND_NUMBER
from services.graph.graph import ScopeGraph
from services.graph.pagerank import SHARES, WAY_SHARES, share_of
from services.graph.values import (
    EntityCard,
    GraphStatus,
    Place,
    ReferenceNeighbour,
    Step,
)

if TYPE_CHECKING:
    from networkx import Graph

LONGEST_DEFINITION: Final = 400
LONGEST_PATH: Final = 6
"""Steps; two nodes that are further apart have nothing to tell of each other."""
MOST_REFERENCES: Final = 12
"""References of a section, either way; of one that has more each says little."""


def card_of(graph: ScopeGraph, node: int, text: Callable[[str], str], *, limit: int) -> EntityCard:
    """The card of a node: first its closest neighbours, of each kind the most frequent first."""
    edges = sorted(
        (graph.edges[n] for n in graph.touching(node)),
        key=lambda e: (-share_of(e, start=node), -e.weight, e.other(node), e.kind, e.label),
    )
    definition, place = definition_of(graph, node, text)
    name = graph.nodes[node].name
    return EntityCard(
        node=graph.nodes[node],
        definition=definition,
        defined_at=place,
        neighbours=tuple(graph.step(edge, start=node) for edge in edges[:limit]),
        aliases=tuple(each for each in graph.aliases.get(node, ()) if each != name),
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
    edges, at = graph.edges, graph.touching(node)
    for n in at[(edges.kind[at] == KIND_NUMBER["defines"]) & (edges.target[at] == node)]:
        place = edges[n].place
        said = text(place.text_id)[place.start : place.end]
        return " ".join(said.split())[:LONGEST_DEFINITION], place
    return "", None


def status_of(graph: ScopeGraph, *, facts: int, communities: int) -> GraphStatus:
    """How much a graph holds; ``built`` of ``documents`` have a part."""
    return GraphStatus(
        documents=graph.total,
        built=len(graph.documents),
        facts=facts,
        nodes=dict(sorted(Counter(node.kind for node in graph.nodes).items())),
        edges=graph.edges.counts(),
        merges=graph.merges,
        communities=communities,
    )


def shortest_paths(
    graph: ScopeGraph, first: int, second: int, *, limit: int
) -> tuple[tuple[Step, ...], ...]:
    """Up to ``limit`` paths without a loop, the cheapest first, of equal ones by the ids on them.

    A step costs 1, and more where its kind says less.
    """
    from networkx import NetworkXNoPath, path_weight, shortest_simple_paths

    if first == second:
        return ()
    network = _undirected(graph)
    found = shortest_simple_paths(network, first, second, weight="cost")
    try:
        paths = list(islice(found, 2 * limit))
    except NetworkXNoPath:
        return ()
    paths.sort(key=lambda path: (round(path_weight(network, path, "cost"), 9), path))
    return tuple(
        graph.steps(
            path,
            [
                min(graph.between(*pair), key=lambda edge: -max(SHARES[edge.kind]))
                for pair in pairwise(path)
            ],
        )
        for path in paths[:limit]
        if len(path) <= LONGEST_PATH + 1
    )


@lru_cache(maxsize=4)
def _undirected(graph: ScopeGraph) -> "Graph[Any]":
    """The graph without directions; of several edges between two nodes the cheapest counts."""
    from networkx import Graph

    made = Graph()
    made.add_nodes_from(range(len(graph.nodes)))
    costs = 2.0 - WAY_SHARES.max(axis=1)[graph.edges.kind]
    ends = graph.edges.source.tolist(), graph.edges.target.tolist()
    for one, other, cost in zip(*ends, costs.tolist(), strict=True):
        if cost < made.get_edge_data(one, other, {"cost": np.inf})["cost"]:
            made.add_edge(one, other, cost=cost)
    return made


def reference_neighbours(
    graph: ScopeGraph, chunk_ids: Sequence[str]
) -> tuple[ReferenceNeighbour, ...]:
    """Sections that the passages refer to, or that refer to them, each once.

    They are in the order of the passages and of the nodes. The sections of the passages themselves
    are among them where they refer to each other.
    """
    found: dict[int, ReferenceNeighbour] = {}
    known = graph.chunk_number
    homes = (graph.home[known[each]] for each in chunk_ids if each in known)
    for home in dict.fromkeys(homes):
        for n in _references(graph, home):
            edge = graph.edges[n]
            other = edge.other(home)
            if other not in found and graph.chunks_of[other]:
                found[other] = ReferenceNeighbour(
                    chunk_ids=tuple(graph.chunks[chunk] for chunk in graph.chunks_of[other]),
                    step=graph.step(edge, start=home),
                )
    return tuple(found.values())


def _references(graph: ScopeGraph, home: int) -> Iterator[int]:
    """The numbers of the references of a section to others, and then of those to it."""
    if graph.nodes[home].kind != "section":
        return
    edges, at = graph.edges, graph.touching(home)
    at = at[edges.kind[at] == KIND_NUMBER["cites"]]
    for here, there in ((edges.source, edges.target), (edges.target, edges.source)):
        references = at[here[at] == home].tolist()
        sections = [n for n in references if graph.nodes[there[n]].kind == "section"]
        if len(sections) <= MOST_REFERENCES:
            yield from sections
