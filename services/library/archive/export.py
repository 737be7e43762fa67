"""Writing a collection to an archive, one document at a time to keep memory small."""

import hmac
import secrets
import tempfile
from pathlib import Path

from filelock import FileLock

from services.catalog import Catalog, Member, ids
from services.domain import CollectionInfo
from services.ingestion.indexing import passage
from services.library.archive.checked import FORMAT, ORIGINALS, ArchiveWriter, blocks, new_archive
from services.library.archive.values import (
    DOCUMENTS,
    SEAL,
    SPANS,
    ArchivedDocument,
    ArchivedText,
    Counts,
    ExportReport,
    Manifest,
    cut_member,
    text_member,
    vectors_member,
)
from services.retrieval.embedding import key_of


class Exporter:
    """Writes archives from the catalog and the stored originals; needs no index."""

    def __init__(self, catalog: Catalog, home: Path) -> None:
        self._catalog = catalog
        self._home = home

    def export(self, collection: CollectionInfo, file: Path) -> ExportReport:
        """Write a collection to a file that does not exist yet. Access has been checked.

        Raises:
            InvalidInput: the file exists or cannot be written.
        """
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

    def _write(self, collection: CollectionInfo, members: ArchiveWriter) -> Counts:
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
            counts=Counts(**members.counts),
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
