"""Several workers: who they are, and whose job is whose."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.create_table(
        "workers",
        sa.Column("holder", sa.Text(), primary_key=True),
        sa.Column("dedicated", sa.Boolean(), nullable=False),
        sa.Column("alive_until", sa.DateTime(timezone=True), nullable=False),
    )
    op.add_column("commands", sa.Column("thread_id", sa.Text()))
    op.add_column("commands", sa.Column("holder", sa.Text()))
    op.create_index("ix_commands_thread_id", "commands", ["thread_id"])
