"""Texts cut into chunks: storing a cut, and dropping those that no collection uses any more.

A text may be cut in several ways at a time, one for each collection that wants another.
"""

from collections.abc import Iterator, Mapping, Sequence

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.orm import Session

from services.catalog import ids
from services.catalog.database import Database, batches, insert_missing
from services.catalog.models import (
    ChunkingRow,
    ChunkRow,
    ContentRow,
    ExtractionRow,
    LeftoverRow,
    MembershipRow,
)
from services.types import ChunkSpan


def store_chunks(
    database: Database, text_id: str, chunking: str, spans: Sequence[ChunkSpan]
) -> None:
    """Store the chunks of a text unless they are there, in short transactions.

    They count as stored when the ``complete`` flag is set, which is the last step; what a
    broken off call left is replaced.
    """
    this = (ChunkingRow.text_id == text_id) & (ChunkingRow.chunking == chunking)
    row = {"text_id": text_id, "chunking": chunking, "chunks": len(spans), "complete": False}
    with database.write() as session:
        if is_cut(session, text_id, chunking):
            return
        session.execute(delete(ChunkRow).where(cut_by(text_id, chunking)))
        session.execute(delete(ChunkingRow).where(this))
        insert_missing(session, ChunkingRow, [row])
    for batch in batches(chunk_rows(text_id, chunking, spans)):
        with database.write() as session:
            insert_missing(session, ChunkRow, batch)
    with database.write() as session:
        session.execute(update(ChunkingRow).where(this).values(complete=True))


def chunk_rows(
    text_id: str, chunking: str, spans: Sequence[ChunkSpan]
) -> Iterator[Mapping[str, object]]:
    for n, span in enumerate(spans):
        key = ids.chunk_id(text_id, chunking, span.start, span.end)
        place = {"chunk_id": key, "text_id": text_id, "chunking": chunking, "n": n}
        yield place | span.model_dump()


def is_cut(session: Session, text_id: str, chunking: str) -> bool:
    """Whether all chunks of the text by that chunking are there."""
    row = session.get(ChunkingRow, (text_id, chunking))
    return row is not None and row.complete


def cut_by(text_id: str, chunking: str) -> ColumnElement[bool]:
    return (ChunkRow.text_id == text_id) & (ChunkRow.chunking == chunking)


def drop_unused(session: Session, content_ids: Sequence[str]) -> None:
    """Drop the cuts of all texts of these contents that nobody uses.

    Wherever such a content is a member, the chunks that the collection does not use become
    leftovers, for its indexes to be rid of.
    """
    texts = select(ExtractionRow.text_id).where(ExtractionRow.content_id.in_(content_ids))
    query = select(ChunkingRow.text_id, ChunkingRow.chunking)
    for text_id, chunking in session.execute(query.where(ChunkingRow.text_id.in_(texts))).all():
        users, chunks = users_of(session, text_id, chunking), cut_by(text_id, chunking)
        others = holders_of(session, text_id) - users
        found = session.scalars(select(ChunkRow.chunk_id).where(chunks)).all() if others else ()
        for collection_id in sorted(others):
            rows = ({"collection_id": collection_id, "chunk_id": key} for key in found)
            for batch in batches(rows):
                insert_missing(session, LeftoverRow, batch)
        if not users:
            session.execute(delete(ChunkRow).where(chunks))
            session.execute(
                delete(ChunkingRow).where(
                    ChunkingRow.text_id == text_id, ChunkingRow.chunking == chunking
                )
            )


def users_of(session: Session, text_id: str, chunking: str) -> set[str]:
    """Collections whose current text and chunking of some member are these."""
    query = (
        select(MembershipRow.collection_id)
        .join(ContentRow, ContentRow.content_id == MembershipRow.content_id)
        .where(
            ContentRow.text_id == text_id,
            MembershipRow.chunking == chunking,
            MembershipRow.status != "retired",
        )
    )
    return set(session.scalars(query))


def holders_of(session: Session, text_id: str) -> set[str]:
    """Collections that hold, or once held, a content of which the text was ever made."""
    query = (
        select(MembershipRow.collection_id)
        .join(ExtractionRow, ExtractionRow.content_id == MembershipRow.content_id)
        .where(ExtractionRow.text_id == text_id)
    )
    return set(session.scalars(query))
