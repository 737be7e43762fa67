"""Summaries of texts by language models."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.create_table(
        "summaries",
        sa.Column("text_id", sa.Text(), sa.ForeignKey("texts.text_id"), primary_key=True),
        sa.Column("made_by", sa.Text(), primary_key=True),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("made_at", sa.Text(), nullable=False),
    )
