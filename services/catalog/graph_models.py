"""Tables of the knowledge graph: what each text says, what models read, which nodes are one.

A part belongs to a text and is replaced as a whole. Its rows name nodes by their number in the
part, since ids are long and mentions are many.
"""

from pydantic import JsonValue
from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from services.catalog.models import Base


class GraphPartRow(Base):
    """What one text says; ``builder`` is the version that read it, ``complete`` comes last."""

    __tablename__ = "graph_parts"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012 - no id is given twice

    part_id: Mapped[int] = mapped_column(primary_key=True)
    text_id: Mapped[str] = mapped_column(
        ForeignKey("texts.text_id", ondelete="CASCADE"), unique=True
    )
    builder: Mapped[str]
    complete: Mapped[bool]
    built_at: Mapped[str]


class GraphNodeRow(Base):
    __tablename__ = "graph_nodes"

    part_id: Mapped[int] = mapped_column(
        ForeignKey("graph_parts.part_id", ondelete="CASCADE"), primary_key=True
    )
    n: Mapped[int] = mapped_column(primary_key=True)
    node_id: Mapped[str]
    kind: Mapped[str]
    name: Mapped[str]
    places: Mapped[int]


class GraphMentionRow(Base):
    __tablename__ = "graph_mentions"

    part_id: Mapped[int] = mapped_column(
        ForeignKey("graph_parts.part_id", ondelete="CASCADE"), primary_key=True
    )
    n: Mapped[int] = mapped_column(primary_key=True)
    node: Mapped[int]
    start: Mapped[int]
    end: Mapped[int]


class GraphEdgeRow(Base):
    __tablename__ = "graph_edges"

    part_id: Mapped[int] = mapped_column(
        ForeignKey("graph_parts.part_id", ondelete="CASCADE"), primary_key=True
    )
    n: Mapped[int] = mapped_column(primary_key=True)
    source: Mapped[int]
    target: Mapped[int]
    kind: Mapped[str]
    label: Mapped[str]
    weight: Mapped[float]
    start: Mapped[int]
    end: Mapped[int]


class GraphFactsRow(Base):
    """What a model read in a passage of a text; ``made_by`` names model and prompts."""

    __tablename__ = "graph_facts"

    text_id: Mapped[str] = mapped_column(
        ForeignKey("texts.text_id", ondelete="CASCADE"), primary_key=True
    )
    start: Mapped[int] = mapped_column(primary_key=True)
    end: Mapped[int] = mapped_column(primary_key=True)
    made_by: Mapped[str]
    found: Mapped[dict[str, JsonValue]]
    read_at: Mapped[str]


class GraphMergeRow(Base):
    """A node of a collection that is another's duplicate; once ``undone`` it stays so."""

    __tablename__ = "graph_merges"

    collection_id: Mapped[str] = mapped_column(
        ForeignKey("collections.collection_id", ondelete="CASCADE"), primary_key=True
    )
    node_id: Mapped[str] = mapped_column(primary_key=True)
    into: Mapped[str] = mapped_column(primary_key=True)
    why: Mapped[str]
    at: Mapped[str]
    undone: Mapped[bool]
