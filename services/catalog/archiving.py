"""Reading a collection row by row for an archive, and writing its documents back."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import select

from services.catalog import ids
from services.catalog.chunkings import cut_by, store_chunks
from services.catalog.content import TextParts, store_text
from services.catalog.database import Database, insert_missing
from services.catalog.members import put_member
from services.catalog.models import (
    AliasRow,
    ChunkRow,
    ContentRow,
    ExtractionRow,
    MembershipRow,
    ReferenceRow,
    TextRow,
)
from services.catalog.texts import sections_of
from services.catalog.values import Alias
from services.types import ChunkSpan, DetectedReference, ParsedDocument


class ArchivedMember(NamedTuple):
    """A membership with the current text of its content."""

    document_id: str
    document: str
    size: int
    chunking: str
    status: str
    text_id: str


class Archiving:
    """Access has been checked. Writing is repeatable, and never changes what is there."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def members(self, collection_id: str) -> list[ArchivedMember]:
        """Indexed and retired documents, by file name."""
        query = (
            select(
                ContentRow.content_id,
                MembershipRow.document,
                ContentRow.size,
                MembershipRow.chunking,
                MembershipRow.status,
                ContentRow.text_id,
            )
            .join(MembershipRow, MembershipRow.content_id == ContentRow.content_id)
            .where(MembershipRow.collection_id == collection_id, MembershipRow.status != "pending")
            .order_by(MembershipRow.document, ContentRow.content_id)
        )
        with self._database.read() as session:
            return [ArchivedMember(*row) for row in session.execute(query)]

    def texts_of(self, document_id: str) -> list[str]:
        """Ids of all texts that were made of a document."""
        query = select(ExtractionRow.text_id).where(ExtractionRow.content_id == document_id)
        with self._database.read() as session:
            return sorted(session.scalars(query))

    def text(self, text_id: str) -> tuple[ParsedDocument, tuple[DetectedReference, ...]]:
        """A text with its sections and references."""
        found = select(ReferenceRow).where(ReferenceRow.text_id == text_id).order_by(ReferenceRow.n)
        fields = DetectedReference.model_fields
        with self._database.read() as session:
            row = session.get_one(TextRow, text_id)
            parsed = ParsedDocument(
                title=row.title,
                text=row.text,
                pages=tuple(row.pages),
                sections=tuple(sections_of(session, text_id)),
                language=row.language,
                parser_version=row.parser_version,
            )
            references = tuple(
                DetectedReference.model_validate({name: getattr(each, name) for name in fields})
                for each in session.scalars(found)
            )
        return parsed, references

    def aliases(self, collection_id: str, member: ArchivedMember) -> tuple[Alias, ...]:
        """The names of a document in the collection."""
        query = (
            select(AliasRow)
            .where(
                AliasRow.collection_id == collection_id, AliasRow.content_id == member.document_id
            )
            .order_by(AliasRow.n)
        )
        with self._database.read() as session:
            return tuple(
                Alias(
                    document_id=member.document_id,
                    document=member.document,
                    title=row.title,
                    alias=row.alias,
                    kind=row.kind,
                    series=row.series,
                    number=row.number,
                )
                for row in session.scalars(query)
            )

    def spans(self, text_id: str, chunking: str) -> list[ChunkSpan]:
        """The chunks of a text by a chunking key, in their order."""
        query = select(ChunkRow).where(cut_by(text_id, chunking)).order_by(ChunkRow.n)
        fields = ChunkSpan.model_fields
        with self._database.read() as session:
            return [
                ChunkSpan.model_validate({name: getattr(row, name) for name in fields})
                for row in session.scalars(query)
            ]

    def put_text(
        self,
        document_id: str,
        size: int,
        parsed: ParsedDocument,
        references: Sequence[DetectedReference],
    ) -> None:
        """Store a text of a document. One that the document has by that parser version stays.

        A document that the catalog did not hold has its first text as the current one.
        """
        text_id = store_text(self._database, TextParts(parsed, references))
        content = {"content_id": document_id, "size": size, "text_id": text_id}
        known = (
            select(TextRow.text_id)
            .join(ExtractionRow, ExtractionRow.text_id == TextRow.text_id)
            .where(
                ExtractionRow.content_id == document_id,
                TextRow.parser_version == parsed.parser_version,
            )
        )
        with self._database.write() as session:
            insert_missing(session, ContentRow, [content | {"created_at": ids.now()}])
            if session.scalar(known.limit(1)) is None:
                row = {"content_id": document_id, "text_id": text_id}
                insert_missing(session, ExtractionRow, [row])

    def put_chunks(self, text_id: str, chunking: str, spans: Sequence[ChunkSpan]) -> None:
        """Store the chunks of a text unless they are there."""
        store_chunks(self._database, text_id, chunking, spans)

    def put_member(
        self,
        collection_id: str,
        document_id: str,
        document: str,
        chunking: str,
        aliases: Sequence[Alias],
        *,
        retired: bool,
    ) -> str:
        """Make a stored document a member, pending or retired; the id of its current text."""
        with self._database.write() as session:
            put_member(session, collection_id, document_id, document, None, aliases, chunking)
            if retired:
                row = session.get_one(MembershipRow, (collection_id, document_id))
                row.status = "retired"
            return session.get_one(ContentRow, document_id).text_id
