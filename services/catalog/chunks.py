"""Texts cut into chunks: storing a cut, and reading chunks within the scope of a request.

A text may be cut in several ways at a time, by the chunkings of its collections.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from itertools import compress
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, bindparam, delete, func, literal, select, update
from sqlalchemy.orm import Session

from services.catalog import ids
from services.catalog.access import visible, visible_in
from services.catalog.database import (
    Database,
    Repository,
    batches,
    cached,
    cached_each,
    insert_missing,
    one_of,
)
from services.catalog.models import (
    ChunkingRow,
    ChunkRow,
    ContentRow,
    EmbeddingRow,
    LeftoverRow,
    MembershipRow,
)
from services.catalog.texts import TextCache, TitledText
from services.domain import ChunkSpan, Passage, Scope
from services.domain.passages import page_fields


class Cut(NamedTuple):
    """A document as one chunking of a scope cuts its current text."""

    document: str
    document_id: str
    text_id: str
    chunking: str


class DocumentChunks:
    """The chunks of a document, read once; their passages are made when they are needed."""

    def __init__(self, cut: Cut, rows: Sequence[Row[Any]], text: TitledText) -> None:
        self._cut, self._rows, self._text = cut, rows, text
        self._places = [(row.section, row.start, row.end) for row in rows]

    def of_section(self, label: str) -> list[Passage]:
        """Return the chunks with exactly this section label, in text order."""
        return self._passages(section == label for section, _, _ in self._places)

    def between(self, start: int, end: float) -> list[Passage]:
        """Return the chunks that touch a span of the text, in text order."""
        return self._passages(last > start and first < end for _, first, last in self._places)

    def _passages(self, selected: Iterable[bool]) -> list[Passage]:
        rows = compress(self._rows, selected)
        return [passage_of(row, self._cut, self._text) for row in rows]


def passage_of(row: Row[Any], cut: Cut, text: TitledText) -> Passage:
    return Passage(
        chunk_id=row.chunk_id,
        document_id=cut.document_id,
        text_id=row.text_id,
        document=cut.document,
        title=text.title,
        section=row.section,
        heading_path=tuple(row.heading_path),
        start=row.start,
        end=row.end,
        text=text.text[row.start : row.end],
        **page_fields(row.page, text.page_labels),
    )


# A search reads its hits by these. Building them for each search took five times as long as that.
BY_ID = select(ChunkRow.__table__).where(ChunkRow.chunk_id.in_(bindparam("ids", expanding=True)))
BY_TEXT = (
    select(ChunkRow.__table__)
    .where(ChunkRow.text_id.in_(bindparam("texts", expanding=True)))
    .order_by(ChunkRow.text_id, ChunkRow.chunking, ChunkRow.n)
)
CONTENTS_OF = select(ContentRow.content_id, ContentRow.text_id).where(
    ContentRow.text_id.in_(bindparam("texts", expanding=True))
)
MEMBERS_OF = select(MembershipRow.document, MembershipRow.content_id, MembershipRow.chunking).where(
    MembershipRow.content_id.in_(bindparam("contents", expanding=True)),
    visible_in(bindparam("collections", expanding=True)),
)


class Chunks(Repository):
    """Reads chunks. What lies outside the scope is absent, as if it did not exist."""

    def __init__(self, database: Database, texts: TextCache) -> None:
        super().__init__(database)
        self._texts = texts

    def get(self, chunk_ids: Sequence[str], *, scope: Scope) -> dict[str, Passage]:
        """Return the chunks with these ids, in the given order."""
        passages: dict[str, Passage] = {}
        for batch in batches(dict.fromkeys(chunk_ids)):
            with self._database.read() as session:
                rows = session.connection().execute(BY_ID, {"ids": batch}).all()
            passages |= {passage.chunk_id: passage for passage in self._within(rows, scope)}
        return {chunk_id: passages[chunk_id] for chunk_id in chunk_ids if chunk_id in passages}

    def of_section(self, document_id: str, label: str, *, scope: Scope) -> list[Passage]:
        """Return the chunks of a document with exactly this section label, of one cut, in order."""
        cut = self._cuts([document_id], scope)[document_id]
        if cut is None:
            return []
        of_section = cut_by(cut.text_id, cut.chunking) & (ChunkRow.section == label)
        return self._passages(self._rows(of_section), [cut])

    def of_documents(
        self, document_ids: Collection[str], *, scope: Scope
    ) -> dict[str, DocumentChunks]:
        """Return all chunks of documents, of one cut each, for several lookups in them."""
        seen_or_not = self._cuts(frozenset(document_ids), scope)
        cuts = {document_id: cut for document_id, cut in seen_or_not.items() if cut is not None}
        with self._database.read() as session:
            texts = self._texts.get(session, [cut.text_id for cut in cuts.values()])
            rows: defaultdict[tuple[str, str], list[Row[Any]]] = defaultdict(list)
            for row in session.connection().execute(BY_TEXT, {"texts": list(texts)}):
                rows[row.text_id, row.chunking].append(row)
        return {
            key: DocumentChunks(cut, rows[cut.text_id, cut.chunking], texts[cut.text_id])
            for key, cut in cuts.items()
            if cut.text_id in texts
        }

    @cached_each(1_000)
    def _cuts(self, document_ids: Collection[str], scope: Scope) -> dict[str, Cut | None]:
        """Return how each document is cut in the scope; by one of its cuts, None if not seen."""
        member = MembershipRow
        query = (
            select(member.document, ContentRow.content_id, ContentRow.text_id, member.chunking)
            .join(member, member.content_id == ContentRow.content_id)
            .order_by(member.chunking.desc(), member.document.desc())
        )
        with self._database.read() as session:
            listed = one_of(session, ContentRow.content_id, document_ids)
            rows = session.execute(query.where(listed, visible(scope))).all()
        return dict.fromkeys(document_ids) | {row.content_id: Cut(*row) for row in rows}

    def neighbours(self, chunk_id: str, *, scope: Scope) -> list[Passage]:
        """Return the chunks before and after one, if in the same section, in text order."""
        with self._database.read() as session:
            middle = session.get(ChunkRow, chunk_id)
        if middle is None:
            return []
        adjacent = (
            cut_by(middle.text_id, middle.chunking)
            & ChunkRow.n.between(middle.n - 1, middle.n + 1)
            & (ChunkRow.section == middle.section)
            & (ChunkRow.chunk_id != chunk_id)
        )
        return self._within(self._rows(adjacent), scope)

    def ids(self, collection_id: str) -> list[str]:
        """Return the ids of all chunks that the indexes of a collection must hold, sorted."""
        query = (
            select(ChunkRow.chunk_id)
            .join(ContentRow, ContentRow.text_id == ChunkRow.text_id)
            .join(MembershipRow)
            .where(visible_in([collection_id]), MembershipRow.chunking == ChunkRow.chunking)
        )
        return sorted(self._database.scalars(query.distinct()))

    @cached()
    def count(self, collection_id: str) -> int:
        """Return the number of `ids`."""
        cuts = (
            select(ContentRow.text_id, MembershipRow.chunking)
            .join(MembershipRow)
            .where(visible_in([collection_id]))
            .distinct()
            .subquery()
        )
        same = (ChunkingRow.text_id == cuts.c.text_id) & (ChunkingRow.chunking == cuts.c.chunking)
        return self._database.scalar(select(func.sum(ChunkingRow.chunks)).join(cuts, same)) or 0

    def leftovers(self, collection_id: str) -> list[str]:
        """Return the ids of chunks that a collection lost and its indexes may still contain."""
        query = select(LeftoverRow.chunk_id).where(LeftoverRow.collection_id == collection_id)
        return sorted(self._database.scalars(query))

    def collections_with_leftovers(self) -> list[str]:
        """Return the ids of the collections with `leftovers`."""
        return sorted(self._database.scalars(select(LeftoverRow.collection_id).distinct()))

    def forget_leftovers(self, collection_id: str, chunk_ids: Sequence[str]) -> None:
        """Note that the indexes of the collection no longer contain these chunks."""
        deletion = delete(LeftoverRow).where(LeftoverRow.collection_id == collection_id)
        self._database.execute(
            *(deletion.where(LeftoverRow.chunk_id.in_(batch)) for batch in batches(chunk_ids))
        )

    def of_member(
        self, collection_id: str, *document_ids: str, chunking: str | None = None
    ) -> list[Passage]:
        """Return all chunks of documents in a collection, pending or not, to build its indexes.

        A text that several of the documents share is read once.
        """
        member = MembershipRow
        used = member.chunking if chunking is None else literal(chunking)
        with self._database.read() as session:
            query = (
                select(member.document, member.content_id, ContentRow.text_id, used)
                .join(member, member.content_id == ContentRow.content_id)
                .where(member.collection_id == collection_id)
                .where(one_of(session, member.content_id, document_ids))
            )
            cuts = [Cut(*row) for row in session.execute(query)]
            of_cuts = one_of(session, ChunkRow.text_id, {cut.text_id for cut in cuts})
            of_cuts &= ChunkRow.chunking.in_({cut.chunking for cut in cuts})
            chunks = session.connection().execute(select(ChunkRow.__table__).where(of_cuts)).all()
        return self._passages(chunks, cuts)

    def _rows(self, chunks: ColumnElement[bool]) -> Sequence[Row[Any]]:
        return self._database.rows(select(*ChunkRow.__table__.c).where(chunks))

    def _within(self, rows: Sequence[Row[Any]], scope: Scope) -> list[Passage]:
        """Return those of the chunks that the scope sees, in text order.

        Each step uses an index; a join in one step made SQLite walk over all chunks of the scope.
        """
        by_text = self._holders({row.text_id for row in rows}, scope)
        return self._passages(rows, [cut for cuts in by_text.values() for cut in cuts])

    @cached_each()
    def _holders(self, text_ids: Collection[str], scope: Scope) -> dict[str, tuple[Cut, ...]]:
        """Return the documents within the scope that have these texts, the first one last."""
        with self._database.read() as session:
            connection = session.connection()
            contents = connection.execute(CONTENTS_OF, {"texts": list(text_ids)}).all()
            text_of = {
                row.content_id: row.text_id
                for row in contents
                if scope.documents is None or row.content_id in scope.documents
            }
            parameters = {"contents": list(text_of), "collections": list(scope.collections)}
            cuts = [
                Cut(document, document_id, text_of[document_id], chunking)
                for document, document_id, chunking in connection.execute(MEMBERS_OF, parameters)
            ]
        by_text: dict[str, list[Cut]] = {text_id: [] for text_id in text_ids}
        for cut in sorted(cuts, reverse=True):
            by_text[cut.text_id].append(cut)
        return {text_id: tuple(of_text) for text_id, of_text in by_text.items()}

    def _passages(self, rows: Sequence[Row[Any]], cuts: Iterable[Cut]) -> list[Passage]:
        """Return the chunks of these cuts, of equal ones the last, in text order."""
        by_key = {(cut.text_id, cut.chunking): cut for cut in cuts}
        with self._database.read() as session:
            texts = self._texts.get(session, {text_id for text_id, _ in by_key})
        chunks = [
            (by_key[row.text_id, row.chunking], row)
            for row in rows
            if (row.text_id, row.chunking) in by_key and row.text_id in texts
        ]
        chunks.sort(key=lambda chunk: (chunk[0].document, chunk[1].text_id, chunk[1].n))
        return [passage_of(row, cut, texts[row.text_id]) for cut, row in chunks]


def store_chunks(session: Session, chunking: str, cuts: Mapping[str, Sequence[ChunkSpan]]) -> None:
    """Store the chunks of texts that have none; replace what a broken off call has left."""
    fields = {"chunking": chunking, "complete": False}
    chunkings = [{"text_id": key, "chunks": len(cuts[key])} | fields for key in sorted(cuts)]
    insert_missing(session, ChunkingRow, chunkings)
    incomplete = (ChunkingRow.chunking == chunking) & ~ChunkingRow.complete
    incomplete &= one_of(session, ChunkingRow.text_id, cuts)
    new = list(session.scalars(select(ChunkingRow.text_id).where(incomplete)))
    partial = (ChunkRow.chunking == chunking) & one_of(session, ChunkRow.text_id, new)
    session.execute(delete(ChunkRow).where(partial))
    rows = [
        {"chunk_id": ids.chunk_id(key, chunking, span.start, span.end), "text_id": key}
        | {"chunking": chunking, "n": n}
        | span.model_dump()
        for key in new
        for n, span in enumerate(cuts[key])
    ]
    insert_missing(session, ChunkRow, rows)
    session.execute(update(ChunkingRow).where(incomplete).values(complete=True))


def complete_cuts(session: Session, text_ids: Iterable[str]) -> set[tuple[str, str]]:
    """Return text id and chunking of the cuts of these texts whose chunks are all stored."""
    query = select(ChunkingRow.text_id, ChunkingRow.chunking).where(ChunkingRow.complete)
    rows = session.execute(query.where(one_of(session, ChunkingRow.text_id, text_ids)))
    return {(text_id, chunking) for text_id, chunking in rows}


def cut_by(text_id: str, chunking: str) -> ColumnElement[bool]:
    return (ChunkRow.text_id == text_id) & (ChunkRow.chunking == chunking)


def release_cut(session: Session, collections: Iterable[str], text_id: str, chunking: str) -> None:
    """Note that members of collections gave up a cut: what nobody uses is left over, or dropped."""
    users = users_of(session, text_id, chunking)
    for collection_id in set(collections) - users:
        note_leftovers(session, collection_id, text_id, chunking)
    if not users:
        drop_cut(session, text_id, chunking)


def drop_cut(session: Session, text_id: str, chunking: str) -> None:
    for model in (ChunkRow, ChunkingRow):
        session.execute(delete(model).filter_by(text_id=text_id, chunking=chunking))


def note_leftovers(session: Session, collection_id: str, text_id: str, chunking: str) -> None:
    """Make the chunks of a cut leftovers, to be deleted from the collection's indexes."""
    chunk_ids = session.scalars(select(ChunkRow.chunk_id).where(cut_by(text_id, chunking))).all()
    for batch in batches({"collection_id": collection_id, "chunk_id": key} for key in chunk_ids):
        insert_missing(session, LeftoverRow, batch)


def forget_leftovers_of(session: Session, collection_id: str, cuts: Set[tuple[str, str]]) -> None:
    """Let the chunks of cuts, by text id and chunking, stay in the collection's indexes."""
    deletion = delete(LeftoverRow).where(LeftoverRow.collection_id == collection_id)
    for key in {chunking for _, chunking in cuts}:
        of_texts = one_of(session, ChunkRow.text_id, {text for text, cut in cuts if cut == key})
        used = select(ChunkRow.chunk_id).where(of_texts, ChunkRow.chunking == key)
        session.execute(deletion.where(LeftoverRow.chunk_id.in_(used)))


def users_of(session: Session, text_id: str, chunking: str) -> set[str]:
    """Return the ids of collections with a member of this current text and chunking."""
    query = (
        select(MembershipRow.collection_id)
        .join(ContentRow)
        .where(
            ContentRow.text_id == text_id,
            MembershipRow.chunking == chunking,
            MembershipRow.status != "retired",
        )
    )
    return set(session.scalars(query))


class Embeddings(Repository):
    """Passage vectors (float32, little-endian) by fingerprint and hash, so none is made twice."""

    def get(self, fingerprint: str, hashes: Sequence[str]) -> dict[str, bytes]:
        """Return the cached vectors by hash."""
        query = select(EmbeddingRow.hash, EmbeddingRow.vector)
        with self._database.read() as session:
            listed = one_of(session, EmbeddingRow.hash, hashes)
            query = query.where(EmbeddingRow.fingerprint == fingerprint, listed)
            return dict(session.execute(query).all())

    def put(self, fingerprint: str, vectors: Mapping[str, bytes]) -> None:
        """Store vectors; existing ones stay."""
        rows = (
            {"fingerprint": fingerprint, "hash": key, "vector": vector}
            for key, vector in vectors.items()
        )
        self._database.insert_missing(EmbeddingRow, rows, journal=True)

    def keep(self, hashes: Set[str]) -> None:
        """Delete the vectors of all other texts."""
        for fingerprint in self._database.scalars(select(EmbeddingRow.fingerprint).distinct()):
            of_model = EmbeddingRow.fingerprint == fingerprint
            stored = self._database.scalars(select(EmbeddingRow.hash).where(of_model))
            for batch in batches(key for key in stored if key not in hashes):
                with self._database.write(journal=True) as session:
                    others = of_model & one_of(session, EmbeddingRow.hash, batch)
                    session.execute(delete(EmbeddingRow).where(others))
