"""The metadata of documents in collections: what files say, and what people set instead."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import ColumnElement, delete, or_, select
from sqlalchemy.orm import Session

from services.catalog.collections import bumped
from services.catalog.database import Repository
from services.catalog.models import ContentRow, FacetRow, MembershipRow
from services.domain import DocumentMetadata, MetadataChanges
from services.domain.errors import NotFound
from services.domain.metadata import changed, folded

FIELDS = tuple(DocumentMetadata.model_fields)
Key = tuple[str, str]
"""Ids of a collection and of a document in it."""


class Metadata(Repository):
    """Changes metadata for people. Access has been checked."""

    def of(self, collection_id: str, document_id: str) -> DocumentMetadata:
        """The metadata of a document in a collection; raises NotFound where it is no member."""
        with self._database.read() as session:
            return known(session, member_row(session, collection_id, document_id))

    def people_set(self, collection_id: str, document_id: str) -> MetadataChanges:
        """What people have set on a document in a collection, such that ``edit`` repeats it."""
        with self._database.read() as session:
            row = member_row(session, collection_id, document_id)
            values = known(session, row).model_dump(mode="json", include=set(row.edited))
        emptied = dict.fromkeys((name for name, value in values.items() if value is None), "")
        return MetadataChanges.model_validate(values | emptied)

    def stated(self, document_id: str) -> DocumentMetadata | None:
        """What a file says of itself, None where it was not asked."""
        with self._database.read() as session:
            stated = session.get_one(ContentRow, document_id).stated
        return DocumentMetadata.model_validate(stated) if stated else None

    def note(self, document_id: str, stated: DocumentMetadata) -> None:
        """Note what a file says of itself unless it was asked before."""
        with self._database.write() as session:
            if not session.get_one(ContentRow, document_id).stated:
                state(session, document_id, stated)

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
            edited = changed(known(session, row), changes)
            row.edited = sorted({*row.edited, *changes.model_dump(exclude_none=True)})
            put(session, row, edited)
            session.execute(bumped(collection_id))
        return edited


def state(session: Session, content_id: str, stated: DocumentMetadata) -> None:
    """Note what a file says of itself, for all who hold it."""
    content = session.get_one(ContentRow, content_id)
    content.stated = stated.model_dump(mode="json")
    members = select(MembershipRow).where(MembershipRow.content_id == content_id)
    for member in session.scalars(members).all():
        refresh(session, member)


def refresh(session: Session, member: MembershipRow) -> None:
    """Let the file decide those fields of a member's metadata that nobody has set."""
    content = session.get_one(ContentRow, member.content_id)
    stated = DocumentMetadata.model_validate(content.stated)
    fields = {name: getattr(stated, name) for name in FIELDS if name not in member.edited}
    before = known(session, member)
    if (after := before.model_copy(update=fields)) != before:
        put(session, member, after)


def inherit(session: Session, member: MembershipRow, older: MembershipRow) -> None:
    """Give a newer version of a file what people have set on the older one."""
    fields = {name: getattr(known(session, older), name) for name in older.edited}
    if fields:
        member.edited = sorted({*member.edited, *older.edited})
        put(session, member, known(session, member).model_copy(update=fields))


def known(session: Session, member: MembershipRow) -> DocumentMetadata:
    """The metadata of a member."""
    facets = facets_of(session, _is_of(member)).get((member.collection_id, member.content_id), {})
    return DocumentMetadata.model_validate({"date": member.date, **facets})


def put(session: Session, member: MembershipRow, metadata: DocumentMetadata) -> None:
    """Replace the metadata of a member."""
    member.date = None if metadata.date is None else metadata.date.isoformat()
    session.flush()
    session.execute(delete(FacetRow).where(_is_of(member)))
    key = {"collection_id": member.collection_id, "content_id": member.content_id}
    session.add_all(FacetRow(**key, **facet) for facet in _facets(metadata))
    session.flush()


def facets_of(session: Session, members: ColumnElement[bool]) -> Mapping[Key, dict[str, Any]]:
    """Tags, category and author of the memberships that meet a condition, where they have some."""
    query = (
        select(FacetRow)
        .join(MembershipRow)
        .where(members)
        .order_by(FacetRow.collection_id, FacetRow.content_id, FacetRow.n)
    )
    found: defaultdict[Key, dict[str, Any]] = defaultdict(dict)
    for row in session.scalars(query):
        facets = found[row.collection_id, row.content_id]
        if row.kind == "tag":
            facets["tags"] = (*facets.get("tags", ()), row.value)
        else:
            facets[row.kind] = row.value
    return found


def bears(kind: str, values: Iterable[str]) -> ColumnElement[bool]:
    """Memberships with one of these tags or categories, or with an author of such a name."""
    keys = [folded(value) for value in values]
    matching: ColumnElement[bool] = FacetRow.key.in_(keys)
    if kind == "author":
        matching = or_(*(FacetRow.key.contains(key, autoescape=True) for key in keys))
    return (
        select(FacetRow.n)
        .where(
            FacetRow.collection_id == MembershipRow.collection_id,
            FacetRow.content_id == MembershipRow.content_id,
            FacetRow.kind == kind,
            matching,
        )
        .exists()
    )


def _facets(metadata: DocumentMetadata) -> Iterator[dict[str, Any]]:
    single = {"category": metadata.category, "author": metadata.author}
    for n, tag in enumerate(metadata.tags):
        yield {"kind": "tag", "n": n, "value": tag, "key": folded(tag)}
    for kind, value in single.items():
        if value:
            yield {"kind": kind, "n": 0, "value": value, "key": folded(value)}


def _is_of(member: MembershipRow) -> ColumnElement[bool]:
    return (FacetRow.collection_id == member.collection_id) & (
        FacetRow.content_id == member.content_id
    )


def member_row(session: Session, collection_id: str, document_id: str) -> MembershipRow:
    """A document's place in a collection; raises NotFound where it is no member."""
    row = session.get(MembershipRow, (collection_id, document_id))
    if row is None:
        raise NotFound(f"The document {document_id[:12]}… is not in the collection.")
    return row
