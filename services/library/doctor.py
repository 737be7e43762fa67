"""Comparing the indexes of a collection with the catalog, and repairing them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from services.catalog import Member
from services.catalog.database import batches
from services.components import Components
from services.domain import Chunking, CollectionHealth, CollectionInfo, Scope
from services.domain.errors import Broken, EmbeddingMismatch
from services.domain.events import Event
from services.domain.notices import Notice
from services.ingestion.job import IngestionJob
from services.library.originals import is_whole, restore_original

SAMPLE = 200
"""Chunks of a collection that are searched by their own vectors, evenly spread."""

BATCH = 5000
"""Chunks that are read at a time to find their documents."""

ITSELF = 0.999
"""Least cosine of a chunk that finds itself; rounding in float32 costs less than 1e-6."""


@dataclass(frozen=True)
class IndexComparison:
    chunks: frozenset[str]
    vectors: frozenset[str]
    keywords: frozenset[str]


class Doctor:
    """Examines and repairs collections. The caller owns the stores and has checked access."""

    def __init__(self, components: Components) -> None:
        self._catalog = components.catalog
        self._embedder = components.embedder
        self._vectors = components.vectors
        self._lexical = components.lexical
        self._originals = components.settings.home / "originals"
        self._indexer = components.indexer

    def examine(self, collection: CollectionInfo) -> CollectionHealth:
        """Compare indexes and kept files with the catalog; search a sample by its own vectors."""
        collection_id = collection.collection_id
        self._vectors.verify(collection_id)
        self._lexical.verify(collection_id)
        state = self._compare(collection_id)
        return CollectionHealth(
            collection=collection.name,
            collection_id=collection_id,
            chunks=len(state.chunks),
            missing_vectors=len(state.chunks - state.vectors),
            stale_vectors=len(state.vectors - state.chunks),
            missing_keywords=len(state.chunks - state.keywords),
            stale_keywords=len(state.keywords - state.chunks),
            lost=len(self._lost(collection_id, state)),
            unfinished=tuple(self._catalog.documents.unfinished(collection_id)),
            lost_originals=tuple(
                member.document for member in self._without_original(collection_id)
            ),
            problem=self._problem(collection),
        )

    def repair(
        self, collection: CollectionInfo, on_event: Callable[[Event], None]
    ) -> CollectionHealth:
        """Index what is missing or unfinished, delete what is stale, then examine again.

        Vectors come from the embedding cache if it has them, lost originals from where they were
        ingested. Indexes of another embedding model stay unchanged. A repair may be interrupted and
        repeated at any time.
        """
        collection_id = collection.collection_id
        self._set_aside_damaged(collection_id)
        if self._problem(collection) is None:
            job = IngestionJob(collection, "auto", Chunking(), on_event)
            self._indexer.clear_leftovers()
            self._forget_stale(collection_id)
            self._finish(job)
            self._restore(job)
            self._catalog.collections.bump(collection_id)
        for member in self._without_original(collection_id):
            source = Path(member.source) if member.source else None
            restore_original(self._originals / member.document_id, source)
        return self.examine(collection)

    def rebuild(
        self, collection: CollectionInfo, on_event: Callable[[Event], None]
    ) -> CollectionHealth:
        """Fill both indexes anew with the embedding model in use; ``repair`` can finish it."""
        collection_id = collection.collection_id
        self._vectors.drop(collection_id)
        self._lexical.drop(collection_id)
        # Not before: vectors of the old model must never count as those of the new one.
        self._catalog.collections.set_fingerprint(collection_id, self._embedder.fingerprint)
        return self.repair(collection, on_event)

    def _set_aside_damaged(self, collection_id: str) -> None:
        """Move away an index that cannot be opened or searched, so that it is filled anew."""
        try:
            self._vectors.verify(collection_id)
            self._lost(collection_id, self._compare(collection_id, keywords=False))
        except Broken:
            self._vectors.set_aside()
        try:
            self._lexical.verify(collection_id)
            self._lexical.ids(collection_id)
        except Broken:
            self._lexical.drop(collection_id)

    def _without_original(self, collection_id: str) -> list[Member]:
        """Return indexed and retired documents whose file is missing, changed or unreadable."""
        members = self._catalog.documents.ingested_members(collection_id)
        return [member for member in members if not is_whole(self._originals / member.document_id)]

    def _compare(self, collection_id: str, *, keywords: bool = True) -> IndexComparison:
        return IndexComparison(
            frozenset(self._catalog.chunks.ids(collection_id)),
            frozenset(self._vectors.ids(collection_id)),
            frozenset(self._lexical.ids(collection_id) if keywords else ()),
        )

    def _problem(self, collection: CollectionInfo) -> Notice | None:
        try:
            self._indexer.require_same_model(collection)
        except EmbeddingMismatch as error:
            return error.notice
        return None

    def _lost(self, collection_id: str, state: IndexComparison) -> list[str]:
        """Return the chunks of a sample that a search by their own vector does not find."""
        ids = sorted(state.chunks & state.vectors)
        sample = ids[:: len(ids) // SAMPLE + 1]
        stored = self._vectors.vectors(collection_id, sample)
        return [
            chunk_id
            for chunk_id, vector in stored.items()
            if not any(
                score > ITSELF for _, score in self._vectors.search(collection_id, vector, 1)
            )
        ]

    def _forget_stale(self, collection_id: str) -> None:
        """Delete stale entries, and all vectors if some are lost, so that they are restored."""
        state = self._compare(collection_id)
        self._vectors.delete(collection_id, sorted(state.vectors - state.chunks))
        self._lexical.delete(collection_id, sorted(state.keywords - state.chunks))
        if self._lost(collection_id, state):
            self._vectors.drop(collection_id)

    def _finish(self, job: IngestionJob) -> None:
        """Index the texts whose ingestion broke off, oldest first: the newest of a file stays."""
        documents, empty = self._catalog.documents, Scope(user="", collections=())
        pending = documents.list(empty, pending_in=[job.collection_id])
        for info in sorted(pending, key=lambda info: info.ingested_at):
            if member := documents.member(job.collection_id, info.document_id):
                self._index(member, job, retire=self._replaced_by(job.collection_id, member))

    def _replaced_by(self, collection_id: str, member: Member) -> list[str]:
        """Return the ids of older versions that the ingestion of a file would have retired."""
        namesakes = self._catalog.documents.namesakes(
            collection_id, member.document, member.document_id
        )
        return [
            older.document_id
            for older in namesakes
            if older.status == "indexed" and older.source and older.source == member.source
        ]

    def _restore(self, job: IngestionJob) -> None:
        state, affected = self._compare(job.collection_id), set[str]()
        scope = Scope(user="", collections=(job.collection_id,))
        for batch in batches(sorted(state.chunks - (state.vectors & state.keywords)), BATCH):
            chunks = self._catalog.chunks.get(batch, scope=scope).values()
            affected |= {chunk.document_id for chunk in chunks}
        for member in self._catalog.documents.members(job.collection_id):
            if member.document_id in affected:
                self._index(member, job, show=False)

    def _index(
        self, member: Member, job: IngestionJob, *, retire: Sequence[str] = (), show: bool = True
    ) -> None:
        documents = {member.document_id: member.document}
        chunks = self._indexer.index(
            job.collection_id, documents, job, member.chunking, retire=retire, show=show
        )
        job.report_progress(member.document, "done", chunks, chunks)
