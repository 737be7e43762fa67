"""Grids and sweeps: their rows, their cells, and what models read for these."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.create_table(
        "readings",
        sa.Column("key", sa.Text(), primary_key=True),
        sa.Column("text_id", sa.Text(), sa.ForeignKey("texts.text_id"), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("normal", sa.Text(), nullable=False),
        sa.Column("amount", sa.Double(), nullable=True),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("made_at", sa.Text(), nullable=False),
    )
    op.create_index("ix_readings_text_id", "readings", ["text_id"])
    op.create_table(
        "grid_rows",
        sa.Column("thread_id", sa.Text(), primary_key=True),
        sa.Column("row_id", sa.Text(), primary_key=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
    )
    op.create_index("ix_grid_rows_thread_id_position", "grid_rows", ["thread_id", "position"])
    op.create_table(
        "grid_cells",
        sa.Column("thread_id", sa.Text(), primary_key=True),
        sa.Column("row_id", sa.Text(), primary_key=True),
        sa.Column("column_id", sa.Integer(), primary_key=True),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("review", sa.JSON(), nullable=True),
    )
    op.create_index("ix_grid_cells_key", "grid_cells", ["key"])
