"""Results of searches that are kept for a while, because people ask again."""

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

    ``query`` is as `normal_query` writes it. ``versions`` are the content versions of the scope's
    collections, so that new content, and a collection that may no longer be read, lead to another
    key. ``reranking`` is that of each collection, empty where none is reranked.
    """

    query: str
    k: int
    mode: SearchMode
    options: SearchOptions
    scope: Scope
    versions: tuple[int, ...]
    reranking: tuple[Reranking, ...] = ()


def normal_query(query: str) -> str:
    """The query in lower case with single blanks, without punctuation at its end.

    One that is nothing but punctuation stays as it is.
    """
    folded = " ".join(query.lower().split())
    return folded.rstrip(f"{END_MARKS} ") or folded


class _Resolved(TimedCache[Hashable, tuple[Hashable, SearchKey]]):
    capacity = 50
    lifetime_s = math.inf


class SearchCache(TimedCache[SearchKey, tuple[Hit, ...]]):
    """The last results used."""

    capacity = 50
    lifetime_s = 300.0

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self._resolved = _Resolved()

    def resolved(
        self, asked: Hashable, version: Hashable | None, resolve: Callable[[], SearchKey]
    ) -> SearchKey:
        """The key of what somebody asked, resolved once for each version of the catalog.

        ``version`` is read before; None, where it is unknown, resolves anew each time.
        """
        known = self._resolved.get(asked)
        if known is not None and version == known[0]:
            return known[1]
        key = resolve()
        if version is not None:
            self._resolved.put(asked, (version, key))
        return key

    def clear(self) -> None:
        """Forget the results; the counts stay."""
        super().clear()
        self._resolved.clear()
