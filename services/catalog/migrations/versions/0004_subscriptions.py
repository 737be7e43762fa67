"""Subscriptions to unlisted collections, and deletions that are under way."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "deletions",
        sa.Column("collection_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("collection_id", name="pk_deletions"),
    )
    op.create_table(
        "subscriptions",
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("collection_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["collections.collection_id"],
            name="fk_subscriptions_collection_id_collections",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("user", "collection_id", name="pk_subscriptions"),
    )
    op.create_index(
        "ix_subscriptions_collection_id", "subscriptions", ["collection_id"], unique=False
    )


def downgrade() -> None:
    op.drop_table("subscriptions")
    op.drop_table("deletions")
