"""The knowledge graph: ``engine.graph``."""

from collections.abc import Sequence
from functools import lru_cache, partial

from agent.engine.connection import Connection, EnginePart, OnEvent
from agent.engine.jobs import BuildGraph, EstimateFacts
from services.domain import Location, Principal, Scope
from services.domain.errors import NotFound
from services.graph.inspection import not_called
from services.graph.values import (
    BuildReport,
    Community,
    EntityCard,
    FactsCost,
    GraphStatus,
    Step,
    TextSpan,
)


class GraphPart(EnginePart):
    """The owner of the stores builds the graph; reading it needs only the catalog.

    Names of nodes are resolved within the documents that the person may read.
    """

    def __init__(self, connection: Connection, principal: Principal) -> None:
        super().__init__(connection, principal)
        library = self._services.library
        self.merges = partial(library.graph_merges, principal)
        self.undo_merge = partial(library.undo_merge, principal)

    def build(
        self, collection: str | None = None, *, facts: bool = False, on_event: OnEvent | None = None
    ) -> BuildReport:
        """Build what is missing of a collection, or of all; with ``facts`` a model reads the texts,
        too.
        """
        return self._do(BuildGraph(collection=collection, facts=facts), on_event)

    def facts_cost(self, collection: str | None = None) -> FactsCost:
        """Estimate what ``build(facts=True)`` would cost now."""
        return self._do(EstimateFacts(collection=collection))

    def status(self, collection: str | None = None) -> GraphStatus:
        """Return how much of a collection, or of all readable ones, is built, and what it holds."""
        return self._services.graph.status(
            self._read_scope(None if collection is None else (collection,))
        )

    def entity(
        self, name: str, collections: Sequence[str] | None = None, *, limit: int = 20
    ) -> EntityCard:
        """Return everything about one node, by name; raises NotFound without it, or without a
        graph.
        """
        card = self._services.graph.card(name, self._built(collections), limit=limit)
        if card is None:
            raise not_called(name)
        return card

    def glossary(self, collections: Sequence[str] | None = None) -> tuple[EntityCard, ...]:
        """Return all defined terms and abbreviations by name; raises NotFound without a graph."""
        return self._services.graph.glossary(self._built(collections))

    def paths(
        self, first: str, second: str, collections: Sequence[str] | None = None, *, limit: int = 3
    ) -> tuple[tuple[Step, ...], ...]:
        """Return the shortest paths from one node to another; raises as ``entity``."""
        return self._services.graph.paths(first, second, self._built(collections), limit=limit)

    def communities(
        self, collections: Sequence[str] | None = None, *, limit: int = 20
    ) -> tuple[Community, ...]:
        """Return the largest communities of nodes; raises NotFound without a graph."""
        return self._services.graph.communities(self._built(collections), limit=limit)

    def exists(self, collections: Sequence[str] | None = None) -> bool:
        """Whether a graph of any readable document has been built; loads nothing."""
        return self._services.graph.has_graph(self._read_scope(collections))

    def places_of(
        self, steps: Sequence[Step], collections: Sequence[str] | None = None
    ) -> list[Location | None]:
        """Return where each step was read, None where that is unknown."""
        return self.named([step.place for step in steps], collections)

    def named(
        self, spans: Sequence[TextSpan | None], collections: Sequence[str] | None = None
    ) -> list[Location | None]:
        """Return the documents, sections and pages of spans, in the same order."""
        documents = self._catalog.corpus.names(self._read_scope(collections))
        sections = lru_cache(maxsize=None)(self._catalog.corpus.sections)

        def location(span: TextSpan) -> Location:
            lines = sections(span.text_id)
            labels = (line.label for line in lines if line.start <= span.start < line.end)
            return Location(
                document=documents.get(span.document_id, span.document_id[:12]),
                section=next(labels, ""),
                **self._catalog.documents.page_fields(span.text_id, span.start),
            )

        return [location(span) if span else None for span in spans]

    def _built(self, collections: Sequence[str] | None) -> Scope:
        scope = self._read_scope(collections)
        if not self._services.graph.has_graph(scope):
            raise NotFound(
                "These documents have no knowledge graph yet. Build it with: rabbithole graph build"
            )
        return scope

    def _read_scope(self, collections: Sequence[str] | None) -> Scope:
        return self._catalog.collections.scope(self._principal, collections)
