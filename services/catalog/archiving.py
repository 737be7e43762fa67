"""Reading the documents of a collection for an archive, and writing them back."""

from collections.abc import Sequence

from sqlalchemy import select

from services.catalog import ids
from services.catalog.chunks import cut_by
from services.catalog.database import Repository, insert_missing
from services.catalog.memberships import put_members
from services.catalog.models import (
    AliasRow,
    ChunkRow,
    ContentRow,
    ExtractionRow,
    MembershipRow,
    ReferenceRow,
    TextRow,
)
from services.catalog.texts import ALIASES, extracted, read_text, store_texts, warning_row
from services.catalog.values import Alias, Member, NewMember
from services.domain import ChunkSpan, DetectedReference, ParsedDocument


class Archiving(Repository):
    """Access has been checked. Writing is repeatable, and never changes existing rows."""

    def texts_of(self, document_id: str) -> list[str]:
        """Return the ids of all texts that were ever made of a document, sorted."""
        query = select(ExtractionRow.text_id).where(ExtractionRow.content_id == document_id)
        return sorted(self._database.scalars(query))

    def text(
        self, document_id: str, text_id: str
    ) -> tuple[ParsedDocument, tuple[DetectedReference, ...]]:
        """Return a text of a document with its sections and warnings, and its references."""
        query = select(ReferenceRow).where(ReferenceRow.text_id == text_id).order_by(ReferenceRow.n)
        with self._database.read() as session:
            parsed = read_text(session, session.get_one(TextRow, text_id), document_id)
        return parsed, tuple(self._database.values(DetectedReference, query))

    def aliases(self, collection_id: str, member: Member) -> tuple[Alias, ...]:
        """Return the names of a document in the collection."""
        query = ALIASES.where(
            AliasRow.collection_id == collection_id, AliasRow.content_id == member.document_id
        )
        return tuple(self._database.values(Alias, query.order_by(AliasRow.n)))

    def spans(self, text_id: str, chunking: str) -> list[ChunkSpan]:
        """Return the chunks of a text by a chunking key, in their order."""
        query = select(ChunkRow).where(cut_by(text_id, chunking)).order_by(ChunkRow.n)
        return self._database.values(ChunkSpan, query)

    def put_text(
        self,
        document_id: str,
        size: int,
        parsed: ParsedDocument,
        references: Sequence[DetectedReference],
    ) -> str:
        """Store a text of a document unless it has one by that parser version.

        The first text of a document that is new to the catalog becomes its current one.

        Returns:
            The id of the text in the catalog.
        """
        same_parser = extracted(document_id, parsed.parser_version).limit(1)
        with self._database.write() as session:
            existing = session.scalar(same_parser)
            if existing is not None and existing in ids.text_ids(parsed):
                return existing
            (text_id,) = store_texts(session, [(parsed, references)])
            row = {"content_id": document_id, "text_id": text_id}
            insert_missing(session, ContentRow, [row | {"size": size, "created_at": ids.now()}])
            if existing is None:
                insert_missing(session, ExtractionRow, [row | warning_row(parsed)])
        return text_id

    def put_member(
        self, collection_id: str, member: NewMember, chunking: str, *, retired: bool
    ) -> str:
        """Make a stored document a member, pending or retired; return the id of its text."""
        with self._database.write() as session:
            put_members(session, collection_id, [member], chunking)
            row = session.get_one(MembershipRow, (collection_id, member.document_id))
            if retired:
                row.status = "retired"
            return row.content.text_id
