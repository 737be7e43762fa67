"""References that stand in texts, and the names by which texts refer to documents."""

from collections.abc import Collection

from sqlalchemy import or_, select

from services.catalog.access import visible
from services.catalog.chunks import text_id_of
from services.catalog.database import Database
from services.catalog.models import AliasRow, ContentRow, MembershipRow, ReferenceRow
from services.catalog.values import Alias
from services.types import DetectedReference, Scope


class References:
    """Read references and aliases."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def within(self, document_id: str, start: int, end: int) -> list[DetectedReference]:
        """References that begin in a span of the document's text, in text order."""
        query = (
            select(ReferenceRow)
            .where(
                ReferenceRow.text_id == text_id_of(document_id),
                ReferenceRow.start >= start,
                ReferenceRow.start < end,
            )
            .order_by(ReferenceRow.n)
        )
        with self._database.read() as session:
            return [_detected(row) for row in session.scalars(query)]

    def naming(
        self, labels: Collection[str], scope: Scope, *, whole: bool = False
    ) -> list[tuple[str, DetectedReference]]:
        """References with one of these labels, each once with the document that it stands in.

        Args:
            labels: of sections.
            scope: where they stand.
            whole: whether those to documents as a whole are wanted too.
        """
        wanted = ReferenceRow.label.in_(labels)
        query = (
            select(MembershipRow.content_id, ReferenceRow)
            .join(ContentRow, ContentRow.content_id == MembershipRow.content_id)
            .join(ReferenceRow, ReferenceRow.text_id == ContentRow.text_id)
            .where(visible(scope), or_(wanted, ReferenceRow.label.is_(None)) if whole else wanted)
            .order_by(MembershipRow.content_id, ReferenceRow.n)
        )
        with self._database.read() as session:
            found = dict.fromkeys((each.content_id, each[1]) for each in session.execute(query))
            return [(document_id, _detected(row)) for document_id, row in found]

    def aliases(self, scope: Scope) -> list[Alias]:
        """The names of all documents that a request sees."""
        query = (
            select(
                AliasRow.content_id.label("document_id"),
                MembershipRow.document,
                AliasRow.title,
                AliasRow.alias,
                AliasRow.kind,
                AliasRow.series,
                AliasRow.number,
            )
            .join(
                MembershipRow,
                (MembershipRow.collection_id == AliasRow.collection_id)
                & (MembershipRow.content_id == AliasRow.content_id),
            )
            .where(visible(scope))
            .order_by(MembershipRow.document, AliasRow.content_id, AliasRow.n)
        )
        with self._database.read() as session:
            found = [Alias.model_validate(dict(row)) for row in session.execute(query).mappings()]
        return list(dict.fromkeys(found))


def _detected(row: ReferenceRow) -> DetectedReference:
    return DetectedReference.model_validate(
        {name: getattr(row, name) for name in DetectedReference.model_fields}
    )
