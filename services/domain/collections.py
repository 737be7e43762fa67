"""Collections and their documents as readers see them, and what an ingestion reports."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from services.domain.notices import Notice
from services.domain.passages import DocumentMetadata, MetadataChanges, ParsedDocument
from services.domain.value import Language, Value

Visibility = Literal["private", "unlisted", "public", "admin"]


class CollectionInfo(Value):
    """A collection as its readers see it.

    ``fingerprint`` names the embedding model that indexed it, None before the first document.
    """

    collection_id: str
    name: str
    owner: str
    description: str
    visibility: Visibility
    documents: int
    chunks: int
    content_version: int
    fingerprint: str | None = None


def unique_names(readable: Sequence[CollectionInfo]) -> tuple[str, ...]:
    """Return the names of collections, and the ids of those that share a name."""
    count = Counter(info.name for info in readable)
    return tuple(info.name if count[info.name] == 1 else info.collection_id for info in readable)


class Shelf(CollectionInfo):
    """A collection with a user's relation to it.

    ``own``: they own it. ``changeable``: they may rename, share, fill, empty and delete it.
    """

    own: bool
    subscribed: bool
    changeable: bool


class DocumentInfo(DocumentMetadata):
    """A document in a collection. ``document_id`` is the SHA-256 of the file's bytes."""

    document_id: str
    document: str
    title: str
    pages: int | None
    sections: int
    chunks: int
    status: str
    sha256: str
    ingested_at: str
    language: Language
    parser_version: str


class BinnedDocument(Value):
    """A document in a collection's bin; ``people_set`` is the metadata that users had set there."""

    document_id: str
    document: str
    source: str | None = None
    chunking: str
    people_set: MetadataChanges
    removed_by: str
    removed_at: str


class OpenDocument(Value):
    info: DocumentInfo
    parsed: ParsedDocument


class CollectionHealth(Value):
    """How a collection's indexes agree with the catalog, in numbers of chunks.

    ``lost`` counts chunks of a sample that a search by their own vector does not find.
    ``unfinished`` are file names whose ingestion broke off, ``lost_originals`` those whose kept
    file is missing, has changed or cannot be read. ``problem`` says why it cannot be repaired.
    """

    collection: str
    collection_id: str
    chunks: int
    missing_vectors: int
    stale_vectors: int
    missing_keywords: int
    stale_keywords: int
    lost: int
    unfinished: tuple[str, ...]
    lost_originals: tuple[str, ...] = ()
    problem: Notice | None

    @property
    def healthy(self) -> bool:
        """Return whether every chunk can be found; stale entries do no harm, they are not shown."""
        broken = self.missing_vectors or self.missing_keywords or self.lost
        return not (broken or self.unfinished or self.lost_originals or self.problem)


IngestEngine = Literal["local", "ray"]
"""Who reads and embeds: the process that writes, or workers of Ray."""


class FileOutcome(Value):
    """What became of one file of an ingestion.

    ``updated``: the collection held the file with other content, cut in another way, or as an older
    parser read it. ``unread_pages`` (from 1) are missing from its text.
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

    ``other_formats`` counts by ending the files in folders that were passed over. ``warnings`` name
    the documents that are not in the knowledge graph.
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
