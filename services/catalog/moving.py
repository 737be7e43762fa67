"""Copying all rows of a catalog to another database."""

import hashlib
import json
from typing import Any

from sqlalchemy import Connection, Select, Table, func, insert, select, text

from services.catalog.database import BATCH, Database
from services.catalog.migrate import TABLES, bring_to_head
from services.domain.errors import Broken, InvalidInput


def copy_rows(source: str, target: str, *, anew: bool = True) -> dict[str, int]:
    """Copy a catalog into an empty database, in one transaction.

    A target that holds the same rows already is accepted: a move was interrupted after the copy.

    Args:
        source: SQLAlchemy URL of the catalog.
        target: SQLAlchemy URL of the database that receives it.
        anew: False if the target must hold the rows already.

    Returns:
        The number of rows by table.

    Raises:
        InvalidInput: The target holds something else, or is no database for a catalog.
        Broken: What arrived differs from what was sent; nothing is stored.
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
