"""Sections that a reference ties to given passages: what they refer to, and what refers to them."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from services.knowledge_graph.columns import KIND_NUMBER, Numbers
from services.knowledge_graph.graph import ScopeGraph
from services.knowledge_graph.values import TiedSection

MOST_TIES: Final = 12
"""References of a section, either way; of one that has more each says little."""


def tied_sections(graph: ScopeGraph, chunk_ids: Sequence[str]) -> tuple[TiedSection, ...]:
    """Each section once, in the order of the passages and of the nodes.

    The sections of the passages themselves are among them where they refer to each other.
    """
    found: dict[int, TiedSection] = {}
    homes = (
        graph.home[graph.chunk_number[each]] for each in chunk_ids if each in graph.chunk_number
    )
    for home in dict.fromkeys(homes):
        for n in _ties(graph, home):
            edge = graph.edges[n]
            other = edge.target if edge.source == home else edge.source
            if other not in found and graph.chunks_of[other]:
                found[other] = TiedSection(
                    chunk_ids=tuple(graph.chunks[chunk] for chunk in graph.chunks_of[other]),
                    step=graph.step(edge, start=home),
                )
    return tuple(found.values())


def _ties(graph: ScopeGraph, home: int) -> Iterator[int]:
    """The numbers of the references of a section to others, and then of those to it."""
    if graph.nodes[home].kind != "section":
        return
    edges, at = graph.edges, np.array(graph.touching[home], dtype=np.int64)
    at = at[edges.kind[at] == KIND_NUMBER["cites"]]
    for here, there in ((edges.source, edges.target), (edges.target, edges.source)):
        ties: Numbers = at[here[at] == home]
        sections = [n for n in ties.tolist() if graph.nodes[there[n]].kind == "section"]
        if len(sections) <= MOST_TIES:
            yield from sections
