"""Collections and their documents as their readers see them."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from services.domain.metadata import DocumentMetadata, MetadataChanges
from services.domain.notices import Notice
from services.domain.passages import ParsedDocument
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
    source: str | None
    chunking: str
    people_set: MetadataChanges
    removed_by: str
    removed_at: str


class OpenDocument(Value):
    """A document as a reader opens it: its metadata, and its text with its structure."""

    info: DocumentInfo
    parsed: ParsedDocument


class CollectionHealth(Value):
    """How a collection's indexes agree with the catalog, in numbers of chunks.

    ``lost`` counts chunks of a sample that a search by their own vector does not find.
    ``unfinished`` are file names whose ingestion broke off, ``lost_originals`` those whose kept
    file is missing, has changed or cannot be read: they are found, but cannot be shown. ``problem``
    says why the collection cannot be repaired: another embedding model indexed it.
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
        """Return whether every chunk can be found and every document is complete.

        Stale entries do no harm: hits that the catalog does not have are never shown.
        """
        broken = self.missing_vectors or self.missing_keywords or self.lost
        return not (broken or self.unfinished or self.lost_originals or self.problem)
