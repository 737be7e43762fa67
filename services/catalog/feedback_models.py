"""Tables of the catalog: what people think of answers."""

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index
from sqlalchemy.orm import Mapped, mapped_column

from services.catalog.models import Base


class FeedbackRow(Base):
    """A vote on an answer; ``route`` is the depth its score called for, ``depth`` the one taken."""

    __tablename__ = "feedback"

    thread_id: Mapped[str] = mapped_column(primary_key=True)
    turn: Mapped[int] = mapped_column(primary_key=True)
    user: Mapped[str] = mapped_column(primary_key=True)
    up: Mapped[bool]
    text: Mapped[str]
    route: Mapped[str]
    depth: Mapped[str]
    score: Mapped[float]
    at: Mapped[str]


class FeedbackPlaceRow(Base):
    """A collection that the answer was looked for in."""

    __tablename__ = "feedback_places"
    __table_args__ = (
        ForeignKeyConstraint(
            ["thread_id", "turn", "user"],
            ["feedback.thread_id", "feedback.turn", "feedback.user"],
            ondelete="CASCADE",
        ),
        Index(None, "collection_id"),
    )

    thread_id: Mapped[str] = mapped_column(primary_key=True)
    turn: Mapped[int] = mapped_column(primary_key=True)
    user: Mapped[str] = mapped_column(primary_key=True)
    collection_id: Mapped[str] = mapped_column(primary_key=True)


class RoutingRow(Base):
    """What was decided about the thresholds of a collection.

    Votes count from ``since`` on. ``fast`` and ``agent``, in hundredths, are held where set.
    """

    __tablename__ = "routing"

    collection_id: Mapped[str] = mapped_column(
        ForeignKey("collections.collection_id", ondelete="CASCADE"), primary_key=True
    )
    since: Mapped[str]
    fast: Mapped[int | None]
    agent: Mapped[int | None]
