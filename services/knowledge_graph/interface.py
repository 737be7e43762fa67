"""What routes and phases ask of the knowledge graph."""

from collections.abc import Sequence
from typing import Protocol

from services.knowledge_graph.columns import PartColumns
from services.knowledge_graph.values import (
    Community,
    EntityCard,
    GraphResult,
    GraphStatus,
    LinkedEntity,
    Step,
    TiedSection,
)
from services.types import Scope


class GraphSearch(Protocol):
    """All methods read what the scope may read, block, and give the same for the same graph."""

    def has_graph(self, scope: Scope) -> bool:
        """Whether anything of this scope has been built; nothing is loaded for it."""
        ...

    def ready(self, scope: Scope) -> bool:
        """Whether a question may ask now.

        Loading a large graph takes many seconds: where that is still to be done it is begun beside
        whoever asks, and they do without. A graph that is soon loaded is always ready.
        """
        ...

    def version(self, scope: Scope) -> str:
        """Changes whenever the same search may find something else; nothing is loaded for it."""
        ...

    def link(self, text: str, scope: Scope, *, limit: int = 8) -> tuple[LinkedEntity, ...]:
        """The nodes that a text speaks of, surest first."""
        ...

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
        ...

    def tied(self, chunk_ids: Sequence[str], scope: Scope) -> tuple[TiedSection, ...]:
        """The sections that those of these passages refer to, or that refer to them."""
        ...

    def card(self, name: str, scope: Scope, *, limit: int = 20) -> EntityCard | None:
        """One node with its neighbours, None where nothing is called that."""
        ...

    def paths(
        self, first: str, second: str, scope: Scope, *, limit: int = 3
    ) -> tuple[tuple[Step, ...], ...]:
        """The shortest ways from one node to another, empty where there is none.

        Raises:
            NotFound: nothing is called ``first`` or ``second``.
        """
        ...

    def communities(self, scope: Scope, *, limit: int = 20) -> tuple[Community, ...]:
        """The largest groups of nodes that belong together."""
        ...

    def topics(self, scope: Scope, *, limit: int) -> tuple[str, ...]:
        """What the largest communities name first; none of a large graph, where finding them takes
        minutes."""
        ...

    def status(self, scope: Scope) -> GraphStatus:
        """How much of the scope is built."""
        ...


class GraphParts(Protocol):
    """Where the parts are kept; ``services.catalog.graph`` keeps them in the catalog."""

    def columns(self, scope: Scope) -> list[PartColumns]:
        """The parts of all current texts of the scope, by text id."""
        ...

    def is_built(self, scope: Scope) -> bool:
        """Whether there is any part."""
        ...

    def passages(self, scope: Scope) -> int:
        """How many chunks the texts of all parts have, which says how large the graph is."""
        ...

    def merged(self, scope: Scope) -> dict[str, str]:
        """Node ids that were found to be another's duplicate, and the id that stands for both."""
        ...

    def version(self, scope: Scope) -> str:
        """Changes whenever ``columns`` or ``merged`` may give something else."""
        ...
