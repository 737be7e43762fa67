"""Ids of the collections of a thread, which has only their names from before."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    ids = sa.Column("collection_ids", sa.JSON(), nullable=False, server_default="[]")
    op.add_column("runs", ids)
