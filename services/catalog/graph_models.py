"""Tables of the knowledge graph, whose rows name nodes by their number in the part of a text."""

from typing import Annotated

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from services.catalog.models import Base, CollectionKey, Json, Key, NumberKey

PartKey = Annotated[
    int, mapped_column(ForeignKey("graph_parts.part_id", ondelete="CASCADE"), primary_key=True)
]


class GraphPartRow(Base):
    """The part of one text; ``builder`` is the version that read it, ``complete`` is set last."""

    __tablename__ = "graph_parts"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012 - no id is given twice

    part_id: Mapped[NumberKey]
    text_id: Mapped[str] = mapped_column(
        ForeignKey("texts.text_id", ondelete="CASCADE"), unique=True
    )
    builder: Mapped[str]
    complete: Mapped[bool]
    built_at: Mapped[str]


class GraphNodeRow(Base):
    __tablename__ = "graph_nodes"

    part_id: Mapped[PartKey]
    n: Mapped[NumberKey]
    node_id: Mapped[str]
    kind: Mapped[str]
    name: Mapped[str]
    places: Mapped[int]


class GraphMentionRow(Base):
    __tablename__ = "graph_mentions"

    part_id: Mapped[PartKey]
    n: Mapped[NumberKey]
    node: Mapped[int]
    start: Mapped[int]
    end: Mapped[int]


class GraphEdgeRow(Base):
    __tablename__ = "graph_edges"

    part_id: Mapped[PartKey]
    n: Mapped[NumberKey]
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
    start: Mapped[NumberKey]
    end: Mapped[NumberKey]
    made_by: Mapped[str]
    found: Mapped[Json]
    read_at: Mapped[str]


class GraphMergeRow(Base):
    """A node of a collection that duplicates another; an undone merge stays undone."""

    __tablename__ = "graph_merges"

    collection_id: Mapped[CollectionKey]
    node_id: Mapped[Key]
    into: Mapped[Key]
    why: Mapped[str]
    at: Mapped[str]
    undone: Mapped[bool]
