"""Documents as members of collections: pending, indexed or retired, and how they are cut."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, false, func, select
from sqlalchemy.orm import Session, joinedload, selectinload
from sqlalchemy.sql.base import ExecutableOption

from services.catalog import ids
from services.catalog.chunks import (
    complete_cuts,
    forget_leftovers_of,
    note_leftovers,
    release_cut,
    store_chunks,
    users_of,
)
from services.catalog.collections import bumped
from services.catalog.database import insert_missing, one_of
from services.catalog.metadata import inherit, not_in_collection, refresh, set_stated
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
from services.catalog.texts import Texts, current_text, warning_row
from services.catalog.values import Member, MemberState, NewDocument, NewMember
from services.domain import ChunkSpan
from services.domain.errors import NotFound, StoresBusy

ATTACHMENT_SEPARATOR = " / "
"""Separates the names of an e-mail and of its attachment."""


class LedgerEntry(NamedTuple):
    """An indexed member: where it came from, and how it was parsed and cut."""

    document: str
    source: str | None
    chunking: str
    parser_version: str
    language: str
    chunks: int


class Ledger:
    """The indexed members of a collection when an ingestion began, less those it has changed.

    Most ingestions are repeated, and most files are then unchanged: without a ledger, each would
    take five queries.
    """

    def __init__(self, entries: dict[str, LedgerEntry], pending: Counter[str]) -> None:
        self._entries = entries
        self._name_counts = pending + Counter(entry.document for entry in entries.values())

    def settled(self, document_id: str, document: str) -> LedgerEntry | None:
        """Return the entry of a document if no other has its file name; None means look closer."""
        entry = self._entries.get(document_id)
        if entry is None or entry.document != document or self._name_counts[document] != 1:
            return None
        return entry

    def forget(self, document_id: str, document: str) -> None:
        """Note that the ingestion changes a document or a file name."""
        self._entries.pop(document_id, None)
        self._name_counts[document] += 1


class Memberships(Texts):
    """Documents on their way into a collection: pending, indexed, retired."""

    def member(self, collection_id: str, document_id: str) -> Member | None:
        """Return a document as a member of the collection, None if it is not one."""
        members = self._members(collection_id, MembershipRow.content_id == document_id)
        return members[0] if members else None

    def ledger(self, collection_id: str) -> Ledger:
        member = MembershipRow
        query = (
            select(member.content_id, member.status, member.document, member.source)
            .add_columns(member.chunking, TextRow.parser_version, TextRow.language)
            .add_columns(ChunkingRow.chunks)
            .join(ContentRow, ContentRow.content_id == member.content_id)
            .join(TextRow, TextRow.text_id == ContentRow.text_id)
            .outerjoin(ChunkingRow, OF_MEMBER)
            .where(member.collection_id == collection_id, member.status != "retired")
        )
        entries: dict[str, LedgerEntry] = {}
        pending: Counter[str] = Counter()
        for document_id, status, document, *columns in self._database.rows(query):
            if status == "indexed":
                entries[document_id] = LedgerEntry(document, *columns)
            else:
                pending[document] += 1
        return Ledger(entries, pending)

    def namesakes(self, collection_id: str, document: str, document_id: str) -> list[Member]:
        """Return other members, pending or indexed, of the same file name."""
        others = (MembershipRow.document == document) & (MembershipRow.content_id != document_id)
        return self._members(collection_id, others, MembershipRow.status != "retired")

    def attached(self, collection_id: str, document: str) -> list[Member]:
        """Return the attachments, pending or indexed, of e-mails of a file name."""
        prefix = document + ATTACHMENT_SEPARATOR
        named = MembershipRow.document.startswith(prefix, autoescape=True)
        return self._members(collection_id, named, MembershipRow.status != "retired")

    def members(self, collection_id: str) -> list[Member]:
        """Return pending and indexed members by file name."""
        return self._members(collection_id, MembershipRow.status != "retired")

    def ingested_members(self, collection_id: str) -> list[Member]:
        """Return indexed and retired members by file name."""
        return self._members(collection_id, MembershipRow.status != "pending")

    def _members(self, collection_id: str, *conditions: ColumnElement[bool]) -> list[Member]:
        member, content = MembershipRow, ContentRow
        query = (
            select(member.content_id.label("document_id"), member.document, member.source)
            .add_columns(member.chunking, member.status, content.size, content.text_id)
            .join(content, content.content_id == member.content_id)
            .where(member.collection_id == collection_id, *conditions)
            .order_by(member.document, member.content_id)
        )
        return self._database.values(Member, query)

    def retire(self, collection_id: str, document_id: str) -> None:
        """Hide a member for good; its text stays, its chunks become leftovers."""
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
        """Let readers see members, which the indexes now cut by ``chunking`` (None: as they are).

        In the same transaction older versions (``retire``) are retired, from which a single
        document inherits the metadata that people have set. Raises NotFound for a document that is
        no member, and StoresBusy if another ingestion has removed its chunks meanwhile.
        """
        with self._database.write() as session:
            members = show_members(session, collection_id, document_ids, chunking)
            for old in retire:
                if older := session.get(MembershipRow, (collection_id, old)):
                    inherit(members[0], older)
                    retire_member(session, older)
            session.execute(bumped(collection_id))

    def announce(self, collection_id: str, document_id: str, chunking: str) -> None:
        """Note chunks to be indexed, until ``mark_indexed``, so that a kill leaves none behind."""
        with self._database.write() as session:
            text_id = current_text(session, document_id)
            if collection_id not in users_of(session, text_id, chunking):
                note_leftovers(session, collection_id, text_id, chunking)

    def add_chunks(self, document_id: str, chunking: str, chunks: Sequence[ChunkSpan]) -> None:
        """Store chunks of the document's current text unless it is cut by that chunking."""
        with self._database.write() as session:
            store_chunks(session, chunking, {current_text(session, document_id): chunks})

    def states(
        self, collection_id: str, document_ids: Iterable[str], chunking: str
    ) -> dict[str, MemberState]:
        """Return the states of members by id; ``chunking`` is a ``Chunking.key``."""
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
            rows = session.execute(query.where(one_of(session, member.content_id, document_ids)))
            return {document_id: MemberState(*columns) for document_id, *columns in rows}

    def count_chunks(self, document_id: str, chunking: str) -> int:
        """Return the number of chunks of the document's current text by that chunking key."""
        with self._database.read() as session:
            row = session.get(ChunkingRow, (current_text(session, document_id), chunking))
            return 0 if row is None else row.chunks


def show_members(
    session: Session, collection_id: str, document_ids: Sequence[str], chunking: str | None
) -> list[MembershipRow]:
    """Let readers see members as they are cut now, and give up their former cuts."""
    rows = member_rows(session, collection_id, document_ids, joinedload(MembershipRow.content))
    cuts = complete_cuts(session, {row.content.text_id for row in rows})
    former = [row.chunking for row in rows]
    for row in rows:
        row.chunking = chunking or row.chunking
        if (row.content.text_id, row.chunking) not in cuts:
            raise StoresBusy(
                "Another ingestion has since changed {document}. Ingest it again.",
                document=row.document,
            )
        row.status, row.ingested_at = "indexed", ids.now()
    session.flush()
    used = {(row.content.text_id, row.chunking) for row in rows}
    forget_leftovers_of(session, collection_id, used)
    for row, chunking_before in zip(rows, former, strict=True):
        if row.chunking != chunking_before:
            release_cut(session, [collection_id], row.content.text_id, chunking_before)
    return rows


def member_rows(
    session: Session, collection_id: str, document_ids: Sequence[str], *options: ExecutableOption
) -> list[MembershipRow]:
    listed = one_of(session, MembershipRow.content_id, document_ids)
    query = select(MembershipRow).where(MembershipRow.collection_id == collection_id, listed)
    rows = {row.content_id: row for row in session.scalars(query.options(*options))}
    for document_id in document_ids:
        if document_id not in rows:
            raise not_in_collection(document_id)
    return [rows[document_id] for document_id in document_ids]


def retire_member(session: Session, row: MembershipRow) -> None:
    row.status = "retired"
    session.flush()
    release_cut(session, [row.collection_id], row.content.text_id, row.chunking)


def make_current(session: Session, content: ContentRow, text_id: str) -> None:
    """Point a content to its newest text; a change makes it pending wherever it is a member."""
    if content.text_id == text_id:
        return
    former, content.text_id = content.text_id, text_id
    released: defaultdict[str, list[str]] = defaultdict(list)
    for member in content.members:
        if member.status != "retired":
            member.status = "pending"
            released[member.chunking].append(member.collection_id)
    session.flush()
    for chunking, collections in released.items():
        release_cut(session, collections, former, chunking)


def put_contents(session: Session, new: Sequence[tuple[str, NewDocument]]) -> None:
    rows = {
        added.member.document_id: {
            "content_id": added.member.document_id,
            "size": added.size,
            "text_id": text_id,
            "created_at": ids.now(),
            "stated": added.parsed.metadata.model_dump(mode="json"),
        }
        for text_id, added in new
    }
    insert_missing(session, ContentRow, [rows[key] for key in sorted(rows)])
    query = select(ContentRow).where(one_of(session, ContentRow.content_id, rows))
    members = selectinload(ContentRow.members).selectinload(MembershipRow.facets)
    stored = {row.content_id: row for row in session.scalars(query.options(members))}
    extractions = [
        {"content_id": added.member.document_id, "text_id": text_id} | warning_row(added.parsed)
        for text_id, added in new
    ]
    insert_missing(session, ExtractionRow, extractions)
    for text_id, added in new:
        content = stored[added.member.document_id]
        make_current(session, content, text_id)
        set_stated(content, added.parsed.metadata)


def put_members(
    session: Session, collection_id: str, members: Sequence[NewMember], chunking: str
) -> None:
    """Make contents pending members or rename them; indexed ones keep their chunking."""
    if session.get(CollectionRow, collection_id) is None:
        raise NotFound("There is no collection with the id {id!r}.", id=collection_id)
    by_id = {member.document_id: member for member in members}
    stored = select(ContentRow.content_id).where(one_of(session, ContentRow.content_id, by_id))
    for unknown in by_id.keys() - set(session.scalars(stored)):
        raise NotFound(
            "The catalog does not contain the document {document}….", document=unknown[:12]
        )
    state = {"chunking": chunking, "status": "pending", "ingested_at": ids.now()}
    new: list[dict[str, object]] = [
        {"collection_id": collection_id, "content_id": key, **state}
        | {"document": by_id[key].document, "source": by_id[key].source}
        for key in sorted(by_id)
    ]
    insert_missing(session, MembershipRow, new)
    options = (
        joinedload(MembershipRow.content),
        selectinload(MembershipRow.facets),
        selectinload(MembershipRow.aliases),
    )
    exclude = {"document_id", "document"}
    for row in member_rows(session, collection_id, [*by_id], *options):
        member = by_id[row.content_id]
        row.document, row.source = member.document, member.source
        if row.status != "indexed":
            former, row.status, row.chunking = row.chunking, "pending", chunking
            if former != chunking:  # chunks of a broken off ingestion may be in the indexes
                session.flush()
                release_cut(session, [collection_id], row.content.text_id, former)
        refresh(row)
        row.aliases = [
            AliasRow(n=n, **alias.model_dump(exclude=exclude))
            for n, alias in enumerate(member.aliases)
        ]
