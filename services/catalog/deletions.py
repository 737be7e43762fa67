"""Deleting collections in steps that a kill may come between, and what nobody uses any more.

First the catalog forgets the collection, in one transaction that leaves a row in ``deletions``:
from then on nobody reads it, and its name is free. Then the owner of the stores clears the
indexes, and ``finish`` takes the row away. Whoever is killed in between leaves the row, and the
next one to clear goes through all steps again.
"""

import re
from collections.abc import Sequence

from sqlalchemy import Row, Text, cast, delete, select, union_all, update

from services.catalog import ids
from services.catalog.chunks import drop_cut
from services.catalog.database import Repository, batches, insert_missing
from services.catalog.graph_models import GraphFactsRow, GraphPartRow
from services.catalog.models import (
    OF_MEMBER,
    BinRow,
    ChunkingRow,
    ChunkRow,
    CollectionRow,
    ContentRow,
    DeletionRow,
    ExtractionRow,
    MembershipRow,
    RecognisedRow,
    ReferenceRow,
    SectionRow,
    TextRow,
)
from services.catalog.work_models import RunRow

DOCUMENT_ID = re.compile("[0-9a-f]{64}")
OF_TEXT = (GraphFactsRow, GraphPartRow, ReferenceRow, ChunkRow, ChunkingRow, RecognisedRow,
           SectionRow, TextRow)  # fmt: skip
"""Tables with parts of texts, in the order in which they are cleared."""


class Deletions(Repository):
    """The steps of a deletion that belong to the catalog. Access has been checked."""

    def begin(self, collection_id: str) -> None:
        """Forget the collection, with its memberships, names and subscriptions; keep a note."""
        note = {"collection_id": collection_id, "created_at": ids.now()}
        with self._database.write() as session:
            insert_missing(session, DeletionRow, [note])
            session.execute(delete(CollectionRow).filter_by(collection_id=collection_id))

    def pending(self) -> list[str]:
        """Ids of deleted collections whose indexes have not been cleared, oldest first."""
        oldest_first = (DeletionRow.created_at, DeletionRow.collection_id)
        return self._database.scalars(select(DeletionRow.collection_id).order_by(*oldest_first))

    def finish(self, collection_id: str) -> None:
        """Take the note away: the indexes hold nothing of the collection."""
        self._database.execute(delete(DeletionRow).filter_by(collection_id=collection_id))

    def unused(self) -> list[str]:
        """Ids of documents that no collection or its bin holds and no report names, sorted."""
        held = union_all(select(MembershipRow.content_id), select(BinRow.content_id))
        loose = select(ContentRow.content_id).where(ContentRow.content_id.not_in(held))
        found = set(self._database.scalars(loose))
        return sorted(found - self._reported()) if found else []

    def _reported(self) -> set[str]:
        """Everything in the reports of runs that looks like the id of a document."""
        reports = select(cast(RunRow.report, Text)).where(RunRow.report.is_not(None))
        with self._database.read() as session:
            rows = session.scalars(reports.execution_options(yield_per=10))
            return {found for report in rows for found in DOCUMENT_ID.findall(report or "")}

    def forget(self, document_ids: list[str]) -> None:
        """Delete documents that nobody uses, texts that no document has, cuts that no member uses.

        Such texts and cuts are also what a broken off ingestion left, so nothing may be ingested
        at the same time.
        """
        for batch in batches(document_ids):
            self._database.execute(
                delete(ExtractionRow).where(ExtractionRow.content_id.in_(batch)),
                delete(ContentRow).where(ContentRow.content_id.in_(batch)),
            )
        loose = select(TextRow.text_id).where(TextRow.text_id.not_in(select(ExtractionRow.text_id)))
        for text_id in self._database.scalars(loose):
            self._forget_text(text_id)
        for text_id, chunking in self._loose_cuts():
            with self._database.write() as session:  # what is left would be found by nobody
                drop_cut(session, text_id, chunking)

    def _loose_cuts(self) -> Sequence[Row[str, str]]:
        """Texts and chunkings that are no member's current ones."""
        used = (
            select(MembershipRow.content_id)
            .join(ContentRow)
            .where(OF_MEMBER, MembershipRow.status != "retired")
            .correlate(ChunkingRow)
        )
        loose = select(ChunkingRow.text_id, ChunkingRow.chunking).where(~used.exists())
        return self._database.rows(loose)

    def _forget_text(self, text_id: str) -> None:
        """Incomplete first: should it be cut short, the next ingestion writes the text anew."""
        this = update(TextRow).where(TextRow.text_id == text_id)
        self._database.execute(this.values(complete=False))
        for model in OF_TEXT:
            self._database.execute(delete(model).where(model.text_id == text_id))
