"""What the page for quick answers needs of the agent."""

from collections.abc import Sequence
from typing import Any, Protocol

from agent.pictures import Neighbourhood


class Asked(Protocol):
    """A turn under way; ``after`` is the last event of the thread before it."""

    @property
    def thread_id(self) -> str: ...
    @property
    def turn(self) -> int: ...
    @property
    def after(self) -> int: ...


class Voted(Protocol):
    """A vote of one's own on a turn."""

    @property
    def turn(self) -> int: ...
    @property
    def up(self) -> bool: ...
    @property
    def text(self) -> str: ...


class Threshold(Protocol):
    """A score at which questions get more depth, 0-1.

    ``origin`` is ``default``, ``votes``, ``held`` (for the collection), ``set`` or ``locked`` (by
    the configuration); ``ups`` and ``downs`` are the votes that tell of it.
    """

    @property
    def value(self) -> float: ...
    @property
    def default(self) -> float: ...
    @property
    def origin(self) -> str: ...
    @property
    def ups(self) -> int: ...
    @property
    def downs(self) -> int: ...


class Thresholds(Protocol):
    """Scores below ``fast`` are answered fast, from ``agent`` on by the agent."""

    @property
    def fast(self) -> Threshold: ...
    @property
    def agent(self) -> Threshold: ...


class AskDesk(Protocol):
    """Conversations of quick answers; every method may raise a ``RabbitholeError``."""

    def ask(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        collections: Sequence[str] | None = None,
        depth: str = "auto",
    ) -> Asked: ...
    def turns(self, thread_id: str) -> list[dict[str, Any]]: ...
    def neighbourhood(self, thread_id: str, turn: int) -> Neighbourhood: ...
    def vote(
        self, thread_id: str, up: bool, text: str = "", *, turn: int | None = None
    ) -> Voted: ...
    def votes(self, thread_id: str) -> Sequence[Voted]: ...
    def thresholds(self, collections: Sequence[str] | None = None) -> Thresholds: ...
    def lock_thresholds(self, collection: str, locked: bool = True) -> Thresholds: ...
    def reset_thresholds(self, collection: str) -> Thresholds: ...
