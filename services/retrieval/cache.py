"""Results of searches that are kept for a while, because people ask again."""

import math
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

from services.recent import Looks, Recent
from services.types import CacheStatistics, Hit, Reranking, Scope, SearchMode, SearchOptions

CAPACITY = 50
LIFETIME_S = 300.0

END_MARKS = "?.!,;:"


@dataclass(frozen=True)
class SearchKey:
    """Everything that a result depends on; results are kept under its ``normal`` form.

    ``versions`` are the content versions of the scope's collections, so that new content, and a
    collection that may no longer be read, lead to another key. ``reranking`` is that of each
    collection, empty where none is reranked.
    """

    query: str
    k: int
    mode: SearchMode
    options: SearchOptions
    scope: Scope
    versions: tuple[int, ...]
    reranking: tuple[Reranking, ...] = ()

    def normal(self) -> "SearchKey":
        """The key of all searches that differ from this one in how the query is written alone."""
        return replace(self, query=normal_query(self.query))


def normal_query(query: str) -> str:
    """The query in lower case with single blanks, without punctuation at its end.

    One that is nothing but punctuation stays as it is.
    """
    folded = " ".join(query.lower().split())
    return folded.rstrip(f"{END_MARKS} ") or folded


class SearchCache:
    """The last results used, each for a limited time. Safe to share among threads.

    An entry that has outlived its time is dropped when it is asked for.
    """

    def __init__(
        self,
        capacity: int = CAPACITY,
        lifetime_s: float = LIFETIME_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._kept = Recent[SearchKey, tuple[Hit, ...]](capacity, lifetime_s, clock)
        self._resolved = Recent[Hashable, tuple[int, SearchKey]](capacity, math.inf, clock)
        self._looks = Looks()

    def resolved(
        self, asked: Hashable, version: int | None, resolve: Callable[[], SearchKey]
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

    def get(self, key: SearchKey) -> tuple[Hit, ...] | None:
        """What was kept under the key, None where nothing is; counted as a hit or a miss."""
        kept = self._kept.get(key)
        self._looks.count(kept is not None)
        return kept

    def put(self, key: SearchKey, hits: tuple[Hit, ...]) -> None:
        """Keep a result; the one that was not used for longest gives way where there is no room."""
        self._kept.put(key, hits)

    def clear(self) -> None:
        """Forget the results; the counts stay."""
        self._kept.clear()
        self._resolved.clear()

    def statistics(self) -> CacheStatistics:
        return self._looks.statistics(len(self._kept))
