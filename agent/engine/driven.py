"""The threads that this process drives, by kind."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from services.caches import Lazy
from services.domain.runs import RunKind

if TYPE_CHECKING:
    from agent.ask.threads import AskThreads
    from agent.engine.driver import Threads
    from agent.engine.events import EventLog
    from agent.grid.threads import GridThreads


class DrivenThreads:
    """Makes the threads of a kind when the first of them is asked for.

    LangGraph, with all that it imports, takes a second of processor time to load. An ingestion and
    a search need none of it.

    Args:
        shared: what `Threads` are made with.
    """

    def __init__(self, *shared: Any) -> None:
        makers: dict[RunKind, Callable[..., Threads]] = {
            "research": _research_threads,
            "ask": _ask_threads,
            "grid": _grid_threads,
            "sweep": _grid_threads,
        }
        self._made: list[Threads] = []
        self._kinds = {
            kind: Lazy(partial(self._make, make, shared)) for kind, make in makers.items()
        }

    def _make(self, make: "Callable[..., Threads]", shared: tuple[Any, ...]) -> "Threads":
        threads = make(*shared)
        self._made.append(threads)
        return threads

    def of(self, kind: RunKind) -> "Threads":
        """Return the threads of a kind; the first call waits until LangGraph is imported."""
        return self._kinds[kind].get()

    @property
    def conversations(self) -> "AskThreads":
        threads: Any = self.of("ask")
        conversations: AskThreads = threads
        return conversations

    @property
    def grids(self) -> "GridThreads":
        threads: Any = self.of("grid")
        grids: GridThreads = threads
        return grids

    def log(self, thread_id: str) -> "EventLog | None":
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

    async def all_settled(self) -> None:
        """Wait for the threads that are driven now, not for those that start meanwhile."""
        for threads in self._made:
            await threads.all_settled()


def _ask_threads(*shared: Any) -> "Threads":
    from agent.ask.threads import AskThreads

    return AskThreads(*shared)


def _research_threads(*shared: Any) -> "Threads":
    from agent.research.threads import ResearchThreads

    return ResearchThreads(*shared)


def _grid_threads(*shared: Any) -> "Threads":
    from agent.grid.threads import GridThreads

    return GridThreads(*shared)
