"""Values that only the catalog hands out, and the one error of its own."""

from typing import Literal

from pydantic import JsonValue

from services.domain import Principal, Value
from services.domain.errors import Broken
from services.domain.notices import Notice

MembershipStatus = Literal["pending", "indexed", "retired"]
AliasKind = Literal["title", "abbreviation", "file", "series"]
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
