"""Loading graphs once, and the large ones beside whoever asks."""

import threading
from collections.abc import Callable
from typing import Final

from cachetools import LRUCache

from services.catalog import Catalog
from services.catalog.graph import Graph
from services.domain import Scope
from services.graph.graph import ScopeGraph
from services.graph.reading import read_graph

KEPT: Final = 4
"""Graphs of scopes that stay in memory."""
SOON: Final = 10_000
"""Passages of a graph that a question waits for; loading takes about a second for so many."""

Place = tuple[str, ...]


class GraphLoader:
    """Reads graphs and keeps the latest few until something of them has changed.

    Args:
        prepare: makes what a search needs of a graph that was loaded beside.
    """

    def __init__(
        self, catalog: Catalog, parts: Graph, *, prepare: Callable[[ScopeGraph], object]
    ) -> None:
        self._catalog = catalog
        self._parts = parts
        self._prepare = prepare
        self._kept: LRUCache[Place, tuple[str, ScopeGraph]] = LRUCache(KEPT)
        self._lock = threading.Lock()
        self._turns: dict[Place, threading.Lock] = {}
        self._beside: dict[Place, threading.Thread] = {}

    def __call__(self, scope: Scope) -> ScopeGraph:
        """The graph of what a request may read; empty where nothing has been built."""
        place, version = _place(scope), self.version(scope)
        with self._lock:
            turn = self._turns.setdefault(place, threading.Lock())
        with turn:
            if (known := self._known(place, version)) is not None:
                return known
            graph = read_graph(self._catalog, self._parts, scope)
            with self._lock:
                self._kept[place] = version, graph
            return graph

    def ready(self, scope: Scope) -> bool:
        """Whether the graph is there or soon loaded; else loading begins beside the caller."""
        place = _place(scope)
        if self._known(place, self.version(scope)) is not None:
            with self._lock:
                return place not in self._beside
        if self._parts.passages(scope) <= SOON:
            return True
        self._load_beside(place, scope)
        return False

    def version(self, scope: Scope) -> str:
        """Changes with the parts and with the documents of a scope."""
        versions = sorted(self._catalog.collections.versions(scope).items())
        contents = (f"{name}:{version}" for name, version in versions)
        return " ".join([self._parts.version(scope), *contents])

    def wait(self) -> None:
        """Waits for what is being loaded beside; for tests and benchmarks."""
        with self._lock:
            loading = list(self._beside.values())
        for each in loading:
            each.join()

    def _known(self, place: Place, version: str) -> ScopeGraph | None:
        with self._lock:
            kept, graph = self._kept.get(place, (None, None))
            return graph if kept == version else None

    def _load_beside(self, place: Place, scope: Scope) -> None:
        def load() -> None:
            try:
                self._prepare(self(scope))
            finally:
                with self._lock:
                    del self._beside[place]

        with self._lock:
            if place not in self._beside:
                thread = threading.Thread(target=load, name="graph-loading", daemon=True)
                self._beside[place] = thread
                thread.start()


def _place(scope: Scope) -> Place:
    return tuple(sorted(scope.collections))
