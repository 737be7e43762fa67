"""Groups of nodes that belong together, by Louvain's method, and what they are about."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from services.graph.columns import sparse
from services.graph.graph import ScopeGraph
from services.graph.inspection import definition_of
from services.graph.pagerank import WAY_SHARES
from services.graph.values import Community

SEED: Final = 1
LEAST_MEMBERS: Final = 3
SHOWN_MEMBERS: Final = 12
SHOWN_TOPICS: Final = 6
SHOWN_HEADINGS: Final = 5
DEFINED: Final = 3
"""Topics of which one may be defined in the summary."""
LONGEST_HEADING: Final = 90
LONGEST_SUMMARY: Final = 400
LONGEST_DEFINITION: Final = 160
REPEATED: Final = 3
"""Sections with the same heading from which it says nothing of any of them."""
MOST_WEIGHT: Final = 3.0
_REMARK = re.compile(r"\s*\((?:zu |to )?(?:den |the )?(?:§|Anlage|Artikel|Section|Annex)[^()]*\)?$")

Groups = tuple[tuple[Community, tuple[int, ...]], ...]
"""Each with the numbers of its members, the most central first."""


def communities_of(graph: ScopeGraph, text: Callable[[str], str]) -> Groups:
    """All groups of a graph, by their first member; ``text`` gives a text by its id."""
    common = Counter(part for each in graph.headings.values() for part in _parts(each))
    return tuple((_community(graph, each, common, text), each) for each in _groups(graph))


def _groups(graph: ScopeGraph) -> list[tuple[int, ...]]:
    """The members of every group, the most central first; groups by their first member.

    A document joins everything and a number nothing, so neither is a member.
    """
    from networkx import Graph
    from networkx.algorithms.community import louvain_communities

    edges = graph.edges
    member = graph.is_kind("section", "term", "abbreviation", "word", "entity")
    edges = edges[member[edges["source"]] & member[edges["target"]]]
    weights = WAY_SHARES[edges["kind"], 0] * np.minimum(edges["weight"], MOST_WEIGHT)
    ends = np.sort(np.stack([edges["source"], edges["target"]]), axis=0)
    pairs = sparse(weights, ends, (len(member), len(member))).tocoo()
    network = Graph()
    network.add_weighted_edges_from(
        zip(pairs.row.tolist(), pairs.col.tolist(), pairs.data.tolist(), strict=True)
    )
    groups = []
    for members in louvain_communities(network, weight="weight", seed=SEED):
        if len(members) >= LEAST_MEMBERS:
            degree = dict(network.subgraph(members).degree(weight="weight"))
            groups.append(tuple(sorted(members, key=lambda n: (-round(degree[n], 9), n))))
    return sorted(groups)


def _community(
    graph: ScopeGraph,
    members: Sequence[int],
    common: Mapping[str, int],
    text: Callable[[str], str],
) -> Community:
    things = [n for n in members if graph.nodes[n].kind != "section"]
    told = [*_defined(graph, things, text), *_headings(graph, members, common)]
    ids = "\n".join(graph.nodes[n].node_id for n in sorted(members))
    return Community(
        community_id=hashlib.sha256(ids.encode()).hexdigest()[:16],
        members=tuple(graph.nodes[n].name for n in members[:SHOWN_MEMBERS]),
        topics=tuple(graph.nodes[n].name for n in things[:SHOWN_TOPICS]),
        size=len(members),
        summary=_cut("; ".join(told), LONGEST_SUMMARY),
    )


def _defined(graph: ScopeGraph, things: Sequence[int], text: Callable[[str], str]) -> Iterator[str]:
    """What the most central thing is that anything defines."""
    for n in things[:DEFINED]:
        name = graph.nodes[n].name
        definition, place = definition_of(graph, n, text)
        if place is not None:
            whole = definition if definition.startswith(name) else f"{name}: {definition}"
            yield _cut(whole, LONGEST_DEFINITION)
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
