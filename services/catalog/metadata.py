"""The metadata of documents in collections: what files state until people set something else."""

import unicodedata
from collections.abc import Collection, Iterable, Sequence
from functools import partial

from sqlalchemy import ColumnElement, func, or_, select, true
from sqlalchemy.orm import Session

from services.catalog.access import visible
from services.catalog.collections import bumped
from services.catalog.database import BATCH, Database, Repository, cached_each, one_of
from services.catalog.models import ChunkRow, ContentRow, FacetRow, MembershipRow
from services.domain import DocumentMetadata, MetadataChanges, Scope, SearchFilter
from services.domain.errors import NotFound
from services.domain.passages import changed, folded

FIELDS = tuple(DocumentMetadata.model_fields)

RARE = 500
"""Looking up the members of 500 chunks takes about as long as the chunks of 500 members do."""

SHORT_ID = 8
"""Fewest characters by which a document may be named instead of its whole id."""


class Metadata(Repository):
    """Changes metadata for people. Access has been checked."""

    def people_set(self, collection_id: str, document_id: str) -> MetadataChanges:
        """Return what people have set on a document in a collection; ``edit`` can repeat it."""
        with self._database.read() as session:
            return people_set(member_row(session, collection_id, document_id))

    def stated(self, document_id: str) -> DocumentMetadata | None:
        """Return the metadata that a file states, None if it has not been read."""
        with self._database.read() as session:
            stated = session.get_one(ContentRow, document_id).stated
        return DocumentMetadata.model_validate(stated) if stated else None

    def note(self, document_id: str, stated: DocumentMetadata) -> None:
        """Store the metadata that a file states unless it is stored."""
        with self._database.write() as session:
            content = session.get_one(ContentRow, document_id)
            if not content.stated:
                set_stated(content, stated)

    def edit(
        self, collection_id: str, document_id: str, changes: MetadataChanges
    ) -> DocumentMetadata:
        """Set fields, which no file changes from then on; raise NotFound or InvalidInput."""
        with self._database.write() as session:
            row = member_row(session, collection_id, document_id)
            edited = changed(metadata_of(row), changes)
            row.edited = sorted({*row.edited, *changes.model_dump(exclude_none=True)})
            put(row, edited)
            session.execute(bumped(collection_id))
        return edited


def people_set(member: MembershipRow) -> MetadataChanges:
    values = metadata_of(member).model_dump(mode="json", include=set(member.edited))
    emptied = dict.fromkeys((name for name, value in values.items() if value is None), "")
    return MetadataChanges.model_validate(values | emptied)


def set_stated(content: ContentRow, stated: DocumentMetadata) -> None:
    """Store the metadata that a file states, for all its members."""
    content.stated = stated.model_dump(mode="json")
    for member in content.members:
        refresh(member)


def refresh(member: MembershipRow) -> None:
    """Set the fields of a member's metadata that nobody has set from its file."""
    stated = DocumentMetadata.model_validate(member.content.stated)
    fields = {name: getattr(stated, name) for name in FIELDS if name not in member.edited}
    former = metadata_of(member)
    if (metadata := former.model_copy(update=fields)) != former:
        put(member, metadata)


def inherit(member: MembershipRow, older: MembershipRow) -> None:
    """Give a newer version of a file what people have set on the older one."""
    fields = {name: getattr(metadata_of(older), name) for name in older.edited}
    if fields:
        member.edited = sorted({*member.edited, *older.edited})
        put(member, metadata_of(member).model_copy(update=fields))


def metadata_of(member: MembershipRow) -> DocumentMetadata:
    single = {facet.kind: facet.value for facet in member.facets}
    tags = tuple(facet.value for facet in member.facets if facet.kind == "tag")
    fields = {name: single.get(name) for name in ("category", "author")}
    return DocumentMetadata.model_validate({"date": member.date, "tags": tags, **fields})


def put(member: MembershipRow, metadata: DocumentMetadata) -> None:
    member.date = None if metadata.date is None else metadata.date.isoformat()
    facets = [("tag", n, tag) for n, tag in enumerate(metadata.tags)]
    facets += [("category", 0, metadata.category or ""), ("author", 0, metadata.author or "")]
    member.facets = [
        FacetRow(kind=kind, n=n, value=value, key=folded(value))
        for kind, n, value in facets
        if value
    ]


def has_facet(kind: str, values: Iterable[str]) -> ColumnElement[bool]:
    """Select memberships with one of these tags or categories, or an author of such a name."""
    keys = [folded(value) for value in values]
    matching: ColumnElement[bool] = FacetRow.key.in_(keys)
    if kind == "author":
        matching = or_(*(FacetRow.key.contains(key, autoescape=True) for key in keys))
    return MembershipRow.facets.any((FacetRow.kind == kind) & matching)


def member_row(session: Session, collection_id: str, document_id: str) -> MembershipRow:
    row = session.get(MembershipRow, (collection_id, document_id))
    if row is None:
        raise not_in_collection(document_id)
    return row


def not_in_collection(document_id: str) -> NotFound:
    return NotFound("The document {document}… is not in the collection.", document=document_id[:12])


class Filters(Repository):
    """Reads chunk ids and dates of documents within the scope of a request.

    If at most ``rare`` chunks have the labels of a filter, they are read first and their members
    looked up; if more, the other way round.
    """

    def __init__(self, database: Database, *, rare: int = RARE) -> None:
        super().__init__(database)
        self._rare = rare
        self._cached_listing = database.cached(64, self._listing)

    def chunk_ids(
        self, only: SearchFilter, *, scope: Scope, most: int | None = None
    ) -> list[str] | None:
        """Return the chunks that the filter allows, sorted; None if more than ``most``."""
        read = self._listing if most is None else self._cached_listing
        listing = read(only, scope, most)
        return None if listing is None else list(listing)

    def _listing(
        self, only: SearchFilter, scope: Scope, most: int | None
    ) -> tuple[str, ...] | None:
        with self._database.read() as session:
            rare = _labelled(session, only, self._rare) if only.sections else None
            if rare is not None:
                chunk_ids = _allowed(session, rare, only, scope)
            else:
                chunk_ids = _of_members(session, only, scope, most)
        return None if most is not None and len(chunk_ids) > most else tuple(sorted(chunk_ids))

    def among(self, chunk_ids: Sequence[str], only: SearchFilter, *, scope: Scope) -> set[str]:
        """Return those of the chunks that the filter allows."""
        with self._database.read() as session:
            return _allowed(session, chunk_ids, only, scope)

    def dates(self, document_ids: Sequence[str], *, scope: Scope) -> dict[str, str]:
        """Return the latest dates (ISO 8601) of documents, of those that have one."""
        days = self._days(frozenset(document_ids), scope)
        return {document_id: day for document_id, day in days.items() if day is not None}

    @cached_each()
    def _days(self, document_ids: Collection[str], scope: Scope) -> dict[str, str | None]:
        content_id, date = MembershipRow.content_id, MembershipRow.date
        with self._database.read() as session:
            listed = one_of(session, content_id, document_ids)
            latest = select(content_id, func.max(date)).where(listed, visible(scope))
            days = dict(session.execute(latest.group_by(content_id)).all())
        return {document_id: days.get(document_id) for document_id in document_ids}

    def narrowed(self, scope: Scope, documents: Sequence[str]) -> Scope:
        """Return the scope narrowed to these documents, if any; raise NotFound.

        They are file names, ids, or beginnings of ids of at least ``SHORT_ID`` characters.
        """
        document_ids = set[str]()
        for name in map(partial(unicodedata.normalize, "NFC"), documents):
            named = or_(MembershipRow.document == name, MembershipRow.content_id == name)
            if len(name) >= SHORT_ID:
                named |= MembershipRow.content_id.startswith(name, autoescape=True)
            query = select(MembershipRow.content_id).where(visible(scope), named)
            ids = self._database.scalars(query.distinct())
            if not ids:
                raise NotFound(
                    "There is no document {document!r} in the collections searched. `rabbithole "
                    "documents list` shows the names.",
                    document=name,
                )
            document_ids.update(ids)
        if not document_ids:
            return scope
        return scope.model_copy(update={"documents": tuple(sorted(document_ids))})


def matching(only: SearchFilter, scope: Scope) -> ColumnElement[bool]:
    """Select the memberships that the scope sees and the filter allows."""
    condition = visible(scope)
    if only.documents:
        condition &= or_(
            MembershipRow.document.in_(only.documents), MembershipRow.content_id.in_(only.documents)
        )
    facets = {"tag": only.tags, "category": only.categories, "author": only.authors}
    for kind, values in facets.items():
        if values:
            condition &= has_facet(kind, values)
    if only.since is not None:
        condition &= MembershipRow.date >= only.since.isoformat()
    if only.until is not None:
        condition &= MembershipRow.date <= only.until.isoformat()
    return condition


def in_sections(only: SearchFilter) -> ColumnElement[bool]:
    return ChunkRow.section.in_(only.sections) if only.sections else true()


# Each step below is a query that one index serves. For a single query, SQLite would start with
# every membership of the scope, however few the chunks are.


def _labelled(session: Session, only: SearchFilter, most: int) -> list[str] | None:
    """Return all chunks with one of the filter's labels; None if there are more than ``most``."""
    query = select(ChunkRow.chunk_id).where(in_sections(only)).limit(most + 1)
    chunk_ids = list(session.scalars(query))
    return chunk_ids if len(chunk_ids) <= most else None


def _of_members(session: Session, only: SearchFilter, scope: Scope, most: int | None) -> set[str]:
    """Return the chunks that the filter allows; stop once there are more than ``most``."""
    texts = (
        select(ContentRow.text_id)
        .join(MembershipRow, MembershipRow.content_id == ContentRow.content_id)
        .where(matching(only, scope))
        .execution_options(yield_per=BATCH if most is None else most + 1)
    )
    chunk_ids: set[str] = set()
    for batch in session.scalars(texts).partitions():
        query = select(ChunkRow.chunk_id).where(
            one_of(session, ChunkRow.text_id, batch), in_sections(only)
        )
        chunk_ids.update(session.scalars(query if most is None else query.limit(most + 1)))
        if most is not None and len(chunk_ids) > most:
            break
    return chunk_ids


def _allowed(
    session: Session, chunk_ids: Sequence[str], only: SearchFilter, scope: Scope
) -> set[str]:
    holders = (
        select(ChunkRow.chunk_id, ContentRow.content_id)
        .join(ContentRow, ContentRow.text_id == ChunkRow.text_id)
        .where(one_of(session, ChunkRow.chunk_id, chunk_ids), in_sections(only))
    )
    pairs = [(row.chunk_id, row.content_id) for row in session.execute(holders)]
    members = select(MembershipRow.content_id).where(
        one_of(session, MembershipRow.content_id, {content_id for _, content_id in pairs}),
        matching(only, scope),
    )
    allowed = set(session.scalars(members))
    return {chunk_id for chunk_id, content_id in pairs if content_id in allowed}
