"""The knowledge graph as routes and phases ask it."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from services.catalog import Catalog
from services.catalog.graph import Graph
from services.domain import Scope
from services.graph.communities import communities_of
from services.graph.inspection import (
    card_of,
    glossary_of,
    not_called,
    reference_neighbours,
    shortest_paths,
)
from services.graph.loading import SOON, GraphLoader
from services.graph.values import (
    Community,
    EntityCard,
    GraphResult,
    GraphStatus,
    ReferenceNeighbour,
    Step,
)

OF_EACH: Final = 3
"""Names of a community that tell what it is about."""


class KnowledgeGraph:
    """The graph of what a scope may read, over the parts that the catalog keeps. Thread-safe.

    All methods block, and give the same for the same graph.
    """

    def __init__(self, catalog: Catalog, parts: Graph) -> None:
        self._parts = parts
        self._load = GraphLoader(catalog, parts)
        self._text = catalog.documents.text_of
        self.ready, self.version = self._load.ready, self._load.version

    def has_graph(self, scope: Scope) -> bool:
        """Whether anything of this scope has been built; nothing is loaded for it."""
        return self._parts.is_built(scope)

    def glossary(self, scope: Scope) -> tuple[EntityCard, ...]:
        """Every term and abbreviation that the texts define, by name; without what is near."""
        return glossary_of(self._load(scope).graph, lru_cache(maxsize=None)(self._text))

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
        if self._parts.passages(scope) > SOON:
            return ()
        loaded = self._load(scope)
        return tuple(loaded.areas(loaded.linker(question), document, limit))

    def topics(self, scope: Scope, *, limit: int) -> tuple[str, ...]:
        """What the largest communities name first; none of a large graph."""
        if not self.has_graph(scope) or self._parts.passages(scope) > SOON:
            return ()
        topics = (name for each in self.communities(scope) for name in each.topics[:OF_EACH])
        return tuple(dict.fromkeys(topics))[:limit]

    def status(self, scope: Scope) -> GraphStatus:
        """How much of the scope is built, with the edges between its texts and its groups."""
        loaded = self._load(scope)
        edges, groups = loaded.graph.edges_by_kind(), len(loaded.groups)
        counted = {"edges": edges, "communities": groups}
        return self._parts.status(scope).model_copy(update=counted)
