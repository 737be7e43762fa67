"""Votes on answers: the latest one of each person counts."""

from collections.abc import Sequence

from sqlalchemy import delete, func, select, true, update

from services.catalog import ids
from services.catalog.database import Database, Repository, insert_missing, one_of
from services.catalog.work_models import FeedbackPlaceRow, FeedbackRow, RoutingRow
from services.domain import Principal
from services.domain.value import Value
from services.library.thresholds import Vote, VoteInfo

SCOPES = 64
"""Sets of collections whose votes are not read again while the catalog stays as it is."""


class Routing(Value):
    """The votes that count for a collection, and its thresholds in hundredths if they are held."""

    votes: tuple[Vote, ...] = ()
    fast: int | None = None
    agent: int | None = None


class Feedback(Repository):
    """Reads and writes votes. Who may vote and hold thresholds is decided by the caller."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._routing = database.cached(SCOPES, self._read_routing)

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
            session.execute(delete(FeedbackRow).filter_by(**place))
            session.add(FeedbackRow(**fields))
            session.flush()
            rows = [place | {"collection_id": each} for each in dict.fromkeys(collections)]
            insert_missing(session, FeedbackPlaceRow, rows)
        return VoteInfo.model_validate(fields)

    def of_thread(self, principal: Principal, thread_id: str) -> list[VoteInfo]:
        """The principal's votes on the answers of a thread, an admin's those of everybody."""
        mine = true() if principal.role == "admin" else FeedbackRow.user == principal.user
        query = select(FeedbackRow).where(FeedbackRow.thread_id == thread_id, mine)
        return self._database.values(VoteInfo, query.order_by(FeedbackRow.turn, FeedbackRow.user))

    def routing(self, collection_ids: Sequence[str]) -> dict[str, Routing]:
        """What decides about the thresholds of each of these collections; two queries for all."""
        return dict(self._routing(tuple(collection_ids)))

    def _read_routing(self, collection_ids: tuple[str, ...]) -> dict[str, Routing]:
        given = (
            select(FeedbackPlaceRow.collection_id, FeedbackRow)
            .join(FeedbackRow)
            .outerjoin(RoutingRow, RoutingRow.collection_id == FeedbackPlaceRow.collection_id)
            .where(FeedbackRow.at > func.coalesce(RoutingRow.since, ""))
        )
        votes: dict[str, list[Vote]] = {each: [] for each in collection_ids}
        with self._database.read() as session:
            these = one_of(session, RoutingRow.collection_id, collection_ids)
            decided = {
                row.collection_id: {"fast": row.fast, "agent": row.agent}
                for row in session.scalars(select(RoutingRow).where(these))
            }
            these = one_of(session, FeedbackPlaceRow.collection_id, collection_ids)
            for place, row in session.execute(given.where(these)):
                votes[place].append(Vote.model_validate(row, from_attributes=True))
        return {
            each: Routing(votes=tuple(votes[each]), **decided.get(each, {}))
            for each in collection_ids
        }

    def hold(self, collection_id: str, fast: int | None, agent: int | None) -> None:
        """Hold the thresholds at these hundredths, or let votes move them again."""
        self._decide(collection_id, fast=fast, agent=agent)

    def reset(self, collection_id: str) -> None:
        """Let only votes count that are given from now on, and hold nothing."""
        self._decide(collection_id, since=ids.now(), fast=None, agent=None)

    def _decide(self, collection_id: str, **values: str | int | None) -> None:
        row = {"collection_id": collection_id, "since": ""}
        with self._database.write() as session:
            insert_missing(session, RoutingRow, [row])
            this = update(RoutingRow).where(RoutingRow.collection_id == collection_id)
            session.execute(this.values(values))
