"""Values that are made when they are first needed, once, whichever thread asks first."""

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Lazy(Generic[T]):
    """Holds the maker of a value, then the value.

    (``functools.cached_property`` may run its maker twice when two threads ask at once, which
    for an embedded store means two writers.)
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: list[T] = []

    def get(self) -> T:
        """The value; what the maker raises is raised here, and the next call tries again."""
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]

    def take(self) -> T | None:
        """The value if it was made, and forget it: for closing it."""
        with self._lock:
            return self._made.pop() if self._made else None


class LazyByKey(Generic[T]):
    """The same for values by key: callers of one key wait for the first, those of others do not."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[Hashable, Lazy[T]] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        with self._lock:
            value = self._values.setdefault(key, Lazy(make))
        return value.get()
