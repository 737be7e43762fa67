"""Values that only the catalog hands out, and the one error of its own."""

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
"""Under it the payload of a job names the process that waits for it."""


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


class NewMember(NamedTuple):
    """A document as a collection gets it: by its id, which is the SHA-256 of its bytes.

    ``document`` is the file name shown there; ``source`` the path it came from.
    """

    document_id: str
    document: str
    source: str | None
    aliases: Sequence[Alias]


class NewDocument(NamedTuple):
    """The same with its text, and all that was found in it; ``size`` is the bytes of the file."""

    member: NewMember
    size: int
    parsed: ParsedDocument
    chunks: Sequence[ChunkSpan]
    references: Sequence[DetectedReference]


class Place(NamedTuple):
    """How far a document is in a collection, and whether its text is cut in a certain way."""

    status: MembershipStatus
    language: Language
    is_cut: bool


class QueuedJob(Value):
    """A job for the process that owns the stores, as the queue keeps it."""

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
        """The name of the process that waits for it, or did."""
        name = self.payload.get(WAITER)
        return name if isinstance(name, str) else None
