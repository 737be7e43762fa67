"""Pages that are pictures, with their recognised words."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.create_table(
        "recognised",
        sa.Column("text_id", sa.Text(), sa.ForeignKey("texts.text_id"), primary_key=True),
        sa.Column("page", sa.Integer(), primary_key=True),
        sa.Column("lines", sa.JSON(), nullable=False),
    )
