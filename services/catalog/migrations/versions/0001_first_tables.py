"""First tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "answers",
        sa.Column("thread_id", sa.Text(), nullable=False),
        sa.Column("interrupt_id", sa.Text(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("thread_id", "interrupt_id", name="pk_answers"),
    )
    op.create_table(
        "collections",
        sa.Column("collection_id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("visibility", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=True),
        sa.Column("content_version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("collection_id", name="pk_collections"),
        sa.UniqueConstraint("owner", "name", name="uq_collections_owner_name"),
    )
    op.create_table(
        "commands",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("result", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("error_type", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_commands"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_commands_status_id", "commands", ["status", "id"], unique=False)
    op.create_table(
        "embeddings",
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("fingerprint", "hash", name="pk_embeddings"),
    )
    op.create_table(
        "events",
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("thread_id", sa.Text(), nullable=False),
        sa.Column("branch", sa.Text(), nullable=False),
        sa.Column("checkpoint", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("event", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_events"),
        sa.UniqueConstraint(
            "thread_id",
            "branch",
            "checkpoint",
            "task",
            "n",
            name="uq_events_thread_id_branch_checkpoint_task_n",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_thread_id_seq", "events", ["thread_id", "seq"], unique=False)
    op.create_table(
        "leases",
        sa.Column("thread_id", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("thread_id", name="pk_leases"),
    )
    op.create_table(
        "runs",
        sa.Column("thread_id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("collections", sa.JSON(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=True),
        sa.Column("pending", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("report", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("thread_id", name="pk_runs"),
    )
    op.create_index("ix_runs_owner", "runs", ["owner"], unique=False)
    op.create_table(
        "texts",
        sa.Column("text_id", sa.Text(), nullable=False),
        sa.Column("parser_version", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("sections", sa.Integer(), nullable=False),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("pages", sa.JSON(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("text_id", name="pk_texts"),
    )
    op.create_table(
        "chunks",
        sa.Column("chunk_id", sa.Text(), nullable=False),
        sa.Column("text_id", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("section", sa.Text(), nullable=False),
        sa.Column("heading_path", sa.JSON(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=True),
        sa.Column("page_end", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["text_id"], ["texts.text_id"], name="fk_chunks_text_id_texts"),
        sa.PrimaryKeyConstraint("chunk_id", name="pk_chunks"),
        sa.UniqueConstraint("text_id", "n", name="uq_chunks_text_id_n"),
    )
    op.create_index("ix_chunks_text_id_section", "chunks", ["text_id", "section"], unique=False)
    op.create_table(
        "contents",
        sa.Column("content_id", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("text_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["text_id"], ["texts.text_id"], name="fk_contents_text_id_texts"),
        sa.PrimaryKeyConstraint("content_id", name="pk_contents"),
    )
    op.create_index("ix_contents_text_id", "contents", ["text_id"], unique=False)
    op.create_table(
        "references",
        sa.Column("text_id", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=True),
        sa.Column("subdivision", sa.Text(), nullable=True),
        sa.Column("document", sa.Text(), nullable=True),
        sa.Column("target", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["text_id"], ["texts.text_id"], name="fk_references_text_id_texts"),
        sa.PrimaryKeyConstraint("text_id", "n", name="pk_references"),
    )
    op.create_index("ix_references_text_id_start", "references", ["text_id", "start"], unique=False)
    op.create_table(
        "sections",
        sa.Column("text_id", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("heading_path", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["text_id"], ["texts.text_id"], name="fk_sections_text_id_texts"),
        sa.PrimaryKeyConstraint("text_id", "n", name="pk_sections"),
    )
    op.create_table(
        "extractions",
        sa.Column("content_id", sa.Text(), nullable=False),
        sa.Column("text_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["content_id"], ["contents.content_id"], name="fk_extractions_content_id_contents"
        ),
        sa.ForeignKeyConstraint(
            ["text_id"], ["texts.text_id"], name="fk_extractions_text_id_texts"
        ),
        sa.PrimaryKeyConstraint("content_id", "text_id", name="pk_extractions"),
    )
    op.create_table(
        "memberships",
        sa.Column("collection_id", sa.Text(), nullable=False),
        sa.Column("content_id", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("ingested_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["collections.collection_id"],
            name="fk_memberships_collection_id_collections",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["content_id"], ["contents.content_id"], name="fk_memberships_content_id_contents"
        ),
        sa.PrimaryKeyConstraint("collection_id", "content_id", name="pk_memberships"),
    )
    op.create_index("ix_memberships_content_id", "memberships", ["content_id"], unique=False)
    op.create_table(
        "aliases",
        sa.Column("collection_id", sa.Text(), nullable=False),
        sa.Column("content_id", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("alias", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("series", sa.Text(), nullable=True),
        sa.Column("number", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["collection_id", "content_id"],
            ["memberships.collection_id", "memberships.content_id"],
            name="fk_aliases_collection_id_content_id_memberships",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("collection_id", "content_id", "n", name="pk_aliases"),
    )


def downgrade() -> None:
    for table in (
        "aliases",
        "memberships",
        "extractions",
        "sections",
        "references",
        "contents",
        "chunks",
        "texts",
        "runs",
        "leases",
        "events",
        "embeddings",
        "commands",
        "collections",
        "answers",
    ):
        op.drop_table(table)
