"""Removing documents and collections: the bin, deletion in steps, and unused data.

A collection is deleted in steps that a kill may interrupt. First the catalog forgets it, in one
transaction that leaves a row in ``deletions``: from then on nobody reads it, and its name is free.
Then the owner of the stores clears the indexes, and ``finish`` deletes the row. After a kill the
row is still there, and the next process that clears goes through all steps again.

Documents that leave the bin leave a row for their collection too, whose indexes still have traces
of them in their files, and every deleted text leaves one for the cached vectors.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, Row, Text, cast, delete, literal, select, union_all, update
from sqlalchemy.orm import Session

from services.catalog import ids
from services.catalog.chunks import drop_cut
from services.catalog.database import Repository, batches, insert_missing
from services.catalog.graph_models import GraphFactsRow, GraphPartRow
from services.catalog.metadata import people_set
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
    PageLabelsRow,
    ReadingRow,
    RecognisedRow,
    ReferenceRow,
    SectionRow,
    SummaryRow,
    TextRow,
)
from services.catalog.work_models import GridCellRow, RunRow
from services.domain.collections import BinnedDocument

BIN_DAYS: Final = 30
VECTORS: Final = ""
"""Stands for the cached vectors in the place of a collection's id."""
TRACED = union_all(select(CollectionRow.collection_id), select(literal(VECTORS)))
OF_TEXT = (GraphFactsRow, GraphPartRow, ReferenceRow, ChunkRow, ChunkingRow, RecognisedRow,
           PageLabelsRow, ReadingRow, SummaryRow, SectionRow, TextRow)  # fmt: skip
"""Tables with rows about a text, in the order in which they are cleared."""
IN_GRID = ReadingRow.key.in_(select(GridCellRow.key))
"""Selects the readings that a cell shows. They outlive their texts."""


class Bin(Repository):
    """Removed documents, for as long as they can be put back. Access has been checked."""

    def list(self, collection_id: str) -> list[BinnedDocument]:
        """Return what can be put back into a collection, the last removed first."""
        indexed = select(MembershipRow.content_id).where(
            MembershipRow.collection_id == collection_id, MembershipRow.status == "indexed"
        )
        query = select(BinRow).where(
            BinRow.collection_id == collection_id,
            BinRow.content_id.not_in(indexed),
            BinRow.removed_at >= expiry_time(),
        )
        return self._database.values(BinnedDocument, query.order_by(BinRow.removed_at.desc()))

    def remove(self, collection_id: str, document_id: str) -> None:
        """Forget a document that was put back."""
        in_bin = BinRow.collection_id == collection_id
        self._forget(in_bin & (BinRow.content_id == document_id))

    def empty(self, collection_id: str) -> None:
        self._forget(BinRow.collection_id == collection_id)

    def expire(self) -> None:
        """Forget what was removed more than `BIN_DAYS` days ago, in all collections."""
        self._forget(BinRow.removed_at < expiry_time())

    def _forget(self, condition: ColumnElement[bool]) -> None:
        rows = delete(BinRow).where(condition).returning(BinRow.collection_id)
        with self._database.write() as session:
            leave_traces(session, *session.scalars(rows))


def leave_traces(session: Session, *collections: str) -> None:
    """Note collections whose indexes have something to clear; `VECTORS` for the cache."""
    now = ids.now()
    rows = [{"collection_id": key, "created_at": now} for key in sorted(set(collections))]
    insert_missing(session, DeletionRow, rows)


def expiry_time() -> str:
    """Return the time before which removed documents can no longer be put back."""
    return (datetime.now(UTC) - timedelta(days=BIN_DAYS)).isoformat(timespec="microseconds")


def drop_readings(session: Session) -> None:
    """Delete the readings without a text that no cell shows any more."""
    session.execute(delete(ReadingRow).where(ReadingRow.text_id.is_(None), ~IN_GRID))


def move_to_bin(session: Session, member: MembershipRow, user: str) -> None:
    names = ("collection_id", "content_id", "document", "source", "chunking")
    columns = {name: getattr(member, name) for name in names}
    changes = people_set(member).model_dump(mode="json", exclude_none=True)
    row = BinRow(**columns, people_set=changes, removed_by=user, removed_at=ids.now())
    session.merge(row)


class Deletions(Repository):
    """The steps of a deletion that belong to the catalog. Access has been checked."""

    def begin(self, collection_id: str) -> None:
        """Forget the collection, with its memberships, names and subscriptions; leave a row."""
        with self._database.write() as session:
            leave_traces(session, collection_id)
            session.execute(delete(CollectionRow).filter_by(collection_id=collection_id))

    def pending(self) -> list[str]:
        """Return the ids of deleted collections whose indexes are not cleared, oldest first."""
        return self._noted(DeletionRow.collection_id.not_in(TRACED))

    def traces(self) -> list[str]:
        """Return the ids of collections whose indexes have traces; `VECTORS` for the cache."""
        return self._noted(DeletionRow.collection_id.in_(TRACED))

    def _noted(self, condition: ColumnElement[bool]) -> list[str]:
        oldest_first = (DeletionRow.created_at, DeletionRow.collection_id)
        query = select(DeletionRow.collection_id).where(condition)
        return self._database.scalars(query.order_by(*oldest_first))

    def finish(self, collection_id: str) -> None:
        """Delete the row: there is nothing left to clear."""
        self._database.execute(delete(DeletionRow).filter_by(collection_id=collection_id))

    def unused(self) -> list[str]:
        """Return the ids of documents in no collection, no bin, no report and no grid, sorted."""
        used = union_all(select(MembershipRow.content_id), select(BinRow.content_id))
        query = select(ContentRow.content_id).where(ContentRow.content_id.not_in(used))
        unused = set(self._database.scalars(query))
        return sorted(unused - self._cited()) if unused else []

    def _cited(self) -> set[object]:
        """Return the ids of documents in reports and cells, but none from the words of a person."""
        cited = set[object]()
        reports = select(cast(RunRow.report, Text)).where(RunRow.report.is_not(None))
        cells = select(cast(ReadingRow.content, Text)).where(IN_GRID, ReadingRow.state != "absent")
        query = union_all(reports, cells).execution_options(yield_per=10)
        with self._database.read() as session:
            for content in session.scalars(query):
                json.loads(content, object_hook=lambda fields: cited.add(fields.get("document_id")))
        return cited

    def forget(self, document_ids: Sequence[str]) -> None:
        """Delete documents, texts that no document has, and cuts that no member uses.

        A broken off ingestion leaves such too, so nothing may be ingested at the same time.
        """
        for batch in batches(document_ids):
            with self._database.write() as session:
                leave_traces(session, VECTORS)
                for model in (ExtractionRow, ContentRow):
                    session.execute(delete(model).where(model.content_id.in_(batch)))
        used = select(ExtractionRow.text_id)
        for text_id in self._database.scalars(
            select(TextRow.text_id).where(TextRow.text_id.not_in(used))
        ):
            self._forget_text(text_id)
        for text_id, chunking in self._unused_cuts():
            with self._database.write() as session:
                drop_cut(session, text_id, chunking)

    def _unused_cuts(self) -> Sequence[Row[str, str]]:
        used = (
            select(MembershipRow.content_id)
            .join(ContentRow)
            .where(OF_MEMBER, MembershipRow.status != "retired")
            .correlate(ChunkingRow)
        )
        query = select(ChunkingRow.text_id, ChunkingRow.chunking).where(~used.exists())
        return self._database.rows(query)

    def _forget_text(self, text_id: str) -> None:
        """Delete a text, marked incomplete first, so that an ingestion writes it anew if we die."""
        mark = update(TextRow).where(TextRow.text_id == text_id).values(complete=False)
        self._database.execute(mark)
        in_use = update(ReadingRow).where(ReadingRow.text_id == text_id, IN_GRID)
        self._database.execute(in_use.values(text_id=None))
        for model in OF_TEXT:
            self._database.execute(delete(model).where(model.text_id == text_id))
