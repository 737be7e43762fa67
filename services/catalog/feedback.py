"""Votes on answers: the latest one of each person counts."""

from collections.abc import Sequence

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from services.catalog import ids
from services.catalog.database import Database, insert_missing
from services.catalog.feedback_models import FeedbackPlaceRow, FeedbackRow, RoutingRow
from services.thresholds import Vote
from services.types import Principal
from services.value import Value


class VoteInfo(Vote):
    """A vote as it was given; ``at`` is ISO 8601 in UTC."""

    thread_id: str
    turn: int
    user: str
    text: str
    at: str


class Held(Value):
    """What was decided about a collection's thresholds: hundredths that are held, or None."""

    since: str = ""
    fast: int | None = None
    agent: int | None = None


class Feedback:
    """Reads and writes votes. Who may vote and hold thresholds is decided by the caller."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(
        self,
        thread_id: str,
        turn: int,
        user: str,
        vote: Vote,
        text: str,
        collections: Sequence[str],
    ) -> VoteInfo:
        """Record a vote in place of an earlier one of that person on that turn."""
        place = {"thread_id": thread_id, "turn": turn, "user": user}
        fields = {**place, **vote.model_dump(), "text": text, "at": ids.now()}
        with self._database.write() as session:
            forget(session, thread_id, turn=turn, user=user)
            session.add(FeedbackRow(**fields))
            session.flush()
            rows = [place | {"collection_id": each} for each in dict.fromkeys(collections)]
            insert_missing(session, FeedbackPlaceRow, rows)
        return VoteInfo.model_validate(fields)

    def take_back(self, thread_id: str, turn: int, user: str) -> None:
        """Forget a vote; without effect where there is none."""
        with self._database.write() as session:
            forget(session, thread_id, turn=turn, user=user)

    def of_thread(self, principal: Principal, thread_id: str) -> list[VoteInfo]:
        """The principal's votes on the answers of a thread, an admin's those of everybody."""
        query = select(FeedbackRow).where(FeedbackRow.thread_id == thread_id)
        if principal.role != "admin":
            query = query.where(FeedbackRow.user == principal.user)
        with self._database.read() as session:
            rows = session.scalars(query.order_by(FeedbackRow.turn, FeedbackRow.user))
            return [as_vote(row) for row in rows]

    def votes(self, collection_id: str, since: str = "") -> list[Vote]:
        """All votes on answers over a collection that were given after a time."""
        query = (
            select(FeedbackRow.up, FeedbackRow.route, FeedbackRow.depth, FeedbackRow.score)
            .join(
                FeedbackPlaceRow,
                (FeedbackPlaceRow.thread_id == FeedbackRow.thread_id)
                & (FeedbackPlaceRow.turn == FeedbackRow.turn)
                & (FeedbackPlaceRow.user == FeedbackRow.user),
            )
            .where(FeedbackPlaceRow.collection_id == collection_id, FeedbackRow.at > since)
        )
        with self._database.read() as session:
            rows = session.execute(query).mappings()
            return [Vote.model_validate(dict(row)) for row in rows]

    def held(self, collection_id: str) -> Held:
        """What was decided about the thresholds of a collection."""
        with self._database.read() as session:
            row = session.get(RoutingRow, collection_id)
            return Held() if row is None else Held(since=row.since, fast=row.fast, agent=row.agent)

    def hold(self, collection_id: str, fast: int | None, agent: int | None) -> None:
        """Hold the thresholds at these hundredths, or let votes move them again."""
        with self._database.write() as session:
            row = routing(session, collection_id)
            row.fast, row.agent = fast, agent

    def reset(self, collection_id: str) -> None:
        """Let only votes count that are given from now on, and hold nothing."""
        with self._database.write() as session:
            row = routing(session, collection_id)
            row.since, row.fast, row.agent = ids.now(), None, None


def forget(
    session: Session, thread_id: str, *, turn: int | None = None, user: str | None = None
) -> None:
    """Delete votes of a thread, all of them or those on a turn by somebody."""
    for model in (FeedbackPlaceRow, FeedbackRow):
        chosen = delete(model).where(model.thread_id == thread_id)
        if turn is not None:
            chosen = chosen.where(model.turn == turn)
        if user is not None:
            chosen = chosen.where(model.user == user)
        session.execute(chosen)


def routing(session: Session, collection_id: str) -> RoutingRow:
    insert_missing(session, RoutingRow, [{"collection_id": collection_id, "since": ""}])
    return session.get_one(RoutingRow, collection_id)


def as_vote(row: FeedbackRow) -> VoteInfo:
    return VoteInfo.model_validate({name: getattr(row, name) for name in VoteInfo.model_fields})
