"""Ingestion: bring documents into catalog and indexes, in steps that can be repeated.

A document is stored as pending, embedded, indexed, and only then displayed in place of the older
version; after a kill, ingesting again finishes the work. Only writing needs the stores alone.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from services.catalog import Catalog, Member
from services.catalog.ids import text_id
from services.catalog.values import NewDocument, NewMember
from services.domain import Chunking, FileOutcome, IngestReport, Language, RemovedFile
from services.domain.errors import UnreadableDocument
from services.domain.events import Event
from services.ingestion.attachments import (
    Allowance,
    attached_members,
    is_mail,
    removed_attachments,
    unpack_attachments,
)
from services.ingestion.chunking import chunk
from services.ingestion.file_reader import FileReader, pending_requests, read_request
from services.ingestion.files import (
    FileCandidate,
    file_of,
    find_files,
    folders_of,
    identify,
    is_from,
    is_gone,
    is_gone_from,
    keep_original,
    other_formats,
)
from services.ingestion.indexing import Indexer, new_document
from services.ingestion.job import (
    SMALL,
    Alone,
    IndexGroup,
    IngestionJob,
    JobRecord,
    Waiting,
    is_fault_of_file,
)
from services.ingestion.parse import FileParser
from services.references.registry import aliases_of
from services.retrieval.embedders import Embedder
from services.retrieval.indexes import LexicalIndex, VectorIndex
from services.settings import Settings


class StoredFile(NamedTuple):
    """A file whose text is in the catalog, perhaps ``new``; ``stays`` leaves nothing to do."""

    new: NewDocument | None
    older: list[str]
    was_indexed: bool
    stays: bool


class Ingestor:
    """Puts documents into a collection. The caller owns the stores and has checked access."""

    def __init__(
        self,
        catalog: Catalog,
        embedder: Embedder,
        vectors: VectorIndex,
        lexical: LexicalIndex,
        settings: Settings,
        *,
        parse: FileParser | None = None,
        make_reader: Callable[[FileParser, Embedder], FileReader] = FileReader,
        alone: Alone = nullcontext,
    ) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._indexer = Indexer(catalog, embedder, vectors, lexical)
        self._originals = settings.home / "originals"
        self._parse = parse or FileParser(settings)
        self._reader = make_reader(self._parse, embedder)
        self._alone = alone

    def ingest(
        self,
        paths: Sequence[Path],
        *,
        collection_id: str,
        language: Language = "auto",
        chunking: Chunking | None = None,
        prune: bool = False,
        user: str = "local",
        on_event: Callable[[Event], None],
    ) -> IngestReport:
        """Ingest files and folders; unreadable files are reported, the others go in.

        A file with the same content is left unchanged, or cut and indexed again if
        ``chunking`` (None: the default) differs; one with other content under the same name
        replaces the older one. Documents whose files are gone from a folder are listed,
        with ``prune`` retired. ``on_event`` is called in this thread, and the catalog keeps
        a record of the job for ``user``.

        Raises:
            NotFound: there is no such collection.
            EmbeddingMismatch: another embedding model indexed it.
        """
        started = time.perf_counter()
        collection = self._catalog.collections.get(collection_id)
        with closing(self._reader):
            candidates = list(find_files(paths))
            with JobRecord(self._catalog, user, collection, candidates, on_event) as record:
                self._indexer.require_same_model(collection)
                with self._alone():
                    self._indexer.clear_leftovers()
                job = IngestionJob(
                    collection,
                    language,
                    chunking or Chunking(),
                    record.on_event,
                    record.seconds,
                    self._catalog.documents.ledger(collection_id),
                )
                files = self._ingest_all(candidates, job, record)
                with self._alone():
                    removed = self._remove_gone(paths, candidates, collection_id, prune=prune)
        return job.report(
            files, started, removed_from_disk=removed, other_formats=other_formats(paths)
        )

    def _ingest_all(
        self, candidates: Sequence[FileCandidate], job: IngestionJob, record: JobRecord
    ) -> tuple[FileOutcome, ...]:
        """Return the outcome of each file, in order; small files are indexed together."""
        order: list[FileCandidate] = []
        files: dict[FileCandidate, FileOutcome] = {}

        def settle(candidate: FileCandidate, result: FileOutcome) -> None:
            files[candidate] = result
            record.end_file(candidate, result)

        def ingest_one(candidate: FileCandidate, allowance: Allowance) -> None:
            order.append(candidate)
            record.begin_file(candidate)
            result = self._try_ingest(candidate, job, group)
            if result is not None:
                settle(candidate, result)
            if is_mail(candidate) and (result is None or result.status != "failed"):
                unpack = self._parse.attachments
                with unpack_attachments(candidate, unpack, allowance) as attachments:
                    record.add_attachments(len(attachments))
                    for attachment in attachments:
                        ingest_one(attachment, allowance)

        group = IndexGroup(partial(self._write, job), job, settle)
        self._reader.expect(pending_requests(candidates, job, partial(self._is_read, job)))
        for candidate in candidates:
            first = len(order)
            before = attached_members(candidate, self._catalog.documents, job.collection_id)
            ingest_one(candidate, Allowance())
            if before:
                group.close()
                with self._alone():
                    self._retire_detached(removed_attachments(before, order[first:], files), job)
        group.close()
        return tuple(files[candidate] for candidate in order)

    def _write(self, job: IngestionJob, waiting: Sequence[Waiting]) -> None:
        new = [document for _, document in waiting]
        for document in new:
            self._indexer.embed(job, document.member.document, document.parsed, document.chunks)
        with self._alone():
            for candidate, document in waiting:
                self._keep(candidate, document.member.document_id)
            self._indexer.add(job, *new)

    def _retire_detached(
        self, gone: Iterable[tuple[Member, FileCandidate | None]], job: IngestionJob
    ) -> None:
        """Retire or rename attachments that the new version of a mail no longer has."""
        for member, renamed in gone:
            if self._catalog.documents.member(job.collection_id, member.document_id) != member:
                continue  # it has its new name, or is retired
            if renamed is not None:
                self._attach(renamed, member.document_id, job)
            else:
                self._indexer.retire(job.collection_id, member.document_id)

    def _remove_gone(
        self,
        paths: Sequence[Path],
        candidates: Sequence[FileCandidate],
        collection_id: str,
        *,
        prune: bool,
    ) -> tuple[RemovedFile, ...]:
        """Return documents whose files are gone, retired by ``prune`` if their drive is there."""
        unreadable = {file.path for file in candidates if file.problem is not None}
        folders = folders_of(paths)
        doubtful = folders_of(path for path in paths if path in unreadable)
        removed = []
        for member in self._catalog.documents.members(collection_id):
            document_id, name, source = member.document_id, member.document, member.source
            if source is None or not is_gone_from(folders, source):
                continue
            if pruned := prune and not is_gone_from(doubtful, source):
                self._indexer.retire(collection_id, document_id)
            removed.append(
                RemovedFile(path=source, document=name, document_id=document_id, pruned=pruned)
            )
        return tuple(removed)

    def _try_ingest(
        self, candidate: FileCandidate, job: IngestionJob, group: IndexGroup
    ) -> FileOutcome | None:
        """Return the outcome of a file, or None if it waits in the group."""
        try:
            if candidate.problem is not None:
                raise UnreadableDocument(candidate.problem)
            return self._ingest_file(candidate, job, group)
        except Exception as error:
            if not is_fault_of_file(error):
                raise
            return job.failure(candidate, error)

    def _ingest_file(
        self, candidate: FileCandidate, job: IngestionJob, group: IndexGroup
    ) -> FileOutcome | None:
        document_id, size = identify(candidate.path, candidate.within)
        if (chunks := self._unchanged_chunks(candidate, document_id, job)) is not None:
            return job.done(candidate, document_id, "unchanged", chunks)
        group.close_before(document_id, candidate.document)
        new = (
            None
            if self._is_read(job, document_id, candidate.path)
            else self._read(candidate, document_id, size, job)
        )
        if new is not None and len(new.chunks) <= SMALL:
            parser_version = self._catalog.documents.read_by(document_id)
            if parser_version is None and not self._older_versions(candidate, document_id, job):
                group.add(candidate, new)
                return None
        with self._alone():
            file = self._store(candidate, document_id, job, new)
        if file is None:
            return self._ingest_file(candidate, job, group)
        parsed = file.new.parsed if file.new else None
        if file.stays:
            chunks = self._catalog.documents.count_chunks(document_id, job.chunking.key)
            return job.done(candidate, document_id, "unchanged", chunks, parsed)
        self._embed(candidate, document_id, job, file.new)
        with self._alone():
            name = candidate.document
            chunks = self._indexer.index_everywhere(document_id, name, job, retire=file.older)
        status: Literal["added", "updated"] = (
            "updated" if file.was_indexed or file.older else "added"
        )
        return job.done(candidate, document_id, status, chunks, parsed)

    def _store(
        self, file: FileCandidate, document_id: str, job: IngestionJob, new: NewDocument | None
    ) -> StoredFile | None:
        """Store the text unless somebody else has; None if it was there and has been deleted."""
        documents = self._catalog.documents
        member = documents.member(job.collection_id, document_id)
        older = self._older_versions(file, document_id, job, member)
        is_indexed = member is not None and member.status == "indexed"
        has_chunks = member is not None and member.chunking == job.chunking.key
        stays = is_indexed and has_chunks and not older
        if self._is_read(job, document_id, file.path):
            keep_original(file.path, document_id, self._originals, within=file.within)
            if not stays or is_renamed(file, member):
                self._attach(file, document_id, job)
        elif new is None:
            return None
        else:
            self._keep(file, document_id)
            self._indexer.store(job, new)
            stays = stays and member is not None and member.text_id == text_id(new.parsed)
        return StoredFile(new, older, is_indexed, stays)

    def _embed(
        self, file: FileCandidate, document_id: str, job: IngestionJob, new: NewDocument | None
    ) -> None:
        """Embed the chunks of a document ahead of indexing, unless they exist already."""
        if new is not None:
            self._indexer.embed(job, file.document, new.parsed, new.chunks)
        elif not self._catalog.documents.count_chunks(document_id, job.chunking.key):
            job.report_progress(file.document, "chunk")
            parsed = self._catalog.documents.parsed(document_id)
            spans = chunk(parsed, job.chunking, self._embedder)
            self._indexer.embed(job, file.document, parsed, spans)

    def _is_read(self, job: IngestionJob, document_id: str, path: Path) -> bool:
        documents = self._catalog.documents
        return documents.read_by(document_id) == self._parse.version_of(path) and (
            job.language in ("auto", documents.read_in(document_id))
        )

    def _unchanged_chunks(
        self, file: FileCandidate, document_id: str, job: IngestionJob
    ) -> int | None:
        """Return the number of chunks of an unchanged file, or None if it may have changed."""
        assert job.ledger is not None
        entry = job.ledger.settled(document_id, file.document)
        state = file.source, job.chunking.key, self._parse.version_of(file.path)
        is_same = entry and (entry.source, entry.chunking, entry.parser_version) == state
        has_language = entry and job.language in ("auto", entry.language)
        if entry and is_same and has_language and (self._originals / document_id).exists():
            return entry.chunks
        job.ledger.forget(document_id, file.document)
        return None

    def _older_versions(
        self, file: FileCandidate, document_id: str, job: IngestionJob, member: Member | None = None
    ) -> list[str]:
        """Return the ids of the documents in the collection that the file replaces.

        They have its name, and came from its path or, unless it is an indexed ``member`` of that
        name, from one that no longer exists: files of one name in different folders are not
        versions of each other.
        """
        namesakes = self._catalog.documents.namesakes(job.collection_id, file.document, document_id)
        is_new = member is None or (member.status, member.document) != ("indexed", file.document)
        return [
            other.document_id
            for other in namesakes
            if other.source == file.source or (is_new and is_from(file, other.source))
        ]

    def _attach(self, file: FileCandidate, document_id: str, job: IngestionJob) -> None:
        """Add a document of the catalog to the collection without reading its file."""
        with job.timed("index"):
            parsed = self._catalog.documents.parsed(document_id)
            aliases = aliases_of(parsed, document=file.document, document_id=document_id)
            member = NewMember(document_id, file.document, file.source, aliases)
            self._catalog.documents.attach(job.collection_id, member, job.chunking.key)

    def _read(
        self, file: FileCandidate, document_id: str, size: int, job: IngestionJob
    ) -> NewDocument:
        with job.timed("parse"):
            on_stage = partial(job.report_progress, file.document)
            read = self._reader.read(read_request(file, document_id, job), on_stage)
            named = (document_id, file.document, file.source, size)
            new = new_document(read.parsed, read.chunks, *named)
        with self._alone(), job.timed("index"):
            # or it changed meanwhile
            keep_original(file.path, document_id, self._originals, within=file.within)
            self._catalog.embeddings.put(read.fingerprint, read.vectors)
        return new

    def _keep(self, file: FileCandidate, document_id: str) -> None:
        """Keep the original of a file unless it exists; others may have deleted it."""
        if not (self._originals / document_id).exists():
            keep_original(file.path, document_id, self._originals, within=file.within)


def is_renamed(file: FileCandidate, member: Member | None) -> bool:
    """Return whether a member's file was moved to this path."""
    if member is None or member.source is None or member.source == file.source:
        return False
    file_now = file_of(member.source)
    if file_now != Path(member.source):  # an attachment whose mail still exists
        return False
    try:
        return identify(file_now)[0] != member.document_id
    except OSError:  # an unreadable file may still be the same
        return is_gone(file_now)
