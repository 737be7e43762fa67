"""What a text says that it does to the target of a reference: replaces, amends or repeals it."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    with op.batch_alter_table("references") as table:
        table.add_column(sa.Column("relation", sa.Text(), nullable=True))
    op.create_index("ix_references_text_id_relation", "references", ["text_id", "relation"])
