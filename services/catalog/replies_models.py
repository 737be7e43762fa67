"""Tables of the catalog: what models answered."""

from pydantic import JsonValue
from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from services.catalog.models import Base


class ModelReplyRow(Base):
    """The outcome of one call; ``sha256`` is that of the request, whose text is not kept.

    ``speed`` (tokens of a prompt a second) and ``counts`` (tokens of texts, by their hash) are
    what the prompt was fitted by.
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
    counts: Mapped[dict[str, JsonValue]]
    text: Mapped[str]
    error: Mapped[str | None]
    prompt_tokens: Mapped[int]
    completion_tokens: Mapped[int]
    at: Mapped[str]
