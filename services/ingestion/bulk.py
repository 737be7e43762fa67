"""Ingesting many short texts that are in memory already: one write to the indexes for hundreds.

Files go through ``pipeline``, which reads each in a process of its own and makes it searchable
before the next. Here nothing is read, so a kill loses at most one batch, which is begun anew.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property

from services.catalog import Catalog
from services.catalog.database import batches
from services.catalog.ids import text_id
from services.domain import Chunking, FileOutcome, IngestReport, ParsedDocument
from services.domain.events import Event
from services.domain.notices import Notice
from services.ingestion.indexing import Indexer
from services.ingestion.job import Job
from services.retrieval.embedders import Embedder
from services.retrieval.lexical import LexicalIndex
from services.retrieval.vector import VectorIndex

BATCH = 500
"""Documents between two writes to the indexes."""


@dataclass(frozen=True)
class ReadyDocument:
    """A text with the name under which it is shown, as a file's name otherwise is.

    The same text by the same parser version is the same document.
    """

    name: str
    parsed: ParsedDocument

    @cached_property
    def document_id(self) -> str:
        return text_id(self.parsed.text, self.parsed.parser_version)


class BulkIngestor:
    """Puts texts into a collection. The caller owns the stores and has checked access."""

    def __init__(
        self,
        catalog: Catalog,
        embedder: Embedder,
        vectors: VectorIndex,
        lexical: LexicalIndex,
        *,
        batch: int = BATCH,
    ) -> None:
        self._catalog = catalog
        self._batch = batch
        self._indexer = Indexer(catalog, embedder, vectors, lexical, nullcontext())

    def ingest(
        self,
        documents: Iterable[ReadyDocument],
        *,
        collection_id: str,
        on_event: Callable[[Event], None] = lambda event: None,
    ) -> IngestReport:
        """Ingest texts, of which only one batch at a time is held; doing it again adds nothing.

        A text without words is reported as failed, the others go in. Of several documents with
        the same text the catalog keeps one.

        Raises:
            NotFound: there is no such collection.
            EmbeddingMismatch: another embedding model indexed it.
        """
        started = time.perf_counter()
        collection = self._catalog.collections.get(collection_id)
        self._indexer.require_same_model(collection)
        job = Job(collection, "auto", Chunking(), on_event)
        outcomes: list[FileOutcome] = []
        for batch in batches(documents, self._batch):
            outcomes += self._ingest_batch(batch, len(outcomes), job)
        return job.report(outcomes, started)

    def _ingest_batch(
        self, batch: Sequence[ReadyDocument], before: int, job: Job
    ) -> list[FileOutcome]:
        name = f"documents {before + 1} to {before + len(batch)}"
        counts = [self._store(document, job) for document in batch]
        total = sum(counts)
        pairs = list(zip(batch, counts, strict=True))
        if stored := list(dict.fromkeys(each.document_id for each, chunks in pairs if chunks)):
            self._indexer.index_together(
                job.collection_id,
                stored,
                job.chunking.key,
                job,
                lambda done: job.tell(name, "embed", done, total),
            )
            job.tell(name, "done", total, total)
        return [outcome(document, chunks) for document, chunks in pairs]

    def _store(self, document: ReadyDocument, job: Job) -> int:
        """Write a text with all that is found in it to the catalog; the number of its chunks."""
        parsed = document.parsed
        with job.timed("parse"):
            chunks = self._indexer.cut(parsed, job.chunking)
        if chunks:
            self._indexer.store(
                parsed,
                chunks,
                job,
                document=document.name,
                source=None,
                document_id=document.document_id,
                size=len(parsed.text.encode()),
            )
        return len(chunks)


def outcome(document: ReadyDocument, chunks: int) -> FileOutcome:
    return FileOutcome(
        path=document.name,
        document=document.name,
        document_id=document.document_id if chunks else None,
        status="added" if chunks else "failed",
        chunks=chunks,
        error=None if chunks else Notice.of("{document} holds no text.", document=document.name),
    )
