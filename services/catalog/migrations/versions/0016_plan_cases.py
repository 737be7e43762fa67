"""Plans that people approved, kept as cases for later ones."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"

TEXTS = ("thread_id", "owner", "kind", "language", "question", "fingerprint", "created_at")
FLAGS = ("approved", "edited", "had_plan_improvements", "had_tactical_improvements")


def upgrade() -> None:
    op.create_table(
        "plan_cases",
        sa.Column("case_id", sa.Text(), primary_key=True),
        *(sa.Column(name, sa.Text(), nullable=False) for name in TEXTS),
        *(sa.Column(name, sa.Boolean(), nullable=False) for name in FLAGS),
        *(sa.Column(n, sa.Integer(), nullable=False) for n in ("turn", "tokens", "model_calls")),
        *(sa.Column(name, sa.JSON(), nullable=False) for name in ("collections", "tasks")),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
    )
    op.create_index("ix_plan_cases_owner_kind", "plan_cases", ["owner", "kind"])
    op.create_index("ix_plan_cases_thread_id", "plan_cases", ["thread_id"])
