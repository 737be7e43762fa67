"""Documents that were taken out of a collection and can be put back."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.create_table(
        "bin",
        sa.Column(
            "collection_id",
            sa.Text(),
            sa.ForeignKey("collections.collection_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("content_id", sa.Text(), sa.ForeignKey("contents.content_id"), primary_key=True),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("chunking", sa.Text(), nullable=False),
        sa.Column("people_set", sa.JSON(), nullable=False),
        sa.Column("removed_by", sa.Text(), nullable=False),
        sa.Column("removed_at", sa.Text(), nullable=False),
    )
    op.create_index("ix_bin_content_id", "bin", ["content_id"])
