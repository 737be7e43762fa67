"""The embedding cache: no text is ever embedded twice by the same model."""

from collections.abc import Mapping, Sequence

from sqlalchemy import select

from services.catalog.database import Database, batches, insert_missing
from services.catalog.models import EmbeddingRow


class Embeddings:
    """Passage vectors (float32, little-endian bytes) by embedder fingerprint and text hash."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, fingerprint: str, hashes: Sequence[str]) -> dict[str, bytes]:
        """The cached vectors among those asked for."""
        found: dict[str, bytes] = {}
        with self._database.read() as session:
            for batch in batches(dict.fromkeys(hashes)):
                query = select(EmbeddingRow.hash, EmbeddingRow.vector).where(
                    EmbeddingRow.fingerprint == fingerprint, EmbeddingRow.hash.in_(batch)
                )
                found |= dict(session.execute(query).all())
        return found

    def put(self, fingerprint: str, vectors: Mapping[str, bytes]) -> None:
        """Keep vectors; those already there stay."""
        rows = [
            {"fingerprint": fingerprint, "hash": key, "vector": vector}
            for key, vector in vectors.items()
        ]
        for batch in batches(rows):
            with self._database.write() as session:
                insert_missing(session, EmbeddingRow, batch)
