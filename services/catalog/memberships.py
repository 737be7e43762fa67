"""How far a document is in a collection, how it is cut there, and what it replaces."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from services.catalog import ids
from services.catalog.chunkings import is_cut, keep, leave, note_leftovers, store_chunks, users_of
from services.catalog.collections import bump
from services.catalog.ledger import Ledger
from services.catalog.metadata import inherit
from services.catalog.models import ChunkingRow, MembershipRow
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

    def ledger(self, collection_id: str) -> Ledger:
        """The members of a collection at this moment."""
        return Ledger.read(self._database, collection_id)

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

    def members(self, collection_id: str) -> list[Member]:
        """Those that are pending or indexed, by file name."""
        query = select(MembershipRow).where(
            MembershipRow.collection_id == collection_id, MembershipRow.status != "retired"
        )
        with self._database.read() as session:
            rows = session.scalars(query.order_by(MembershipRow.document, MembershipRow.content_id))
            return [as_member(row) for row in rows]

    def retire(self, collection_id: str, document_id: str) -> None:
        """Hide a member for good; its text stays, and its chunks become leftovers."""
        with self._database.write() as session:
            retire_member(session, collection_id, document_id)
            bump(session, collection_id)

    def mark_indexed(
        self,
        collection_id: str,
        document_id: str,
        *,
        chunking: str | None = None,
        retire: Sequence[str] = (),
    ) -> None:
        """Let readers see the document, and count up the collection's content version.

        In the same transaction older versions are retired, which leave the metadata that people
        have set, and chunks that the collection no longer uses become its leftovers
        (``Chunks.leftovers``).

        Args:
            chunking: how the indexes now cut it; None for what its membership says.
            retire: ids of the documents that it replaces in the collection.

        Raises:
            NotFound: it is no member of the collection.
            StoresBusy: another ingestion has taken its chunks away meanwhile.
        """
        with self._database.write() as session:
            row = show_member(session, collection_id, document_id, chunking)
            for old in retire:
                retire_member(session, collection_id, old, newer=row)
            bump(session, collection_id)

    def mark_all_indexed(
        self, collection_id: str, document_ids: Sequence[str], *, chunking: str
    ) -> None:
        """``mark_indexed`` for several new members in one transaction; raises as it does."""
        with self._database.write() as session:
            for document_id in document_ids:
                show_member(session, collection_id, document_id, chunking)
            bump(session, collection_id)

    def announce(self, collection_id: str, document_id: str, chunking: str) -> None:
        """Note which chunks will be written to the indexes beside those that are in use.

        They count as leftovers until ``mark_indexed``, in case it is never reached; but not
        where another document of the same text uses them, which would lose them then.
        """
        with self._database.write() as session:
            text_id = current_text(session, document_id)
            if collection_id not in users_of(session, text_id, chunking):
                note_leftovers(session, collection_id, text_id, chunking)

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


def show_member(
    session: Session, collection_id: str, document_id: str, chunking: str | None
) -> MembershipRow:
    """Let readers see a member as it is cut now; what it was cut into before is given up."""
    row = session.get(MembershipRow, (collection_id, document_id))
    if row is None:
        raise NotFound(f"The document {document_id[:12]}… is not in the collection.")
    text_id, before = current_text(session, document_id), row.chunking
    row.chunking = chunking or row.chunking
    if not is_cut(session, text_id, row.chunking):
        raise StoresBusy(
            f"Another ingestion has changed {row.document} meanwhile. Ingest it again."
        )
    row.status, row.ingested_at = "indexed", ids.now()
    session.flush()
    keep(session, collection_id, text_id, row.chunking)
    if before != row.chunking:
        leave(session, [collection_id], text_id, before)
    return row


def retire_member(
    session: Session, collection_id: str, document_id: str, newer: MembershipRow | None = None
) -> None:
    """Hide a member for good, and give up its chunks; ``newer`` is the version that follows it."""
    row = session.get(MembershipRow, (collection_id, document_id))
    if row is not None:
        if newer is not None:
            inherit(session, newer, row)
        row.status = "retired"
        session.flush()
        leave(session, [collection_id], current_text(session, document_id), row.chunking)


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
