"""Chunks with their texts, as far as a request may see them."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, ScalarSelect, select
from sqlalchemy.orm import Session

from services.catalog.access import visible
from services.catalog.database import Database, batches
from services.catalog.documents import member_chunk_ids
from services.catalog.models import (
    ChunkRow,
    ContentRow,
    ExtractionRow,
    MembershipRow,
)
from services.catalog.text_cache import KeptText, TextCache
from services.types import Chunk, Scope


@dataclass(frozen=True)
class Holder:
    """A document that holds a text."""

    document_id: str
    document: str


class Chunks:
    """Read chunks. What lies outside the scope is absent, as if it did not exist."""

    def __init__(self, database: Database, texts: TextCache) -> None:
        self._database = database
        self._texts = texts

    def get(self, chunk_ids: Sequence[str], *, scope: Scope) -> dict[str, Chunk]:
        """The chunks with these ids, in the order asked for."""
        found: dict[str, Chunk] = {}
        with self._database.read() as session:
            for batch in batches(dict.fromkeys(chunk_ids)):
                chunks = self._read(session, ChunkRow.chunk_id.in_(batch), visible(scope))
                found |= {chunk.chunk_id: chunk for chunk in chunks}
        return {key: found[key] for key in chunk_ids if key in found}

    def of_section(self, document_id: str, label: str, *, scope: Scope) -> list[Chunk]:
        """The chunks of a document that carry exactly this section label, in text order."""
        chunks = (ChunkRow.text_id == text_id_of(document_id)) & (ChunkRow.section == label)
        members = (MembershipRow.content_id == document_id) & visible(scope)
        with self._database.read() as session:
            return self._read(session, chunks, members)

    def neighbours(
        self, chunk_id: str, *, scope: Scope, before: int = 1, after: int = 1
    ) -> list[Chunk]:
        """Up to ``before`` and ``after`` chunks beside one, in text order, without itself.

        They stay in the same document and under the same section label.
        """
        with self._database.read() as session:
            middle = session.get(ChunkRow, chunk_id)
            if middle is None:
                return []
            beside = (
                (ChunkRow.text_id == middle.text_id)
                & ChunkRow.n.between(middle.n - before, middle.n + after)
                & (ChunkRow.section == middle.section)
                & (ChunkRow.chunk_id != chunk_id)
            )
            return self._read(session, beside, visible(scope))

    def ids(self, collection_id: str) -> list[str]:
        """Every chunk that the indexes of a collection must hold, sorted."""
        with self._database.read() as session:
            return sorted(session.scalars(member_chunk_ids(collection_id)))

    def superseded(self, document_id: str) -> list[str]:
        """Chunks of older texts of a document, which a newer parser has read anew."""
        query = (
            select(ChunkRow.chunk_id)
            .join(ExtractionRow, ExtractionRow.text_id == ChunkRow.text_id)
            .where(
                ExtractionRow.content_id == document_id,
                ExtractionRow.text_id != text_id_of(document_id),
            )
        )
        with self._database.read() as session:
            return sorted(session.scalars(query))

    def of_member(self, collection_id: str, document_id: str) -> list[Chunk]:
        """All chunks of a document in a collection, pending or not: for building indexes."""
        member = (MembershipRow.collection_id == collection_id) & (
            MembershipRow.content_id == document_id
        )
        with self._database.read() as session:
            return self._read(session, ChunkRow.text_id == text_id_of(document_id), member)

    def _read(
        self, session: Session, chunks: ColumnElement[bool], members: ColumnElement[bool]
    ) -> list[Chunk]:
        """The chunks that meet a condition, if a membership meets the other, in text order.

        In steps that each use an index: a join in one step made SQLite walk over all chunks
        of the scope.
        """
        rows = list(session.scalars(select(ChunkRow).where(chunks)))
        holders = holders_of(session, sorted({row.text_id for row in rows}), members)
        texts = self._texts.get(session, holders)
        rows = [row for row in rows if row.text_id in texts]
        rows.sort(key=lambda row: (holders[row.text_id].document, row.text_id, row.n))
        return [as_chunk(row, holders[row.text_id], texts[row.text_id]) for row in rows]


def text_id_of(document_id: str) -> ScalarSelect[str]:
    """The current text of a document, as part of a query."""
    return select(ContentRow.text_id).where(ContentRow.content_id == document_id).scalar_subquery()


def holders_of(
    session: Session, text_ids: Sequence[str], members: ColumnElement[bool]
) -> dict[str, Holder]:
    """The document that holds each text; of several with the same text, by file name."""
    text_of: dict[str, str] = {}
    found: list[Holder] = []
    for batch in batches(text_ids):
        contents = select(ContentRow.content_id, ContentRow.text_id).where(
            ContentRow.text_id.in_(batch)
        )
        text_of.update((row.content_id, row.text_id) for row in session.execute(contents))
    for batch in batches(text_of):
        names = select(MembershipRow.content_id, MembershipRow.document).where(
            MembershipRow.content_id.in_(batch), members
        )
        found += [Holder(content_id, document) for content_id, document in session.execute(names)]
    found.sort(key=lambda holder: (holder.document, holder.document_id), reverse=True)
    return {text_of[holder.document_id]: holder for holder in found}


def as_chunk(chunk: ChunkRow, holder: Holder, text: KeptText) -> Chunk:
    return Chunk(
        chunk_id=chunk.chunk_id,
        document_id=holder.document_id,
        text_id=chunk.text_id,
        document=holder.document,
        title=text.title,
        page=chunk.page,
        section=chunk.section,
        heading_path=tuple(chunk.heading_path),
        start=chunk.start,
        end=chunk.end,
        text=text.text[chunk.start : chunk.end],
    )
