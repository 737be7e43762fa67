"""Collections, documents and searches: ``engine.library``."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from agent.engine.changes import (
    Checked,
    CheckIndexes,
    ClearDeleted,
    EmptyBin,
    Ingest,
    RemoveDocument,
    RestoreCollection,
    RestoreDocument,
)
from agent.engine.connection import Connection, EnginePart, OnEvent
from agent.engine.jobs import SearchJob, Summarise
from agent.engine.reports import answers_of, cited_by
from services.domain import (
    Chunking,
    CollectionInfo,
    DocumentInfo,
    IngestEngine,
    IngestReport,
    Passage,
    Principal,
    SearchRequest,
    SearchResult,
    SectionSpan,
    Value,
)
from services.domain.answers import DocumentSummary
from services.domain.collections import BinnedDocument
from services.domain.errors import Interrupted, NotFound
from services.domain.notices import Notice
from services.domain.runs import IngestionInfo, RunInfo
from services.evidence.highlighting import MarkedText as MarkedText
from services.library.archive.export import RestoreReport
from services.library.comparison import SectionChange as SectionChange
from services.library.comparison import compare
from services.library.relations import Relation as Relation


@dataclass(frozen=True)
class VersionComparison:
    """Two versions of a document; ``citing`` are threads that cite a section that has changed."""

    old: DocumentInfo
    new: DocumentInfo
    changes: Sequence[SectionChange]
    citing: Sequence[RunInfo]


class Outline(Value):
    """A document, its summary if there is one, and its sections in the order of its text.

    ``relations`` are what it replaces, amends or repeals, and what does so to it. ``warnings`` say
    what was not read of its file. ``pages`` are those on which the sections begin, empty for a
    format without pages.
    """

    document: DocumentInfo
    summary: DocumentSummary | None
    outline: tuple[SectionSpan, ...]
    pages: tuple[int, ...]
    relations: tuple[Relation, ...]
    warnings: tuple[Notice, ...]


class LibraryPart(EnginePart):
    """Collections and documents by name or id."""

    def __init__(self, connection: Connection, principal: Principal) -> None:
        super().__init__(connection, principal)
        library = self._services.library
        collections = self._catalog.collections
        self.collections = partial(library.collections, principal)
        self.collection = partial(library.collection, principal)
        self.shelves = partial(library.shelves, principal)
        self.shelf = partial(library.shelf, principal)
        self.create_collection = partial(collections.create, principal)
        self.change_collection = partial(collections.change, principal)
        self.subscribe = partial(collections.subscribe, principal)
        self.unsubscribe = partial(collections.unsubscribe, principal)
        self.documents = partial(library.documents, principal)
        self.bin = partial(library.bin, principal)
        self.document = partial(library.document, principal)
        self.edit_document = partial(library.edit_document, principal)
        self.versions = partial(library.versions, principal)
        self.open_document = partial(library.open_document, principal)
        self.page_image = partial(library.page_image, principal)
        self.export_collection = partial(library.export_collection, principal)

    def ingest(
        self,
        paths: Sequence[Path],
        collection: str,
        *,
        language: str = "auto",
        chunking: Chunking | None = None,
        prune: bool = False,
        engine: IngestEngine = "local",
        on_event: OnEvent | None = None,
    ) -> IngestReport:
        """Add files and folders to a collection, which is made when missing.

        With ``prune``, documents whose files are gone from these folders are removed. The
        ``engine`` reads and embeds.
        """
        job = Ingest(
            paths=tuple(str(Path(path).resolve()) for path in paths),
            collection=collection,
            language=language,
            chunking=chunking or Chunking(),
            prune=prune,
            engine=engine,
        )
        return self._do(job, on_event)

    def ingestions(self) -> list[IngestionInfo]:
        """Return the person's ingestions, newest first; for an admin everybody's."""
        return self._with_interrupted(self._catalog.ingestions.list(self._principal))

    def find(self, request: SearchRequest) -> SearchResult:
        """Search with the parameters of the profile."""
        return self._do(SearchJob(request=request))

    def passages(self, chunk_ids: Sequence[str]) -> list[Passage]:
        """Return the passages that the person may read, in the order of the ids."""
        scope = self._catalog.collections.opening(self._principal)
        passages = self._catalog.chunks.get(chunk_ids, scope=scope)
        return [passages[chunk_id] for chunk_id in chunk_ids if chunk_id in passages]

    def outline(self, document: str, collection: str | None = None) -> Outline:
        """Return a document, by name or id, with its summary and its sections."""
        info = self.document(document, collection)
        parsed = self._catalog.documents.parsed(info.document_id)
        pages = (parsed.page_at(section.start) for section in parsed.sections)
        summary = self._catalog.summaries.newest(info.document_id)
        return Outline(
            document=info,
            summary=summary and summary.of(info.document),
            outline=parsed.sections,
            pages=tuple(page for page in pages if page is not None),
            relations=tuple(self.relations(info.document_id, collection)),
            warnings=parsed.warnings,
        )

    def questions(self, document_ids: Iterable[str]) -> tuple[str, ...]:
        """Return the questions in the summaries of those documents that may still be read."""
        questions: dict[str, None] = {}
        for document_id in document_ids:
            with suppress(NotFound):
                summary = self._catalog.summaries.newest(self.document(document_id).document_id)
                questions |= dict.fromkeys(summary.questions if summary else ())
        return tuple(questions)

    def to_summarise(self) -> tuple[str, ...]:
        """Return the ids of documents that the background is still to summarise."""
        queued = self._catalog.queue.unfinished(self._principal, [Summarise.kind])
        jobs = (Summarise.model_validate(work.payload) for work in queued)
        ids = dict.fromkeys(id for job in jobs for id in job.documents)
        return self._catalog.summaries.missing([*ids])

    def stop_summaries(self) -> None:
        """Stop summarising in the background; what was noted so far is kept."""
        stopped = Interrupted("The summaries were stopped.")
        for queued in self._catalog.queue.unfinished(self._principal, [Summarise.kind]):
            self._catalog.queue.give_up(queued.id, stopped)

    def relations(self, document_id: str, collection: str | None = None) -> list[Relation]:
        """Return what a document replaces, amends or repeals, and what does so to it."""
        names = [collection] if collection else None
        scope = self._catalog.collections.scope(self._principal, names)
        return self._services.relations(scope).of(document_id)

    def compare(self, older: str, newer: str) -> VersionComparison:
        """Compare two versions of a document, by name or id; raises as ``open_document``."""
        old, new = self.open_document(older), self.open_document(newer)
        changes = compare(old.parsed, new.parsed)
        labels = {change.before.label for change in changes if change.before}

        def cites_changed(report: Mapping[str, Any]) -> bool:
            return any(
                citation["document_id"] == old.info.document_id and citation["section"] in labels
                for citation in cited_by(answers_of(report))
            )

        naming = self._catalog.runs.naming(self._principal, old.info.document_id)
        citing = [run for run, report in naming if report and cites_changed(report)]
        return VersionComparison(old.info, new.info, changes, citing)

    def remove_document(self, collection: str, document: str) -> DocumentInfo:
        """Move a document from a collection into its bin."""
        return self._do(RemoveDocument(collection=collection, document=document)).document

    def restore_document(self, collection: str, document: str) -> DocumentInfo:
        """Put a document back from the bin of a collection."""
        return self._do(RestoreDocument(collection=collection, document=document))

    def empty_bin(self, collection: str) -> list[BinnedDocument]:
        """Empty the bin of a collection; delete what no other collection uses."""
        return self._do(EmptyBin(collection=collection))

    def delete_collection(self, name: str, *, wait: bool = True) -> CollectionInfo:
        """Delete a collection at once; with ``wait`` its files are gone too on return."""
        deleted = self._services.library.delete_collection(self._principal, name)
        (self._do if wait else self._submit)(ClearDeleted())
        return deleted

    def check(
        self,
        collection: str | None = None,
        *,
        repair: bool = False,
        on_event: OnEvent | None = None,
    ) -> Checked:
        """Check the indexes that the person may change, and the checkpoints; ``repair`` them."""
        return self._do(CheckIndexes(collection=collection, repair=repair), on_event)

    def restore_collection(
        self, file: Path, name: str | None = None, on_event: OnEvent | None = None
    ) -> RestoreReport:
        """Make a collection of an exported file, or continue one that was killed meanwhile."""
        job = RestoreCollection(file=str(file.absolute()), name=name)
        for queued in self._catalog.queue.unfinished(self._principal, [job.kind]):
            if queued.payload == job.model_dump(mode="json"):
                return job.result_of(self._connection.outcome(queued.id, on_event))
        return self._do(job, on_event)
