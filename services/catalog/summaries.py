"""Summaries of texts, and what was noted for those that are being made."""

from collections.abc import Sequence

from sqlalchemy import delete, select

from services.catalog import ids
from services.catalog.database import Repository, one_of
from services.catalog.models import ContentRow, Json, SummaryRow, TextRow
from services.domain.answers import DocumentSummary


class Summaries(Repository):
    """One summary for each text, model and version of the prompts; ``made_by`` names the two.

    The caller decides who may read a document.
    """

    def put(self, text_id: str, made_by: str, content: Json, *, complete: bool) -> None:
        """Store a summary, or the notes for an incomplete one, unless the text was deleted."""
        key = {"text_id": text_id, "made_by": made_by}
        row = SummaryRow(**key, complete=complete, content=content, made_at=ids.now())
        with self._database.write() as session:
            if session.scalar(select(TextRow.text_id).filter_by(text_id=text_id)) is not None:
                session.execute(delete(SummaryRow).filter_by(**key))
                session.add(row)

    def get(self, text_id: str, made_by: str) -> SummaryRow | None:
        """Return what is stored under this key."""
        key = {"text_id": text_id, "made_by": made_by}
        return self._database.scalar(select(SummaryRow).filter_by(**key))

    def newest(self, document_id: str) -> DocumentSummary | None:
        """Return the newest complete summary of the current text of a document."""
        query = (
            select(SummaryRow)
            .join(ContentRow, ContentRow.text_id == SummaryRow.text_id)
            .where(ContentRow.content_id == document_id, SummaryRow.complete)
            .order_by(SummaryRow.made_at.desc())
        )
        if (row := self._database.scalar(query.limit(1))) is None:
            return None
        return DocumentSummary.model_validate({**row.content, "made_at": row.made_at})

    def missing(self, document_ids: Sequence[str]) -> tuple[str, ...]:
        """Return those of the documents whose current text has no complete summary."""
        query = select(ContentRow.content_id).join(
            SummaryRow, ContentRow.text_id == SummaryRow.text_id
        )
        with self._database.read() as session:
            these = one_of(session, ContentRow.content_id, document_ids)
            summarised = set(session.scalars(query.where(these, SummaryRow.complete)))
        return tuple(id for id in document_ids if id not in summarised)
