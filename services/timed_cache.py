"""Values kept by key: the last ones used, each for a limited time."""

import threading
import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from cachetools import TTLCache

from services.domain import CacheStatistics

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class TimedCache(Generic[K, V]):
    """Drops what was not used for longest and what has outlived its time; safe among threads.

    A kind of cache is a subclass, which says how many values it keeps and for how long.
    """

    capacity: int
    lifetime_s: float

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.Lock()
        self._kept: TTLCache[K, V] = TTLCache(self.capacity, self.lifetime_s, clock)
        self._hits = self._misses = 0

    def get(self, key: K) -> V | None:
        """What was kept under the key, None where nothing is or its time is over; it is counted."""
        with self._lock:
            found = self._kept.get(key)
            self._hits += found is not None
            self._misses += found is None
            return found

    def put(self, key: K, value: V) -> None:
        with self._lock:
            self._kept[key] = value

    def clear(self) -> None:
        """Forget the values; the counts stay."""
        with self._lock:
            self._kept.clear()

    def statistics(self) -> CacheStatistics:
        with self._lock:
            looks = self._hits + self._misses
            return CacheStatistics(
                size=len(self._kept),
                hits=self._hits,
                misses=self._misses,
                hit_rate=self._hits / looks if looks else 0.0,
            )
