"""What documents say of themselves, and where people file them."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("contents", sa.Column("stated", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("memberships", sa.Column("date", sa.Text(), nullable=True))
    op.add_column(
        "memberships", sa.Column("edited", sa.JSON(), nullable=False, server_default="[]")
    )
    op.create_table(
        "facets",
        sa.Column("collection_id", sa.Text(), nullable=False),
        sa.Column("content_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection_id", "content_id"],
            ["memberships.collection_id", "memberships.content_id"],
            name="fk_facets_collection_id_content_id_memberships",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("collection_id", "content_id", "kind", "n", name="pk_facets"),
    )


def downgrade() -> None:
    op.drop_table("facets")
    op.drop_column("memberships", "edited")
    op.drop_column("memberships", "date")
    op.drop_column("contents", "stated")
