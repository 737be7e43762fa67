"""The threads that this process drives, by kind."""

from functools import partial
from pkgutil import resolve_name
from typing import Any, Final

from agent.engine.events import EventLog
from services.caches import LazyByKey
from services.domain.runs import RunKind

CLASSES: Final[dict[str, str]] = {
    "research": "agent.research.threads:ResearchThreads",
    "ask": "agent.ask.threads:AskThreads",
    "grid": "agent.grid.threads:GridThreads",
    "sweep": "agent.grid.threads:GridThreads",
}
"""By name: LangGraph, with all that it imports, takes a second of processor time to load. An
ingestion and a search need none of it."""


class DrivenThreads:
    """Makes the threads of a kind, with what all share, when the first is asked for."""

    def __init__(self, *shared: Any) -> None:
        self._shared = shared
        self._kinds = LazyByKey[Any]()
        self._made: list[Any] = []

    def of(self, kind: RunKind) -> Any:
        """Return the threads of a kind; the first call waits until LangGraph is imported."""
        return self._kinds.get(CLASSES[kind], partial(self._make, CLASSES[kind]))

    def _make(self, name: str) -> Any:
        threads = resolve_name(name)(*self._shared)
        self._made.append(threads)
        return threads

    def log(self, thread_id: str) -> EventLog | None:
        """Return the log of a thread that is driven here."""
        logs = (threads.logs.get(thread_id) for threads in self._made)
        return next((log for log in logs if log is not None), None)

    @property
    def count(self) -> int:
        """The number of threads that are driven."""
        return sum(threads.driven for threads in self._made)

    async def pause_all(self, *, stopping: bool = False) -> None:
        """Pause every thread that is driven; ``stopping`` lets it go on elsewhere."""
        for threads in self._made:
            await threads.pause_all(stopping=stopping)

    async def settled(self) -> None:
        """Wait for the threads that are driven now, not for those that start meanwhile."""
        for threads in self._made:
            await threads.settled()
