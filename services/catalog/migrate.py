"""Migrating a catalog to the newest revision.

A catalog at ``HEAD`` is recognised by one query, without Alembic. A new one is created from the
models; revisions are for those in between.

To change the tables: change the models; write the revision with

    python -c "from services.catalog.migrate import revise; revise('0019', 'add x to y', path)"

which compares the models with an SQLite catalog of ``HEAD``; read what it wrote to
``migrations/versions``, set ``HEAD`` below to the new id, and run ``tests/services/catalog``,
which compares a new catalog with a stored one that was migrated, and the chain with ``HEAD``. A
revision that alters a table on SQLite uses ``op.batch_alter_table``.
"""

import threading
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    inspect,
    text,
)

from services.catalog import graph_models, models, work_models
from services.catalog.database import Database
from services.domain.errors import AskPerson

TABLES = models.Base.metadata
assert graph_models and work_models, "importing them adds their tables"
FIRST = "0015"
"""The first revision: the tables of version 0.1."""
HEAD = "0027"
VERSION = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""Alembic's table of the revision, as Alembic creates it."""
MIGRATIONS = Path(__file__).parent / "migrations"
MIGRATING = threading.Lock()
"""Alembic keeps the current migration in globals: one at a time in a process."""


def bring_to_head(database: Database) -> None:
    """Create the tables of an empty catalog, or apply the missing revisions, in one transaction.

    Raises AskPerson for one of a newer Rabbithole or older than 0.1, CorruptCatalog if unreadable.
    """
    with database.read() as session:
        if revision(session.connection()) == HEAD:
            return
    with MIGRATING, database.connection() as connection:
        upgrade(connection)


def revision(connection: Connection) -> str | None:
    """Return the revision of the database, None for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.scalar(text("SELECT version_num FROM alembic_version"))


def upgrade(connection: Connection) -> None:
    current = revision(connection)
    if current is None:
        _create(connection)
    else:
        _migrate(connection, current)


def _create(connection: Connection) -> None:
    """Create the tables of ``HEAD``, without Alembic, which takes longer to import than this."""
    for tables in (TABLES, VERSION.metadata):
        tables.create_all(connection, checkfirst=False)
    connection.execute(VERSION.insert().values(version_num=HEAD))


def _migrate(connection: Connection, current: str) -> None:
    from alembic import command
    from alembic.script import ScriptDirectory

    settings = alembic_config(connection)
    if current < FIRST:
        raise AskPerson(
            "The catalog was written by an old version of Rabbithole (revision {revision}). "
            "Open it once with version 0.1, then with this one, or set RABBITHOLE_HOME to "
            "another folder.",
            revision=current,
        )
    scripts = ScriptDirectory.from_config(settings).walk_revisions()
    if current not in {script.revision for script in scripts}:
        raise AskPerson(
            "The catalog was written by a newer version of Rabbithole (revision {revision}). "
            "Update Rabbithole, or set RABBITHOLE_HOME to another folder.",
            revision=current,
        )
    command.upgrade(settings, "head")


def alembic_config(connection: Connection | None = None) -> Any:
    """Return the configuration of Alembic: migrations run in the transaction of ``connection``."""
    from alembic.config import Config

    settings = Config()
    settings.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    settings.set_main_option("path_separator", "os")
    settings.attributes.update(connection=connection, metadata=TABLES)
    return settings


def revise(revision_id: str, message: str, path: Path) -> None:
    """Write a new revision: the difference between the models and a catalog of ``HEAD``."""
    from alembic import command

    database = Database(f"sqlite:///{path}")
    with database.connection() as connection:
        command.revision(alembic_config(connection), message, autogenerate=True, rev_id=revision_id)
    database.close()
