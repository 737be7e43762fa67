"""The metadata of documents in collections, and searches that it narrows.

What a file says of itself counts until people set something instead.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import ColumnElement, func, or_, select, true
from sqlalchemy.orm import Session

from services.catalog.access import visible
from services.catalog.collections import bumped
from services.catalog.database import BATCH, Database, Repository, one_of
from services.catalog.models import ChunkRow, ContentRow, FacetRow, MembershipRow
from services.domain import DocumentMetadata, MetadataChanges, Scope, SearchFilter
from services.domain.errors import NotFound
from services.domain.metadata import changed, folded

FIELDS = tuple(DocumentMetadata.model_fields)

RARE = 500
"""Looking up the members of 500 chunks takes about as long as the chunks of 500 members."""

SHORT_ID = 8
"""Fewest characters by which a document may be named instead of its whole id."""

LISTINGS = 64
"""Short lists of chunks that are kept while the catalog stays as it is, of the last filters."""


class Metadata(Repository):
    """Changes metadata for people. Access has been checked."""

    def people_set(self, collection_id: str, document_id: str) -> MetadataChanges:
        """What people have set on a document in a collection, such that ``edit`` repeats it."""
        with self._database.read() as session:
            return people_set(member_row(session, collection_id, document_id))

    def stated(self, document_id: str) -> DocumentMetadata | None:
        """What a file says of itself, None where it was not asked."""
        with self._database.read() as session:
            stated = session.get_one(ContentRow, document_id).stated
        return DocumentMetadata.model_validate(stated) if stated else None

    def note(self, document_id: str, stated: DocumentMetadata) -> None:
        """Note what a file says of itself unless it was asked before."""
        with self._database.write() as session:
            content = session.get_one(ContentRow, document_id)
            if not content.stated:
                state(content, stated)

    def edit(
        self, collection_id: str, document_id: str, changes: MetadataChanges
    ) -> DocumentMetadata:
        """Set fields; from then on the file no longer decides them, nor do its newer versions.

        Returns:
            The metadata as it is then.

        Raises:
            NotFound: the document is no member of the collection.
            InvalidInput: a value cannot be used.
        """
        with self._database.write() as session:
            row = member_row(session, collection_id, document_id)
            edited = changed(metadata_of(row), changes)
            row.edited = sorted({*row.edited, *changes.model_dump(exclude_none=True)})
            put(row, edited)
            session.execute(bumped(collection_id))
        return edited


def people_set(member: MembershipRow) -> MetadataChanges:
    """What people have set on a member."""
    values = metadata_of(member).model_dump(mode="json", include=set(member.edited))
    emptied = dict.fromkeys((name for name, value in values.items() if value is None), "")
    return MetadataChanges.model_validate(values | emptied)


def state(content: ContentRow, stated: DocumentMetadata) -> None:
    """Note what a file says of itself, for all who hold it."""
    content.stated = stated.model_dump(mode="json")
    for member in content.members:
        refresh(member)


def refresh(member: MembershipRow) -> None:
    """Let the file decide those fields of a member's metadata that nobody has set."""
    stated = DocumentMetadata.model_validate(member.content.stated)
    fields = {name: getattr(stated, name) for name in FIELDS if name not in member.edited}
    before = metadata_of(member)
    if (after := before.model_copy(update=fields)) != before:
        put(member, after)


def inherit(member: MembershipRow, older: MembershipRow) -> None:
    """Give a newer version of a file what people have set on the older one."""
    fields = {name: getattr(metadata_of(older), name) for name in older.edited}
    if fields:
        member.edited = sorted({*member.edited, *older.edited})
        put(member, metadata_of(member).model_copy(update=fields))


def metadata_of(member: MembershipRow) -> DocumentMetadata:
    single = {each.kind: each.value for each in member.facets}
    tags = tuple(each.value for each in member.facets if each.kind == "tag")
    fields = {name: single.get(name) for name in ("category", "author")}
    return DocumentMetadata.model_validate({"date": member.date, "tags": tags, **fields})


def put(member: MembershipRow, metadata: DocumentMetadata) -> None:
    """Replace the metadata of a member."""
    member.date = None if metadata.date is None else metadata.date.isoformat()
    facets = [("tag", n, tag) for n, tag in enumerate(metadata.tags)]
    facets += [("category", 0, metadata.category or ""), ("author", 0, metadata.author or "")]
    member.facets = [
        FacetRow(kind=kind, n=n, value=value, key=folded(value))
        for kind, n, value in facets
        if value
    ]


def bears(kind: str, values: Iterable[str]) -> ColumnElement[bool]:
    """Memberships with one of these tags or categories, or with an author of such a name."""
    keys = [folded(value) for value in values]
    matching: ColumnElement[bool] = FacetRow.key.in_(keys)
    if kind == "author":
        matching = or_(*(FacetRow.key.contains(key, autoescape=True) for key in keys))
    return MembershipRow.facets.any((FacetRow.kind == kind) & matching)


def member_row(session: Session, collection_id: str, document_id: str) -> MembershipRow:
    """A document's place in a collection; raises NotFound where it is no member."""
    row = session.get(MembershipRow, (collection_id, document_id))
    if row is None:
        raise not_in_collection(document_id)
    return row


def not_in_collection(document_id: str) -> NotFound:
    return NotFound("The document {document}… is not in the collection.", document=document_id[:12])


class Filters(Repository):
    """Reads the chunks and dates of documents, as far as a request may see them.

    Chunks with a section label that are at most ``rare``, in all collections, are read before
    any member is.
    """

    def __init__(self, database: Database, *, rare: int = RARE) -> None:
        super().__init__(database)
        self._rare = rare
        self._kept_listing = database.cached(LISTINGS, self._listing)

    def chunk_ids(
        self, only: SearchFilter, *, scope: Scope, most: int | None = None
    ) -> list[str] | None:
        """The chunks that the filter allows, sorted; None when they are more than ``most``."""
        look = self._listing if most is None else self._kept_listing
        listing = look(only, scope, most)
        return None if listing is None else list(listing)

    def _listing(
        self, only: SearchFilter, scope: Scope, most: int | None
    ) -> tuple[str, ...] | None:
        with self._database.read() as session:
            rare = _labelled(session, only, self._rare) if only.sections else None
            if rare is not None:
                found = _allowed(session, rare, only, scope)
            else:
                found = _of_members(session, only, scope, most)
        return None if most is not None and len(found) > most else tuple(sorted(found))

    def among(self, chunk_ids: Sequence[str], only: SearchFilter, *, scope: Scope) -> set[str]:
        """Those of the chunks that the filter allows."""
        with self._database.read() as session:
            return _allowed(session, chunk_ids, only, scope)

    def dates(self, document_ids: Sequence[str], *, scope: Scope) -> dict[str, str]:
        """The days of those documents that have one, ISO 8601.

        Of several collections the latest day counts.
        """
        content_id, day = MembershipRow.content_id, MembershipRow.date
        with self._database.read() as session:
            these = one_of(session, content_id, dict.fromkeys(document_ids))
            latest = select(content_id, func.max(day)).where(these, visible(scope))
            found = session.execute(latest.group_by(content_id)).all()
        return {document_id: day for document_id, day in found if day is not None}

    def narrowed(self, scope: Scope, documents: Sequence[str]) -> Scope:
        """The scope with these documents of it alone; as it is where none are named.

        Args:
            documents: file names, ids, or beginnings of ids of at least ``SHORT_ID`` characters.

        Raises:
            NotFound: one of them is not in the scope.
        """
        found = set[str]()
        for name in documents:
            meant = or_(MembershipRow.document == name, MembershipRow.content_id == name)
            if len(name) >= SHORT_ID:
                meant |= MembershipRow.content_id.startswith(name, autoescape=True)
            query = select(MembershipRow.content_id).where(visible(scope), meant)
            ids = self._database.scalars(query.distinct())
            if not ids:
                raise NotFound(
                    "There is no document {document!r} in what is searched. `rabbithole "
                    "documents list` shows the names.",
                    document=name,
                )
            found.update(ids)
        return scope.model_copy(update={"documents": tuple(sorted(found))}) if found else scope


def meeting(only: SearchFilter, scope: Scope) -> ColumnElement[bool]:
    """Memberships that the scope sees and the filter allows."""
    met = visible(scope)
    if only.documents:
        met &= or_(
            MembershipRow.document.in_(only.documents), MembershipRow.content_id.in_(only.documents)
        )
    facets = {"tag": only.tags, "category": only.categories, "author": only.authors}
    for kind, values in facets.items():
        if values:
            met &= bears(kind, values)
    if only.since is not None:
        met &= MembershipRow.date >= only.since.isoformat()
    if only.until is not None:
        met &= MembershipRow.date <= only.until.isoformat()
    return met


def in_sections(only: SearchFilter) -> ColumnElement[bool]:
    return ChunkRow.section.in_(only.sections) if only.sections else true()


# Each step of what follows is a query of its own that one index serves. As a single one, SQLite
# starts with every membership of the scope, however few the chunks are.


def _labelled(session: Session, only: SearchFilter, most: int) -> list[str] | None:
    """All chunks with one of the filter's labels; None where they are more than ``most``."""
    found = session.scalars(select(ChunkRow.chunk_id).where(in_sections(only)).limit(most + 1))
    listed = list(found)
    return listed if len(listed) <= most else None


def _of_members(session: Session, only: SearchFilter, scope: Scope, most: int | None) -> set[str]:
    """The chunks that the filter allows, member by member until they are more than ``most``."""
    texts = (
        select(ContentRow.text_id)
        .join(MembershipRow, MembershipRow.content_id == ContentRow.content_id)
        .where(meeting(only, scope))
        .execution_options(yield_per=BATCH if most is None else most + 1)
    )
    found: set[str] = set()
    for batch in session.scalars(texts).partitions():
        query = select(ChunkRow.chunk_id).where(
            one_of(session, ChunkRow.text_id, batch), in_sections(only)
        )
        found.update(session.scalars(query if most is None else query.limit(most + 1)))
        if most is not None and len(found) > most:
            break
    return found


def _allowed(
    session: Session, chunk_ids: Sequence[str], only: SearchFilter, scope: Scope
) -> set[str]:
    """Those of the chunks that the filter allows."""
    holders = (
        select(ChunkRow.chunk_id, ContentRow.content_id)
        .join(ContentRow, ContentRow.text_id == ChunkRow.text_id)
        .where(one_of(session, ChunkRow.chunk_id, chunk_ids), in_sections(only))
    )
    held = [(row.chunk_id, row.content_id) for row in session.execute(holders)]
    members = select(MembershipRow.content_id).where(
        one_of(session, MembershipRow.content_id, {content for _, content in held}),
        meeting(only, scope),
    )
    allowed = set(session.scalars(members))
    return {chunk for chunk, content in held if content in allowed}
