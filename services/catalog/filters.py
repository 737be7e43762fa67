"""What a search is narrowed to, and how old documents are."""

from collections.abc import Sequence
from functools import lru_cache

from sqlalchemy import ColumnElement, func, or_, select, true
from sqlalchemy.orm import Session

from services.catalog.access import visible
from services.catalog.database import BATCH, Database, Repository, one_of
from services.catalog.metadata import bears
from services.catalog.models import ChunkRow, ContentRow, MembershipRow
from services.domain import Scope, SearchFilter

RARE = 500
"""Looking up the members of 500 chunks takes about as long as the chunks of 500 members."""

LISTINGS = 64
"""Short lists of chunks that are kept while the catalog stays as it is, of the last filters."""


class Filters(Repository):
    """Reads the chunks and dates of documents, as far as a request may see them.

    Chunks with a section label that are at most ``rare``, in all collections, are read before
    any member is.
    """

    def __init__(self, database: Database, *, rare: int = RARE) -> None:
        super().__init__(database)
        self._rare = rare
        self._at_version = lru_cache(maxsize=LISTINGS)(self._listing)

    def chunk_ids(
        self, only: SearchFilter, *, scope: Scope, most: int | None = None
    ) -> list[str] | None:
        """The chunks that the filter allows, sorted; None when they are more than ``most``."""
        version = None if most is None else self._database.version()
        listing = (
            self._listing(only, scope, most)
            if version is None
            else self._at_version(only, scope, most, version)
        )
        return None if listing is None else list(listing)

    def _listing(
        self, only: SearchFilter, scope: Scope, most: int | None, _version: int | None = None
    ) -> tuple[str, ...] | None:
        """What ``chunk_ids`` returns; with a version of the catalog, it is kept for that one."""
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
        content_id, latest_day = MembershipRow.content_id, func.max(MembershipRow.date)
        latest = select(content_id, latest_day).group_by(content_id)
        with self._database.read() as session:
            members = one_of(session, content_id, document_ids) & visible(scope)
            found = session.execute(latest.where(members)).all()
        return {identifier: day for identifier, day in found if day is not None}

    def named(self, document: str, *, scope: Scope, beginning: bool = False) -> list[str]:
        """Ids of the documents of that file name or id, or whose id begins so if wanted."""
        meant = or_(MembershipRow.document == document, MembershipRow.content_id == document)
        if beginning:
            meant |= MembershipRow.content_id.startswith(document, autoescape=True)
        query = select(MembershipRow.content_id).where(visible(scope), meant).distinct()
        return sorted(self._database.scalars(query))


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
