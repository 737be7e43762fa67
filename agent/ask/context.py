"""What the nodes of quick answers are given besides services and scope."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from agent.context import Context
from services.query.values import Understanding
from services.types import SearchRequest, SearchResult, Value


class Understand(Protocol):
    """``services.query.understand``."""

    def __call__(self, question: str, *, known: Collection[str] = ()) -> Understanding: ...


class Thresholds(Value):
    """Scores from which a question takes the next deeper route."""

    enhanced: float = 0.35
    agent: float = 0.55


@dataclass(frozen=True, kw_only=True)
class AskContext(Context):
    """Injected into the nodes of a turn; ``known`` are names of documents in the scope."""

    understand: Understand
    find: Callable[[SearchRequest], Awaitable[SearchResult]]
    known: tuple[str, ...]
    thresholds: Thresholds
