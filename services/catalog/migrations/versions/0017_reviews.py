"""What people decided about doubtful sentences of answers."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.create_table(
        "reviews",
        sa.Column("seq", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("thread_id", sa.Text(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("turn", "sentence")),
        *(
            sa.Column(name, sa.Text(), nullable=False)
            for name in ("decision", "original", "text", "user", "at")
        ),
    )
    op.create_index("ix_reviews_thread_id", "reviews", ["thread_id"])
