"""Threads and ingestions as their owners see them; times are ISO 8601 in UTC."""

from collections.abc import Mapping
from typing import Final, Literal

from pydantic import Field, JsonValue

from services.domain.events import Waiting
from services.domain.identity import Principal
from services.domain.notices import Notice
from services.domain.value import Value

RunStatus = Literal[
    "queued", "running", "waiting", "paused", "interrupted", "done", "cancelled", "failed"
]
RunKind = Literal["research", "ask", "grid", "sweep"]
ACTIVE: Final = ("queued", "running")
"""States of a thread that is at work."""
IngestionStatus = Literal["running", "done", "failed", "interrupted"]


class RunInfo(Value):
    """A thread as its owner sees it.

    ``kind`` tells research from a conversation of quick answers (``ask``), whose ``question`` is
    its first and whose ``options`` are those of its last turn. ``interrupted`` is derived: the
    thread was queued or running when its process died.
    ``pending`` is what the run waits for while ``status`` is ``waiting``. ``title`` is what a
    person calls it. A fork names the thread and the checkpoint that it continues. ``collections``
    are the names that its collections had when it began; one of an earlier version has no ids.
    """

    thread_id: str
    owner: str
    kind: RunKind
    question: str
    title: str | None
    parent_thread: str | None
    parent_checkpoint: str | None
    collections: tuple[str, ...]
    collection_ids: tuple[str, ...] = ()
    options: dict[str, JsonValue]
    status: RunStatus
    phase: str | None
    pending: Waiting | None
    error: Notice | None
    created_at: str
    updated_at: str

    @property
    def searched(self) -> tuple[str, ...]:
        """Return the ids of its collections, else their names, to ask about them again."""
        return self.collection_ids or self.collections

    @property
    def documents(self) -> tuple[str, ...]:
        """Return the documents chosen within the collections; empty for all."""
        return documents_in(self.options)

    def reader(self, principal: Principal) -> Principal:
        """Return with whose rights the thread reads: its owner's, whoever steers it."""
        return principal if principal.user == self.owner else Principal(user=self.owner)


def documents_in(options: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """Return the documents that the options of a thread name."""
    named = options.get("documents")
    return tuple(map(str, named)) if isinstance(named, list) else ()


class RunCost(Value):
    """The cost of a run: working time in seconds, without waiting, and tokens in and out."""

    seconds: float = 0.0
    tokens: int = 0


class IngestionCounts(Value):
    """How far an ingestion is; ``seconds`` by kind of work."""

    files_done: int = 0
    files_failed: int = 0
    pages: int = 0
    chunks: int = 0
    seconds: dict[str, float] = Field(default_factory=dict)


class IngestionInfo(IngestionCounts):
    """An ingestion as its owner sees it.

    ``interrupted``: its process ended before it did.
    """

    job_id: int
    user: str
    collection_id: str
    collection: str
    status: IngestionStatus
    started_at: str
    ended_at: str | None
    files_total: int
    error: Notice | None


class Activity(Value):
    """How many jobs and runs of a home have which status."""

    jobs: dict[str, int]
    runs: dict[str, int]
