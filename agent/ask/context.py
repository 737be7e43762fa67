"""What the nodes of quick answers are given besides services and scope."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from agent.context import Context
from services.query.second_opinion import Opinion
from services.query.values import Understanding
from services.recent import Recent
from services.scan.scanner import Scanner
from services.thresholds import Thresholds
from services.types import Language, SearchRequest, SearchResult

if TYPE_CHECKING:
    from agent.ask.memory import AnswerMemory


ToolCache = Recent[Any, Any]
"""What tools found: an agent asks the same again, and so do people."""


class Understand(Protocol):
    """``services.query.understand``."""

    def __call__(
        self,
        question: str,
        *,
        known: Collection[str] = (),
        language: Language | None = None,
        enhanced: float = 0.35,
        agent: float = 0.55,
    ) -> Understanding: ...


class GiveOpinion(Protocol):
    """``services.query.second_opinion.SecondOpinion``."""

    def __call__(
        self, known: Understanding, *, enhanced: float = 0.35, agent: float = 0.55
    ) -> Opinion: ...


@dataclass(frozen=True, kw_only=True)
class AskContext(Context):
    """Injected into the nodes of a turn.

    ``known`` are names of documents in the scope; ``thresholds`` are those of a profile there.
    ``versions`` are the content versions of the scope, read anew each time.
    """

    understand: Understand
    opinion: GiveOpinion
    find: Callable[[SearchRequest], Awaitable[SearchResult]]
    scanner: Scanner
    known: tuple[str, ...]
    thresholds: Callable[[str | None], Thresholds]
    memory: "Callable[[], AnswerMemory]"
    tool_cache: ToolCache
    versions: Callable[[], tuple[int, ...]]
    agent_temperature: float
