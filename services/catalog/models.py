"""Tables of the catalog: contents (files, their texts and chunks) and collections of them.

Content rows are written once and never changed; what changes is the text to which a content points,
and its collections. A new column or table needs a migration: see ``services.catalog.migrate``.
"""

from typing import Annotated

from pydantic import JsonValue
from sqlalchemy import (
    JSON,
    BigInteger,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    MetaData,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship, synonym

from services.domain.notices import Notice

Json = dict[str, JsonValue]
Key = Annotated[str, mapped_column(primary_key=True)]
NumberKey = Annotated[int, mapped_column(primary_key=True)]
TextKey = Annotated[str, mapped_column(ForeignKey("texts.text_id"), primary_key=True)]
ContentKey = Annotated[str, mapped_column(ForeignKey("contents.content_id"), primary_key=True)]
CollectionKey = Annotated[
    str,
    mapped_column(ForeignKey("collections.collection_id", ondelete="CASCADE"), primary_key=True),
]


class NoticeText(TypeDecorator[Notice]):
    """A notice, as plain text if it has no fields, else as JSON."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Notice | None, dialect: Dialect) -> str | None:
        if value is None or not value.fields:
            return None if value is None else value.message
        return value.model_dump_json()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Notice | None:
        if value is None:
            return None
        if value.startswith('{"message"'):
            return Notice.model_validate_json(value)
        return Notice(message=value)


class Base(DeclarativeBase):
    """Constraint names are fixed, so that migrations can name them on every database."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads it from the class
        Json: JSON,
        list[str]: JSON,
        list[int]: JSON,
        list[JsonValue]: JSON,
        bytes: LargeBinary,
        str: Text,
    }


def goes_with(table: str, *key: str) -> ForeignKeyConstraint:
    """Return the constraint that deletes a row with the row of ``table`` that has its key."""
    return ForeignKeyConstraint(key, [f"{table}.{name}" for name in key], ondelete="CASCADE")


class TextRow(Base):
    """An extracted text; ``complete`` once sections and references are written.

    The text is the last column: SQLite reads through a long value to reach a column after it.
    """

    __tablename__ = "texts"

    text_id: Mapped[Key]
    parser_version: Mapped[str]
    title: Mapped[str]
    language: Mapped[str]
    sections: Mapped[int]
    complete: Mapped[bool]
    created_at: Mapped[str]
    pages: Mapped[list[int]]
    text: Mapped[str]


class SectionRow(Base):
    __tablename__ = "sections"

    text_id: Mapped[TextKey]
    n: Mapped[NumberKey]
    label: Mapped[str]
    title: Mapped[str]
    level: Mapped[int]
    start: Mapped[int]
    end: Mapped[int]
    heading_path: Mapped[list[str]]


class RecognisedRow(Base):
    """A page (from 1) of a text whose words were read from a picture."""

    __tablename__ = "recognised"

    text_id: Mapped[TextKey]
    page: Mapped[NumberKey]
    lines: Mapped[list[JsonValue]]


class SummaryRow(Base):
    """The summary of a text, or the notes for it; ``made_by`` names model and prompts."""

    __tablename__ = "summaries"

    text_id: Mapped[TextKey]
    made_by: Mapped[Key]
    complete: Mapped[bool]
    content: Mapped[Json]
    made_at: Mapped[str]


class ReadingRow(Base):
    """What a model read in a text for one question; ``key`` names all that it depends on."""

    __tablename__ = "readings"

    key: Mapped[Key]
    text_id: Mapped[str | None] = mapped_column(ForeignKey("texts.text_id"), index=True)
    state: Mapped[str]
    value: Mapped[str]
    normal: Mapped[str]
    amount: Mapped[float | None]
    content: Mapped[Json]
    made_at: Mapped[str]


class PageLabelsRow(Base):
    """The printed labels of all pages of a text, where they are not the numbers from 1."""

    __tablename__ = "page_labels"

    text_id: Mapped[TextKey]
    labels: Mapped[list[str]]


class ChunkingRow(Base):
    """A text cut by a ``Chunking.key``; ``complete`` once its chunks are stored."""

    __tablename__ = "chunkings"

    text_id: Mapped[TextKey]
    chunking: Mapped[Key]
    chunks: Mapped[int]
    complete: Mapped[bool]


class ChunkRow(Base):
    """A span of a text; ``n`` is its index in its chunking, from 0."""

    __tablename__ = "chunks"
    __table_args__ = (
        UniqueConstraint("text_id", "chunking", "n"),
        Index(None, "text_id", "section"),
        Index(None, "section", "chunk_id"),
    )

    chunk_id: Mapped[Key]
    text_id: Mapped[str] = mapped_column(ForeignKey("texts.text_id"))
    chunking: Mapped[str] = mapped_column(server_default="paragraph:1000:200")
    n: Mapped[int]
    start: Mapped[int]
    end: Mapped[int]
    section: Mapped[str]
    heading_path: Mapped[list[str]]
    page: Mapped[int | None]
    page_end: Mapped[int | None]


class ReferenceRow(Base):
    __tablename__ = "references"
    __table_args__ = (Index(None, "text_id", "start"), Index(None, "text_id", "relation"))

    text_id: Mapped[TextKey]
    n: Mapped[NumberKey]
    start: Mapped[int]
    end: Mapped[int]
    text: Mapped[str]
    type: Mapped[str]
    label: Mapped[str | None]
    subdivision: Mapped[str | None]
    document: Mapped[str | None]
    target: Mapped[str]
    relation: Mapped[str | None]


class ContentRow(Base):
    """The bytes of a file, its current text, and the metadata that it states ({} if not read)."""

    __tablename__ = "contents"

    content_id: Mapped[Key]
    size: Mapped[int] = mapped_column(BigInteger)
    text_id: Mapped[str] = mapped_column(ForeignKey("texts.text_id"), index=True)
    created_at: Mapped[str]
    stated: Mapped[Json] = mapped_column(default=dict, server_default="{}")
    members: Mapped[list["MembershipRow"]] = relationship(back_populates="content")


class ExtractionRow(Base):
    """A text that was ever made of a content; ``warnings`` None if it is older than the column."""

    __tablename__ = "extractions"

    content_id: Mapped[ContentKey]
    text_id: Mapped[TextKey]
    warnings: Mapped[list[JsonValue] | None]


class CollectionRow(Base):
    """A collection; ``fingerprint`` names its embedding model, None while it is empty."""

    __tablename__ = "collections"
    __table_args__ = (UniqueConstraint("owner", "name"),)

    collection_id: Mapped[Key]
    owner: Mapped[str]
    name: Mapped[str]
    description: Mapped[str]
    visibility: Mapped[str]
    fingerprint: Mapped[str | None]
    content_version: Mapped[int]
    created_at: Mapped[str]


class LeftoverRow(Base):
    """A chunk that a collection lost and its indexes may still contain."""

    __tablename__ = "leftovers"

    collection_id: Mapped[CollectionKey]
    chunk_id: Mapped[Key]


class MembershipRow(Base):
    """A content in a collection: ``pending`` until the indexes contain it, then ``indexed``, and
    ``retired`` once a newer version has replaced it.

    ``edited`` names the fields of its metadata that a person has set, and that the file no longer
    changes.
    """

    __tablename__ = "memberships"
    __table_args__ = (Index(None, "collection_id", "document"),)

    collection_id: Mapped[CollectionKey]
    content_id: Mapped[ContentKey] = mapped_column(index=True)
    document_id: Mapped[str] = synonym("content_id")
    document: Mapped[str]
    source: Mapped[str | None]
    chunking: Mapped[str] = mapped_column(server_default="paragraph:1000:200")
    status: Mapped[str]
    ingested_at: Mapped[str]
    date: Mapped[str | None]
    edited: Mapped[list[str]] = mapped_column(default=list, server_default="[]")
    content: Mapped[ContentRow] = relationship(back_populates="members")
    facets: Mapped[list["FacetRow"]] = relationship(
        order_by="FacetRow.n", cascade="all, delete-orphan", passive_deletes=True
    )
    aliases: Mapped[list["AliasRow"]] = relationship(
        order_by="AliasRow.n", cascade="all, delete-orphan", passive_deletes=True
    )


OF_MEMBER = (ChunkingRow.text_id == ContentRow.text_id) & (
    ChunkingRow.chunking == MembershipRow.chunking
)
"""Joins a member and its content with the chunking of its text in the collection."""


class BinRow(Base):
    """A document removed from a collection, with what is needed to put it back."""

    __tablename__ = "bin"

    collection_id: Mapped[CollectionKey]
    content_id: Mapped[ContentKey] = mapped_column(index=True)
    document_id: Mapped[str] = synonym("content_id")
    document: Mapped[str]
    source: Mapped[str | None]
    chunking: Mapped[str]
    people_set: Mapped[Json]
    removed_by: Mapped[str]
    removed_at: Mapped[str]


class FacetRow(Base):
    """A tag, the category or the author of a member; ``key`` is its folded ``value``."""

    __tablename__ = "facets"
    __table_args__ = (goes_with("memberships", "collection_id", "content_id"),)

    collection_id: Mapped[Key]
    content_id: Mapped[Key]
    kind: Mapped[Key]
    n: Mapped[NumberKey]
    value: Mapped[str]
    key: Mapped[str]


class SubscriptionRow(Base):
    """A user's subscription to an unlisted collection of somebody else."""

    __tablename__ = "subscriptions"

    user: Mapped[Key]
    collection_id: Mapped[CollectionKey] = mapped_column(index=True)
    created_at: Mapped[str]


class DeletionRow(Base):
    """A deleted collection whose indexes may not be cleared yet."""

    __tablename__ = "deletions"

    collection_id: Mapped[Key]
    created_at: Mapped[str]


class AliasRow(Base):
    """A name of a member; it belongs to the membership because one is the file name there."""

    __tablename__ = "aliases"
    __table_args__ = (goes_with("memberships", "collection_id", "content_id"),)

    collection_id: Mapped[Key]
    content_id: Mapped[Key]
    n: Mapped[NumberKey]
    title: Mapped[str]
    alias: Mapped[str]
    kind: Mapped[str]
    series: Mapped[str | None]
    number: Mapped[str | None]


class EmbeddingRow(Base):
    """A cached passage vector: little-endian float32."""

    __tablename__ = "embeddings"

    fingerprint: Mapped[Key]
    hash: Mapped[Key]
    vector: Mapped[bytes]


class ParameterRow(Base):
    """A setting of a user's profile; a global one has an empty owner and profile.

    ``value`` has it under the key ``value``, whatever its type.
    """

    __tablename__ = "parameters"

    owner: Mapped[Key]
    profile: Mapped[Key]
    key: Mapped[Key]
    value: Mapped[Json]
    locked: Mapped[bool]
    updated_at: Mapped[str]
