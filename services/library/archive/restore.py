"""Restoring an archived collection: first everything is checked, then documents are restored."""

import hmac
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from services.catalog.collections import NAME_LENGTH, checked_name
from services.catalog.ids import text_ids
from services.catalog.values import NewMember
from services.components import Components
from services.domain import (
    Chunking,
    CollectionInfo,
    DocumentMetadata,
    MetadataChanges,
    Passage,
    Principal,
)
from services.domain.errors import InvalidInput
from services.domain.events import Event
from services.domain.notices import Notice
from services.domain.passages import changed
from services.ingestion.files import partial_of
from services.ingestion.indexing import passage
from services.ingestion.job import IngestionJob
from services.library.archive.checked import MOST_JSON, ORIGINALS, Archive, damaged, opened, parsed
from services.library.archive.export import (
    DOCUMENTS,
    SEAL,
    SPANS,
    UNFINISHED,
    ArchivedDocument,
    ArchivedText,
    Manifest,
    RestoreReport,
    cut_member,
    seal,
    text_member,
    vectors_member,
)
from services.retrieval.embedding import key_of


def _documents(archive: Archive[Manifest]) -> Iterator[ArchivedDocument]:
    with archive.file.open(DOCUMENTS) as lines:
        while line := lines.readline(MOST_JSON):
            yield parsed(ArchivedDocument, line, DOCUMENTS)


def _text(archive: Archive[Manifest], text_id: str) -> ArchivedText:
    name = text_member(text_id)
    text = parsed(ArchivedText, archive.read(name), name)
    if text_id not in text_ids(text.parsed):
        raise damaged(Notice.of("{name} contains a different text", name=name))
    return text


def _check(document: ArchivedDocument, archive: Archive[Manifest]) -> None:
    name = document.document
    if not document.texts:
        raise damaged(Notice.of("{document} has no text", document=name))
    try:
        Chunking.of_key(document.chunking)
    except ValueError as error:
        raise damaged(
            Notice.of("{document} was split by an unknown method", document=name)
        ) from error
    try:
        changed(DocumentMetadata(), document.people_set)
    except InvalidInput as error:
        raise damaged(
            Notice.of(
                "the metadata of {document} is too long ({reason})", document=name, reason=error
            )
        ) from error
    if not all(archive.has(text_member(text)) for text in document.texts):
        raise damaged(Notice.of("a text of {document} is missing", document=name))


class Restorer:
    """Restores archives. The caller owns the stores."""

    def __init__(self, components: Components) -> None:
        self._catalog = components.catalog
        self._embedder = components.embedder
        self._indexer = components.indexer
        self._home = components.settings.home

    def restore(
        self,
        principal: Principal,
        file: Path,
        *,
        name: str | None = None,
        on_event: Callable[[Event], None],
        finish: Callable[[str], object],
    ) -> RestoreReport:
        """Make a new collection, owned by the principal, from an archive.

        Existing data of the catalog stays unchanged. Until the collection is complete and
        ``finish`` has been called with its id, its name ends in `UNFINISHED`; such a collection of
        a killed process is deleted first. Raises InvalidInput for a damaged archive, one made
        elsewhere unless for an admin, or a name that the principal has; nothing has changed then.
        """
        with opened(file, Manifest, self._home) as archive:
            for document in _documents(archive):
                _check(document, archive)
            new_name = checked_name(name or archive.listing.name)
            temporary_name = new_name[: NAME_LENGTH - len(UNFINISHED)] + UNFINISHED
            owned = self._owned(principal)
            if new_name in owned:
                raise InvalidInput(
                    "You already have a collection named {name!r}. Restore under another name "
                    "with --name, or delete that one first.",
                    name=new_name,
                )
            self._require_trusted(principal, archive)
            if unfinished := owned.get(temporary_name):
                self._catalog.deletions.begin(unfinished.collection_id)
            collection = self._catalog.collections.create(
                principal, temporary_name, description=archive.listing.description
            )
            try:
                job = IngestionJob(collection, "auto", Chunking(), on_event)
                embedded = sum(
                    self._document(document, archive, job) for document in _documents(archive)
                )
                finish(collection.collection_id)
                restored = self._catalog.collections.change(
                    principal, collection.collection_id, new_name=new_name
                )
            except BaseException:
                self._catalog.deletions.begin(collection.collection_id)
                raise
        return RestoreReport(
            collection=restored,
            documents=restored.documents,
            chunks=restored.chunks,
            embedded=embedded,
            archived_fingerprint=archive.listing.fingerprint,
        )

    def _owned(self, principal: Principal) -> dict[str, CollectionInfo]:
        readable = self._catalog.collections.list(principal)
        return {info.name: info for info in readable if info.owner == principal.user}

    def _document(
        self, document: ArchivedDocument, archive: Archive[Manifest], job: IngestionJob
    ) -> int:
        """Restore a document and return how many of its chunks had to be embedded."""
        document_id, collection_id = document.document_id, job.collection_id
        put = self._catalog.archiving.put_text
        texts = (_text(archive, text_id) for text_id in document.texts)
        stored = [put(document_id, document.size, text.parsed, text.references) for text in texts]
        if document.stated is not None:
            self._catalog.metadata.note(document_id, document.stated)
        self._keep_original(document_id, archive)
        aliases = [alias for alias in document.aliases if alias.document_id == document_id]
        current = self._catalog.archiving.put_member(
            collection_id,
            NewMember(document_id, document.document, None, aliases),
            document.chunking,
            retired=document.status == "retired",
        )
        if document.people_set != MetadataChanges():
            self._catalog.metadata.edit(collection_id, document_id, document.people_set)
        if document.status == "retired":
            return 0
        same_text = current == stored[0]
        name = cut_member(document.texts[0], document.chunking)
        if same_text and archive.has(name):
            spans = SPANS.validate_json(archive.read(name))
            self._catalog.documents.add_chunks(document_id, document.chunking, spans)
        chunks = self._catalog.chunks.of_member(collection_id, document_id)
        has_vectors = same_text and self._cache_vectors(archive, document, chunks)
        count = self._indexer.index(
            collection_id, {document_id: document.document}, job, document.chunking
        )
        job.report_progress(document.document, "done", count, count)
        return 0 if has_vectors else count

    def _cache_vectors(
        self, archive: Archive[Manifest], document: ArchivedDocument, chunks: list[Passage]
    ) -> bool:
        """Put the archived vectors into the cache if the same embedding model made them."""
        name = vectors_member(document.texts[0], document.chunking)
        fingerprint = self._embedder.fingerprint
        if archive.listing.fingerprint != fingerprint or not archive.has(name):
            return False
        data, length = archive.read(name), 4 * self._embedder.dimension
        if len(data) != length * len(chunks):
            return False
        keys = [key_of(passage(chunk)) for chunk in chunks]
        vectors = {key: data[n * length : (n + 1) * length] for n, key in enumerate(keys)}
        self._catalog.embeddings.put(fingerprint, vectors)
        return True

    def _keep_original(self, document_id: str, archive: Archive[Manifest]) -> None:
        name = ORIGINALS + document_id
        original = self._home / name
        if original.exists() or not archive.has(name):
            return
        original.parent.mkdir(parents=True, exist_ok=True)
        with partial_of(original) as partial:
            with archive.file.open(name) as source, partial.open("wb") as copy:
                shutil.copyfileobj(source, copy)
            partial.replace(original)

    def _require_trusted(self, principal: Principal, archive: Archive[Manifest]) -> None:
        """Require an archive of this home or an admin: collections share texts and vectors."""
        ours = hmac.compare_digest(
            archive.read(SEAL, 1000), seal(archive.data, self._home).encode()
        )
        if not ours and principal.role != "admin":
            raise InvalidInput(
                "The archive comes from another installation. Only an administrator can "
                "restore it (--admin), because everybody here will rely on its texts."
            )
