"""Reading a collection row by row for an archive, and writing its documents back."""

from collections.abc import Sequence
from typing import NamedTuple

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
from services.catalog.texts import ALIASES, extracted, read_text, store_texts
from services.catalog.values import Alias, NewMember
from services.domain import ChunkSpan, DetectedReference, ParsedDocument


class ArchivedMember(NamedTuple):
    """A membership with the current text of its content."""

    document_id: str
    document: str
    size: int
    chunking: str
    status: str
    text_id: str


class Archiving(Repository):
    """Access has been checked. Writing is repeatable, and never changes what is there."""

    def members(self, collection_id: str) -> list[ArchivedMember]:
        """Indexed and retired documents, by file name."""
        member, content = MembershipRow, ContentRow
        query = (
            select(content.content_id, member.document, content.size)
            .add_columns(member.chunking, member.status, content.text_id)
            .join(member, member.content_id == content.content_id)
            .where(member.collection_id == collection_id, member.status != "pending")
            .order_by(member.document, content.content_id)
        )
        return [ArchivedMember(*row) for row in self._database.rows(query)]

    def texts_of(self, document_id: str) -> list[str]:
        """Ids of all texts that were made of a document."""
        query = select(ExtractionRow.text_id).where(ExtractionRow.content_id == document_id)
        return sorted(self._database.scalars(query))

    def text(self, text_id: str) -> tuple[ParsedDocument, tuple[DetectedReference, ...]]:
        """A text with its sections and references."""
        found = select(ReferenceRow).where(ReferenceRow.text_id == text_id).order_by(ReferenceRow.n)
        with self._database.read() as session:
            parsed = read_text(session, session.get_one(TextRow, text_id))
        return parsed, tuple(self._database.values(DetectedReference, found))

    def aliases(self, collection_id: str, member: ArchivedMember) -> tuple[Alias, ...]:
        """The names of a document in the collection."""
        query = ALIASES.where(
            AliasRow.collection_id == collection_id, AliasRow.content_id == member.document_id
        )
        return tuple(self._database.values(Alias, query.order_by(AliasRow.n)))

    def spans(self, text_id: str, chunking: str) -> list[ChunkSpan]:
        """The chunks of a text by a chunking key, in their order."""
        query = select(ChunkRow).where(cut_by(text_id, chunking)).order_by(ChunkRow.n)
        return self._database.values(ChunkSpan, query)

    def put_text(
        self,
        document_id: str,
        size: int,
        parsed: ParsedDocument,
        references: Sequence[DetectedReference],
    ) -> str:
        """Store a text of a document. One that the document has by that parser version stays.

        A document that the catalog did not hold has its first text as the current one.

        Returns:
            The id under which the catalog holds the text.
        """
        known = extracted(document_id, parsed.parser_version).limit(1)
        with self._database.write() as session:
            there = session.scalar(known)
            if there is not None and there in ids.text_ids(parsed):
                return there
            (text_id,) = store_texts(session, [(parsed, references)])
            row = {"content_id": document_id, "text_id": text_id}
            insert_missing(session, ContentRow, [row | {"size": size, "created_at": ids.now()}])
            if there is None:
                insert_missing(session, ExtractionRow, [row])
        return text_id

    def put_member(
        self, collection_id: str, member: NewMember, chunking: str, *, retired: bool
    ) -> str:
        """Make a stored document a member, pending or retired; the id of its current text."""
        with self._database.write() as session:
            put_members(session, collection_id, [member], chunking)
            row = session.get_one(MembershipRow, (collection_id, member.document_id))
            if retired:
                row.status = "retired"
            return row.content.text_id
