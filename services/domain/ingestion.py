"""What an ingestion reports."""

from typing import Literal

from pydantic import Field

from services.domain.notices import Notice
from services.domain.value import Value

IngestEngine = Literal["local", "ray"]
"""Who reads and embeds: the process that writes, or workers of Ray."""


class FileOutcome(Value):
    """What became of one file of an ingestion.

    ``updated``: the collection held the file with other content, cut in another way, or as an
    older parser read it. ``unread_pages`` (from 1) are missing from its text, ``warnings`` say
    why and what to do.
    """

    path: str
    document: str
    document_id: str | None
    status: Literal["added", "updated", "unchanged", "failed"]
    chunks: int = 0
    error: Notice | None = None
    unread_pages: tuple[int, ...] = ()
    warnings: tuple[Notice, ...] = ()


class RemovedFile(Value):
    """A document whose file is gone from its folder; ``pruned``: its collection let it go too."""

    path: str
    document: str
    document_id: str
    pruned: bool


class IngestReport(Value):
    """Result of an ingestion, one outcome a file; times in seconds.

    ``other_formats`` counts by ending the files in folders that were passed over. ``warnings``
    name the documents that went in, but not into the knowledge graph.
    """

    collection: str
    files: tuple[FileOutcome, ...]
    chunks: int
    seconds: float
    parse_s: float
    embed_s: float
    index_s: float
    removed_from_disk: tuple[RemovedFile, ...] = ()
    other_formats: dict[str, int] = Field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()
