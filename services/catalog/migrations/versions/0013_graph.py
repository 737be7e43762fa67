"""The knowledge graph: parts of texts, what models read, merged nodes."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "graph_parts",
        sa.Column("part_id", sa.Integer(), nullable=False),
        sa.Column("text_id", sa.Text(), nullable=False),
        sa.Column("builder", sa.Text(), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.Column("built_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["text_id"],
            ["texts.text_id"],
            name="fk_graph_parts_text_id_texts",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("part_id", name="pk_graph_parts"),
        sa.UniqueConstraint("text_id", name="uq_graph_parts_text_id"),
        sqlite_autoincrement=True,
    )
    _of_part(
        "graph_nodes",
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("places", sa.Integer(), nullable=False),
    )
    _of_part(
        "graph_mentions",
        sa.Column("node", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
    )
    _of_part(
        "graph_edges",
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("target", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("weight", sa.Double(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
    )
    _facts_and_merges()


def _of_part(name: str, *columns: "sa.Column[object]") -> None:
    op.create_table(
        name,
        sa.Column("part_id", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        *columns,
        sa.ForeignKeyConstraint(
            ["part_id"],
            ["graph_parts.part_id"],
            name=f"fk_{name}_part_id_graph_parts",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("part_id", "n", name=f"pk_{name}"),
    )


def _facts_and_merges() -> None:
    op.create_table(
        "graph_facts",
        sa.Column("text_id", sa.Text(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("found", sa.JSON(), nullable=False),
        sa.Column("read_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["text_id"],
            ["texts.text_id"],
            name="fk_graph_facts_text_id_texts",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("text_id", "start", "end", name="pk_graph_facts"),
    )
    op.create_table(
        "graph_merges",
        sa.Column("collection_id", sa.Text(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("into", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("undone", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["collections.collection_id"],
            name="fk_graph_merges_collection_id_collections",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("collection_id", "node_id", "into", name="pk_graph_merges"),
    )


def downgrade() -> None:
    for name in ("merges", "facts", "edges", "mentions", "nodes", "parts"):
        op.drop_table(f"graph_{name}")
