"""What models answered, for replaying a thread without them."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "model_replies",
        sa.Column("seq", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("thread_id", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("context_tokens", sa.Integer(), nullable=False),
        sa.Column("speed", sa.Double(), nullable=False),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.Column("counts", sa.JSON(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("completion_tokens", sa.Integer(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_model_replies"),
    )
    op.create_index("ix_model_replies_thread_id", "model_replies", ["thread_id"])


def downgrade() -> None:
    op.drop_index("ix_model_replies_thread_id", table_name="model_replies")
    op.drop_table("model_replies")
