"""How far a document is in a collection, how it is cut there, and what it replaces."""

from collections.abc import Sequence

from sqlalchemy import delete, select, update

from services.catalog import ids
from services.catalog.chunkings import cut_by, drop_unused, is_cut, store_chunks
from services.catalog.collections import bump
from services.catalog.models import ChunkingRow, ChunkRow, LeftoverRow, MembershipRow
from services.catalog.texts import Texts, current_text
from services.catalog.values import Member, MembershipStatus
from services.errors import NotFound, StoresBusy
from services.types import ChunkSpan


class Memberships(Texts):
    """Documents on their way into a collection: pending, indexed, retired."""

    def membership(self, collection_id: str, document_id: str) -> MembershipStatus | None:
        """How far the document is in the collection, None when it is no member."""
        member = self.member(collection_id, document_id)
        return None if member is None else member.status

    def member(self, collection_id: str, document_id: str) -> Member | None:
        """The document's place in the collection, None when it is no member."""
        with self._database.read() as session:
            row = session.get(MembershipRow, (collection_id, document_id))
            return None if row is None else as_member(row)

    def namesakes(self, collection_id: str, document: str, document_id: str) -> list[Member]:
        """Other members, pending or indexed, that bear the same file name."""
        query = select(MembershipRow).where(
            MembershipRow.collection_id == collection_id,
            MembershipRow.document == document,
            MembershipRow.content_id != document_id,
            MembershipRow.status != "retired",
        )
        with self._database.read() as session:
            return [as_member(row) for row in session.scalars(query)]

    def mark_indexed(
        self,
        collection_id: str,
        document_id: str,
        *,
        chunking: str | None = None,
        retire: Sequence[str] = (),
    ) -> None:
        """Let readers see the document, and count up the collection's content version.

        In the same transaction older versions are retired, and chunks that the collection
        no longer uses become its leftovers (``Chunks.leftovers``).

        Args:
            chunking: how the indexes now cut it; None for what its membership says.
            retire: ids of the documents that it replaces in the collection.

        Raises:
            NotFound: it is no member of the collection.
            StoresBusy: another ingestion has taken its chunks away meanwhile.
        """
        with self._database.write() as session:
            row = session.get(MembershipRow, (collection_id, document_id))
            if row is None:
                raise NotFound(f"The document {document_id[:12]}… is not in the collection.")
            row.chunking = chunking or row.chunking
            text_id = current_text(session, document_id)
            if not is_cut(session, text_id, row.chunking):
                raise StoresBusy(
                    f"Another ingestion has changed {row.document} meanwhile. Ingest it again."
                )
            row.status, row.ingested_at = "indexed", ids.now()
            old = MembershipRow.content_id.in_(retire)
            session.execute(
                update(MembershipRow)
                .where(MembershipRow.collection_id == collection_id, old)
                .values(status="retired")
            )
            session.flush()
            used = select(ChunkRow.chunk_id).where(cut_by(text_id, row.chunking))
            session.execute(
                delete(LeftoverRow).where(
                    LeftoverRow.collection_id == collection_id, LeftoverRow.chunk_id.in_(used)
                )
            )
            drop_unused(session, [document_id, *retire])
            bump(session, collection_id)

    def add_chunks(self, document_id: str, chunking: str, chunks: Sequence[ChunkSpan]) -> None:
        """Store chunks of the document's current text unless that chunking is there already."""
        with self._database.read() as session:
            text_id = current_text(session, document_id)
        store_chunks(self._database, text_id, chunking, chunks)

    def is_cut(self, document_id: str, chunking: str) -> bool:
        """Whether the chunks of the document's current text by that chunking are there."""
        with self._database.read() as session:
            return is_cut(session, current_text(session, document_id), chunking)

    def count_chunks(self, document_id: str, chunking: str) -> int:
        """The number of chunks of the document's current text by that chunking key."""
        with self._database.read() as session:
            row = session.get(ChunkingRow, (current_text(session, document_id), chunking))
            return 0 if row is None else row.chunks


def as_member(row: MembershipRow) -> Member:
    return Member.model_validate(
        {
            "document_id": row.content_id,
            "document": row.document,
            "source": row.source,
            "chunking": row.chunking,
            "status": row.status,
        }
    )
