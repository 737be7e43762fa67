"""What a collection held when an ingestion began, read in one go.

Most ingestions are repeated, and most files are then unchanged. To find that out for each by
itself takes five queries.
"""

from collections import Counter
from typing import NamedTuple

from sqlalchemy import select

from services.catalog.database import Database
from services.catalog.models import ChunkingRow, ContentRow, MembershipRow, TextRow


class Entry(NamedTuple):
    """An indexed member: where it came from, how it was read and cut."""

    document: str
    source: str | None
    chunking: str
    parser_version: str
    chunks: int


class Ledger:
    """Indexed members by document id, as long as the ingestion has not changed them."""

    def __init__(self, entries: dict[str, Entry], pending: Counter[str]) -> None:
        self._entries = entries
        self._bearers = pending + Counter(entry.document for entry in entries.values())

    @classmethod
    def read(cls, database: Database, collection_id: str) -> "Ledger":
        """The members of a collection, retired ones left out."""
        query = (
            select(
                MembershipRow.content_id,
                MembershipRow.status,
                MembershipRow.document,
                MembershipRow.source,
                MembershipRow.chunking,
                TextRow.parser_version,
                ChunkingRow.chunks,
            )
            .join(ContentRow, ContentRow.content_id == MembershipRow.content_id)
            .join(TextRow, TextRow.text_id == ContentRow.text_id)
            .outerjoin(
                ChunkingRow,
                (ChunkingRow.text_id == ContentRow.text_id)
                & (ChunkingRow.chunking == MembershipRow.chunking),
            )
            .where(MembershipRow.collection_id == collection_id, MembershipRow.status != "retired")
        )
        entries: dict[str, Entry] = {}
        pending: Counter[str] = Counter()
        with database.read() as session:
            for row in session.execute(query):
                if row.status != "indexed":
                    pending[row.document] += 1
                    continue
                entries[row.content_id] = Entry(
                    row.document, row.source, row.chunking, row.parser_version, row.chunks
                )
        return cls(entries, pending)

    def settled(self, document_id: str, document: str) -> Entry | None:
        """The entry of a document that alone bears its file name; else None: look closer."""
        entry = self._entries.get(document_id)
        if entry is None or entry.document != document or self._bearers[document] != 1:
            return None
        return entry

    def forget(self, document_id: str, document: str) -> None:
        """Note that the ingestion changes something about a document or a file name."""
        self._entries.pop(document_id, None)
        self._bearers[document] += 1
