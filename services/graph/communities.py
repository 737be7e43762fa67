"""Groups of nodes that belong together, by Louvain's method, and what they are about.

They are found when they are first asked for, and again only when something of the graph has
changed: the whole then, which takes less time than to find out what of it is still right.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from services.graph.graph import ScopeGraph
from services.graph.inspection import definition_of
from services.graph.pagerank import WAY_SHARES
from services.graph.values import Community

SEED: Final = 1
LEAST_MEMBERS: Final = 3
SHOWN_MEMBERS: Final = 12
KEPT: Final = 4
SHOWN_TOPICS: Final = 6
SHOWN_HEADINGS: Final = 5
DEFINED: Final = 3
"""Topics of which one may be defined in the summary."""
LONGEST_HEADING: Final = 90
LONGEST_SUMMARY: Final = 400
LONGEST_DEFINITION: Final = 160
REPEATED: Final = 3
"""Sections with the same heading from which it says nothing of any of them."""
KINDS: Final = frozenset({"section", "term", "abbreviation", "word", "entity"})
"""What groups are made of: a document joins everything, a number nothing."""
_REMARK = re.compile(r"\s*\((?:zu |to )?(?:den |the )?(?:§|Anlage|Artikel|Section|Annex)[^()]*\)?$")


class Communities:
    """The groups of each graph, remembered for the latest few.

    Args:
        text: gives a text by its id.
    """

    def __init__(self, text: Callable[[str], str]) -> None:
        self._text = text
        self._found = lru_cache(maxsize=KEPT)(self._all)

    def __call__(self, graph: ScopeGraph) -> tuple[Community, ...]:
        """All groups, the largest first, equally large ones by id."""
        found, _ = self._found(graph)
        return tuple(sorted(found, key=lambda each: (-each.size, each.community_id)))

    def around(self, graph: ScopeGraph, nodes: Sequence[int]) -> tuple[Community, ...]:
        """The groups of certain nodes, those with most of them first."""
        found, place = self._found(graph)
        counts = Counter(place[node] for node in nodes if node in place)
        return tuple(found[n] for n in sorted(counts, key=lambda n: (-counts[n], n)))

    def _all(self, graph: ScopeGraph) -> tuple[tuple[Community, ...], Mapping[int, int]]:
        """The groups, and the number of the group of every node that is in one."""
        groups = _groups(graph)
        common = Counter(part for each in graph.headings.values() for part in _parts(each))
        found = tuple(self._of(graph, members, common) for members in groups)
        return found, {node: n for n, members in enumerate(groups) for node in members}

    def _of(
        self, graph: ScopeGraph, members: Sequence[int], common: Mapping[str, int]
    ) -> Community:
        names = [graph.nodes[n].name for n in members[:SHOWN_MEMBERS]]
        things = [n for n in members if graph.nodes[n].kind != "section"]
        said = [*self._defined(graph, things), *_headings(graph, members, common)]
        ids = "\n".join(graph.nodes[n].node_id for n in sorted(members))
        return Community(
            community_id=hashlib.sha256(ids.encode()).hexdigest()[:16],
            members=tuple(names),
            topics=tuple(graph.nodes[n].name for n in things[:SHOWN_TOPICS]),
            size=len(members),
            summary=_cut("; ".join(said), LONGEST_SUMMARY),
        )

    def _defined(self, graph: ScopeGraph, things: Sequence[int]) -> Iterator[str]:
        """What the most central thing is that anything defines."""
        for n in things[:DEFINED]:
            name = graph.nodes[n].name
            said, place = definition_of(graph, n, self._text)
            if place is not None:
                yield _cut(said if said.startswith(name) else f"{name}: {said}", LONGEST_DEFINITION)
                return


def _headings(graph: ScopeGraph, members: Sequence[int], common: Mapping[str, int]) -> list[str]:
    """What the most central sections are about, without headings that many sections have."""
    own = (graph.headings.get(n, "") for n in members if graph.nodes[n].kind == "section")
    telling = (
        "; ".join(part for part in _parts(each) if common.get(part, 0) < REPEATED) for each in own
    )
    return list(dict.fromkeys(_cut(each, LONGEST_HEADING) for each in telling if each))[
        :SHOWN_HEADINGS
    ]


def _parts(heading: str) -> list[str]:
    """``Unterweisung; Verordnungsermächtigung`` are two; without remarks in parentheses."""
    return [part for each in heading.split(";") if (part := _REMARK.sub("", each).strip())]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _groups(graph: ScopeGraph) -> list[tuple[int, ...]]:
    """The members of every group, the most central first; groups by their first member."""
    from networkx.algorithms.community import louvain_communities

    network = _network(graph)
    groups = []
    for members in louvain_communities(network, weight="weight", seed=SEED):
        if len(members) >= LEAST_MEMBERS:
            degree = dict(network.subgraph(members).degree(weight="weight"))
            groups.append(tuple(sorted(members, key=lambda n: (-round(degree[n], 9), n))))
    return sorted(groups)


def _network(graph: ScopeGraph) -> Any:
    """The nodes that may be members, and how strongly each two belong together."""
    from networkx import Graph

    edges = graph.edges
    member = np.array([node.kind in KINDS for node in graph.nodes], dtype=np.bool_)
    among = np.flatnonzero(member[edges.source] & member[edges.target])
    ends = np.sort(np.stack([edges.source[among], edges.target[among]], axis=1), axis=1)
    pairs, pair = np.unique(ends, axis=0, return_inverse=True)
    shares = WAY_SHARES[edges.kind[among], 0]
    weights = np.bincount(pair.ravel(), shares * np.minimum(edges.weight[among], 3.0))
    network = Graph()
    network.add_weighted_edges_from(
        (*ends, weight) for ends, weight in zip(pairs.tolist(), weights.tolist(), strict=True)
    )
    return network
