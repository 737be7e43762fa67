"""References that stand in texts, and the names by which texts refer to documents."""

from collections.abc import Collection

from sqlalchemy import or_, select

from services.catalog.access import visible
from services.catalog.chunks import text_id_of
from services.catalog.database import Repository
from services.catalog.models import AliasRow, ContentRow, MembershipRow, ReferenceRow
from services.catalog.values import Alias
from services.domain import DetectedReference, Scope

ALIASES = (
    select(AliasRow.content_id.label("document_id"), MembershipRow.document, AliasRow.title)
    .add_columns(AliasRow.alias, AliasRow.kind, AliasRow.series, AliasRow.number)
    .join(MembershipRow)
)
"""The fields of ``Alias``, with the memberships that they belong to."""


class References(Repository):
    """Read references and aliases."""

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
        return self._database.values(DetectedReference, query)

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
            return [
                (document_id, DetectedReference.model_validate(row, from_attributes=True))
                for document_id, row in found
            ]

    def aliases(self, scope: Scope) -> list[Alias]:
        """The names of all documents that a request sees."""
        ordered = (MembershipRow.document, AliasRow.content_id, AliasRow.n)
        query = ALIASES.where(visible(scope)).order_by(*ordered)
        return list(dict.fromkeys(self._database.values(Alias, query)))
