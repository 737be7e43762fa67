"""Votes on answers, and what was decided about thresholds."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

VOTE = ("thread_id", "turn", "user")


def upgrade() -> None:
    op.create_table(
        "feedback",
        sa.Column("thread_id", sa.Text(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("up", sa.Boolean(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("route", sa.Text(), nullable=False),
        sa.Column("depth", sa.Text(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint(*VOTE, name="pk_feedback"),
    )
    op.create_table(
        "feedback_places",
        sa.Column("thread_id", sa.Text(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("collection_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            VOTE,
            [f"feedback.{name}" for name in VOTE],
            name="fk_feedback_places_thread_id_turn_user_feedback",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(*VOTE, "collection_id", name="pk_feedback_places"),
    )
    op.create_index(
        "ix_feedback_places_collection_id", "feedback_places", ["collection_id"], unique=False
    )
    op.create_table(
        "routing",
        sa.Column("collection_id", sa.Text(), nullable=False),
        sa.Column("since", sa.Text(), nullable=False),
        sa.Column("fast", sa.Integer(), nullable=True),
        sa.Column("agent", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["collections.collection_id"],
            name="fk_routing_collection_id_collections",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("collection_id", name="pk_routing"),
    )


def downgrade() -> None:
    op.drop_table("routing")
    op.drop_table("feedback_places")
    op.drop_table("feedback")
