"""A cache of search results, because people repeat their queries."""

import math
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from services.caches import TimedCache
from services.domain import Hit, Reranking, Scope, SearchMode, SearchOptions

END_MARKS = "?.!,;:"


@dataclass(frozen=True)
class SearchKey:
    """Everything that a result depends on.

    ``query`` is normalised by `normalise_query`. ``versions`` are the content versions of the
    scope's collections, so that new content, and a collection that may no longer be read, lead to
    another key. ``reranking`` is that of each collection, empty if none is reranked.
    """

    query: str
    k: int
    mode: SearchMode
    options: SearchOptions
    scope: Scope
    versions: tuple[int, ...]
    reranking: tuple[Reranking, ...] = ()


def normalise_query(query: str) -> str:
    """Return the query in lower case with single blanks, without punctuation at its end.

    A query that consists of punctuation alone keeps it.
    """
    folded = " ".join(query.lower().split())
    return folded.rstrip(f"{END_MARKS} ") or folded


class _KeyCache(TimedCache[Hashable, tuple[Hashable, SearchKey]]):
    capacity = 50
    lifetime_s = math.inf


class SearchCache(TimedCache[SearchKey, tuple[Hit, ...]]):
    """The results that were used last, each for five minutes."""

    capacity = 50
    lifetime_s = 300.0

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self._keys = _KeyCache()

    def key_of(
        self, request: Hashable, version: Hashable | None, make_key: Callable[[], SearchKey]
    ) -> SearchKey:
        """Return the key of a request, made once for each version of the catalog.

        Args:
            version: of the catalog, read before; None, if unknown, makes the key each time.
        """
        cached = self._keys.get(request)
        if cached is not None and cached[0] == version:
            return cached[1]
        key = make_key()
        if version is not None:
            self._keys.put(request, (version, key))
        return key

    def clear(self) -> None:
        """Forget the results; the counts stay."""
        super().clear()
        self._keys.clear()
