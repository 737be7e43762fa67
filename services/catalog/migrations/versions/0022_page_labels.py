"""What a document prints on its pages, where that is not their index."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.create_table(
        "page_labels",
        sa.Column("text_id", sa.Text(), sa.ForeignKey("texts.text_id"), primary_key=True),
        sa.Column("labels", sa.JSON(), nullable=False),
    )
