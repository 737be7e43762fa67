"""What every node is given: services, the reader's scope, and where events go."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from agent.passages import PassageMemory
from services.catalog import Catalog
from services.domain import Passage, Scope, SourceType
from services.domain.events import Event, EventKey
from services.evidence.judge import Judge
from services.graph.search import KnowledgeGraph
from services.ingestion.registry import Registry
from services.lazy import LazyByKey
from services.models.tasks import TaskRunner
from services.retrieval.retriever import Retriever


class TaskHit(Passage):
    """A chunk with its relevance to task and question (0-1).

    ``depth`` counts the references of the graph's way to it, 0 where the search itself finds it;
    ``way`` names what lies on it, ``led_from`` is the chunk that it begins at.
    """

    relevance: float
    source_type: SourceType = "vector_search"
    depth: int = 0
    way: str = ""
    led_from: str = ""

    @classmethod
    def of(cls, passage: Passage, relevance: float, **how: Any) -> "TaskHit":
        """A passage with its relevance and how it was found."""
        fields = {name: getattr(passage, name) for name in Passage.model_fields}
        return cls(**fields, relevance=relevance, **how)


@dataclass(frozen=True)
class Context:
    """Injected into nodes by the runner; never part of a checkpoint."""

    catalog: Catalog
    retriever: Retriever
    judge: Judge
    registry: Registry
    tasks: TaskRunner
    scope: Scope
    collections: tuple[str, ...]
    record: Callable[[EventKey, Event], None]
    branch: str = "main"
    graph: KnowledgeGraph | None = None
    searches: LazyByKey[dict[int, list[TaskHit]]] = field(default_factory=LazyByKey)
    """What each task of a plan found, by task id: searched once for all that share it out."""

    @cached_property
    def passages(self) -> PassageMemory:
        """The passages that have been read, each once."""
        return PassageMemory(self.catalog, self.scope)
