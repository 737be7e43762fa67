"""Writing a collection to an archive, one document at a time to keep memory small.

An archive is a ZIP file:

- ``manifest.json``, last: format, collection, counts, size and SHA-256 of every other member
- ``documents.jsonl``: an `ArchivedDocument` a line
- ``originals/SHA256``: the bytes of the files
- ``texts/TEXT_ID.json``: an `ArchivedText`
- ``cuts/TEXT_ID.CHUNKING.json``: the chunks of a text, as spans in their order
- ``vectors/TEXT_ID.CHUNKING.f32``: their vectors in the same order, little-endian float32
"""

import hmac
import re
import secrets
import tempfile
from pathlib import Path
from typing import Final, Literal

from filelock import FileLock
from pydantic import Field, TypeAdapter

from services.catalog import Catalog, Member, ids
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
from services.ingestion.indexing import passage
from services.library.archive.checked import (
    FORMAT,
    ORIGINALS,
    ArchiveWriter,
    MemberList,
    blocks,
    new_archive,
)
from services.retrieval.embedding import key_of

SEAL: Final = "seal"
DOCUMENTS: Final = "documents.jsonl"
UNFINISHED: Final = " (being restored)"
"""End of the name of a collection while it is being restored."""
SPANS: TypeAdapter[list[ChunkSpan]] = TypeAdapter(list[ChunkSpan])


class ArchiveCounts(Value):
    """Numbers of an archive's contents. ``lost_originals`` are missing or changed, and left out."""

    documents: int = 0
    originals: int = 0
    lost_originals: int = 0
    texts: int = 0
    chunks: int = 0
    vectors: int = 0


class Manifest(MemberList):
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
    counts: ArchiveCounts


class ArchivedText(Value):
    parsed: ParsedDocument
    references: tuple[DetectedReference, ...]


class ArchivedDocument(Value):
    """A document of the collection: ``texts`` are ids, the current one first.

    ``stated`` is the metadata that the file states, None if it was not read.
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
    counts: ArchiveCounts
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


class Exporter:
    """Writes archives from the catalog and the stored originals; needs no index."""

    def __init__(self, catalog: Catalog, home: Path) -> None:
        self._catalog = catalog
        self._home = home

    def export(self, collection: CollectionInfo, file: Path) -> ExportReport:
        """Write a collection to a new file; raise InvalidInput. Access has been checked."""
        with new_archive(file) as members:
            counts = self._write(collection, members)
        unfinished = self._catalog.documents.unfinished(collection.collection_id)
        return ExportReport(
            file=str(file),
            bytes=file.stat().st_size,
            collection=collection.name,
            counts=counts,
            unfinished=tuple(unfinished),
        )

    def _write(self, collection: CollectionInfo, members: ArchiveWriter) -> ArchiveCounts:
        with tempfile.TemporaryFile() as lines:
            for member in self._catalog.documents.ingested_members(collection.collection_id):
                document = self._document(collection, member, members)
                lines.write(document.model_dump_json().encode() + b"\n")
            lines.seek(0)
            members.add(DOCUMENTS, blocks(lines))
        manifest = Manifest(
            format=FORMAT,
            name=collection.name,
            description=collection.description,
            fingerprint=collection.fingerprint,
            created_at=ids.now(),
            counts=ArchiveCounts(**members.counts),
            members=members.seals,
        )
        members.file.writestr(SEAL, seal(members.add_list(manifest), self._home))
        return manifest.counts

    def _document(
        self, collection: CollectionInfo, member: Member, members: ArchiveWriter
    ) -> ArchivedDocument:
        catalog = self._catalog.archiving
        text_ids = catalog.texts_of(member.document_id)
        older = [text_id for text_id in text_ids if text_id != member.text_id]
        for text_id in (member.text_id, *older):
            if text_member(text_id) not in members.seals:
                parsed, references = catalog.text(member.document_id, text_id)
                text = ArchivedText(parsed=parsed, references=references)
                members.add(text_member(text_id), [text.model_dump_json().encode()])
                members.counts["texts"] += 1
        if member.status == "indexed":
            self._chunks(collection, member, members)
        if ORIGINALS + member.document_id not in members.seals:
            added = members.add_original(self._home, member.document_id)
            members.counts["originals" if added else "lost_originals"] += 1
        members.counts["documents"] += 1
        return ArchivedDocument(
            **member.model_dump(exclude={"text_id", "source"}),
            texts=(member.text_id, *older),
            aliases=catalog.aliases(collection.collection_id, member),
            stated=self._catalog.metadata.stated(member.document_id),
            people_set=self._catalog.metadata.people_set(
                collection.collection_id, member.document_id
            ),
        )

    def _chunks(self, collection: CollectionInfo, member: Member, members: ArchiveWriter) -> None:
        """Add the chunks of a document, and their vectors if the cache has all of them."""
        name = cut_member(member.text_id, member.chunking)
        if name in members.seals:
            return
        spans = self._catalog.archiving.spans(member.text_id, member.chunking)
        members.add(name, [SPANS.dump_json(spans)])
        members.counts["chunks"] += len(spans)
        chunks = self._catalog.chunks.of_member(collection.collection_id, member.document_id)
        keys = [key_of(passage(chunk)) for chunk in chunks]
        vectors = self._catalog.embeddings.get(collection.fingerprint or "", keys)
        if keys and all(key in vectors for key in keys):
            data = (vectors[key] for key in keys)
            members.add(vectors_member(member.text_id, member.chunking), data)
            members.counts["vectors"] += len(keys)


def seal(manifest: bytes, home: Path) -> str:
    """Return the seal (HMAC-SHA256, hex) that proves that this home wrote a manifest."""
    return hmac.new(_key(home), manifest, "sha256").hexdigest()


def _key(home: Path) -> bytes:
    """Return the secret key of a home, made when it is first needed, for its user alone."""
    path = home / "archive.key"
    with FileLock(path.with_suffix(".lock")):  # two workers would seal with two secrets
        if not path.exists() or not path.stat().st_size:  # a kill may have left it empty
            with tempfile.NamedTemporaryFile(dir=home, delete=False) as file:
                file.write(secrets.token_bytes(32))
            Path(file.name).replace(path)
        return path.read_bytes()
