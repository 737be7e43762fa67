"""What the knowledge graph is read from."""

from typing import Protocol

from services.knowledge_graph.columns import PartColumns
from services.types import Scope


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
