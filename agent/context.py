"""What every node is given: services, the reader's scope, and where events go."""

from collections.abc import Callable
from dataclasses import dataclass, field

from agent.hits import TaskHit
from services.catalog import Catalog
from services.events import Event, EventKey
from services.evidence import Judge
from services.ingestion.registry import Registry
from services.knowledge_graph.search import KnowledgeGraph
from services.llm.tasks import TaskRunner
from services.once import OnceEach
from services.retrieval.retriever import Retriever
from services.types import Scope


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
    searches: OnceEach[dict[int, list[TaskHit]]] = field(default_factory=OnceEach)
    """What each task of a plan found, by task id: searched once for all that share it out."""
