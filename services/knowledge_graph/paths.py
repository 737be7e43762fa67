"""The shortest ways from one node to another."""

from functools import lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final

from services.knowledge_graph.edges import Edge
from services.knowledge_graph.graph import ScopeGraph
from services.knowledge_graph.pagerank import share_of
from services.knowledge_graph.values import Step

if TYPE_CHECKING:
    from networkx import Graph

LONGEST: Final = 6
"""Steps; two nodes that are further apart have nothing to tell of each other."""
LOOKED_AT: Final = 50


def shortest(
    graph: ScopeGraph, first: int, second: int, *, limit: int
) -> tuple[tuple[Step, ...], ...]:
    """Up to ``limit`` ways without a loop, the cheapest first, of equal ones by the ids on them."""
    from networkx import NetworkXNoPath, shortest_simple_paths

    if first == second:
        return ()
    try:
        ways = list(
            islice(
                shortest_simple_paths(simple(graph), first, second, weight="cost"),
                min(limit + LOOKED_AT, 2 * limit),
            )
        )
    except NetworkXNoPath:
        return ()
    ordered = sorted(ways, key=lambda way: (round(_cost(graph, way), 9), way))
    return tuple(
        graph.steps(way, [_edge(graph, a, b) for a, b in pairwise(way)])
        for way in ordered[:limit]
        if len(way) <= LONGEST + 1
    )


@lru_cache(maxsize=4)
def simple(graph: ScopeGraph) -> "Graph[Any]":
    """The graph without directions; of several edges between two nodes the cheapest counts."""
    from networkx import Graph

    made = Graph()
    made.add_nodes_from(range(len(graph.nodes)))
    for edge in graph.edges:
        cost = cost_of(edge)
        known = made.get_edge_data(edge.source, edge.target)
        if known is None or cost < known["cost"]:
            made.add_edge(edge.source, edge.target, cost=cost)
    return made


def cost_of(edge: Edge) -> float:
    """A step costs 1, and more where its kind says less."""
    return 2.0 - max(share_of(edge, start=edge.source), share_of(edge, start=edge.target))


def _edge(graph: ScopeGraph, one: int, other: int) -> Edge:
    return min(graph.between(one, other), key=cost_of)


def _cost(graph: ScopeGraph, way: list[int]) -> float:
    return sum(cost_of(_edge(graph, a, b)) for a, b in pairwise(way))
