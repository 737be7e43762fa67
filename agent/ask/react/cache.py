"""What tools found, kept for half an hour: an agent asks the same again, and so do people."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final

CAPACITY: Final = 100
LIFETIME_S: Final = 1_800.0


class ToolCache:
    """The last results of tools, each for a limited time; safe to share among threads.

    Keys carry reader, scope and content versions, so that what changed is not found.
    """

    def __init__(
        self,
        capacity: int = CAPACITY,
        lifetime_s: float = LIFETIME_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._capacity = capacity
        self._lifetime_s = lifetime_s
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[float, Any]] = OrderedDict()

    def get(self, key: Hashable) -> Any | None:
        """What was kept under the key, None where nothing is or its time is over."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or self._clock() - kept[0] >= self._lifetime_s:
                self._kept.pop(key, None)
                return None
            self._kept.move_to_end(key)
            return kept[1]

    def put(self, key: Hashable, value: Any) -> None:
        """Keeps a result; the one not used for longest gives way."""
        with self._lock:
            self._kept[key] = (self._clock(), value)
            self._kept.move_to_end(key)
            while len(self._kept) > self._capacity:
                self._kept.popitem(last=False)
