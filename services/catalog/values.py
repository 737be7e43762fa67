"""Values of the catalog, and its one error."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from pydantic import JsonValue

from services.domain import ChunkSpan, DetectedReference, Language, ParsedDocument, Principal, Value
from services.domain.errors import Broken
from services.domain.notices import Notice

MembershipStatus = Literal["pending", "indexed", "retired"]
AliasKind = Literal["title", "abbreviation", "file", "series"]
JobStatus = Literal["queued", "running", "done", "failed"]

JsonObject = dict[str, JsonValue]
WAITER: Final = "waiter"
"""The key under which the payload of a job names the process that waits for it."""


class StaleLease(Broken):
    """Another process took over the thread: the holder of this epoch must stop writing."""


class Member(Value):
    """A document in a collection; ``chunking`` is a ``Chunking.key``, ``size`` in bytes."""

    document_id: str
    document: str
    source: str | None
    chunking: str
    status: MembershipStatus
    size: int
    text_id: str


class Alias(Value):
    """A name by which texts refer to a document; a numbered one has ``series`` and ``number``."""

    document_id: str
    document: str
    title: str
    alias: str
    kind: AliasKind
    series: str | None = None
    number: str | None = None


class NewMember(NamedTuple):
    """A document to add, with its file name there and the path that it came from (``source``)."""

    document_id: str
    document: str
    source: str | None
    aliases: Sequence[Alias]


class NewDocument(NamedTuple):
    """A `NewMember` with its text and what was found in it; ``size`` is in bytes."""

    member: NewMember
    size: int
    parsed: ParsedDocument
    chunks: Sequence[ChunkSpan]
    references: Sequence[DetectedReference]


class MemberState(NamedTuple):
    """How far a document is in a collection, and whether its text is cut by a given chunking."""

    status: MembershipStatus
    language: Language
    is_cut: bool


LOG_OF_JOB: Final = "command:"
"""Before its number, the thread of a job's progress in the event log; no run's id has a colon."""


def log_thread(number: int) -> str:
    return f"{LOG_OF_JOB}{number}"


class QueuedJob(Value):
    id: int
    principal: Principal
    kind: str
    payload: JsonObject
    status: JobStatus
    result: JsonValue
    error: Notice | None
    error_type: str | None
    created_at: str

    @property
    def waiter(self) -> str | None:
        """The name of the process that waits or waited for it."""
        name = self.payload.get(WAITER)
        return name if isinstance(name, str) else None
