"""Loading graphs once, and the large ones beside whoever asks."""

import threading
from concurrent.futures import Future
from functools import partial
from typing import Final

from cachetools import LRUCache

from services.catalog import Catalog
from services.catalog.graph import Graph
from services.domain import Scope
from services.graph.loaded import LoadedGraph
from services.graph.reading import read_graph

KEPT: Final = 4
"""Graphs of scopes that stay in memory."""
SOON: Final = 10_000
"""Passages of a graph that a question waits for; loading takes about a second for so many."""

Loading = Future[LoadedGraph]
Place = tuple[tuple[str, ...], tuple[str, ...] | None]


class GraphLoader:
    """Reads graphs and keeps the latest few until something of them has changed. Thread-safe."""

    def __init__(self, catalog: Catalog, parts: Graph) -> None:
        self._catalog = catalog
        self._parts = parts
        self._kept: LRUCache[Place, tuple[str, Loading]] = LRUCache(KEPT)
        self._lock = threading.Lock()

    def __call__(self, scope: Scope) -> LoadedGraph:
        """The graph of what a request may read; empty where nothing has been built."""
        return self._loading(scope).result()

    def ready(self, scope: Scope) -> bool:
        """Whether the graph is there or soon loaded; else loading begins beside the caller."""
        place, version = _place(scope), self.version(scope)
        with self._lock:
            loading = self._current(place, version)
        if loading is not None and loading.done():
            return True
        return self._parts.passages(scope) <= SOON or self._loading(scope, beside=True).done()

    def version(self, scope: Scope) -> str:
        """Changes with the parts and with the documents of a scope."""
        versions = zip(scope.collections, self._catalog.collections.versions(scope), strict=True)
        contents = sorted(f"{name}:{version}" for name, version in versions)
        return " ".join([self._parts.version(scope), *contents])

    def _current(self, place: Place, version: str) -> Loading | None:
        """The loading of a graph as it is now, None where there is none or it failed."""
        kept, loading = self._kept.get(place, ("", None))
        failed = loading is not None and loading.done() and loading.exception()
        return None if kept != version or failed else loading

    def _loading(self, scope: Scope, *, beside: bool = False) -> Loading:
        """The same; what nobody loads yet is loaded, where it is said so in a thread of its own."""
        place, version = _place(scope), self.version(scope)
        with self._lock:
            if (current := self._current(place, version)) is not None:
                return current
            loading = Loading()
            self._kept[place] = version, loading
        if beside:
            load = partial(self._load, scope, loading, prepare=True)
            threading.Thread(target=load, name="graph-loading", daemon=True).start()
        else:
            self._load(scope, loading)
        return loading

    def _load(self, scope: Scope, loading: Loading, *, prepare: bool = False) -> None:
        try:
            loaded = LoadedGraph(read_graph(self._catalog, self._parts, scope))
            if prepare:
                loaded.prepare()
        except BaseException as error:  # noqa: BLE001 - whoever waits for it raises it
            loading.set_exception(error)
        else:
            loading.set_result(loaded)


def _place(scope: Scope) -> Place:
    return tuple(sorted(scope.collections)), scope.documents
