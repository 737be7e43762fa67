"""How far a document is in a collection, how it is cut there, and what it replaces."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, false, func, select
from sqlalchemy.orm import Session, joinedload, selectinload
from sqlalchemy.sql.base import ExecutableOption

from services.catalog import ids
from services.catalog.chunks import are_cut, keep, leave, note_leftovers, store_chunks, users_of
from services.catalog.collections import bumped
from services.catalog.database import insert_missing, one_of
from services.catalog.metadata import inherit, not_in_collection, refresh, state
from services.catalog.models import (
    OF_MEMBER,
    AliasRow,
    ChunkingRow,
    CollectionRow,
    ContentRow,
    ExtractionRow,
    MembershipRow,
    TextRow,
)
from services.catalog.texts import Texts, current_text
from services.catalog.values import Member, NewDocument, NewMember, Place
from services.domain import ChunkSpan
from services.domain.errors import NotFound, StoresBusy

BETWEEN = " / "
"""Stands between the name of a mail and that of what is attached to it."""


class Entry(NamedTuple):
    """An indexed member: where it came from, how it was read and cut."""

    document: str
    source: str | None
    chunking: str
    parser_version: str
    chunks: int


class Ledger:
    """What a collection held when an ingestion began: indexed members that it has not changed.

    Most ingestions are repeated, and most files are then unchanged. To find that out for each by
    itself takes five queries.
    """

    def __init__(self, entries: dict[str, Entry], pending: Counter[str]) -> None:
        self._entries = entries
        self._bearers = pending + Counter(entry.document for entry in entries.values())

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


class Memberships(Texts):
    """Documents on their way into a collection: pending, indexed, retired."""

    def member(self, collection_id: str, document_id: str) -> Member | None:
        """The document's place in the collection, None when it is no member."""
        found = self._members(collection_id, MembershipRow.content_id == document_id)
        return found[0] if found else None

    def ledger(self, collection_id: str) -> Ledger:
        """The members of a collection at this moment, retired ones left out."""
        member = MembershipRow
        query = (
            select(member.content_id, member.status, member.document, member.source)
            .add_columns(member.chunking, TextRow.parser_version, ChunkingRow.chunks)
            .join(ContentRow, ContentRow.content_id == member.content_id)
            .join(TextRow, TextRow.text_id == ContentRow.text_id)
            .outerjoin(ChunkingRow, OF_MEMBER)
            .where(member.collection_id == collection_id, member.status != "retired")
        )
        entries: dict[str, Entry] = {}
        pending: Counter[str] = Counter()
        for document_id, status, document, *read in self._database.rows(query):
            if status == "indexed":
                entries[document_id] = Entry(document, *read)
            else:
                pending[document] += 1
        return Ledger(entries, pending)

    def namesakes(self, collection_id: str, document: str, document_id: str) -> list[Member]:
        """Other members, pending or indexed, that bear the same file name."""
        others = (MembershipRow.document == document) & (MembershipRow.content_id != document_id)
        return self._members(collection_id, others, MembershipRow.status != "retired")

    def attached(self, collection_id: str, document: str) -> list[Member]:
        """Members, pending or indexed, that are attached to e-mails of a file name."""
        named = MembershipRow.document.startswith(document + BETWEEN, autoescape=True)
        return self._members(collection_id, named, MembershipRow.status != "retired")

    def members(self, collection_id: str) -> list[Member]:
        """Those that are pending or indexed, by file name."""
        return self._members(collection_id, MembershipRow.status != "retired")

    def _members(self, collection_id: str, *which: ColumnElement[bool]) -> list[Member]:
        query = select(MembershipRow).where(MembershipRow.collection_id == collection_id, *which)
        ordered = query.order_by(MembershipRow.document, MembershipRow.content_id)
        return self._database.values(Member, ordered)

    def retire(self, collection_id: str, document_id: str) -> None:
        """Hide a member for good; its text stays, and its chunks become leftovers."""
        with self._database.write() as session:
            if row := session.get(MembershipRow, (collection_id, document_id)):
                retire_member(session, row)
            session.execute(bumped(collection_id))

    def mark_indexed(
        self,
        collection_id: str,
        *document_ids: str,
        chunking: str | None = None,
        retire: Sequence[str] = (),
    ) -> None:
        """Let readers see documents, and count up the collection's content version.

        In the same transaction older versions are retired, which leave the metadata that people
        have set, and chunks that the collection no longer uses become its leftovers
        (``Chunks.leftovers``).

        Args:
            chunking: how the indexes now cut it; None for what its membership says.
            retire: ids of the documents that a single one replaces in the collection.

        Raises:
            NotFound: one is no member of the collection.
            StoresBusy: another ingestion has taken its chunks away meanwhile.
        """
        with self._database.write() as session:
            shown = show_members(session, collection_id, document_ids, chunking)
            for old in retire:
                if older := session.get(MembershipRow, (collection_id, old)):
                    inherit(shown[0], older)
                    retire_member(session, older)
            session.execute(bumped(collection_id))

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
        with self._database.write() as session:
            store_chunks(session, chunking, {current_text(session, document_id): chunks})

    def places(
        self, collection_id: str, document_ids: Iterable[str], chunking: str
    ) -> dict[str, Place]:
        """How far documents are in a collection, by id; those that are no members are left out.

        ``chunking`` is the ``Chunking.key`` by which they may be cut or not.
        """
        member, cut = MembershipRow, ChunkingRow
        query = (
            select(member.content_id, member.status, TextRow.language)
            .add_columns(func.coalesce(cut.complete, false()))
            .join(ContentRow, ContentRow.content_id == member.content_id)
            .join(TextRow, TextRow.text_id == ContentRow.text_id)
            .outerjoin(cut, (cut.text_id == TextRow.text_id) & (cut.chunking == chunking))
            .where(member.collection_id == collection_id)
        )
        with self._database.read(once=True) as session:
            these = query.where(one_of(session, member.content_id, document_ids))
            return {key: Place(*place) for key, *place in session.execute(these)}

    def count_chunks(self, document_id: str, chunking: str) -> int:
        """The number of chunks of the document's current text by that chunking key."""
        with self._database.read() as session:
            row = session.get(ChunkingRow, (current_text(session, document_id), chunking))
            return 0 if row is None else row.chunks


def show_members(
    session: Session, collection_id: str, document_ids: Sequence[str], chunking: str | None
) -> list[MembershipRow]:
    """Let readers see members as they are cut now; what they were cut into before is given up."""
    rows = member_rows(session, collection_id, document_ids, joinedload(MembershipRow.content))
    cut = are_cut(session, {row.content.text_id for row in rows})
    before = [row.chunking for row in rows]
    for row in rows:
        row.chunking = chunking or row.chunking
        if (row.content.text_id, row.chunking) not in cut:
            raise StoresBusy(
                "Another ingestion has changed {document} meanwhile. Ingest it again.",
                document=row.document,
            )
        row.status, row.ingested_at = "indexed", ids.now()
    session.flush()
    keep(session, collection_id, {(row.content.text_id, row.chunking) for row in rows})
    for row, old in zip(rows, before, strict=True):
        if row.chunking != old:
            leave(session, [collection_id], row.content.text_id, old)
    return rows


def member_rows(
    session: Session, collection_id: str, document_ids: Sequence[str], *options: ExecutableOption
) -> list[MembershipRow]:
    """Documents' places in a collection; raises NotFound where one is no member."""
    these = one_of(session, MembershipRow.content_id, document_ids)
    query = select(MembershipRow).where(MembershipRow.collection_id == collection_id, these)
    found = {row.content_id: row for row in session.scalars(query.options(*options))}
    for document_id in document_ids:
        if document_id not in found:
            raise not_in_collection(document_id)
    return [found[document_id] for document_id in document_ids]


def retire_member(session: Session, row: MembershipRow) -> None:
    """Hide a member for good, and give up its chunks."""
    row.status = "retired"
    session.flush()
    leave(session, [row.collection_id], row.content.text_id, row.chunking)


def make_current(session: Session, content: ContentRow, text_id: str) -> None:
    """Point a content to its newest text; a change makes it pending wherever it is a member."""
    if content.text_id == text_id:
        return
    before, content.text_id = content.text_id, text_id
    leaving: defaultdict[str, list[str]] = defaultdict(list)
    for member in content.members:
        if member.status != "retired":
            member.status = "pending"
            leaving[member.chunking].append(member.collection_id)
    session.flush()
    for chunking, collections in leaving.items():
        leave(session, collections, before, chunking)


def put_contents(session: Session, new: Sequence[tuple[str, NewDocument]]) -> None:
    """Store contents, each with its text as the current one and what its file says of itself."""
    rows = {
        each.member.document_id: {
            "content_id": each.member.document_id,
            "size": each.size,
            "text_id": text_id,
            "created_at": ids.now(),
            "stated": each.parsed.metadata.model_dump(mode="json"),
        }
        for text_id, each in new
    }
    insert_missing(session, ContentRow, [rows[key] for key in sorted(rows)])
    query = select(ContentRow).where(one_of(session, ContentRow.content_id, rows))
    members = selectinload(ContentRow.members).selectinload(MembershipRow.facets)
    stored = {row.content_id: row for row in session.scalars(query.options(members))}
    made = [{"content_id": each.member.document_id, "text_id": text_id} for text_id, each in new]
    insert_missing(session, ExtractionRow, made)
    for text_id, each in new:
        content = stored[each.member.document_id]
        make_current(session, content, text_id)
        state(content, each.parsed.metadata)


def put_members(
    session: Session, collection_id: str, members: Sequence[NewMember], chunking: str
) -> None:
    """Make contents pending members, or rename them; ``chunking`` counts unless one is indexed."""
    if session.get(CollectionRow, collection_id) is None:
        raise NotFound("There is no collection with the id {id!r}.", id=collection_id)
    by_id = {each.document_id: each for each in members}
    here = select(ContentRow.content_id).where(one_of(session, ContentRow.content_id, by_id))
    for unknown in by_id.keys() - set(session.scalars(here)):
        raise NotFound("The catalog does not hold the document {document}….", document=unknown[:12])
    state = {"chunking": chunking, "status": "pending", "ingested_at": ids.now()}
    new: list[dict[str, object]] = [
        {"collection_id": collection_id, "content_id": key, **state}
        | {"document": by_id[key].document, "source": by_id[key].source}
        for key in sorted(by_id)
    ]
    insert_missing(session, MembershipRow, new)
    whole = (joinedload(MembershipRow.content), selectinload(MembershipRow.facets))
    options = (*whole, selectinload(MembershipRow.aliases))
    exclude = {"document_id", "document"}
    for row in member_rows(session, collection_id, [*by_id], *options):
        named = by_id[row.content_id]
        row.document, row.source = named.document, named.source
        if row.status != "indexed":
            before, row.status, row.chunking = row.chunking, "pending", chunking
            if before != chunking:  # chunks of a broken off ingestion may be in the indexes
                session.flush()
                leave(session, [collection_id], row.content.text_id, before)
        refresh(row)
        row.aliases = [
            AliasRow(n=n, **alias.model_dump(exclude=exclude))
            for n, alias in enumerate(named.aliases)
        ]
