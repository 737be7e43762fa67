"""Tables of the catalog: what is being done. Runs with their leases, events and answers, jobs, and
the commands between processes.
"""

from pydantic import JsonValue
from sqlalchemy import JSON, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from services.catalog.models import Base


class RunRow(Base):
    __tablename__ = "runs"

    thread_id: Mapped[str] = mapped_column(primary_key=True)
    owner: Mapped[str] = mapped_column(index=True)
    kind: Mapped[str] = mapped_column(server_default="research")
    question: Mapped[str]
    title: Mapped[str | None]
    parent_thread: Mapped[str | None]
    parent_checkpoint: Mapped[str | None]
    collections: Mapped[list[str]]
    options: Mapped[dict[str, JsonValue]]
    status: Mapped[str]
    phase: Mapped[str | None]
    pending: Mapped[dict[str, JsonValue] | None] = mapped_column(JSON(none_as_null=True))
    error: Mapped[str | None]
    report: Mapped[dict[str, JsonValue] | None] = mapped_column(JSON(none_as_null=True))
    created_at: Mapped[str]
    updated_at: Mapped[str]


class LeaseRow(Base):
    """Who may write to a thread. The epoch grows with every holder."""

    __tablename__ = "leases"

    thread_id: Mapped[str] = mapped_column(primary_key=True)
    holder: Mapped[str]
    epoch: Mapped[int]
    live: Mapped[bool]


class EventRow(Base):
    """An event of a thread. ``seq`` is never used twice, though events are replaced."""

    __tablename__ = "events"
    __table_args__ = (
        UniqueConstraint("thread_id", "branch", "checkpoint", "task", "n"),
        Index(None, "thread_id", "seq"),
        Index(None, "kind", "thread_id"),
        {"sqlite_autoincrement": True},
    )

    seq: Mapped[int] = mapped_column(primary_key=True)
    thread_id: Mapped[str]
    branch: Mapped[str]
    checkpoint: Mapped[str]
    task: Mapped[str]
    n: Mapped[int]
    at: Mapped[str]
    kind: Mapped[str] = mapped_column(server_default="")
    event: Mapped[dict[str, JsonValue]]


class CommandRow(Base):
    __tablename__ = "commands"
    __table_args__ = (
        Index(None, "status", "id"),
        Index(None, "user", "kind", "id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    user: Mapped[str]
    role: Mapped[str]
    kind: Mapped[str]
    payload: Mapped[dict[str, JsonValue]]
    status: Mapped[str]
    result: Mapped[dict[str, JsonValue] | None] = mapped_column(JSON(none_as_null=True))
    error: Mapped[str | None]
    error_type: Mapped[str | None]
    created_at: Mapped[str]


class AnswerRow(Base):
    """The answer that counts for an interrupt: the primary key admits only the first."""

    __tablename__ = "answers"

    thread_id: Mapped[str] = mapped_column(primary_key=True)
    interrupt_id: Mapped[str] = mapped_column(primary_key=True)
    payload: Mapped[dict[str, JsonValue]]
    user: Mapped[str]
    created_at: Mapped[str]


class DraftRow(Base):
    """What a person is preparing as the answer to an interrupt."""

    __tablename__ = "drafts"

    thread_id: Mapped[str] = mapped_column(primary_key=True)
    interrupt_id: Mapped[str] = mapped_column(primary_key=True)
    user: Mapped[str] = mapped_column(primary_key=True)
    payload: Mapped[dict[str, JsonValue]]
    updated_at: Mapped[str]


class JobRow(Base):
    """An ingestion. ``files_done`` counts without the failed ones; ``seconds`` by kind of work."""

    __tablename__ = "jobs"
    __table_args__ = (Index(None, "status"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    user: Mapped[str]
    collection_id: Mapped[str]
    collection: Mapped[str]
    status: Mapped[str]
    started_at: Mapped[str]
    ended_at: Mapped[str | None]
    files_total: Mapped[int]
    files_done: Mapped[int]
    files_failed: Mapped[int]
    pages: Mapped[int]
    chunks: Mapped[int]
    seconds: Mapped[dict[str, JsonValue]]
    error: Mapped[str | None]
