"""Personalised PageRank from what a question names to passages, and the way that led there.

Whoever walks from a node first chooses a kind of way by its share in `SHARES`, then one of its
ways by their weights. So thirty terms of a passage do not drown its one reference.
"""

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

import numpy as np

from services.graph.columns import EDGE_KINDS, Floats, Numbers
from services.graph.graph import Edge, ScopeGraph
from services.graph.linking import rarities
from services.graph.values import EdgeKind

DAMPING: Final = 0.85
LEAST_PUSHED: Final = 1e-4
"""Share of a walk that is worth following; the rest counts where it is."""
MOST_ROUNDS: Final = 50
LOOKED_AT: Final = 2_000
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
WAYS: Final[tuple[Way, ...]] = (*EDGE_KINDS, "holds")
WAY_SHARES: Final = np.array([SHARES[way] for way in WAYS])
"""Shape (ways, 2)."""


class PageRank:
    """Walks on one graph; made once for it. Nodes are numbered first, then its passages."""

    def __init__(self, graph: ScopeGraph) -> None:
        self._graph = graph
        self._size = len(graph.nodes) + len(graph.chunks)
        self._steps = _steps(graph, self._size)
        self._between = _costs(graph)

    def scores(self, seeds: Mapping[int, float]) -> Floats:
        """What share of a walk is spent where, by number; it often begins anew at the seeds.

        A walk is pushed on from where more than `LEAST_PUSHED` of it waits (Andersen, Chung and
        Lang, Local graph partitioning using PageRank vectors, 2006): so it costs what its
        surroundings cost, not what the graph does.
        """
        spent, waiting = np.zeros(self._size), np.zeros(self._size)
        for n, weight in sorted(seeds.items()):
            waiting[n] = weight
        if not waiting.sum():
            return spent
        waiting /= waiting.sum()
        pushed = np.flatnonzero(waiting)
        for _ in range(MOST_ROUNDS):
            if not len(pushed):
                break
            share = waiting[pushed]
            spent[pushed] += (1 - DAMPING) * share
            waiting[pushed] = 0.0
            there, arriving = _one_step(self._steps, pushed, DAMPING * share)
            np.add.at(waiting, there, arriving)
            pushed = np.flatnonzero(waiting > LEAST_PUSHED)
        spent += (1 - DAMPING) * waiting
        whole: Floats = spent / spent.sum()  # what came to an end begins anew at the seeds
        return whole

    def ways(
        self, seeds: Mapping[int, float], targets: Iterable[int], walked: Floats
    ) -> dict[int, tuple[tuple[int, ...], tuple[Edge, ...]]]:
        """The best way from any seed to each target: the nodes, and the edges between them.

        Both are numbers of nodes. A way leads over nodes where most of the walk was spent, some
        `LOOKED_AT` of them. A target that is a seed has a way of itself alone; one that cannot be
        reached in `MOST_STEPS` steps has none.
        """
        from scipy.sparse import csr_matrix, vstack
        from scipy.sparse.csgraph import dijkstra

        first = [n for n in sorted(seeds) if seeds[n] > 0]
        if not first:
            return {}
        targets = list(targets)
        likely = highest(walked[: len(self._graph.nodes)], LOOKED_AT)
        near = np.unique(np.concatenate([likely, np.array([*first, *targets], dtype=np.int64)]))
        count = len(near)
        most = max(seeds[n] for n in first)
        away = [1e-6 - np.log(seeds[n] / most) for n in first]
        row = csr_matrix(
            (away, ([0] * len(first), np.searchsorted(near, first))), shape=(1, count + 1)
        )
        between = self._between[near][:, near]
        between.resize(count, count + 1)
        _, before = dijkstra(
            vstack([between, row]).tocsr(), indices=count, return_predecessors=True
        )
        found = {}
        for target in targets:
            walk = [int(np.searchsorted(near, target))]
            while 0 <= before[walk[-1]] < count and len(walk) <= MOST_STEPS + 1:
                walk.append(int(before[walk[-1]]))
            if before[walk[-1]] == count and len(walk) <= MOST_STEPS + 1:
                nodes = tuple(int(near[n]) for n in reversed(walk))
                edges = itertools.starmap(self._best, itertools.pairwise(nodes))
                found[target] = nodes, tuple(edges)
        return found

    def _best(self, one: int, other: int) -> Edge:
        """The cheapest edge between two nodes, of equal ones the first."""
        between = self._graph.between(one, other)
        return min(between, key=lambda edge: -share_of(edge, start=one))


def highest(values: Floats, most: int) -> Numbers:
    """The places of the highest values above 0, of equal ones the first."""
    places = np.flatnonzero(values > 0)
    if most < len(places):  # zeros are left out first: among many equal values a cut is slow
        places = places[values[places] >= np.partition(values[places], -most)[-most]]
    ordered: Numbers = places[np.argsort(-values[places], kind="stable")][:most]
    return ordered


def _one_step(steps: Any, start: Numbers, share: Floats) -> tuple[Numbers, Floats]:
    """Where each step from some places leads, and how much arrives by it; a place may recur."""
    first, count = steps.indptr[start], steps.indptr[start + 1] - steps.indptr[start]
    ways = np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())
    return steps.indices[ways], np.repeat(share, count) * steps.data[ways]


def _steps(graph: ScopeGraph, size: int) -> Any:
    """The probability of each step, as a sparse matrix from where it starts to where it leads."""
    from scipy.sparse import csr_matrix

    source, target, weight, kind = _ways(graph)
    both = np.concatenate([source, target]), np.concatenate([target, source])
    weight, group = np.tile(weight, 2), np.concatenate([kind, kind + len(WAYS)])
    shares = np.concatenate([WAY_SHARES[:, 0], WAY_SHARES[:, 1]])
    key = both[0] * len(shares) + group
    of_group = np.bincount(key, weight, minlength=size * len(shares))
    step = weight / of_group[key] * shares[group]
    of_source = np.bincount(both[0], step, minlength=size)
    step /= of_source[both[0]]
    return csr_matrix((step, both), shape=(size, size))


def _ways(graph: ScopeGraph) -> tuple[Numbers, Numbers, Floats, Numbers]:
    """Every edge and what passages name and cite: source, target, weight, and number in `WAYS`."""
    edges, count = graph.edges, len(graph.nodes)
    walked = edges.kind != WAYS.index("mentions")  # the passages that name it lead there
    home = np.array(graph.home, dtype=np.int64)
    is_section = np.array([each.kind == "section" for each in graph.nodes], dtype=np.bool_)
    holds = np.where(is_section[home], WAYS.index("holds"), WAYS.index("contains"))
    named, cited = graph.mentioned, graph.cited
    rare = np.array(rarities(graph))
    return (
        np.concatenate([edges.source[walked], home, count + cited.chunk, count + named.chunk]),
        np.concatenate(
            [edges.target[walked], count + np.arange(len(home)), cited.node, named.node]
        ),
        np.concatenate(
            [
                edges.weight[walked],
                np.ones(len(home)),
                cited.times.astype(np.float64),
                rare[named.node] * np.log1p(named.times),
            ]
        ),
        np.concatenate(
            [
                edges.kind[walked],
                holds,
                np.full(len(cited), WAYS.index("cites")),
                np.full(len(named), WAYS.index("mentions")),
            ]
        ),
    )


def _costs(graph: ScopeGraph) -> Any:
    """What each step between nodes costs a way that is shown: the less, the surer it is."""
    from scipy.sparse import csr_matrix

    edges, count = graph.edges, len(graph.nodes)
    start = np.concatenate([edges.source, edges.target])
    end = np.concatenate([edges.target, edges.source])
    price = 1.0 - np.log(np.concatenate([WAY_SHARES[edges.kind, 0], WAY_SHARES[edges.kind, 1]]))
    order = np.lexsort((price, end, start))
    start, end, price = start[order], end[order], price[order]
    cheapest = np.ones(len(start), dtype=np.bool_)
    cheapest[1:] = (start[1:] != start[:-1]) | (end[1:] != end[:-1])
    pairs = (start[cheapest], end[cheapest])
    return csr_matrix((price[cheapest], pairs), shape=(count, count))


def share_of(edge: Edge, *, start: int) -> float:
    return SHARES[edge.kind][0 if edge.source == start else 1]
