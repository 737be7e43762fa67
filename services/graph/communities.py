"""Communities of nodes by Louvain's method, with the topics and sections that describe them."""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np

from services.graph.graph import EDGE_SHARES, ScopeGraph, sparse
from services.graph.values import Community

SEED: Final = 1
LEAST_MEMBERS: Final = 3
LEAST_SECTIONS: Final = 2
"""Fewest sections of a community that counts as a topic of its documents."""
SHOWN_MEMBERS: Final = 12
SHOWN_TOPICS: Final = 6
CENTRAL_SECTIONS: Final = 5
OF_A_TITLE: Final = 3
LONGEST_HEADING: Final = 90
REPEATED: Final = 3
"""Number of sections from which a shared heading describes none of them."""
MOST_WEIGHT: Final = 3.0
_REMARK = re.compile(r"\s*\((?:zu |to )?(?:den |the )?(?:§|Anlage|Artikel|Section|Annex)[^()]*\)?$")

Group = tuple[int, ...]
"""The numbers of its members, the most central first."""


def communities_of(graph: ScopeGraph, groups: Sequence[Group]) -> list[Community]:
    """Describe all groups, the largest first, ties by id."""
    common = _common(graph)
    communities = [_community(graph, members, common) for members in groups]
    return sorted(communities, key=lambda community: (-community.size, community.community_id))


def areas_of(graph: ScopeGraph, groups: Sequence[Group], texts: Collection[str]) -> list[Community]:
    """Describe the groups within these texts (within all if none is given), most sections first."""
    common, accepted = _common(graph), {None, *texts}
    areas = []
    for members in groups:
        inside = [n for n in members if not texts or _text_of(graph, n) in accepted]
        sections = sum(graph.nodes[n].kind == "section" for n in inside)
        if sections >= LEAST_SECTIONS:
            areas.append((-sections, inside))
    return [_community(graph, inside, common) for _, inside in sorted(areas)]


def groups_of(graph: ScopeGraph) -> tuple[Group, ...]:
    """Return the members of each community, the most central first.

    Documents join everything and numbers nothing, so neither is a member.
    """
    from networkx import Graph
    from networkx.algorithms.community import louvain_communities

    edges = graph.edges
    member = graph.is_kind("section", "term", "abbreviation", "word", "entity")
    edges = edges[member[edges["source"]] & member[edges["target"]]]
    weights = EDGE_SHARES[edges["kind"], 0] * np.minimum(edges["weight"], MOST_WEIGHT)
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
    return tuple(sorted(groups))


def _community(graph: ScopeGraph, members: Sequence[int], common: Mapping[str, int]) -> Community:
    nodes = [(n, graph.nodes[n]) for n in members]
    topics = [node.name for _, node in nodes if node.kind != "section"]
    central = [n for n, node in nodes if node.kind == "section" and graph.chunks_of[n]]
    titles = [title for n in central[:CENTRAL_SECTIONS] if (title := _title(graph, n, common))]
    ids = "\n".join(node.node_id for _, node in sorted(nodes))
    return Community(
        community_id=hashlib.sha256(ids.encode()).hexdigest()[:16],
        members=tuple(node.name for _, node in nodes[:SHOWN_MEMBERS]),
        topics=tuple(topics[:SHOWN_TOPICS]),
        size=len(members),
        title=tuple(titles[:OF_A_TITLE] or topics[:OF_A_TITLE]),
        passages=tuple(graph.chunks[graph.chunks_of[n][0]] for n in central[:CENTRAL_SECTIONS]),
    )


def _title(graph: ScopeGraph, n: int, common: Mapping[str, int]) -> str:
    """Return ``Genehmigung (AtG § 7)``, or "" where many sections share the whole heading."""
    phrases = (
        phrase for phrase in _phrases(graph.headings.get(n, "")) if common.get(phrase, 0) < REPEATED
    )
    heading, name = "; ".join(phrases), graph.nodes[n].name
    if not heading or heading in name:
        return name if heading else ""
    return f"{_cut(heading, LONGEST_HEADING)} ({name})"


def _common(graph: ScopeGraph) -> Mapping[str, int]:
    """Return how many sections have each phrase in their heading."""
    return Counter(phrase for heading in graph.headings.values() for phrase in _phrases(heading))


def _text_of(graph: ScopeGraph, n: int) -> str | None:
    """Return the text id of a section, None for a node that belongs to no single text."""
    node = graph.nodes[n]
    return node.node_id.split(":")[1] if node.kind == "section" else None


def _phrases(heading: str) -> list[str]:
    """Split a heading such as ``Unterweisung; Verordnungsermächtigung``, without remarks in
    brackets.
    """
    return [phrase for piece in heading.split(";") if (phrase := _REMARK.sub("", piece).strip())]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
