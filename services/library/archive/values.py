"""The contents of an archived collection, and the reports of writing and restoring one.

An archive is a ZIP file:

- ``manifest.json``, last: format, collection, counts, size and SHA-256 of every other member
- ``documents.jsonl``: an `ArchivedDocument` a line
- ``originals/SHA256``: the bytes of the files
- ``texts/TEXT_ID.json``: an `ArchivedText`
- ``cuts/TEXT_ID.CHUNKING.json``: the chunks of a text, as spans in their order
- ``vectors/TEXT_ID.CHUNKING.f32``: their vectors in the same order, little-endian float32
"""

import re
from typing import Final, Literal

from pydantic import Field, TypeAdapter

from services.catalog.values import Alias
from services.domain import (
    ChunkSpan,
    CollectionInfo,
    DetectedReference,
    DocumentMetadata,
    MetadataChanges,
    ParsedDocument,
    Value,
)
from services.domain.notices import Notice
from services.library.archive.checked import Listing

SEAL: Final = "seal"
DOCUMENTS: Final = "documents.jsonl"
UNFINISHED: Final = " (being restored)"
"""End of the name of a collection while it is being restored."""
SPANS: TypeAdapter[list[ChunkSpan]] = TypeAdapter(list[ChunkSpan])


class Counts(Value):
    """Numbers of an archive's contents. ``lost_originals`` are missing or changed, and left out."""

    documents: int = 0
    originals: int = 0
    lost_originals: int = 0
    texts: int = 0
    chunks: int = 0
    vectors: int = 0


class Manifest(Listing):
    """The list of an archive; ``fingerprint`` names the embedding model, None without vectors."""

    member_name = "manifest.json"
    required = DOCUMENTS
    unlisted = (SEAL,)
    allowed = re.compile(
        r"documents\.jsonl|originals/[0-9a-f]{64}|texts/[0-9a-f]{64}\.json"
        r"|cuts/[0-9a-f]{64}\.[a-z]+(?:-\d{1,4}){1,2}\.json"
        r"|vectors/[0-9a-f]{64}\.[a-z]+(?:-\d{1,4}){1,2}\.f32"
    )
    not_one = Notice.of(
        "The file is a ZIP archive, but not a collection. Use a file that `rabbithole collections "
        "export` has written."
    )

    name: str
    description: str
    fingerprint: str | None
    created_at: str
    counts: Counts


class ArchivedText(Value):
    """A text with its references."""

    parsed: ParsedDocument
    references: tuple[DetectedReference, ...]


class ArchivedDocument(Value):
    """A document of the collection: ``texts`` are ids, the current one first.

    ``stated`` is the metadata that the file states, None if it was not read; ``people_set`` is what
    people have set instead in the collection.
    """

    document_id: str = Field(pattern="^[0-9a-f]{64}$")
    document: str
    size: int
    chunking: str
    status: Literal["indexed", "retired"]
    texts: tuple[str, ...]
    aliases: tuple[Alias, ...]
    stated: DocumentMetadata | None
    people_set: MetadataChanges


class ExportReport(Value):
    """The result of writing an archive; ``unfinished`` are file names that it leaves out."""

    file: str
    bytes: int
    collection: str
    counts: Counts
    unfinished: tuple[str, ...]


class RestoreReport(Value):
    """The result of restoring a collection; ``embedded`` counts chunks without a usable vector."""

    collection: CollectionInfo
    documents: int
    chunks: int
    embedded: int
    archived_fingerprint: str | None


def text_member(text_id: str) -> str:
    return f"texts/{text_id}.json"


def cut_member(text_id: str, chunking: str) -> str:
    return f"cuts/{text_id}.{chunking.replace(':', '-')}.json"


def vectors_member(text_id: str, chunking: str) -> str:
    return f"vectors/{text_id}.{chunking.replace(':', '-')}.f32"
