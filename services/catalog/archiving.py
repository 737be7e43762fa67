"""Copies: documents of a collection for an archive and back, and all rows of a catalog."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Select, Table, func, insert, select, text

from services.catalog import ids
from services.catalog.chunks import cut_by
from services.catalog.database import BATCH, Database, Repository, insert_missing
from services.catalog.memberships import put_members
from services.catalog.migrate import TABLES, bring_to_head
from services.catalog.models import (
    AliasRow,
    ChunkRow,
    ContentRow,
    ExtractionRow,
    MembershipRow,
    ReferenceRow,
    TextRow,
)
from services.catalog.texts import ALIASES, extracted, read_text, store_texts, warning_row
from services.catalog.values import Alias, Member, NewMember
from services.domain import ChunkSpan, DetectedReference, ParsedDocument
from services.domain.errors import Broken, InvalidInput


class Archiving(Repository):
    """Access has been checked. Writing is repeatable, and never changes existing rows."""

    def texts_of(self, document_id: str) -> list[str]:
        """Return the ids of all texts that were ever made of a document, sorted."""
        query = select(ExtractionRow.text_id).where(ExtractionRow.content_id == document_id)
        return sorted(self._database.scalars(query))

    def text(
        self, document_id: str, text_id: str
    ) -> tuple[ParsedDocument, tuple[DetectedReference, ...]]:
        """Return a text of a document with its sections and warnings, and its references."""
        query = select(ReferenceRow).where(ReferenceRow.text_id == text_id).order_by(ReferenceRow.n)
        with self._database.read() as session:
            parsed = read_text(session, session.get_one(TextRow, text_id), document_id)
        return parsed, tuple(self._database.values(DetectedReference, query))

    def aliases(self, collection_id: str, member: Member) -> tuple[Alias, ...]:
        """Return the names of a document in the collection."""
        query = ALIASES.where(
            AliasRow.collection_id == collection_id, AliasRow.content_id == member.document_id
        )
        return tuple(self._database.values(Alias, query.order_by(AliasRow.n)))

    def spans(self, text_id: str, chunking: str) -> list[ChunkSpan]:
        """Return the chunks of a text by a chunking key, in their order."""
        query = select(ChunkRow).where(cut_by(text_id, chunking)).order_by(ChunkRow.n)
        return self._database.values(ChunkSpan, query)

    def put_text(
        self,
        document_id: str,
        size: int,
        parsed: ParsedDocument,
        references: Sequence[DetectedReference],
    ) -> str:
        """Store a text of a document unless it has one by that parser version; return its id.

        The first text of a document that is new to the catalog becomes its current one.
        """
        same_parser = extracted(document_id, parsed.parser_version).limit(1)
        with self._database.write() as session:
            existing = session.scalar(same_parser)
            if existing is not None and existing in ids.text_ids(parsed):
                return existing
            (text_id,) = store_texts(session, [(parsed, references)])
            row = {"content_id": document_id, "text_id": text_id}
            insert_missing(session, ContentRow, [row | {"size": size, "created_at": ids.now()}])
            if existing is None:
                insert_missing(session, ExtractionRow, [row | warning_row(parsed)])
        return text_id

    def put_member(
        self, collection_id: str, member: NewMember, chunking: str, *, retired: bool
    ) -> str:
        """Make a stored document a member, pending or retired; return the id of its text."""
        with self._database.write() as session:
            put_members(session, collection_id, [member], chunking)
            row = session.get_one(MembershipRow, (collection_id, member.document_id))
            if retired:
                row.status = "retired"
            return row.content.text_id


def copy_rows(source: str, target: str, *, anew: bool = True) -> dict[str, int]:
    """Copy a catalog into an empty database in one transaction; return the number of rows by table.

    A target that holds the same rows already is accepted: a move was interrupted after the copy. It
    must hold them unless ``anew``. Raises InvalidInput for another target, Broken if what arrived
    differs from what was sent; nothing is stored then.
    """
    sender, receiver = Database(source), Database(target)
    try:
        for database in (sender, receiver):
            bring_to_head(database)
        with sender.read() as session, receiver.connection() as writing:
            reading, tables = session.connection(), TABLES.sorted_tables
            if not any(writing.scalar(select(table.select().exists())) for table in tables):
                if not anew:
                    raise InvalidInput(
                        "The catalog of this data folder was moved to another database. Set "
                        "RABBITHOLE_DATABASE to that one."
                    )
                return {table.name: _copy(reading, writing, table) for table in tables}
            seals = {table.name: _seal(reading, table) for table in tables}
            if any(_seal(writing, table) != seals[table.name] for table in tables):
                raise InvalidInput(
                    "The target database already contains a catalog. Choose an empty one."
                )
            return {name: count for name, (count, _) in seals.items()}
    finally:
        sender.close()
        receiver.close()


def _copy(reading: Connection, writing: Connection, table: Table) -> int:
    rows = reading.execute(_all(table))
    for batch in rows.mappings().partitions(BATCH):
        writing.execute(insert(table), [dict(row) for row in batch])
    if (sent := _seal(reading, table)) != (arrived := _seal(writing, table)):
        raise Broken(
            "Table {table} was not copied correctly ({arrived} of {sent} rows arrived). Nothing "
            "was moved; try again.",
            table=table.name, arrived=arrived[0], sent=sent[0],
        )  # fmt: skip
    _count_on(writing, table)
    return sent[0]


def _seal(connection: Connection, table: Table) -> tuple[int, int]:
    """Return the number of rows and the sum of their SHA-256, whatever their order."""
    count = total = 0
    for row in connection.execute(_all(table)).mappings():
        row_json = json.dumps(dict(row), sort_keys=True, default=repr)
        count, total = count + 1, total + int.from_bytes(hashlib.sha256(row_json.encode()).digest())
    return count, total


def _all(table: Table) -> Select[*tuple[Any, ...]]:
    return select(table).execution_options(yield_per=BATCH)


def _count_on(writing: Connection, table: Table) -> None:
    """Let PostgreSQL number new rows after the copied ones."""
    column = table.autoincrement_column
    if column is None or writing.dialect.name != "postgresql":
        return
    last = writing.scalar(select(func.max(column)))
    if last is not None:
        name = f"pg_get_serial_sequence('{table.name}', '{column.name}')"
        writing.execute(text(f"SELECT setval({name}, :last)"), {"last": last})
