"""The knowledge graph as routes and phases ask it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Final

import numpy as np

from services.catalog import Catalog
from services.catalog.graph import Graph
from services.domain import Scope
from services.graph.columns import Floats, Numbers
from services.graph.communities import Communities
from services.graph.graph import ScopeGraph
from services.graph.inspection import (
    card_of,
    not_called,
    reference_neighbours,
    shortest_paths,
    status_of,
)
from services.graph.linking import Linker
from services.graph.loading import KEPT, SOON, GraphLoader
from services.graph.pagerank import PageRank, highest
from services.graph.values import (
    Community,
    EntityCard,
    GraphPassage,
    GraphResult,
    GraphStatus,
    LinkedEntity,
    ReferenceNeighbour,
    Step,
)

LINKED: Final = 8
SEED_SHARE: Final = 0.5
"""Weight of all passages of another search together, beside 1 for all that was linked."""
LATER_IN_SECTION: Final = 0.5
"""What the next passage of a section has of the section's score."""
SURE: Final = 3
"""Linked nodes that the confidence rests on."""
COMMUNITIES: Final = 2
OF_EACH: Final = 3
"""Names of a community that tell what it is about."""


class KnowledgeGraph:
    """The graph of what a scope may read, over the parts that the catalog keeps. Thread-safe.

    All methods block, and give the same for the same graph.
    """

    def __init__(self, catalog: Catalog, parts: Graph) -> None:
        self._parts = parts
        self._load = GraphLoader(catalog, parts, prepare=self._prepare)
        self._communities = Communities(catalog.corpus.text)
        self._text = catalog.corpus.text
        self._engine = lru_cache(maxsize=KEPT)(_Engine)

    def has_graph(self, scope: Scope) -> bool:
        """Whether anything of this scope has been built; nothing is loaded for it."""
        return self._parts.is_built(scope)

    def ready(self, scope: Scope) -> bool:
        """Whether a question may ask now.

        Loading a large graph takes many seconds: where that is still to be done it is begun beside
        whoever asks, and they do without. A graph that is soon loaded is always ready.
        """
        return self._load.ready(scope)

    def version(self, scope: Scope) -> str:
        """Changes whenever the same search may find something else; nothing is loaded for it."""
        return self._load.version(scope)

    def held(self, scope: Scope) -> ScopeGraph:
        """The graph itself, for whoever measures it."""
        return self._load(scope)

    def wait(self) -> None:
        """Waits for graphs that are being loaded beside."""
        self._load.wait()

    def link(self, text: str, scope: Scope, *, limit: int = LINKED) -> tuple[LinkedEntity, ...]:
        """The nodes that a text speaks of, surest first."""
        return self._of(scope).linker(text, limit=limit)

    def search(
        self,
        query: str,
        scope: Scope,
        *,
        k: int = 10,
        hints: Sequence[str] = (),
        seeds: Sequence[tuple[str, float]] = (),
    ) -> GraphResult:
        """Passages by personalised PageRank from what the query and the hints name.

        ``seeds`` are chunk ids that another search has found, with their relevance (0-1): the
        walk begins at them too.
        """
        engine = self._of(scope)
        entities = engine.linked([query, *hints])
        return GraphResult(
            entities=entities,
            passages=engine.passages(entities, seeds, k),
            communities=self._around(engine.graph, entities),
            confidence=engine.confidence(entities),
        )

    def reference_neighbours(
        self, chunk_ids: Sequence[str], scope: Scope
    ) -> tuple[ReferenceNeighbour, ...]:
        """The sections that those of these passages refer to, or that refer to them."""
        return reference_neighbours(self._load(scope), chunk_ids)

    def card(self, name: str, scope: Scope, *, limit: int = 20) -> EntityCard | None:
        """One node with its neighbours, None where nothing is called that."""
        engine = self._of(scope)
        node = engine.linker.called(name)
        return None if node is None else card_of(engine.graph, node, self._text, limit=limit)

    def paths(
        self, first: str, second: str, scope: Scope, *, limit: int = 3
    ) -> tuple[tuple[Step, ...], ...]:
        """The shortest ways from one node to another, empty where there is none.

        Raises:
            NotFound: nothing is called ``first`` or ``second``.
        """
        engine = self._of(scope)
        ends = []
        for name in (first, second):
            if (node := engine.linker.called(name)) is None:
                raise not_called(name)
            ends.append(node)
        return shortest_paths(engine.graph, *ends, limit=limit)

    def communities(self, scope: Scope, *, limit: int = 20) -> tuple[Community, ...]:
        """The largest groups of nodes that belong together."""
        return self._communities(self._load(scope))[:limit]

    def topics(self, scope: Scope, *, limit: int) -> tuple[str, ...]:
        """What the largest communities name first; none of a large graph."""
        if not self.has_graph(scope) or self._parts.passages(scope) > SOON:
            return ()
        topics = (name for each in self.communities(scope) for name in each.topics[:OF_EACH])
        return tuple(dict.fromkeys(topics))[:limit]

    def status(self, scope: Scope) -> GraphStatus:
        """How much of the scope is built."""
        graph = self._load(scope)
        facts = sum(part.by_model < len(part.edges) for part in self._parts.columns(scope))
        return status_of(graph, facts=facts, communities=len(self._communities(graph)))

    def _of(self, scope: Scope) -> "_Engine":
        return self._engine(self._load(scope))

    def _prepare(self, graph: ScopeGraph) -> None:
        self._engine(graph).prepare()

    def _around(self, graph: ScopeGraph, entities: Iterable[LinkedEntity]) -> tuple[Community, ...]:
        """The communities that most of what was linked belongs to; of a large graph none.

        Finding them takes minutes there.
        """
        if len(graph.chunks) > SOON:
            return ()
        numbers = [graph.number[each.node.node_id] for each in entities]
        return self._communities.around(graph, numbers)[:COMMUNITIES]


class _Engine:
    """One graph with what is made of it once."""

    def __init__(self, graph: ScopeGraph) -> None:
        self.graph = graph

    def prepare(self) -> None:
        """Makes beforehand what the first search would make."""
        self.passages(self.linked([""]), [(self.graph.chunks[0], 1.0)], 1)

    @cached_property
    def linker(self) -> Linker:
        return Linker(self.graph)

    @cached_property
    def rank(self) -> PageRank:
        return PageRank(self.graph)

    @cached_property
    def _sections(self) -> Numbers:
        """The sections that have passages of their own."""
        found = sorted({n for n in self.graph.home if self.graph.nodes[n].kind == "section"})
        return np.array(found, dtype=np.int64)

    def linked(self, texts: Sequence[str]) -> tuple[LinkedEntity, ...]:
        """What several texts speak of, each node once, surest first."""
        found = [each for text in texts for each in self.linker(text, limit=LINKED)]
        found.sort(key=lambda e: (-e.score, -self.linker.weight(e), e.node.node_id))
        unique: dict[str, LinkedEntity] = {}
        for each in found:
            unique.setdefault(each.node.node_id, each)
        return tuple(unique.values())[:LINKED]

    def confidence(self, entities: Iterable[LinkedEntity]) -> float:
        """How sure it is that the question speaks of something in the graph, and of what."""
        surest = sorted(map(self.linker.weight, entities), reverse=True)[:SURE]
        return round(1.0 - math.prod(1.0 - weight for weight in surest), 4)

    def passages(
        self, entities: Sequence[LinkedEntity], seeds: Sequence[tuple[str, float]], k: int
    ) -> tuple[GraphPassage, ...]:
        graph = self.graph
        number, known, count = graph.number, graph.chunk_number, len(graph.nodes)
        linked = _shares({number[e.node.node_id]: self.linker.weight(e) for e in entities}, 1.0)
        found = _shares({known[each]: share for each, share in seeds if each in known}, SEED_SHARE)
        walked = self.rank.scores(linked | {count + n: weight for n, weight in found.items()})
        best = self._best(walked, k)
        starts = dict(linked)
        for chunk, weight in found.items():
            home = graph.home[chunk]
            starts[home] = max(weight, starts.get(home, 0.0))
        targets = sorted({graph.home[n] for n, _ in best})
        ways = self.rank.ways(starts, targets, walked)
        highest = max((score for _, score in best), default=1.0)
        return tuple(
            GraphPassage(
                chunk_id=graph.chunks[n],
                score=round(score / highest, 6),
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
