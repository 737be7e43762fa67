"""Texts cut into chunks: storing a cut, and dropping those that no collection uses any more.

A text may be cut in several ways at a time, one for each collection that wants another.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.orm import Session

from services.catalog import ids
from services.catalog.database import Database, batches, insert_missing
from services.catalog.models import (
    ChunkingRow,
    ChunkRow,
    ContentRow,
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
    row = {"text_id": text_id, "chunking": chunking, "chunks": len(spans), "complete": False}
    with database.write() as session:
        if is_cut(session, text_id, chunking):
            return
        session.execute(delete(ChunkRow).where(cut_by(text_id, chunking)))
        session.execute(delete(ChunkingRow).where(is_row(text_id, chunking)))
        insert_missing(session, ChunkingRow, [row])
    for batch in batches(chunk_rows(text_id, chunking, spans)):
        with database.write() as session:
            insert_missing(session, ChunkRow, batch)
    with database.write() as session:
        done = update(ChunkingRow).where(is_row(text_id, chunking))
        session.execute(done.values(complete=True))


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


def is_row(text_id: str, chunking: str) -> ColumnElement[bool]:
    return (ChunkingRow.text_id == text_id) & (ChunkingRow.chunking == chunking)


def cut_by(text_id: str, chunking: str) -> ColumnElement[bool]:
    return (ChunkRow.text_id == text_id) & (ChunkRow.chunking == chunking)


def leave(session: Session, collections: Iterable[str], text_id: str, chunking: str) -> None:
    """Note that members of collections gave up a cut; call it when their rows say so.

    Where no other member uses it, its chunks become leftovers for the collection's indexes to
    be rid of. A cut that no collection uses any more is dropped.
    """
    users, chunks = users_of(session, text_id, chunking), cut_by(text_id, chunking)
    for collection_id in set(collections) - users:
        note_leftovers(session, collection_id, text_id, chunking)
    if not users:
        session.execute(delete(ChunkRow).where(chunks))
        session.execute(delete(ChunkingRow).where(is_row(text_id, chunking)))


def note_leftovers(session: Session, collection_id: str, text_id: str, chunking: str) -> None:
    """Have the chunks of a cut taken out of the collection's indexes."""
    found = session.scalars(select(ChunkRow.chunk_id).where(cut_by(text_id, chunking))).all()
    for batch in batches({"collection_id": collection_id, "chunk_id": key} for key in found):
        insert_missing(session, LeftoverRow, batch)


def keep(session: Session, collection_id: str, text_id: str, chunking: str) -> None:
    """Have the chunks of a cut stay in the collection's indexes."""
    used = select(ChunkRow.chunk_id).where(cut_by(text_id, chunking))
    mine = LeftoverRow.collection_id == collection_id
    session.execute(delete(LeftoverRow).where(mine, LeftoverRow.chunk_id.in_(used)))


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
