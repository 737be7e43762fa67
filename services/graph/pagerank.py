"""Personalised PageRank over the nodes and passages of a graph, and the path to each passage.

A step first chooses a kind of edge by its share in `SHARES`, then one edge of that kind by weight:
so thirty terms of a passage do not drown its one reference. The matrix is made once per graph.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise, starmap
from typing import Any, Final

import numpy as np

from services.catalog.graph import EDGE_KINDS
from services.graph.graph import EDGE_SHARES, SHARES, Floats, Numbers, ScopeGraph, WalkKind, sparse
from services.graph.values import Step

DAMPING: Final = 0.85
LEAST_PUSHED: Final = 1e-4
"""Share of a walk that is worth following; less than that stays where it is."""
MOST_ROUNDS: Final = 50
LOOKED_AT: Final = 2_000
MOST_STEPS: Final = 4


class PageRank:
    """Walks on one graph; made once per graph. Nodes are numbered first, then passages."""

    def __init__(self, graph: ScopeGraph) -> None:
        self._graph = graph
        self._size = len(graph.nodes) + len(graph.chunks)
        self._steps = _steps(graph, self._size)
        shares = EDGE_SHARES[graph.edges["kind"]]
        self._between = graph.cheapest(1.0 - np.log(shares.T.ravel()))

    def scores(self, seeds: Mapping[int, float]) -> Floats:
        """Return the share of a walk spent at each number; the walk restarts at the seeds.

        Forward push (Andersen, Chung and Lang, Local graph partitioning using PageRank vectors,
        2006): a walk goes on only from where more than `LEAST_PUSHED` of it waits.
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
        scores: Floats = spent / spent.sum()  # walks that ended restart at the seeds
        return scores

    def paths(
        self, seeds: Mapping[int, float], targets: Sequence[int], walked: Floats
    ) -> dict[int, tuple[Step, ...]]:
        """Return the best path from any seed to each target among the most walked nodes."""
        from scipy.sparse import vstack
        from scipy.sparse.csgraph import dijkstra

        first = [n for n in sorted(seeds) if seeds[n] > 0]
        if not first:
            return {}
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
        paths = {}
        for target in targets:
            walk = [int(np.searchsorted(near, target))]
            while 0 <= before[walk[-1]] < count and len(walk) <= MOST_STEPS + 1:
                walk.append(int(before[walk[-1]]))
            if before[walk[-1]] == count and len(walk) <= MOST_STEPS + 1:
                nodes = [int(near[n]) for n in reversed(walk)]
                paths[target] = self._graph.steps(nodes, starmap(self._best, pairwise(nodes)))
        return paths

    def _best(self, one: int, other: int) -> int:
        between = self._graph.between(one, other)
        return int(between[np.argmax(self._graph.shares(between, one))])


def highest(values: Floats, most: int) -> Numbers:
    indices = np.flatnonzero(values > 0)
    if most < len(indices):  # partition is slow among many zeros
        indices = indices[values[indices] >= np.partition(values[indices], -most)[-most]]
    ordered: Numbers = indices[np.argsort(-values[indices], kind="stable")][:most]
    return ordered


def _steps(graph: ScopeGraph, size: int) -> Any:
    """Return the transition matrix: the probability of each step, from row to column."""
    count, home = len(graph.nodes), np.array(graph.home, dtype=np.int64)
    edges, passages = graph.edges, count + np.arange(len(home))
    in_section = graph.is_kind("section")[home]
    # Mentions lead from passages to nodes, instead of from the passages' sections.
    named, cited = graph.mentioned.tocoo(), graph.cited.tocoo()
    weight = graph.rarity[named.col] * np.log1p(named.data)
    triples: dict[WalkKind, list[tuple[Floats, Numbers, Numbers]]] = {name: [] for name in SHARES}
    for n, kind in enumerate(EDGE_KINDS):
        rows = edges[edges["kind"] == n]
        if kind != "mentions":
            triples[kind] = [(rows["weight"], rows["source"], rows["target"])]
    triples["mentions"] = [(weight, count + named.row, named.col)]
    triples["cites"].append((cited.data, count + cited.row, cited.col))
    triples["holds"] = [_ones(home[in_section], passages[in_section])]
    triples["contains"].append(_ones(home[~in_section], passages[~in_section]))
    steps = sparse([], ([], []), (size, size))
    for walk_kind, (along, against) in SHARES.items():
        weights, source, target = (
            np.concatenate(columns) for columns in zip(*triples[walk_kind], strict=True)
        )
        steps = steps + along * _normal(sparse(weights, (source, target), (size, size)))
        steps = steps + against * _normal(sparse(weights, (target, source), (size, size)))
    return _normal(steps)


def _ones(source: Numbers, target: Numbers) -> tuple[Floats, Numbers, Numbers]:
    return np.ones(len(source)), source, target


def _normal(matrix: Any) -> Any:
    from scipy.sparse import diags_array

    sums = matrix.sum(axis=1)
    return diags_array(np.divide(1.0, sums, out=np.zeros(len(sums)), where=sums > 0)) @ matrix
