"""Searches of the knowledge graph: from what a question names to passages, and the way there."""

import math
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
from cachetools import LRUCache

from services.catalog import Catalog
from services.catalog.graph import EDGE_KINDS, Graph
from services.domain import Scope
from services.graph.communities import Group, areas_of, communities_of, groups_of
from services.graph.graph import Floats, Numbers, ScopeGraph, read_graph
from services.graph.inspection import (
    card_of,
    glossary_of,
    not_called,
    reference_neighbours,
    shortest_paths,
    undirected,
)
from services.graph.linking import Linker
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

SEED_SHARE: Final = 0.5
"""Weight of all passages of another search together, beside 1 for all that was linked."""
LATER_IN_SECTION: Final = 0.5
"""What the next passage of a section has of the section's score."""
SURE: Final = 3
"""Linked nodes that the confidence rests on."""
NAMED_SURELY: Final = 0.8
PARTICULAR: Final = frozenset({"section", "term", "abbreviation", "entity"})
OF_EACH: Final = 3
"""Names of a community that tell what it is about."""
CACHED_GRAPHS: Final = 4
"""Graphs of scopes that stay in memory."""
SOON: Final = 10_000
"""Passages of a graph that a question waits for; loading takes a few seconds for so many."""


class LoadedGraph:
    """A graph with its linker, its walks and its groups, each made when it is first asked for."""

    def __init__(self, graph: ScopeGraph) -> None:
        self.graph = graph

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
        seed_chunks = {
            chunk_number[chunk_id]: share for chunk_id, share in seeds if chunk_id in chunk_number
        }
        chunk_shares = _shares(seed_chunks, SEED_SHARE)
        walked = self.rank.scores(
            linked | {count + n: weight for n, weight in chunk_shares.items()}
        )
        best = self._best(walked, k)
        starts = dict(linked)
        for chunk, weight in chunk_shares.items():
            home = graph.home[chunk]
            starts[home] = max(weight, starts.get(home, 0.0))
        paths = self.rank.paths(starts, sorted({graph.home[n] for n, _ in best}), walked)
        top = max((score for _, score in best), default=1.0)
        return tuple(
            GraphPassage(
                chunk_id=graph.chunks[n],
                score=round(score / top, 6),
                path=paths.get(graph.home[n], ()),
            )
            for n, score in best
        )

    def _best(self, walked: Floats, k: int) -> list[tuple[int, float]]:
        """The passages with the highest scores; those of a section share what it has.

        Only what stands in the ``k`` best sections, or is itself among the best, can be.
        """
        graph, chunk_scores = self.graph, walked[len(self.graph.nodes) :]
        best = self._sections[highest(walked[self._sections], k)]
        likely = {graph.home[n] for n in highest(chunk_scores, k)} | set(best.tolist())
        scores: list[tuple[int, float]] = []
        for node in sorted(likely):
            share = float(walked[node]) if graph.nodes[node].kind == "section" else 0.0
            for n in sorted(graph.chunks_of[node], key=lambda chunk: (-chunk_scores[chunk], chunk)):
                if (score := share + float(chunk_scores[n])) > 0:
                    scores.append((n, score))
                share *= LATER_IN_SECTION
        return sorted(scores, key=lambda pair: (-pair[1], graph.chunks[pair[0]]))[:k]


def _shares(weights: Mapping[int, float], total: float) -> dict[int, float]:
    """The weights scaled to a sum."""
    sum_of_weights = sum(weights.values())
    return (
        {n: total * weight / sum_of_weights for n, weight in weights.items()}
        if sum_of_weights
        else {}
    )


class KnowledgeGraph:
    """The graph of what a scope may read, over the parts that the catalog keeps. Thread-safe.

    All methods block, and give the same for the same graph. The graphs of the latest scopes stay in
    memory until something of them has changed.
    """

    def __init__(self, catalog: Catalog, store: Graph) -> None:
        self._catalog = catalog
        self._store = store
        self._text = catalog.documents.text_of
        self._cache: LRUCache[object, tuple[str, Future[LoadedGraph]]] = LRUCache(CACHED_GRAPHS)
        self._lock = threading.Lock()

    def has_graph(self, scope: Scope) -> bool:
        """Whether anything of this scope has been built; nothing is loaded for it."""
        return self._store.is_built(scope)

    def ready(self, scope: Scope) -> bool:
        """Whether the graph is there or soon loaded; else loading begins beside the caller."""
        return (
            self._store.passages(scope) <= SOON or self._loading(scope, in_background=True).done()
        )

    def version(self, scope: Scope) -> str:
        """Changes with the parts and with the documents of a scope."""
        versions = zip(scope.collections, self._catalog.collections.versions(scope), strict=True)
        contents = sorted(f"{name}:{version}" for name, version in versions)
        return " ".join([self._store.version(scope), *contents])

    def _load(self, scope: Scope) -> LoadedGraph:
        """The graph of what a request may read; empty where nothing has been built."""
        return self._loading(scope).result()

    def _loading(self, scope: Scope, *, in_background: bool = False) -> Future[LoadedGraph]:
        """The graph as it is now; what nobody has loaded is loaded here, or beside the caller."""
        place, version = (tuple(sorted(scope.collections)), scope.documents), self.version(scope)
        with self._lock:
            kept, loading = self._cache.get(place, ("", None))
            failed = loading is not None and loading.done() and loading.exception()
            if loading is not None and kept == version and not failed:
                return loading
            loading = Future()
            self._cache[place] = version, loading
        if in_background:  # ends with the process, which an executor would keep waiting for it
            threading.Thread(target=self._read, args=(scope, loading), daemon=True).start()
        else:
            self._read(scope, loading)
        return loading

    def _read(self, scope: Scope, loading: Future[LoadedGraph]) -> None:
        try:
            loaded = LoadedGraph(read_graph(self._catalog, self._store, scope))
            if self._store.passages(scope) > SOON:
                loaded.linker, loaded.rank  # noqa: B018 - so that the first search has them
            loading.set_result(loaded)
        except BaseException as error:  # noqa: BLE001 - whoever waits for it raises it
            loading.set_exception(error)

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
        loaded = self._load(scope)
        entities = loaded.linker(query, *hints)
        return GraphResult(
            entities=entities,
            passages=loaded.passages(entities, seeds, k),
            confidence=loaded.confidence(entities),
        )

    def reference_neighbours(
        self, chunk_ids: Sequence[str], scope: Scope
    ) -> tuple[ReferenceNeighbour, ...]:
        """The sections that those of these passages refer to, or that refer to them."""
        return reference_neighbours(self._load(scope).graph, chunk_ids)

    def card(self, name: str, scope: Scope, *, limit: int = 20) -> EntityCard | None:
        """One node with its neighbours, None where nothing is called that."""
        loaded = self._load(scope)
        node = loaded.linker.called(name)
        return None if node is None else card_of(loaded.graph, node, self._text, limit=limit)

    def glossary(self, scope: Scope) -> tuple[EntityCard, ...]:
        """Every term and abbreviation that the texts define, by name; without what is near."""
        return glossary_of(self._load(scope).graph, lru_cache(maxsize=None)(self._text))

    def paths(
        self, first: str, second: str, scope: Scope, *, limit: int = 3
    ) -> tuple[tuple[Step, ...], ...]:
        """The shortest ways from one node to another, empty where there is none.

        Raises:
            NotFound: nothing is called ``first`` or ``second``.
        """
        loaded = self._load(scope)
        ends = []
        for name in (first, second):
            if (node := loaded.linker.called(name)) is None:
                raise not_called(name)
            ends.append(node)
        return shortest_paths(loaded.graph, loaded.network, *ends, limit=limit)

    def communities(self, scope: Scope, *, limit: int = 20) -> tuple[Community, ...]:
        """The largest groups of nodes that belong together."""
        loaded = self._load(scope)
        return tuple(communities_of(loaded.graph, loaded.groups)[:limit])

    def areas(
        self, question: str, scope: Scope, document: str | None, *, limit: int
    ) -> tuple[Community, ...]:
        """What documents are about: those that a question names, else that one, else all.

        None where the question names something particular, and none of a large graph.
        """
        if self._store.passages(scope) > SOON:
            return ()
        loaded = self._load(scope)
        return tuple(loaded.areas(loaded.linker(question), document, limit))

    def topics(self, scope: Scope, *, limit: int) -> tuple[str, ...]:
        """What the largest communities name first; none of a large graph."""
        if not self.has_graph(scope) or self._store.passages(scope) > SOON:
            return ()
        topics = (
            name for community in self.communities(scope) for name in community.topics[:OF_EACH]
        )
        return tuple(dict.fromkeys(topics))[:limit]

    def status(self, scope: Scope) -> GraphStatus:
        """How much of the scope is built, with the edges between its texts and its groups."""
        loaded = self._load(scope)
        counts = np.bincount(loaded.graph.edges["kind"], minlength=len(EDGE_KINDS)).tolist()
        edges = {kind: count for kind, count in zip(EDGE_KINDS, counts, strict=True) if count}
        counted = {"edges": edges, "communities": len(loaded.groups)}
        return self._store.status(scope).model_copy(update=counted)
