"""The step from a text to its stored chunks."""

from services.catalog import Catalog
from services.embeddings import Embedder
from services.errors import UnreadableDocument
from services.ingestion.chunking import chunk
from services.ingestion.job import Job
from services.types import Chunking, ChunkSpan, ParsedDocument


class Cutter:
    """Cuts documents so that the embedder can take every chunk."""

    def __init__(self, catalog: Catalog, embedder: Embedder) -> None:
        self._catalog = catalog
        self._embedder = embedder

    def cut(self, parsed: ParsedDocument, chunking: Chunking, document: str) -> list[ChunkSpan]:
        """The chunks of a document that was just read.

        Raises:
            UnreadableDocument: there is nothing in it.
        """
        chunks = chunk(
            parsed,
            count_tokens=self._embedder.count_tokens,
            max_tokens=self._embedder.max_tokens,
            strategy=chunking.strategy,
            chunk_size=chunking.size,
            chunk_overlap=chunking.overlap,
        )
        if not chunks:
            raise UnreadableDocument(
                f"{document} holds no text. If it is a scan, run text recognition on it first."
            )
        return chunks

    def require(self, document_id: str, chunking: str, document: str, job: Job) -> None:
        """See to it that the catalog holds the chunks of a stored text by that chunking key."""
        if self._catalog.documents.is_cut(document_id, chunking):
            return
        job.tell(document, "chunk")
        with job.timed("parse"):
            parsed = self._catalog.documents.parsed(document_id)
            chunks = self.cut(parsed, Chunking.of_key(chunking), document)
        with job.timed("index"):
            self._catalog.documents.add_chunks(document_id, chunking, chunks)
