"""From the catalog into the indexes: embed a stored document, index it, let readers see it."""

from services.catalog import Catalog
from services.embedding_cache import embed_cached
from services.embeddings import Embedder
from services.errors import EmbeddingMismatch, NotFound
from services.ingestion.chunk import heading_prefix
from services.ingestion.job import Job
from services.retrieval.lexical import LexicalDocument, LexicalIndex
from services.retrieval.vector import VectorIndex
from services.types import Chunk, CollectionInfo, Language


class Indexer:
    """Fills the derived indexes; everything it needs stands in the catalog."""

    def __init__(
        self, catalog: Catalog, embedder: Embedder, vectors: VectorIndex, lexical: LexicalIndex
    ) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._vectors = vectors
        self._lexical = lexical

    def require_same_model(self, collection: CollectionInfo) -> None:
        """Raise EmbeddingMismatch if another embedding model indexed the collection."""
        indexed_with = self._catalog.collections.fingerprint(collection.collection_id)
        if indexed_with not in (None, self._embedder.fingerprint):
            raise EmbeddingMismatch(
                f"The collection {collection.name!r} was indexed with the embedding model "
                f"{indexed_with}, but {self._embedder.fingerprint} is set. Set "
                "RABBITHOLE_EMBEDDING back, or index anew: ingest the same files with "
                "`rabbithole ingest PATH... --collection NAME` and a new collection name."
            )

    def index_everywhere(self, document_id: str, document: str, job: Job) -> int:
        """Index a stored document in the job's collection and wherever else it is pending.

        Elsewhere means collections where a newer parser or a kill left it so. They come
        first: while the job's own collection is pending, a repetition does them all again.

        Returns:
            The number of its chunks.
        """
        for collection_id in self._pending_elsewhere(document_id, job.collection_id):
            self.index(collection_id, document_id, document, job)
        return self.index(job.collection_id, document_id, document, job)

    def _pending_elsewhere(self, document_id: str, collection_id: str) -> list[str]:
        documents, collections = self._catalog.documents, self._catalog.collections
        return [
            other
            for other in documents.collections_of(document_id)
            if other != collection_id
            and documents.membership(other, document_id) == "pending"
            and collections.fingerprint(other) == self._embedder.fingerprint
        ]

    def index(self, collection_id: str, document_id: str, document: str, job: Job) -> int:
        """Index a stored document in one collection and let its readers see it.

        Returns:
            The number of its chunks.

        Raises:
            NotFound: the collection does not hold the document any more.
        """
        chunks = self.fill(collection_id, document_id, document, job)
        with job.timed("index"):
            self._catalog.documents.mark_indexed(collection_id, document_id)
            self._forget_superseded(collection_id, document_id)
        return chunks

    def fill(self, collection_id: str, document_id: str, document: str, job: Job) -> int:
        """The first part of ``index``: into the indexes, whoever sees the document now."""
        catalog, model = self._catalog, self._embedder.fingerprint
        chunks = catalog.chunks.of_member(collection_id, document_id)
        if not chunks:
            raise NotFound(
                f"The collection was deleted while {document} was indexed. Ingest into another one."
            )
        language = catalog.documents.info(document_id).language
        with job.timed("embed"):
            vectors = embed_cached(
                [passage(chunk) for chunk in chunks],
                embedder=self._embedder,
                catalog=catalog,
                on_progress=lambda done: job.tell(document, "embed", done, len(chunks)),
            )
        job.tell(document, "index", 0, len(chunks))
        with job.timed("index"):
            if catalog.collections.fingerprint(collection_id) is None:
                catalog.collections.set_fingerprint(collection_id, model)
            self._vectors.upsert(collection_id, [chunk.chunk_id for chunk in chunks], vectors)
            self._lexical.upsert(collection_id, [keywords(chunk, language) for chunk in chunks])
        return len(chunks)

    def _forget_superseded(self, collection_id: str, document_id: str) -> None:
        """Take chunks of older texts of the document out of the indexes."""
        if superseded := set(self._catalog.chunks.superseded(document_id)):
            gone = sorted(superseded - set(self._catalog.chunks.ids(collection_id)))
            self._vectors.delete(collection_id, gone)
            self._lexical.delete(collection_id, gone)


def passage(chunk: Chunk) -> str:
    """The exact text that is embedded for a chunk."""
    return heading_prefix(chunk.heading_path, chunk.title) + chunk.text


def keywords(chunk: Chunk, language: Language) -> LexicalDocument:
    return LexicalDocument(
        chunk_id=chunk.chunk_id,
        language=language,
        title=chunk.title,
        heading="\n".join(chunk.heading_path),
        text=chunk.text,
        label=chunk.section,
    )
