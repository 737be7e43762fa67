"""Values made once or kept for a while, shared safely among threads."""

import threading
import time
from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

from cachetools import LRUCache, TTLCache

from services.domain import CacheStatistics

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Lazy(Generic[T]):
    """A value that is made once, when it is first needed.

    (``functools.cached_property`` may run its maker twice when two threads ask at once, which for
    an embedded store means two writers.)
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: list[T] = []

    def get(self) -> T:
        """Return the value. If making it fails, raise the error; the next call tries again."""
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]

    def take(self) -> T | None:
        """Return the value if it was made, and forget it, so that the caller can close it."""
        with self._lock:
            return self._made.pop() if self._made else None


class LazyByKey(Generic[T]):
    """Lazy values by key: callers of one key wait for the first of them, other keys do not."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[Hashable, Lazy[T]] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        with self._lock:
            value = self._values.setdefault(key, Lazy(make))
        return value.get()


class TimedCache(Generic[K, V]):
    """An LRU cache whose values expire. A subclass sets its capacity and lifetime."""

    capacity: int
    lifetime_s: float

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.Lock()
        self._values: TTLCache[K, V] = TTLCache(self.capacity, self.lifetime_s, clock)
        self._hits = self._misses = 0

    def get(self, key: K) -> V | None:
        """Return the value of a key, None if it is missing or expired; count the hit or miss."""
        with self._lock:
            value = self._values.get(key)
            self._hits += value is not None
            self._misses += value is None
            return value

    def put(self, key: K, value: V) -> None:
        with self._lock:
            self._values[key] = value

    def clear(self) -> None:
        """Forget the values; the counts stay."""
        with self._lock:
            self._values.clear()

    def statistics(self) -> CacheStatistics:
        with self._lock:
            lookups = self._hits + self._misses
            return CacheStatistics(
                size=len(self._values),
                hits=self._hits,
                misses=self._misses,
                hit_rate=self._hits / lookups if lookups else 0.0,
            )


class SizedCache(Generic[K, V]):
    """An LRU cache of values that never change, limited by their total size."""

    def __init__(self, capacity: int, size: Callable[[V], int]) -> None:
        self._values: LRUCache[K, V] = LRUCache(capacity, size)
        self._size_of = size
        self._lock = threading.Lock()

    def get(self, keys: Iterable[K]) -> dict[K, V]:
        """Return the cached values among those of these keys."""
        with self._lock:
            return {key: self._values[key] for key in keys if key in self._values}

    def put(self, key: K, value: V) -> None:
        """Keep a value unless it is larger than the whole cache."""
        with self._lock:
            if self._size_of(value) <= self._values.maxsize:
                self._values[key] = value
