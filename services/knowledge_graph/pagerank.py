"""Personalised PageRank from what a question names to passages, and the way that led there.

Whoever walks from a node first chooses a kind of way by its share in `SHARES`, then one of its
ways by their weights. So thirty terms of a passage do not drown its one reference.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from services.knowledge_graph.graph import Edge, ScopeGraph
from services.knowledge_graph.linking import rarities
from services.knowledge_graph.values import EdgeKind

DAMPING: Final = 0.85
TOLERANCE: Final = 1e-6
MOST_ITERATIONS: Final = 50
MOST_STEPS: Final = 4
"""Steps of a way that is shown."""

Way = EdgeKind | Literal["holds"]
SHARES: Final[Mapping[Way, tuple[float, float]]] = {
    "cites": (1.0, 0.35),
    "defines": (0.5, 0.7),
    "abbreviates": (0.5, 0.5),
    "relates": (0.5, 0.5),
    "mentions": (0.3, 0.6),
    "cooccurs": (0.1, 0.1),
    "contains": (0.05, 0.1),
    "holds": (1.0, 0.5),
}
"""By kind of edge the share of walking it, and of walking it against its direction.

``holds`` leads from a section to the passages in it.
"""

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Ways:
    """Directed ways with their weights, as arrays of equal length; ``group`` is kind and sense."""

    source: Numbers
    target: Numbers
    weight: Floats
    group: Numbers


class PageRank:
    """Walks on one graph; made once for it. Nodes are numbered first, then its passages."""

    def __init__(self, graph: ScopeGraph) -> None:
        self._graph = graph
        self._size = len(graph.nodes) + len(graph.chunks)
        self._back = _transposed(_ways(graph), self._size)
        self._between = _costs(graph)

    def scores(self, seeds: Mapping[int, float]) -> Floats:
        """What share of a walk is spent where, by number; it often begins anew at the seeds."""
        start = np.zeros(self._size)
        for n, weight in sorted(seeds.items()):
            start[n] = weight
        if not start.sum():
            return start
        start /= start.sum()
        share = start.copy()
        for _ in range(MOST_ITERATIONS):
            walked = self._back @ share
            lost = 1.0 - walked.sum()  # at nodes that lead nowhere: the walk begins anew
            following = (1 - DAMPING + DAMPING * lost) * start + DAMPING * walked
            change = float(np.abs(following - share).sum())
            share = following
            if change < TOLERANCE:
                break
        return share

    def ways(
        self, seeds: Mapping[int, float], targets: Iterable[int]
    ) -> dict[int, tuple[tuple[int, ...], tuple[Edge, ...]]]:
        """The best way from any seed to each target: the nodes, and the edges between them.

        Both are numbers of nodes. A target that is a seed has a way of itself alone; one that
        cannot be reached in `MOST_STEPS` steps has none.
        """
        from scipy.sparse import csr_matrix, vstack
        from scipy.sparse.csgraph import dijkstra

        first = [n for n in sorted(seeds) if seeds[n] > 0]
        if not first:
            return {}
        most = max(seeds[n] for n in first)
        away = [1e-6 - np.log(seeds[n] / most) for n in first]
        count = len(self._graph.nodes)
        row = csr_matrix((away, ([0] * len(first), first)), shape=(1, count + 1))
        _, before = dijkstra(
            vstack([self._between, row]).tocsr(), indices=count, return_predecessors=True
        )
        found = {}
        for target in targets:
            walk = [target]
            while 0 <= before[walk[-1]] < count and len(walk) <= MOST_STEPS + 1:
                walk.append(int(before[walk[-1]]))
            if before[walk[-1]] == count and len(walk) <= MOST_STEPS + 1:
                nodes = tuple(reversed(walk))
                found[target] = nodes, self._edges(nodes)
        return found

    def _edges(self, walk: Sequence[int]) -> tuple[Edge, ...]:
        return tuple(self._best(*pair) for pair in itertools.pairwise(walk))

    def _best(self, one: int, other: int) -> Edge:
        """The cheapest edge between two nodes, of equal ones the first."""
        between = (
            self._graph.edges[n]
            for n in self._graph.touching[one]
            if other in (self._graph.edges[n].source, self._graph.edges[n].target)
        )
        return min(between, key=lambda edge: -share_of(edge, start=one))


def _ways(graph: ScopeGraph) -> Ways:
    """Every edge in both directions, and the ties of passages."""
    rare, count = rarities(graph), len(graph.nodes)
    rows: list[tuple[int, int, float, Way]] = [
        (edge.source, edge.target, edge.weight, edge.kind)
        for edge in graph.edges
        if edge.kind != "mentions"
    ]
    rows += [
        (node, count + n, 1.0, "holds" if graph.nodes[node].kind == "section" else "contains")
        for n, node in enumerate(graph.home)
    ]
    rows += [(count + each.chunk, each.node, float(each.times), "cites") for each in graph.cited]
    rows += [
        (count + each.chunk, each.node, rare[each.node] * np.log1p(each.times), "mentions")
        for each in graph.mentioned
    ]
    kinds = list(SHARES)
    source = np.array([row[0] for row in rows], dtype=np.int64)
    target = np.array([row[1] for row in rows], dtype=np.int64)
    weight = np.array([row[2] for row in rows], dtype=np.float64)
    kind = np.array([kinds.index(row[3]) for row in rows], dtype=np.int64)
    return Ways(
        np.concatenate([source, target]),
        np.concatenate([target, source]),
        np.concatenate([weight, weight]),
        np.concatenate([kind, kind + len(kinds)]),
    )


def _transposed(ways: Ways, size: int) -> Any:
    """Probabilities of each step, as a sparse matrix that takes shares one step further."""
    from scipy.sparse import csr_matrix

    shares = np.array([*(pair[0] for pair in SHARES.values()), *(p[1] for p in SHARES.values())])
    key = ways.source * len(shares) + ways.group
    of_group = np.bincount(key, ways.weight, minlength=size * len(shares))
    step = ways.weight / of_group[key] * shares[ways.group]
    of_source = np.bincount(ways.source, step, minlength=size)
    step /= of_source[ways.source]
    return csr_matrix((step, (ways.target, ways.source)), shape=(size, size))


def _costs(graph: ScopeGraph) -> Any:
    """What each step between nodes costs a way that is shown: the less, the surer it is."""
    from scipy.sparse import csr_matrix

    count = len(graph.nodes)
    cost: dict[tuple[int, int], float] = {}
    for edge in graph.edges:
        for start, end in ((edge.source, edge.target), (edge.target, edge.source)):
            price = 1.0 - np.log(share_of(edge, start=start))
            cost[start, end] = min(price, cost.get((start, end), price))
    pairs = sorted(cost)
    rows, columns = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return csr_matrix(([cost[pair] for pair in pairs], (rows, columns)), (count, count + 1))


def share_of(edge: Edge, *, start: int) -> float:
    return SHARES[edge.kind][0 if edge.source == start else 1]
