"""Values kept by key: the last ones used, each for a limited time."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from services.types import CacheStatistics

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Safe to share among threads. What has outlived its time is dropped when it is asked for."""

    def __init__(
        self,
        capacity: int,
        lifetime_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._capacity = capacity
        self._lifetime_s = lifetime_s
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[K, tuple[float, V]] = OrderedDict()

    def get(self, key: K) -> V | None:
        """What was kept under the key, None where nothing is or its time is over."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or self._clock() - kept[0] >= self._lifetime_s:
                self._kept.pop(key, None)
                return None
            self._kept.move_to_end(key)
            return kept[1]

    def newest(self) -> list[tuple[K, V]]:
        """All whose time is not over, the last used first; a look through them uses none."""
        with self._lock:
            now = self._clock()
            for key in [k for k, (at, _) in self._kept.items() if now - at >= self._lifetime_s]:
                del self._kept[key]
            return [(key, value) for key, (_, value) in reversed(self._kept.items())]

    def put(self, key: K, value: V) -> None:
        """Keeps a value; the one not used for longest gives way where there is no room."""
        with self._lock:
            self._kept[key] = (self._clock(), value)
            self._kept.move_to_end(key)
            while len(self._kept) > self._capacity:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()

    def __len__(self) -> int:
        return len(self._kept)


class Looks:
    """Counts how often a cache had what was asked for; safe to share among threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hits = 0
        self._misses = 0

    def count(self, hit: bool) -> None:
        with self._lock:
            self._hits += hit
            self._misses += not hit

    def statistics(self, size: int) -> CacheStatistics:
        """The counts, with ``size`` as the number of entries now."""
        with self._lock:
            looks = self._hits + self._misses
            return CacheStatistics(
                size=size,
                hits=self._hits,
                misses=self._misses,
                hit_rate=self._hits / looks if looks else 0.0,
            )
