"""One graph in memory with what is made of it once: for links, walks, paths and groups."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np

from services.graph.columns import Floats, Numbers
from services.graph.communities import Group, areas_of, groups_of
from services.graph.graph import ScopeGraph
from services.graph.inspection import undirected
from services.graph.linking import Linker
from services.graph.pagerank import PageRank, highest
from services.graph.values import Community, GraphPassage, LinkedEntity

SEED_SHARE: Final = 0.5
"""Weight of all passages of another search together, beside 1 for all that was linked."""
LATER_IN_SECTION: Final = 0.5
"""What the next passage of a section has of the section's score."""
SURE: Final = 3
"""Linked nodes that the confidence rests on."""

NAMED_SURELY: Final = 0.8
PARTICULAR: Final = frozenset({"section", "term", "abbreviation", "entity"})


class LoadedGraph:
    """A graph with its linker, its walks and its groups, each made when it is first asked for."""

    def __init__(self, graph: ScopeGraph) -> None:
        self.graph = graph

    def prepare(self) -> None:
        """Makes beforehand what the first search would make."""
        if self.graph.chunks:
            self.passages(self.linker(""), [(self.graph.chunks[0], 1.0)], 1)

    @cached_property
    def linker(self) -> Linker:
        return Linker(self.graph)

    @cached_property
    def rank(self) -> PageRank:
        return PageRank(self.graph)

    @cached_property
    def network(self) -> Any:
        """The graph as networkx finds paths in it."""
        return undirected(self.graph)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The nodes that belong together; finding them takes minutes in a large graph."""
        return groups_of(self.graph)

    @cached_property
    def _sections(self) -> Numbers:
        """The sections that have passages of their own."""
        homes = np.unique(np.array(self.graph.home, dtype=np.int64))
        sections: Numbers = homes[self.graph.is_kind("section")[homes]]
        return sections

    def areas(
        self, entities: Iterable[LinkedEntity], document: str | None, limit: int
    ) -> list[Community]:
        """What the named documents are about, else that one, else all; most first.

        None where something particular is named.
        """
        named = [e.node for e in entities if e.score >= NAMED_SURELY]
        texts = {e.node_id.partition(":")[2] for e in named if e.kind == "document"}
        if not texts and any(node.kind in PARTICULAR for node in named):
            return []
        texts = texts or {text for name, text in self.graph.texts if name == document}
        return areas_of(self.graph, self.groups, texts)[:limit]

    def confidence(self, entities: Iterable[LinkedEntity]) -> float:
        """How sure it is that the question speaks of something in the graph, and of what."""
        surest = sorted(map(self.linker.weight, entities), reverse=True)[:SURE]
        return round(1.0 - math.prod(1.0 - weight for weight in surest), 4)

    def passages(
        self, entities: Sequence[LinkedEntity], seeds: Sequence[tuple[str, float]], k: int
    ) -> tuple[GraphPassage, ...]:
        """The ``k`` best passages of a walk from what was linked and from other passages."""
        graph = self.graph
        number, chunk_number, count = graph.number, graph.chunk_number, len(graph.nodes)
        linked = _shares({number[e.node.node_id]: self.linker.weight(e) for e in entities}, 1.0)
        given = {chunk_number[each]: share for each, share in seeds if each in chunk_number}
        found = _shares(given, SEED_SHARE)
        walked = self.rank.scores(linked | {count + n: weight for n, weight in found.items()})
        best = self._best(walked, k)
        starts = dict(linked)
        for chunk, weight in found.items():
            home = graph.home[chunk]
            starts[home] = max(weight, starts.get(home, 0.0))
        targets = sorted({graph.home[n] for n, _ in best})
        ways = self.rank.ways(starts, targets, walked)
        highest_score = max((score for _, score in best), default=1.0)
        return tuple(
            GraphPassage(
                chunk_id=graph.chunks[n],
                score=round(score / highest_score, 6),
                path=graph.steps(*ways.get(graph.home[n], ((), ()))),
            )
            for n, score in best
        )

    def _best(self, walked: Floats, k: int) -> list[tuple[int, float]]:
        """The passages with the highest scores; those of a section share what it has.

        Only what stands in the ``k`` best sections, or is itself among the best, can be.
        """
        graph, count = self.graph, len(self.graph.nodes)
        own = walked[count:]
        likely = {graph.home[n] for n in highest(own, k)}
        best = highest(walked[self._sections], k)
        likely |= {int(n) for n in self._sections[best]}
        scores: list[tuple[int, float]] = []
        for node in sorted(likely):
            share = float(walked[node]) if graph.nodes[node].kind == "section" else 0.0
            for n in sorted(graph.chunks_of[node], key=lambda chunk: (-own[chunk], chunk)):
                if (score := share + float(own[n])) > 0:
                    scores.append((n, score))
                share *= LATER_IN_SECTION
        return sorted(scores, key=lambda pair: (-pair[1], graph.chunks[pair[0]]))[:k]


def _shares(weights: Mapping[int, float], whole: float) -> dict[int, float]:
    """The weights scaled to a sum."""
    total = sum(weights.values())
    return {n: whole * each / total for n, each in weights.items()} if total else {}
