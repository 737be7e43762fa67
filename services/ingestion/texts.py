"""Ingest texts in memory, such as the records of a corpus, as documents."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from services.catalog import Catalog
from services.catalog.database import batches
from services.catalog.ids import words_id
from services.catalog.values import NewDocument
from services.domain import Chunking, FileOutcome, IngestReport, ParsedDocument
from services.domain.errors import UnreadableDocument
from services.domain.events import Event
from services.ingestion.chunking import chunk
from services.ingestion.files import Candidate
from services.ingestion.indexing import Indexer, new_document
from services.ingestion.job import Job
from services.retrieval.embedders import Embedder
from services.retrieval.indexes import LexicalIndex, VectorIndex

TEXTS = 500  # texts in one write to the indexes; a kill loses at most these


@dataclass(frozen=True)
class ReadyDocument:
    """A text with its displayed name; the same text by the same parser is the same document."""

    name: str
    parsed: ParsedDocument

    @cached_property
    def document_id(self) -> str:
        return words_id(self.parsed.text, self.parsed.parser_version)


class TextIngestor:
    """Puts texts into a collection. The caller owns the stores and has checked access."""

    def __init__(
        self, catalog: Catalog, embedder: Embedder, vectors: VectorIndex, lexical: LexicalIndex
    ) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._indexer = Indexer(catalog, embedder, vectors, lexical)

    def ingest(
        self,
        documents: Iterable[ReadyDocument],
        *,
        collection_id: str,
        on_event: Callable[[Event], None] = lambda event: None,
    ) -> IngestReport:
        """Ingest texts in batches; empty ones are reported as failed, repetition adds nothing.

        Raises:
            NotFound: there is no such collection.
            EmbeddingMismatch: another embedding model indexed it.
        """
        started = time.perf_counter()
        collection = self._catalog.collections.get(collection_id)
        self._indexer.require_same_model(collection)
        job = Job(collection, "auto", Chunking(), on_event)
        files: list[FileOutcome] = []
        for some in batches(documents, TEXTS):
            with job.timed("parse"):
                read = [self._new_document(document, job) for document in some]
            new = {document.member.document_id: document for document in read if document.chunks}
            if new:
                self._indexer.add(job, *new.values())
            files += [_outcome(document, job) for document in read]
        return job.report(files, started)

    def _new_document(self, document: ReadyDocument, job: Job) -> NewDocument:
        chunks = chunk(document.parsed, job.chunking, self._embedder)
        size = len(document.parsed.text.encode())
        return new_document(
            document.parsed, chunks, document.document_id, document.name, None, size
        )


def _outcome(document: NewDocument, job: Job) -> FileOutcome:
    name, document_id = document.member.document, document.member.document_id
    if document.chunks:
        return job.done(Candidate(Path(name)), document_id, "added", len(document.chunks))
    error = UnreadableDocument("{document} contains no text.", document=name)
    return job.failure(Candidate(Path(name)), error)
