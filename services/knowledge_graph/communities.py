"""Groups of nodes that belong together, by Louvain's method, and what they are about.

A group whose members stay the same keeps its summary: only what changed is summed up anew.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from services.knowledge_graph.cards import definition_of
from services.knowledge_graph.columns import EDGE_KINDS
from services.knowledge_graph.graph import ScopeGraph
from services.knowledge_graph.pagerank import SHARES
from services.knowledge_graph.values import Community

SEED: Final = 1
LEAST_MEMBERS: Final = 3
SHOWN_MEMBERS: Final = 12
KEPT: Final = 4
KEPT_SUMMARIES: Final = 4_096
LONGEST_SUMMARY: Final = 400
KINDS: Final = frozenset({"section", "term", "abbreviation", "word", "entity"})
"""What groups are made of: a document ties everything together, a number nothing."""

Texts = Callable[[str], str]


class Communities:
    """The groups of each graph, found when they are first asked for.

    Args:
        text: gives a text by its id.
    """

    def __init__(self, text: Texts) -> None:
        self._text = text
        self._summaries: dict[str, Community] = {}
        self._groups = lru_cache(maxsize=KEPT)(_groups)
        self._place = lru_cache(maxsize=KEPT)(self._places)

    def __call__(self, graph: ScopeGraph) -> tuple[Community, ...]:
        """All groups, the largest first, equally large ones by id."""
        found = [self._of(graph, members) for members in self._groups(graph)]
        return tuple(sorted(found, key=lambda each: (-each.size, each.community_id)))

    def around(self, graph: ScopeGraph, nodes: Sequence[int]) -> tuple[Community, ...]:
        """The groups of certain nodes, those with most of them first."""
        counts: dict[int, int] = defaultdict(int)
        groups, place = self._groups(graph), self._place(graph)
        for node in nodes:
            if node in place:
                counts[place[node]] += 1
        order = sorted(counts, key=lambda n: (-counts[n], n))
        return tuple(self._of(graph, groups[n]) for n in order)

    def _places(self, graph: ScopeGraph) -> dict[int, int]:
        """The number of the group of every node that is in one."""
        groups = enumerate(self._groups(graph))
        return {node: n for n, members in groups for node in members}

    def _of(self, graph: ScopeGraph, members: Sequence[int]) -> Community:
        key = _key(graph, members)
        if key not in self._summaries:
            if len(self._summaries) >= KEPT_SUMMARIES:
                self._summaries.clear()
            self._summaries[key] = Community(
                community_id=key,
                members=tuple(graph.nodes[n].name for n in members[:SHOWN_MEMBERS]),
                size=len(members),
                summary=self._summary(graph, members),
            )
        return self._summaries[key]

    def _summary(self, graph: ScopeGraph, members: Sequence[int]) -> str:
        """What defines the most central member that anything defines, else what sections say."""
        for n in members[:SHOWN_MEMBERS]:
            defined, place = definition_of(graph, n, self._text)
            if place is not None:
                return f"{graph.nodes[n].name}: {defined}"[:LONGEST_SUMMARY]
        headings = (graph.headings.get(n, "") for n in members[:SHOWN_MEMBERS])
        return "; ".join(heading for heading in headings if heading)[:LONGEST_SUMMARY]


def _groups(graph: ScopeGraph) -> tuple[tuple[int, ...], ...]:
    """The members of every group, the most central first; groups by their first member."""
    from networkx.algorithms.community import louvain_communities

    tied = _tied(graph)
    found = louvain_communities(tied, weight="weight", seed=SEED)
    return tuple(sorted(_by_centrality(tied, each) for each in found if len(each) >= LEAST_MEMBERS))


def _tied(graph: ScopeGraph) -> Any:
    """The nodes that may be members, and how strongly each two are tied."""
    from networkx import Graph

    edges = graph.edges
    member = np.array([node.kind in KINDS for node in graph.nodes], dtype=np.bool_)
    tied = np.flatnonzero(member[edges.source] & member[edges.target])
    ends = np.sort(np.stack([edges.source[tied], edges.target[tied]], axis=1), axis=1)
    shares = np.array([SHARES[kind][0] for kind in EDGE_KINDS])[edges.kind[tied]]
    pairs, pair = np.unique(ends, axis=0, return_inverse=True)
    weights = np.bincount(pair.ravel(), shares * np.minimum(edges.weight[tied], 3.0))
    made = Graph()
    made.add_weighted_edges_from(
        (*ends, weight) for ends, weight in zip(pairs.tolist(), weights.tolist(), strict=True)
    )
    return made


def _by_centrality(tied: Any, members: Iterable[int]) -> tuple[int, ...]:
    inside = set(members)
    weight = {
        n: sum(data["weight"] for other, data in tied[n].items() if other in inside) for n in inside
    }
    return tuple(sorted(inside, key=lambda n: (-round(weight[n], 9), n)))


def _key(graph: ScopeGraph, members: Iterable[int]) -> str:
    """Names a group by its members and by what is read in them."""
    ids = "\n".join(graph.nodes[n].node_id for n in sorted(members))
    return hashlib.sha256(ids.encode()).hexdigest()[:16]
