"""The part of a client that builds the knowledge graph and looks after it."""

from collections.abc import Callable

from agent.client.connection import Connected, of_library
from agent.commands import BuildGraph
from services.events import Event
from services.knowledge_graph.values import BuildReport, FactsCost, GraphStatus
from services.library import Library


class GraphClient(Connected):
    """Looking needs the catalog alone; building is done by the owner of the stores."""

    def build_graph(
        self,
        collection: str | None = None,
        *,
        facts: bool = False,
        on_event: Callable[[Event], None] | None = None,
    ) -> BuildReport:
        """Builds what is missing of a collection, or of all that one may change.

        With ``facts`` the language model reads the texts too, which takes long.
        """
        command = BuildGraph(collection=collection, facts=facts)
        return BuildReport.model_validate(self._do(command, on_event))

    def facts_cost(self, collection: str | None = None) -> FactsCost:
        """What ``build_graph(facts=True)`` would ask of the model now."""
        command = BuildGraph(collection=collection, facts=True, estimate=True)
        return FactsCost.model_validate(self._do(command))

    def graph_status(self, collection: str | None = None) -> GraphStatus:
        """How much of a collection, or of all that one may read, is built, and what it holds."""
        names = None if collection is None else (collection,)
        status = self._services.library.graph_status(self._principal, names)
        held = self._services.graph.status(self._services.library.scope(self._principal, names))
        return status.model_copy(update={"edges": held.edges, "communities": held.communities})

    graph_merges = of_library(Library.graph_merges)
    undo_merge = of_library(Library.undo_merge)
