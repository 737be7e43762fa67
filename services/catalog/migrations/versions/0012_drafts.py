"""Drafts of answers to open questions."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "drafts",
        sa.Column("thread_id", sa.Text(), nullable=False),
        sa.Column("interrupt_id", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("thread_id", "interrupt_id", "user", name="pk_drafts"),
    )


def downgrade() -> None:
    op.drop_table("drafts")
