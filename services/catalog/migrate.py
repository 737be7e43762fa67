"""Bringing a catalog to the newest revision.

A catalog at ``HEAD`` is recognised by one query, and a new one is created from the models. Since
version 0.1 tables, nullable columns and indexes were only added to the models, so an older catalog
gets those that it lacks. For such a change, increment ``HEAD``; any other one needs a step of its
own in `_add_what_is_new`. ``tests/services/catalog`` compares a new catalog with a stored one.
"""

from sqlalchemy import (
    Column,
    Connection,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    inspect,
)
from sqlalchemy.schema import CreateColumn

from services.catalog import graph_models, models, work_models
from services.catalog.database import Database
from services.domain.errors import AskPerson

TABLES = models.Base.metadata
assert graph_models and work_models, "importing them adds their tables"
FIRST = "0015"
"""The first revision: the tables of version 0.1."""
HEAD = "0026"
VERSION = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""The table of the revision, which Alembic made in earlier versions."""


def bring_to_head(database: Database) -> None:
    """Create the tables of an empty catalog, or add what is new, in one transaction.

    Raises:
        AskPerson: A newer Rabbithole wrote the catalog, or one older than version 0.1.
        CorruptCatalog: It cannot be read.
    """
    with database.read() as session:
        if revision(session.connection()) == HEAD:
            return
    with database.connection() as connection:
        upgrade(connection)


def revision(connection: Connection) -> str | None:
    """Return the revision of the database, None for an empty one."""
    if not inspect(connection).has_table(VERSION.name):
        return None
    return connection.scalar(VERSION.select())


def upgrade(connection: Connection) -> None:
    current = revision(connection)
    if current is None:
        for tables in (TABLES, VERSION.metadata):
            tables.create_all(connection, checkfirst=False)
        connection.execute(VERSION.insert().values(version_num=HEAD))
    elif current < FIRST:
        raise AskPerson(
            "The catalog was written by an old Rabbithole (revision {revision}). Open it "
            "once with version 0.1, then with this one, or set RABBITHOLE_HOME to another "
            "folder.",
            revision=current,
        )
    elif current > HEAD:
        raise AskPerson(
            "The catalog was written by a newer Rabbithole (revision {revision}). Update "
            "Rabbithole, or set RABBITHOLE_HOME to another folder.",
            revision=current,
        )
    elif current < HEAD:
        _add_what_is_new(connection)
        connection.execute(VERSION.update().values(version_num=HEAD))


def _add_what_is_new(connection: Connection) -> None:
    """Add the tables, columns and indexes of the models that the database lacks."""
    before = inspect(connection)
    existing = before.get_table_names()
    TABLES.create_all(connection)
    for table in TABLES.sorted_tables:
        if table.name not in existing:
            continue
        names = {column["name"] for column in before.get_columns(table.name)}
        quoted = connection.dialect.identifier_preparer.format_table(table)
        for column in table.columns:
            if column.name not in names:
                definition = CreateColumn(column).compile(connection)
                connection.exec_driver_sql(f"ALTER TABLE {quoted} ADD COLUMN {definition}")
        for index in table.indexes:
            index.create(connection, checkfirst=True)
