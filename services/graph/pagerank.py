"""Personalised PageRank from what a question names to passages, and the way that led there.

Whoever walks from a node first chooses a kind of way by its share in `SHARES`, then one of its
ways by their weights. So thirty terms of a passage do not drown its one reference.
"""

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

import numpy as np

from services.graph.columns import EDGE_KINDS, Floats, Numbers, sparse
from services.graph.graph import ScopeGraph
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
        edges = graph.edges
        shares = np.concatenate([WAY_SHARES[edges["kind"], 0], WAY_SHARES[edges["kind"], 1]])
        self._between = cheapest(graph, 1.0 - np.log(shares))

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
            waiting += (DAMPING * share) @ self._steps[pushed]
            pushed = np.flatnonzero(waiting > LEAST_PUSHED)
        spent += (1 - DAMPING) * waiting
        whole: Floats = spent / spent.sum()  # what came to an end begins anew at the seeds
        return whole

    def ways(
        self, seeds: Mapping[int, float], targets: Iterable[int], walked: Floats
    ) -> dict[int, tuple[tuple[int, ...], tuple[int, ...]]]:
        """The best way from any seed to each target: the nodes, and the edges between them.

        Both are numbers. A way leads over nodes where most of the walk was spent, some `LOOKED_AT`
        of them. A target that is a seed has a way of itself alone; one that cannot be reached in
        `MOST_STEPS` steps has none.
        """
        from scipy.sparse import vstack
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
        start = ([0] * len(first), np.searchsorted(near, first))
        between = self._between[near][:, near]
        between.resize(count, count + 1)
        steps = vstack([between, sparse(away, start, (1, count + 1))]).tocsr()
        _, before = dijkstra(steps, indices=count, return_predecessors=True)
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

    def _best(self, one: int, other: int) -> int:
        """The edge between two nodes with the highest share, of equal ones the first."""
        between = self._graph.between(one, other)
        return int(between[np.argmax(shares_from(self._graph, between, one))])


def shares_from(graph: ScopeGraph, edges: Numbers, start: int) -> Floats:
    """The shares of walking these edges from one of their ends."""
    rows = graph.edges[edges]
    shares: Floats = WAY_SHARES[rows["kind"], (rows["source"] != start).astype(np.int64)]
    return shares


def highest(values: Floats, most: int) -> Numbers:
    """The places of the highest values above 0, of equal ones the first."""
    places = np.flatnonzero(values > 0)
    if most < len(places):  # zeros are left out first: among many equal values a cut is slow
        places = places[values[places] >= np.partition(values[places], -most)[-most]]
    ordered: Numbers = places[np.argsort(-values[places], kind="stable")][:most]
    return ordered


def cheapest(graph: ScopeGraph, costs: Floats) -> Any:
    """What a step from a node to another costs at least, as a sparse matrix.

    Args:
        graph: its edges are walked.
        costs: of every edge in its direction, and then of every edge against it.
    """
    edges, count = graph.edges, len(graph.nodes)
    start = np.concatenate([edges["source"], edges["target"]])
    end = np.concatenate([edges["target"], edges["source"]])
    order = np.lexsort((costs, end, start))
    pairs, first = np.unique(start[order] * max(1, count) + end[order], return_index=True)
    return sparse(costs[order][first], divmod(pairs, max(1, count)), (count, count))


def _steps(graph: ScopeGraph, size: int) -> Any:
    """The probability of each step, as a sparse matrix from where it starts to where it leads."""
    source, target, weight, kind = _ways(graph)
    both = np.concatenate([source, target]), np.concatenate([target, source])
    weight, group = np.tile(weight, 2), np.concatenate([kind, kind + len(WAYS)])
    shares = WAY_SHARES.T.ravel()
    key = both[0] * len(shares) + group
    of_group = np.bincount(key, weight, minlength=size * len(shares))
    step = weight / of_group[key] * shares[group]
    of_source = np.bincount(both[0], step, minlength=size)
    step /= of_source[both[0]]
    return sparse(step, both, (size, size))


def _ways(graph: ScopeGraph) -> tuple[Numbers, Numbers, Floats, Numbers]:
    """Every edge and what passages name and cite: source, target, weight, and number in `WAYS`."""
    count, home = len(graph.nodes), np.array(graph.home, dtype=np.int64)
    # The passages that name something lead there, in place of the edges from their sections.
    edges = graph.edges[graph.edges["kind"] != WAYS.index("mentions")]
    holds = np.where(graph.is_kind("section")[home], WAYS.index("holds"), WAYS.index("contains"))
    named, cited = graph.mentioned.tocoo(), graph.cited.tocoo()
    named_weight = graph.rarity[named.col] * np.log1p(named.data)
    ways = (
        (edges["source"], edges["target"], edges["weight"], edges["kind"]),
        (home, count + np.arange(len(home)), np.ones(len(home)), holds),
        (count + cited.row, cited.col, cited.data, np.full(cited.nnz, WAYS.index("cites"))),
        (count + named.row, named.col, named_weight, np.full(named.nnz, WAYS.index("mentions"))),
    )
    source, target, weight, kind = (np.concatenate(each) for each in zip(*ways, strict=True))
    return source, target, weight, kind
