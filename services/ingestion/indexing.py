"""From the catalog into the indexes: embed a stored document, index it, show it.

Texts in memory, such as the records of a corpus, become documents here too.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from services.catalog import Catalog
from services.catalog.database import batches
from services.catalog.ids import words_id
from services.catalog.values import MemberState, NewDocument, NewMember
from services.domain import (
    Chunking,
    ChunkSpan,
    CollectionInfo,
    FileOutcome,
    IngestReport,
    Language,
    ParsedDocument,
    Passage,
    Principal,
)
from services.domain.errors import NotFound, UnreadableDocument
from services.domain.events import Event
from services.domain.passages import title_of
from services.ingestion.chunking import chunk, heading_prefix
from services.ingestion.files import FileCandidate
from services.ingestion.job import IngestionJob
from services.references import detect_references, with_relations
from services.references.registry import aliases_of
from services.retrieval.embedders import Embedder, Progress, Vectors
from services.retrieval.embedders.base import require_same_model
from services.retrieval.embedding import embed_cached, key_of
from services.retrieval.indexes import LexicalDocument, LexicalIndex, VectorIndex

DOCUMENTS = 100  # documents whose chunks are read at a time to write an index again
Entries = dict[str, tuple[str, LexicalDocument]]


class Indexer:
    """Fills the indexes from the catalog; except for ``embed``, callers need the stores alone."""

    def __init__(
        self, catalog: Catalog, embedder: Embedder, vectors: VectorIndex, lexical: LexicalIndex
    ) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._vectors = vectors
        self._lexical = lexical

    def require_same_model(self, collection: CollectionInfo) -> None:
        """Raise EmbeddingMismatch if another embedding model indexed the collection."""
        indexed = self._catalog.collections.fingerprint(collection.collection_id)
        require_same_model(collection.name, indexed, self._embedder)

    def store(self, job: IngestionJob, *new: NewDocument) -> None:
        """Write documents to the catalog; they are then pending members."""
        with job.timed("index"):
            self._catalog.documents.add(job.collection_id, *new, chunking=job.chunking.key)

    def embed(
        self, job: IngestionJob, document: str, parsed: ParsedDocument, chunks: Sequence[ChunkSpan]
    ) -> None:
        """Embed the chunks of a document into the cache, where ``index`` finds their vectors."""
        texts = [passage_of(parsed, span) for span in chunks]
        self._vectors_of(texts, [(document, len(chunks))], job)

    def add(self, job: IngestionJob, *new: NewDocument) -> None:
        """Store documents and index them, with one write to each store."""
        self.store(job, *new)
        names = {document.member.document_id: document.member.document for document in new}
        self.index(job.collection_id, names, job, job.chunking.key)

    def index_everywhere(
        self, document_id: str, document: str, job: IngestionJob, *, retire: Sequence[str] = ()
    ) -> int:
        """Index a document wherever it is pending, last in the job's collection; see `index`."""
        documents, collections = self._catalog.documents, self._catalog.collections
        names, model = {document_id: document}, self._embedder.fingerprint
        for other in documents.collections_of(document_id):
            member = documents.member(other, document_id) if other != job.collection_id else None
            if member and member.status == "pending" and collections.fingerprint(other) == model:
                self.index(other, names, job, member.chunking)
        return self.index(job.collection_id, names, job, job.chunking.key, retire=retire)

    def clear_leftovers(self) -> None:
        """Delete what a killed ingestion left in the indexes."""
        for collection_id in self._catalog.chunks.collections_with_leftovers():
            self.clear(collection_id)

    def rewrite(self, collection_id: str) -> None:
        """Write the indexes of a collection again, without traces of deleted chunks."""
        documents = ([doc for _, doc in entries] for entries in self._stored(collection_id))
        self._lexical.rewrite(collection_id, documents)
        self._vectors.rewrite(collection_id)

    def clear_cache(self) -> None:
        """Delete the cached vectors of all texts but the chunks of collections."""
        keys = set[str]()
        for info in self._catalog.collections.list(Principal(role="admin")):
            for entries in self._stored(info.collection_id):
                keys.update(key_of(text) for text, _ in entries)
        self._catalog.embeddings.keep(keys)

    def _stored(self, collection_id: str) -> Iterator[list[tuple[str, LexicalDocument]]]:
        documents = self._catalog.documents
        members = [member.document_id for member in documents.members(collection_id)]
        for batch in batches(members, DOCUMENTS):
            states = documents.states(collection_id, batch, "")
            chunks = self._catalog.chunks.of_member(collection_id, *batch)
            yield [(passage(c), keywords(c, states[c.document_id].language)) for c in chunks]

    def retire(self, collection_id: str, document_id: str) -> None:
        """Hide a document in a collection; reports that cite it can still open it."""
        self._catalog.documents.retire(collection_id, document_id)
        self.clear(collection_id)

    def clear(self, collection_id: str) -> None:
        chunks = self._catalog.chunks
        if gone := chunks.leftovers(collection_id):
            self._vectors.delete(collection_id, gone)
            self._lexical.delete(collection_id, gone)
            chunks.forget_leftovers(collection_id, gone)

    def index(
        self,
        collection_id: str,
        documents: Mapping[str, str],
        job: IngestionJob,
        chunking: str,
        *,
        retire: Sequence[str] = (),
        show: bool = True,
    ) -> int:
        """Index members' chunks, then show them in place of older versions; return their number.

        Args:
            documents: file names by document id; one write to each index serves them
                all.
            chunking: the ``Chunking.key`` by which the collection holds them from now
                on.
            retire: ids of older versions that a single document replaces in the
                collection.
            show: False fills the indexes and changes nothing about who sees the
                documents.

        Raises:
            NotFound: the collection does not hold one of the documents any more.
        """
        members = self._catalog.documents
        chunks, entries = self._entries(collection_id, documents, job, chunking)
        chunk_counts = Counter(chunk.document_id for chunk in chunks)
        counts = [(name, chunk_counts[document_id]) for document_id, name in documents.items()]
        vectors = self._vectors_of([text for text, _ in entries.values()], counts, job)
        for name, count in counts:
            job.report_progress(name, "index", 0, count)
        with job.timed("index"):
            states = members.states(collection_id, documents, chunking)
            for document_id, state in states.items() if show else ():
                if state.status == "indexed":
                    members.announce(collection_id, document_id, chunking)
            self._upsert(collection_id, entries, vectors)
            if show:
                members.mark_indexed(collection_id, *documents, chunking=chunking, retire=retire)
                self.clear(collection_id)
        return len(entries)

    def _entries(
        self, collection_id: str, documents: Mapping[str, str], job: IngestionJob, chunking: str
    ) -> tuple[Sequence[Passage], Entries]:
        with job.timed("index"):
            states = self._catalog.documents.states(collection_id, documents, chunking)
        for document_id, name in documents.items():
            self._ensure_chunks(states.get(document_id), document_id, name, job, chunking)
        with job.timed("index"):
            chunks = self._catalog.chunks.of_member(collection_id, *documents, chunking=chunking)
        return chunks, {
            chunk.chunk_id: (passage(chunk), keywords(chunk, states[chunk.document_id].language))
            for chunk in chunks
        }

    def _vectors_of(
        self, texts: Sequence[str], counts: Sequence[tuple[str, int]], job: IngestionJob
    ) -> Vectors:
        with job.timed("embed"):
            return embed_cached(
                texts,
                embedder=self._embedder,
                catalog=self._catalog,
                on_progress=_progress(counts, job),
            )

    def _ensure_chunks(
        self,
        state: MemberState | None,
        document_id: str,
        document: str,
        job: IngestionJob,
        chunking: str,
    ) -> None:
        documents = self._catalog.documents
        if state is None:
            raise NotFound(
                "The collection was deleted while {document} was being indexed. Ingest it into "
                "another one.",
                document=document,
            )
        if state.is_cut:
            return
        job.report_progress(document, "chunk")
        with job.timed("parse"):
            parsed = documents.parsed(document_id)
            spans = chunk(parsed, Chunking.of_key(chunking), self._embedder)
            require_text(spans, document)
        with job.timed("index"):
            documents.add_chunks(document_id, chunking, spans)

    def _upsert(self, collection_id: str, chunks: Entries, vectors: Vectors) -> None:
        collections, model = self._catalog.collections, self._embedder.fingerprint
        if collections.fingerprint(collection_id) is None:
            collections.set_fingerprint(collection_id, model)
        with ThreadPoolExecutor(1) as executor:
            words = [document for _, document in chunks.values()]
            written = executor.submit(self._lexical.upsert, collection_id, words)
            self._vectors.upsert(collection_id, list(chunks), vectors)
        written.result()


def _progress(counts: Sequence[tuple[str, int]], job: IngestionJob) -> Progress:
    """Return a callback that reports the progress of documents embedded one after the other."""
    remaining = deque(counts)
    finished = 0  # chunks of the documents that are done

    def report(done: int) -> None:
        nonlocal finished
        while remaining:
            document, count = remaining[0]
            job.report_progress(document, "embed", min(count, done - finished), count)
            if done < finished + count:
                return
            finished += count
            remaining.popleft()

    return report


def new_document(
    parsed: ParsedDocument,
    chunks: Sequence[ChunkSpan],
    document_id: str,
    document: str,
    source: str | None,
    size: int,
) -> NewDocument:
    aliases = aliases_of(parsed, document=document, document_id=document_id)
    member = NewMember(document_id, document, source, aliases)
    references = with_relations(parsed.text, detect_references(parsed.text))
    return NewDocument(member, size, parsed, chunks, references)


def require_text(chunks: Sequence[ChunkSpan], document: str) -> None:
    if not chunks:
        raise UnreadableDocument(
            "{document} contains no text. If it is a scan, run text recognition on it first.",
            document=document,
        )


def passage(chunk: Passage) -> str:
    """Return the exact text that is embedded for a chunk."""
    return heading_prefix(chunk.heading_path, chunk.title) + chunk.text


def passage_of(parsed: ParsedDocument, span: ChunkSpan) -> str:
    """Return the text that is embedded for a chunk that is not in the catalog yet."""
    return heading_prefix(span.heading_path, parsed.title) + parsed.text[span.start : span.end]


def keywords(chunk: Passage, language: Language) -> LexicalDocument:
    return LexicalDocument(
        chunk_id=chunk.chunk_id,
        language=language,
        title=title_of(chunk.title, chunk.document),
        heading="\n".join(chunk.heading_path),
        text=chunk.text,
        label=chunk.section,
    )


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
        job = IngestionJob(collection, "auto", Chunking(), on_event)
        files: list[FileOutcome] = []
        for some in batches(documents, TEXTS):
            with job.timed("parse"):
                read = [self._new_document(document, job) for document in some]
            new = {document.member.document_id: document for document in read if document.chunks}
            if new:
                self._indexer.add(job, *new.values())
            files += [_outcome(document, job) for document in read]
        return job.report(files, started)

    def _new_document(self, document: ReadyDocument, job: IngestionJob) -> NewDocument:
        chunks = chunk(document.parsed, job.chunking, self._embedder)
        size = len(document.parsed.text.encode())
        return new_document(
            document.parsed, chunks, document.document_id, document.name, None, size
        )


def _outcome(document: NewDocument, job: IngestionJob) -> FileOutcome:
    name, document_id = document.member.document, document.member.document_id
    if document.chunks:
        return job.done(FileCandidate(Path(name)), document_id, "added", len(document.chunks))
    error = UnreadableDocument("{document} contains no text.", document=name)
    return job.failure(FileCandidate(Path(name)), error)
