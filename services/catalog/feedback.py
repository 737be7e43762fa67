"""What people think of answers: votes, of which the latest counts, and reviews of sentences."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from sqlalchemy import delete, func, select, true, update

from services.catalog import ids
from services.catalog.database import Database, Repository, insert_missing, one_of
from services.catalog.work_models import FeedbackPlaceRow, FeedbackRow, ReviewRow, RoutingRow
from services.domain import Principal
from services.domain.answers import CitedSentence
from services.domain.reviews import Review, SentenceReview, SignOff, unproven_indexes
from services.domain.value import Value
from services.library.thresholds import Vote, VoteInfo

CACHED_SCOPES: Final = 64
"""Sets of collections whose votes are cached while the catalog does not change."""
SIGN: Final = "sign"
ALL_SENTENCES: Final = -1
"""The sentence number of a sign-off."""


class Routing(Value):
    """The votes that count for a collection, and its thresholds in hundredths if locked."""

    votes: tuple[Vote, ...] = ()
    fast: int | None = None
    agent: int | None = None


class Feedback(Repository):
    """Reads and writes votes. The caller checks who may vote and lock thresholds."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._routing = database.cached(CACHED_SCOPES, self._read_routing)

    def put(
        self,
        thread_id: str,
        turn: int,
        user: str,
        vote: Vote,
        text: str,
        collections: Sequence[str],
    ) -> VoteInfo:
        """Record a vote, replacing an earlier one of that person on that turn."""
        key = {"thread_id": thread_id, "turn": turn, "user": user}
        fields = {**key, **vote.model_dump(), "text": text, "at": ids.now()}
        with self._database.write() as session:
            session.execute(delete(FeedbackRow).filter_by(**key))
            session.add(FeedbackRow(**fields))
            session.flush()
            rows = [key | {"collection_id": searched} for searched in dict.fromkeys(collections)]
            insert_missing(session, FeedbackPlaceRow, rows)
        return VoteInfo.model_validate(fields)

    def of_thread(self, principal: Principal, thread_id: str) -> list[VoteInfo]:
        """Return the principal's votes in a thread, for an admin those of everybody."""
        visible = true() if principal.role == "admin" else FeedbackRow.user == principal.user
        query = select(FeedbackRow).where(FeedbackRow.thread_id == thread_id, visible)
        return self._database.values(VoteInfo, query.order_by(FeedbackRow.turn, FeedbackRow.user))

    def routing(self, collection_ids: Sequence[str]) -> dict[str, Routing]:
        """Return votes and locked thresholds of each of these collections; two queries for all."""
        return dict(self._routing(tuple(collection_ids)))

    def _read_routing(self, collection_ids: tuple[str, ...]) -> dict[str, Routing]:
        counted = (
            select(FeedbackPlaceRow.collection_id, FeedbackRow)
            .join(FeedbackRow)
            .outerjoin(RoutingRow, RoutingRow.collection_id == FeedbackPlaceRow.collection_id)
            .where(FeedbackRow.at > func.coalesce(RoutingRow.since, ""))
        )
        votes: dict[str, list[Vote]] = {collection_id: [] for collection_id in collection_ids}
        with self._database.read() as session:
            routed = one_of(session, RoutingRow.collection_id, collection_ids)
            locked = {
                row.collection_id: {"fast": row.fast, "agent": row.agent}
                for row in session.scalars(select(RoutingRow).where(routed))
            }
            searched = one_of(session, FeedbackPlaceRow.collection_id, collection_ids)
            for collection_id, row in session.execute(counted.where(searched)):
                votes[collection_id].append(Vote.model_validate(row, from_attributes=True))
        return {
            collection_id: Routing(votes=tuple(cast), **locked.get(collection_id, {}))
            for collection_id, cast in votes.items()
        }

    def lock(self, collection_id: str, fast: int | None, agent: int | None) -> None:
        """Lock the thresholds at these hundredths; None lets votes move them again."""
        self._set_routing(collection_id, fast=fast, agent=agent)

    def reset(self, collection_id: str) -> None:
        """Unlock the thresholds and ignore all votes until now."""
        self._set_routing(collection_id, since=ids.now(), fast=None, agent=None)

    def _set_routing(self, collection_id: str, **values: str | int | None) -> None:
        with self._database.write() as session:
            insert_missing(session, RoutingRow, [{"collection_id": collection_id, "since": ""}])
            row = update(RoutingRow).where(RoutingRow.collection_id == collection_id)
            session.execute(row.values(values))


class Reviews(Repository):
    """Reads and writes decisions about sentences; none is ever changed, the last one counts.

    Access to the thread has been checked.
    """

    def put(
        self, thread_id: str, turn: int, user: str, sentence: int, decision: str,
        original: str = "", text: str = "",
    ) -> None:  # fmt: skip
        """Store a person's decision about a sentence."""
        with self._database.write() as session:
            session.add(
                ReviewRow(
                    thread_id=thread_id, turn=turn, user=user, sentence=sentence,
                    decision=decision, original=original, text=text, at=ids.now(),
                )
            )  # fmt: skip

    def of(self, thread_id: str, turn: int, sentences: Sequence[CitedSentence]) -> Review:
        """Return the decisions that apply to an answer with these sentences.

        Decisions about another wording, before the answer was written again, do not apply.
        """
        row = ReviewRow
        columns = select(row.sentence, row.decision, row.original, row.text, row.user, row.at)
        of_turn = (row.thread_id == thread_id) & (row.turn == turn)
        decisions: dict[int, SentenceReview] = {}
        notes: dict[int, SentenceReview] = {}
        signed: SignOff | None = None
        for n, decision, original, text, user, at in self._database.rows(
            columns.where(of_turn).order_by(row.seq)
        ):
            if decision == SIGN:
                signed = SignOff(user=user, at=at) if original == _seal(sentences) else None
                continue
            is_note = decision == "note"
            signed, reviews = (signed, notes) if is_note else (None, decisions)
            reviews.pop(n, None)
            withdrawn = not text if is_note else decision == "open"
            if not withdrawn and n < len(sentences):
                review = SentenceReview(
                    sentence=n, decision=decision, original=original, text=text, user=user, at=at
                )
                if _applies(review, sentences[n]):
                    reviews[n] = review
        return Review(
            doubtful=unproven_indexes(sentences), decisions=decisions, notes=notes, signed=signed
        )

    def sign(
        self, thread_id: str, turn: int, user: str, sentences: Sequence[CitedSentence]
    ) -> None:
        """Store who takes responsibility for an answer with these sentences."""
        self.put(thread_id, turn, user, ALL_SENTENCES, SIGN, original=_seal(sentences))


def _applies(review: SentenceReview, sentence: CitedSentence) -> bool:
    """Return whether a review is about this wording, and its quote is still cited."""
    quotes = (citation.quote for citation in sentence.citations)
    return sentence.text == review.original and (
        review.decision != "quote" or review.text in quotes
    )


def _seal(sentences: Sequence[CitedSentence]) -> str:
    """Return the hash that a sign-off refers to; it changes with the wording."""
    return sha256("\n".join(sentence.text for sentence in sentences).encode()).hexdigest()
