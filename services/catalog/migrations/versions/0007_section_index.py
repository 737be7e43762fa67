"""An index of chunks by their section label."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_chunks_section_chunk_id", "chunks", ["section", "chunk_id"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_chunks_section_chunk_id", table_name="chunks")
