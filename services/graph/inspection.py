"""Read cards, the glossary, paths, neighbouring sections and communities from a graph."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any, Final

import numpy as np

from services.catalog.graph import EDGE_KINDS
from services.domain.errors import NotFound
from services.graph.graph import EDGE_SHARES, ScopeGraph, sparse
from services.graph.values import Community, EntityCard, ReferenceNeighbour, Step, TextSpan

LONGEST_DEFINITION: Final = 400
DEFINED: Final = ("term", "abbreviation")
LONGEST_PATH: Final = 6
"""Steps; nodes that are further apart are not related in a useful sense."""
MOST_REFERENCES: Final = 12
"""References of a section in one direction; more of them say little each."""


def card_of(graph: ScopeGraph, node: int, text: Callable[[str], str], *, limit: int) -> EntityCard:
    at = graph.touching(node)
    rows, shares = graph.edges[at], graph.shares(at, node)

    def closest(n: int) -> tuple[Any, ...]:
        row = rows[n]
        kind = EDGE_KINDS[row["kind"]]
        return -shares[n], -row["weight"], graph.other_end(int(at[n]), node), kind, row["label"]

    order = sorted(range(len(at)), key=closest)[:limit]
    definition, location = definition_of(graph, node, text)
    name = graph.nodes[node].name
    return EntityCard(
        node=graph.nodes[node],
        definition=definition,
        defined_at=location,
        neighbours=graph.steps([node] * len(order), [int(at[n]) for n in order]),
        aliases=tuple(alias for alias in graph.aliases.get(node, ()) if alias != name),
    )


def not_called(name: str) -> NotFound:
    return NotFound(
        "The knowledge graph contains nothing called {name}. Look up a section (§ 78 "
        "StrlSchG), a defined term or an abbreviation from your documents.",
        name=name,
    )


def definition_of(
    graph: ScopeGraph, node: int, text: Callable[[str], str]
) -> tuple[str, TextSpan | None]:
    for edge in graph.touching(node, "defines"):
        if graph.edges["target"][edge] == node:
            location = graph.location(edge)
            definition = text(location.text_id)[location.start : location.end]
            return " ".join(definition.split())[:LONGEST_DEFINITION], location
    return "", None


def glossary_of(graph: ScopeGraph, text: Callable[[str], str]) -> tuple[EntityCard, ...]:
    cards = (
        EntityCard(node=node, definition=definition, defined_at=location)
        for n, node in enumerate(graph.nodes)
        if node.kind in DEFINED
        for definition, location in [definition_of(graph, n, text)]
        if definition
    )
    return tuple(sorted(cards, key=lambda card: card.node.name.casefold()))


def undirected(graph: ScopeGraph) -> Any:
    """Return the graph without directions for networkx; steps of weaker kinds cost more than 1."""
    from networkx import from_scipy_sparse_array

    costs = 2.0 - EDGE_SHARES.max(axis=1)[graph.edges["kind"]]
    return from_scipy_sparse_array(graph.cheapest(np.tile(costs, 2)), edge_attribute="cost")


def shortest_paths(
    graph: ScopeGraph, network: Any, first: int, second: int, *, limit: int
) -> tuple[tuple[Step, ...], ...]:
    """Return paths without loops in ``undirected(graph)``, the cheapest first, ties by node ids."""
    from networkx import NetworkXNoPath, path_weight, shortest_simple_paths

    if first == second:
        return ()
    try:
        candidates = shortest_simple_paths(network, first, second, weight="cost")
        paths = list(islice(candidates, 2 * limit))
    except NetworkXNoPath:
        return ()
    paths.sort(key=lambda path: (round(path_weight(network, path, "cost"), 9), path))
    return tuple(
        graph.steps(path, [_plainest(graph, *pair) for pair in pairwise(path)])
        for path in paths[:limit]
        if len(path) <= LONGEST_PATH + 1
    )


def _plainest(graph: ScopeGraph, one: int, other: int) -> int:
    between = graph.between(one, other)
    return int(between[np.argmax(EDGE_SHARES.max(axis=1)[graph.edges["kind"][between]])])


def reference_neighbours(
    graph: ScopeGraph, chunk_ids: Sequence[str]
) -> tuple[ReferenceNeighbour, ...]:
    """Return the sections that the passages refer to, or that refer to them, each once."""
    neighbours: dict[int, ReferenceNeighbour] = {}
    numbers = graph.chunk_number
    homes = (graph.home[numbers[chunk_id]] for chunk_id in chunk_ids if chunk_id in numbers)
    for home in dict.fromkeys(homes):
        for edge in _references(graph, home):
            other = graph.other_end(edge, home)
            if other not in neighbours and graph.chunks_of[other]:
                neighbours[other] = ReferenceNeighbour(
                    chunk_ids=tuple(graph.chunks[chunk] for chunk in graph.chunks_of[other]),
                    step=graph.step(edge, start=home),
                )
    return tuple(neighbours.values())


def _references(graph: ScopeGraph, home: int) -> Iterator[int]:
    if graph.nodes[home].kind != "section":
        return
    at = graph.touching(home, "cites")
    for here, there in (("source", "target"), ("target", "source")):
        sections = [
            n
            for n in at[graph.edges[here][at] == home].tolist()
            if graph.nodes[graph.edges[there][n]].kind == "section"
        ]
        if len(sections) <= MOST_REFERENCES:
            yield from sections


SEED: Final = 1
LEAST_MEMBERS: Final = 3
LEAST_SECTIONS: Final = 2
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


def communities_of(graph: ScopeGraph, groups: Sequence[Group]) -> list[Community]:
    common = _common(graph)
    communities = [_community(graph, members, common) for members in groups]
    return sorted(communities, key=lambda community: (-community.size, community.community_id))


def areas_of(graph: ScopeGraph, groups: Sequence[Group], texts: Collection[str]) -> list[Community]:
    """Describe the groups within these texts (all if none is given), most sections first."""
    common, accepted = _common(graph), {None, *texts}
    areas = []
    for members in groups:
        inside = [n for n in members if not texts or _text_of(graph, n) in accepted]
        sections = sum(graph.nodes[n].kind == "section" for n in inside)
        if sections >= LEAST_SECTIONS:
            areas.append((-sections, inside))
    return [_community(graph, inside, common) for _, inside in sorted(areas)]


def groups_of(graph: ScopeGraph) -> tuple[Group, ...]:
    """Return the members of each community, the most central first; no documents and no numbers."""
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
    return Counter(phrase for heading in graph.headings.values() for phrase in _phrases(heading))


def _text_of(graph: ScopeGraph, n: int) -> str | None:
    """Return the text id of a section, None for a node that belongs to no single text."""
    node = graph.nodes[n]
    return node.node_id.split(":")[1] if node.kind == "section" else None


def _phrases(heading: str) -> list[str]:
    """Split a heading such as ``Unterweisung; Verordnungsermächtigung``, without remarks."""
    return [phrase for piece in heading.split(";") if (phrase := _REMARK.sub("", piece).strip())]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
