"""A text may be cut in several ways; a newer version of a file retires the older one."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

FIRST = "paragraph:1000:200"
"""How every text was cut before there was a choice."""


def upgrade() -> None:
    op.create_table(
        "chunkings",
        sa.Column("text_id", sa.Text(), nullable=False),
        sa.Column("chunking", sa.Text(), nullable=False),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["text_id"], ["texts.text_id"], name="fk_chunkings_text_id_texts"),
        sa.PrimaryKeyConstraint("text_id", "chunking", name="pk_chunkings"),
    )
    op.execute(
        "INSERT INTO chunkings (text_id, chunking, chunks, complete) "
        f"SELECT text_id, '{FIRST}', chunks, complete FROM texts"
    )
    op.drop_column("texts", "chunks")
    with op.batch_alter_table("chunks") as batch:
        batch.add_column(sa.Column("chunking", sa.Text(), nullable=False, server_default=FIRST))
        batch.drop_constraint("uq_chunks_text_id_n", type_="unique")
        batch.create_unique_constraint("uq_chunks_text_id_chunking_n", ["text_id", "chunking", "n"])
    op.add_column(
        "memberships", sa.Column("chunking", sa.Text(), nullable=False, server_default=FIRST)
    )
    op.create_index(
        "ix_memberships_collection_id_document", "memberships", ["collection_id", "document"]
    )
    op.create_table(
        "leftovers",
        sa.Column("collection_id", sa.Text(), nullable=False),
        sa.Column("chunk_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["collections.collection_id"],
            name="fk_leftovers_collection_id_collections",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("collection_id", "chunk_id", name="pk_leftovers"),
    )


def downgrade() -> None:
    """Back to one cut of each text; what was cut otherwise has to be ingested again."""
    op.drop_table("leftovers")
    op.execute(
        "DELETE FROM aliases WHERE (collection_id, content_id) IN ("
        "SELECT collection_id, content_id FROM memberships WHERE status = 'retired')"
    )
    op.execute("DELETE FROM memberships WHERE status = 'retired'")
    op.execute(f"UPDATE memberships SET status = 'pending' WHERE chunking <> '{FIRST}'")
    op.drop_index("ix_memberships_collection_id_document", "memberships")
    op.drop_column("memberships", "chunking")
    op.execute(f"DELETE FROM chunks WHERE chunking <> '{FIRST}'")
    with op.batch_alter_table("chunks") as batch:
        batch.drop_constraint("uq_chunks_text_id_chunking_n", type_="unique")
        batch.drop_column("chunking")
        batch.create_unique_constraint("uq_chunks_text_id_n", ["text_id", "n"])
    op.add_column("texts", sa.Column("chunks", sa.Integer(), nullable=False, server_default="0"))
    op.execute(
        "UPDATE texts SET chunks = "
        "(SELECT count(*) FROM chunks WHERE chunks.text_id = texts.text_id)"
    )
    op.drop_table("chunkings")
