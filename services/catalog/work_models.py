"""Tables of work: threads with their leases, events, answers and votes; ingestions; jobs."""

from datetime import datetime
from typing import Annotated

from sqlalchemy import JSON, DateTime, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from services.catalog.models import Base, CollectionKey, Json, Key, NoticeText, NumberKey, goes_with
from services.domain import Principal
from services.domain.events import EventKey
from services.domain.notices import Notice

OptionalJson = Annotated[Json | None, mapped_column(JSON(none_as_null=True))]
JsonList = Annotated[list[Json], mapped_column(JSON)]


class RunRow(Base):
    """A thread; ``collections`` are their names when it began."""

    __tablename__ = "runs"

    thread_id: Mapped[Key]
    owner: Mapped[str] = mapped_column(index=True)
    kind: Mapped[str] = mapped_column(server_default="research")
    question: Mapped[str]
    title: Mapped[str | None]
    parent_thread: Mapped[str | None]
    parent_checkpoint: Mapped[str | None]
    collections: Mapped[list[str]]
    collection_ids: Mapped[list[str]] = mapped_column(default=list, server_default="[]")
    options: Mapped[Json]
    status: Mapped[str]
    phase: Mapped[str | None]
    pending: Mapped[OptionalJson]
    error: Mapped[Notice | None] = mapped_column(NoticeText)
    report: Mapped[OptionalJson]
    created_at: Mapped[str]
    updated_at: Mapped[str]


class LeaseRow(Base):
    """The process that may write to a thread. The epoch grows with every holder."""

    __tablename__ = "leases"

    thread_id: Mapped[Key]
    holder: Mapped[str]
    epoch: Mapped[int]
    live: Mapped[bool]


class EventRow(Base):
    """An event of a thread. ``seq`` is never reused, though events are replaced."""

    __tablename__ = "events"
    __table_args__ = (
        UniqueConstraint("thread_id", "branch", "checkpoint", "task", "n"),
        Index(None, "thread_id", "seq"),
        Index(None, "kind", "thread_id"),
        {"sqlite_autoincrement": True},
    )

    seq: Mapped[NumberKey]
    thread_id: Mapped[str]
    branch: Mapped[str]
    checkpoint: Mapped[str]
    task: Mapped[str]
    n: Mapped[int]
    at: Mapped[str]
    kind: Mapped[str] = mapped_column(server_default="")
    event: Mapped[Json]

    @property
    def key(self) -> EventKey:
        return EventKey.model_validate(self, from_attributes=True)


class WorkerRow(Base):
    """A process of a shared home; while there is a ``dedicated`` one, only such claim jobs."""

    __tablename__ = "workers"

    holder: Mapped[Key]
    dedicated: Mapped[bool]
    alive_until: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class QueuedJobRow(Base):
    """A job about a thread; ``holder`` is the process that does it, if several could."""

    __tablename__ = "commands"
    __table_args__ = (
        Index(None, "status", "id"),
        Index(None, "user", "kind", "id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[NumberKey]
    user: Mapped[str]
    role: Mapped[str]
    kind: Mapped[str]
    payload: Mapped[Json]
    status: Mapped[str]
    result: Mapped[OptionalJson]
    error: Mapped[Notice | None] = mapped_column(NoticeText)
    error_type: Mapped[str | None]
    created_at: Mapped[str]
    thread_id: Mapped[str | None] = mapped_column(index=True)
    holder: Mapped[str | None]

    @property
    def principal(self) -> Principal:
        return Principal.model_validate(self, from_attributes=True)


class AnswerRow(Base):
    """The answer to an interrupt: the primary key admits only the first."""

    __tablename__ = "answers"

    thread_id: Mapped[Key]
    interrupt_id: Mapped[Key]
    payload: Mapped[Json]
    user: Mapped[str]
    created_at: Mapped[str]


class GridRowRow(Base):
    """A row of a grid, or a section of a sweep, at its position from 0."""

    __tablename__ = "grid_rows"
    __table_args__ = (Index(None, "thread_id", "position"),)

    thread_id: Mapped[Key]
    row_id: Mapped[Key]
    position: Mapped[int]
    content: Mapped[Json]


class GridCellRow(Base):
    """A cell; ``key`` is that of its reading, ``review`` what a person says of the value."""

    __tablename__ = "grid_cells"
    __table_args__ = (Index(None, "key"),)

    thread_id: Mapped[Key]
    row_id: Mapped[Key]
    column_id: Mapped[NumberKey]
    key: Mapped[str]
    review: Mapped[OptionalJson]


class DraftRow(Base):
    """A person's draft of the answer to an interrupt."""

    __tablename__ = "drafts"

    thread_id: Mapped[Key]
    interrupt_id: Mapped[Key]
    user: Mapped[Key]
    payload: Mapped[Json]
    updated_at: Mapped[str]


class IngestionRow(Base):
    """An ingestion. ``files_done`` leaves out failed files; ``seconds`` are by kind of work."""

    __tablename__ = "jobs"
    __table_args__ = (Index(None, "status"), {"sqlite_autoincrement": True})

    job_id: Mapped[int] = mapped_column("id", primary_key=True)
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
    seconds: Mapped[Json]
    error: Mapped[Notice | None] = mapped_column(NoticeText)


class FeedbackRow(Base):
    """A vote on an answer; ``route`` is the depth by its score, ``depth`` the one taken."""

    __tablename__ = "feedback"

    thread_id: Mapped[Key]
    turn: Mapped[NumberKey]
    user: Mapped[Key]
    up: Mapped[bool]
    text: Mapped[str]
    route: Mapped[str]
    depth: Mapped[str]
    score: Mapped[float]
    at: Mapped[str]


class FeedbackPlaceRow(Base):
    """A collection that was searched for the answer."""

    __tablename__ = "feedback_places"
    __table_args__ = (
        goes_with("feedback", "thread_id", "turn", "user"),
        Index(None, "collection_id"),
    )

    thread_id: Mapped[Key]
    turn: Mapped[NumberKey]
    user: Mapped[Key]
    collection_id: Mapped[Key]


class RoutingRow(Base):
    """Thresholds of a collection in hundredths, if locked; votes count from ``since`` on."""

    __tablename__ = "routing"

    collection_id: Mapped[CollectionKey]
    since: Mapped[str]
    fast: Mapped[int | None]
    agent: Mapped[int | None]


class ModelReplyRow(Base):
    """The outcome of a model call, by the hash of its request.

    The prompt was fitted by ``speed`` (prompt tokens per second) and ``counts`` (tokens of texts,
    by their hash).
    """

    __tablename__ = "model_replies"
    __table_args__ = (Index(None, "thread_id"),)

    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    thread_id: Mapped[str]
    task: Mapped[str]
    sha256: Mapped[str]
    model: Mapped[str]
    context_tokens: Mapped[int]
    speed: Mapped[float]
    slots: Mapped[int]
    counts: Mapped[Json]
    text: Mapped[str]
    error: Mapped[str | None]
    prompt_tokens: Mapped[int]
    completion_tokens: Mapped[int]
    at: Mapped[str]


class PlanCaseRow(Base):
    """A plan that helps later ones. ``vector`` embeds its question as a query, float32."""

    __tablename__ = "plan_cases"
    __table_args__ = (Index(None, "owner", "kind"), Index(None, "thread_id"))

    case_id: Mapped[Key]
    thread_id: Mapped[str]
    turn: Mapped[int]
    owner: Mapped[str]
    kind: Mapped[str]
    language: Mapped[str]
    question: Mapped[str]
    collections: Mapped[list[str]]
    tasks: Mapped[JsonList]
    approved: Mapped[bool]
    edited: Mapped[bool]
    had_plan_improvements: Mapped[bool]
    had_tactical_improvements: Mapped[bool]
    tokens: Mapped[int]
    model_calls: Mapped[int]
    seconds: Mapped[float]
    fingerprint: Mapped[str]
    vector: Mapped[bytes]
    created_at: Mapped[str]


class TokenRow(Base):
    """A token of a program; ``sha256`` is that of its secret, which is not stored."""

    __tablename__ = "tokens"
    __table_args__ = (Index(None, "sha256", unique=True),)

    user: Mapped[Key]
    name: Mapped[Key]
    sha256: Mapped[str]
    scope: Mapped[str]
    created_at: Mapped[str]
    expires_at: Mapped[str | None]


class ReviewRow(Base):
    """A decision about a sentence, or a sign-off (sentence -1); the last one counts."""

    __tablename__ = "reviews"
    __table_args__ = (Index(None, "thread_id"),)

    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    thread_id: Mapped[str]
    turn: Mapped[int]
    sentence: Mapped[int]
    decision: Mapped[str]
    original: Mapped[str]
    text: Mapped[str]
    user: Mapped[str]
    at: Mapped[str]
