"""Values that only the catalog hands out, and the one error of its own."""

from typing import Literal

from pydantic import Field, JsonValue

from services.domain import Principal, Value
from services.domain.collections import Visibility as Visibility
from services.domain.errors import Broken
from services.domain.events import Waiting
from services.domain.notices import Notice

MembershipStatus = Literal["pending", "indexed", "retired"]
AliasKind = Literal["title", "abbreviation", "file", "series"]
RunStatus = Literal[
    "queued", "running", "waiting", "paused", "interrupted", "done", "cancelled", "failed"
]
RunKind = Literal["research", "ask"]
IngestionStatus = Literal["running", "done", "failed", "interrupted"]
JobStatus = Literal["queued", "running", "done", "failed"]

JsonObject = dict[str, JsonValue]


class StaleLease(Broken):
    """Another process took the thread over: whoever holds this epoch must stop writing."""


class Member(Value):
    """A document's place in a collection. ``chunking`` is a ``Chunking.key``."""

    document_id: str
    document: str
    source: str | None
    chunking: str
    status: MembershipStatus


class Alias(Value):
    """A name by which texts refer to a document.

    ``series`` and ``number`` are set for numbered documents (``PEP``, ``604``).
    """

    document_id: str
    document: str
    title: str
    alias: str
    kind: AliasKind
    series: str | None = None
    number: str | None = None


class RunInfo(Value):
    """A thread as its owner sees it; times are ISO 8601 in UTC.

    ``kind`` tells research from a conversation of quick answers (``ask``), whose ``question`` is
    its first and whose ``options`` are those of its last turn. ``interrupted`` is derived: the
    thread was queued or running when its process died.
    ``pending`` is what the run waits for while ``status`` is ``waiting``. ``title`` is what a
    person calls it. A fork names the thread and the checkpoint that it continues.
    """

    thread_id: str
    owner: str
    kind: RunKind
    question: str
    title: str | None
    parent_thread: str | None
    parent_checkpoint: str | None
    collections: tuple[str, ...]
    options: JsonObject
    status: RunStatus
    phase: str | None
    pending: Waiting | None
    error: Notice | None
    created_at: str
    updated_at: str


class RunCost(Value):
    """What a run took: the time in which it worked, without waiting, and tokens in and out."""

    seconds: float = 0.0
    tokens: int = 0


class IngestionCounts(Value):
    """How far an ingestion is; pages and chunks of the files that were taken in by it.

    ``files_done`` counts without the failed ones; ``seconds`` by kind of work.
    """

    files_done: int = 0
    files_failed: int = 0
    pages: int = 0
    chunks: int = 0
    seconds: dict[str, float] = Field(default_factory=dict)


class IngestionInfo(IngestionCounts):
    """An ingestion as its owner sees it; times are ISO 8601 in UTC.

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


class Command(Value):
    """An order from a process that does not own the stores to the one that does."""

    id: int
    principal: Principal
    kind: str
    payload: JsonObject
    status: JobStatus
    result: JsonObject | None
    error: Notice | None
    error_type: str | None
    created_at: str
