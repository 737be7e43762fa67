"""The knowledge graph as front ends build it and look after it."""

import asyncio
from collections.abc import Callable

from services.domain import Principal, Scope
from services.domain.events import Event
from services.graph.values import BuildReport, FactsCost, FactsRead, Merge
from services.library.collections import CollectionLibrary
from services.models.base import ChatModel


class GraphLibrary(CollectionLibrary):
    """Every method acts for a principal and needs the catalog alone.

    Building is one writer's work, so it runs in the process that owns the stores.
    """

    def build_graph(
        self, principal: Principal, collection: str | None, on_event: Callable[[Event], None]
    ) -> BuildReport:
        """Build what is missing of a collection, or of all that the principal may change.

        ``on_event`` is called with the progress of every text, in the calling thread.

        Raises:
            NotFound: there is no such collection that the principal may read.
            InvalidInput: they may not change it.
        """
        from services.graph.builder import GraphBuilder

        scope = self.own_scope(principal, collection)
        return GraphBuilder(self._parts.catalog).build(scope, on_event)

    def facts_cost(
        self, principal: Principal, collection: str | None, model: ChatModel | None
    ) -> FactsCost:
        """What reading a collection, or all that may be read, would ask of this model now."""
        from services.graph.facts_reader import FactsReader

        scope = self.scope(principal, None if collection is None else [collection])
        deadline_s = self._parts.settings.call_deadline_s
        return FactsReader(self._parts.catalog, model, deadline_s=deadline_s).cost(scope)

    async def read_facts(
        self,
        principal: Principal,
        collection: str | None,
        model: ChatModel | None,
        on_event: Callable[[Event], None],
    ) -> FactsRead:
        """Have the model read what it has not read, on its event loop; raises as ``build_graph``.

        It may be cancelled at any time: every passage is kept as soon as it has been read.
        """
        from services.graph.builder import GraphBuilder
        from services.graph.facts_reader import FactsReader

        scope = await asyncio.to_thread(self.own_scope, principal, collection)
        deadline_s = self._parts.settings.call_deadline_s
        reader = FactsReader(self._parts.catalog, model, deadline_s=deadline_s)
        read = await reader.read(scope, on_event)
        if read.passages:
            resolve = GraphBuilder(self._parts.catalog).resolve
            await asyncio.to_thread(resolve, scope.collections)
        return read

    def own_scope(self, principal: Principal, collection: str | None) -> Scope:
        """A collection that the principal may change, by name or id, or all of them."""
        if collection is None:
            ids = tuple(info.collection_id for info in self._changeable(principal))
        else:
            ids = (self._parts.catalog.collections.changeable(principal, collection).collection_id,)
        return Scope(user=principal.user, collections=ids)

    def graph_merges(self, principal: Principal, collection: str) -> list[Merge]:
        """The nodes of a collection that were found to be one, undone merges included."""
        found = self.collection(principal, collection)
        return self._parts.catalog.graph.merges.of(found.collection_id)

    def undo_merge(self, principal: Principal, collection: str, node_id: str) -> Merge:
        """Let a node of a collection stand for itself again; later builds leave it so.

        Raises:
            NotFound: the collection or the merge does not exist.
            InvalidInput: the principal may not change the collection.
        """
        from services.graph.builder import GraphBuilder

        place = self._parts.catalog.collections.changeable(principal, collection).collection_id
        found = self._parts.catalog.graph.merges.undo(place, node_id)
        GraphBuilder(self._parts.catalog).resolve((place,))
        return found
