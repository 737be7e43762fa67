"""The protocols of indexes; ``stores.py`` opens the ones that settings name."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from services.domain import Language, Value
from services.retrieval.embedders import Vectors


class LexicalDocument(Value):
    """A chunk as keyword search sees it; its ``label`` ("§ 78") only matches as a unit."""

    chunk_id: str
    language: Language
    title: str
    heading: str
    text: str
    label: str = ""


class Index(Protocol):
    """Chunks by knowledge collection; an unknown collection is empty."""

    def delete(self, collection_id: str, ids: Sequence[str]) -> None:
        """Delete these ids; unknown ones are ignored."""

    def count(self, collection_id: str) -> int: ...

    def ids(self, collection_id: str) -> list[str]: ...

    def drop(self, collection_id: str) -> None: ...

    def verify(self, collection_id: str) -> None:
        """Compare the files with their checksums; Broken if one is missing or has changed."""

    def close(self) -> None:
        """Release files and connections; the next use opens them again."""


class VectorIndex(Index, Protocol):
    """Vectors of chunks, by chunk id."""

    def upsert(self, collection_id: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Add or replace vectors, shape (n, d); EmbeddingMismatch for another dimension."""

    def search(self, collection_id: str, vector: Vectors, k: int) -> list[tuple[str, float]]:
        """Return the ``k`` nearest ids with their cosine similarity (-1 to 1), best first."""

    def vectors(self, collection_id: str, ids: Sequence[str]) -> dict[str, Vectors]:
        """Return the stored vectors by id, without unknown ids."""

    def rewrite(self, collection_id: str) -> None:
        """Write the files of a collection again, without deleted vectors; searches go on."""

    def set_aside(self) -> None:
        """Move unusable files of all collections away; the index is empty then."""


class LexicalIndex(Index, Protocol):
    """Words of chunks. Readers see a write as soon as the call that made it returns."""

    def upsert(self, collection_id: str, docs: Sequence[LexicalDocument]) -> None:
        """Add documents, or replace those whose chunk id is already there."""

    def rewrite(self, collection_id: str, docs: Iterable[Sequence[LexicalDocument]]) -> None:
        """Write the files again, without deleted words; ``docs`` are all chunks there are."""

    def search(
        self, collection_id: str, query: str, k: int, only: Sequence[str] | None = None
    ) -> list[tuple[str, float]]:
        """Return the ``k`` best chunk ids, best first; any text is a valid query.

        ``only`` restricts the chunks and leaves their scores, which lie in 0-1: the share of the
        highest that the query could reach (``scoring.bm25_ceiling``), comparable across
        collections. Each language's chunks are searched with the query as that language analyses
        it.
        """

    def frequencies(
        self, collection_id: str, words: Sequence[str], language: Language
    ) -> dict[str, int]:
        """Count the chunks that have each word, also in compounds; stop words have no count."""
