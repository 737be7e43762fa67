"""Search the knowledge graph: from the nodes that a question names to passages, with paths."""

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
from services.graph.graph import Floats, Numbers, ScopeGraph, read_graph
from services.graph.inspection import (
    Group,
    areas_of,
    card_of,
    communities_of,
    glossary_of,
    groups_of,
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
"""Weight of all passages of another search together; the linked nodes weigh 1."""
LATER_IN_SECTION: Final = 0.5
"""Share of a section's score that each further passage of it gets."""
SURE: Final = 3
NAMED_SURELY: Final = 0.8
PARTICULAR: Final = frozenset({"section", "term", "abbreviation", "entity"})
TOPICS_PER_COMMUNITY: Final = 3
CACHED_GRAPHS: Final = 4
SOON: Final = 10_000
"""Largest graph, in passages, that a question waits for; it loads in a few seconds."""


class LoadedGraph:
    """A graph in memory with its linker, PageRank and groups, each made on first use."""

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
        return undirected(self.graph)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        return groups_of(self.graph)

    @cached_property
    def _sections(self) -> Numbers:
        homes = np.unique(np.array(self.graph.home, dtype=np.int64))
        sections: Numbers = homes[self.graph.is_kind("section")[homes]]
        return sections

    def areas(
        self, entities: Iterable[LinkedEntity], document: str | None, limit: int
    ) -> list[Community]:
        """Return the topics of the named documents, else of ``document``, else of all."""
        nodes = [e.node for e in entities if e.score >= NAMED_SURELY]
        texts = {node.node_id.partition(":")[2] for node in nodes if node.kind == "document"}
        if not texts and any(node.kind in PARTICULAR for node in nodes):
            return []
        texts = texts or {text for name, text in self.graph.texts if name == document}
        return areas_of(self.graph, self.groups, texts)[:limit]

    def confidence(self, entities: Iterable[LinkedEntity]) -> float:
        """Return how surely the question names something in the graph, 0-1."""
        surest = sorted(map(self.linker.weight, entities), reverse=True)[:SURE]
        return round(1.0 - math.prod(1.0 - weight for weight in surest), 4)

    def passages(
        self, entities: Sequence[LinkedEntity], seeds: Sequence[tuple[str, float]], k: int
    ) -> tuple[GraphPassage, ...]:
        graph, count = self.graph, len(self.graph.nodes)
        linked = {graph.number[e.node.node_id]: self.linker.weight(e) for e in entities}
        linked = _scaled(linked, 1.0)
        numbers = {graph.chunk_number.get(chunk_id): weight for chunk_id, weight in seeds}
        chunks = _scaled({n: weight for n, weight in numbers.items() if n is not None}, SEED_SHARE)
        scores = self.rank.scores(linked | {count + n: weight for n, weight in chunks.items()})
        best = self._best(scores, k)
        starts = dict(linked)
        for chunk, weight in chunks.items():
            home = graph.home[chunk]
            starts[home] = max(weight, starts.get(home, 0.0))
        paths = self.rank.paths(starts, sorted({graph.home[n] for n, _ in best}), scores)
        top = max((score for _, score in best), default=1.0)
        return tuple(
            GraphPassage(
                chunk_id=graph.chunks[n],
                score=round(score / top, 6),
                path=paths.get(graph.home[n], ()),
            )
            for n, score in best
        )

    def _best(self, scores: Floats, k: int) -> list[tuple[int, float]]:
        """Return the best passages, of which each, or its section, is among the ``k`` best."""
        graph, chunk_scores = self.graph, scores[len(self.graph.nodes) :]
        sections = self._sections[highest(scores[self._sections], k)]
        homes = {graph.home[n] for n in highest(chunk_scores, k)} | set(sections.tolist())
        ranked: list[tuple[int, float]] = []
        for node in sorted(homes):
            share = float(scores[node]) if graph.nodes[node].kind == "section" else 0.0
            for n in sorted(graph.chunks_of[node], key=lambda chunk: (-chunk_scores[chunk], chunk)):
                if (score := share + float(chunk_scores[n])) > 0:
                    ranked.append((n, score))
                share *= LATER_IN_SECTION
        return sorted(ranked, key=lambda pair: (-pair[1], graph.chunks[pair[0]]))[:k]


def _scaled(weights: Mapping[int, float], total: float) -> dict[int, float]:
    present = sum(weights.values())
    return {n: total * weight / present for n, weight in weights.items()} if present else {}


class KnowledgeGraph:
    """The graph of what a scope may read. Thread-safe; it keeps those of the latest scopes."""

    def __init__(self, catalog: Catalog, store: Graph) -> None:
        self._catalog = catalog
        self._store = store
        self._text = catalog.documents.text_of
        self._cache: LRUCache[object, tuple[str, Future[LoadedGraph]]] = LRUCache(CACHED_GRAPHS)
        self._lock = threading.Lock()

    def has_graph(self, scope: Scope) -> bool:
        """Return whether any part of this scope has been built, without loading it."""
        return self._store.is_built(scope)

    def ready(self, scope: Scope) -> bool:
        """Return whether the graph is loaded or loads soon; else start loading in background."""
        return self._is_small(scope) or self._loading(scope, in_background=True).done()

    def version(self, scope: Scope) -> str:
        """Return a text that changes with the parts and the documents of a scope."""
        versions = zip(scope.collections, self._catalog.collections.versions(scope), strict=True)
        contents = sorted(f"{name}:{version}" for name, version in versions)
        return " ".join([self._store.version(scope), *contents])

    def _is_small(self, scope: Scope) -> bool:
        return self._store.passages(scope) <= SOON

    def _load(self, scope: Scope) -> LoadedGraph:
        return self._loading(scope).result()

    def _loading(self, scope: Scope, *, in_background: bool = False) -> Future[LoadedGraph]:
        """Return the graph's current version, which this call loads if nobody else does."""
        key, version = (tuple(sorted(scope.collections)), scope.documents), self.version(scope)
        with self._lock:
            cached, loading = self._cache.get(key, ("", None))
            failed = loading is not None and loading.done() and loading.exception()
            if loading is not None and cached == version and not failed:
                return loading
            loading = Future()
            self._cache[key] = version, loading
        if in_background:  # a daemon, so that a stopping process does not wait for it
            threading.Thread(target=self._read, args=(scope, loading), daemon=True).start()
        else:
            self._read(scope, loading)
        return loading

    def _read(self, scope: Scope, loading: Future[LoadedGraph]) -> None:
        try:
            loaded = LoadedGraph(read_graph(self._catalog, self._store, scope))
            if not self._is_small(scope):
                loaded.linker, loaded.rank  # noqa: B018 - so that the first search has them
            loading.set_result(loaded)
        except BaseException as error:  # noqa: BLE001 - raised to whoever waits for it
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
        """Return passages by personalised PageRank from query, hints and seeds."""
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
        return reference_neighbours(self._load(scope).graph, chunk_ids)

    def card(self, name: str, scope: Scope, *, limit: int = 20) -> EntityCard | None:
        loaded = self._load(scope)
        node = loaded.linker.called(name)
        return None if node is None else card_of(loaded.graph, node, self._text, limit=limit)

    def glossary(self, scope: Scope) -> tuple[EntityCard, ...]:
        return glossary_of(self._load(scope).graph, lru_cache(maxsize=None)(self._text))

    def paths(
        self, first: str, second: str, scope: Scope, *, limit: int = 3
    ) -> tuple[tuple[Step, ...], ...]:
        """Return the shortest paths between two nodes; NotFound if a name is unknown."""
        loaded = self._load(scope)
        ends = []
        for name in (first, second):
            if (node := loaded.linker.called(name)) is None:
                raise not_called(name)
            ends.append(node)
        return shortest_paths(loaded.graph, loaded.network, *ends, limit=limit)

    def communities(self, scope: Scope, *, limit: int = 20) -> tuple[Community, ...]:
        loaded = self._load(scope)
        return tuple(communities_of(loaded.graph, loaded.groups)[:limit])

    def areas(
        self, question: str, scope: Scope, document: str | None, *, limit: int
    ) -> tuple[Community, ...]:
        """Return the topics of the documents that a question names, else of one, else of all."""
        if not self._is_small(scope):
            return ()
        loaded = self._load(scope)
        return tuple(loaded.areas(loaded.linker(question), document, limit))

    def topics(self, scope: Scope, *, limit: int) -> tuple[str, ...]:
        """Return the first topics of the largest communities; none of a large graph."""
        if not self.has_graph(scope) or not self._is_small(scope):
            return ()
        communities = self.communities(scope)
        topics = (
            name for community in communities for name in community.topics[:TOPICS_PER_COMMUNITY]
        )
        return tuple(dict.fromkeys(topics))[:limit]

    def status(self, scope: Scope) -> GraphStatus:
        loaded = self._load(scope)
        counts = np.bincount(loaded.graph.edges["kind"], minlength=len(EDGE_KINDS)).tolist()
        edges = {kind: count for kind, count in zip(EDGE_KINDS, counts, strict=True) if count}
        counted = {"edges": edges, "communities": len(loaded.groups)}
        return self._store.status(scope).model_copy(update=counted)
