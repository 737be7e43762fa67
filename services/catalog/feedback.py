"""What people think of answers: votes, reviews of sentences, and the plans that they approved."""

import uuid
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from sqlalchemy import ColumnElement, and_, delete, func, select, true, update

from services.catalog import ids
from services.catalog.database import Repository, cached, insert_missing, one_of
from services.catalog.work_models import (
    EventRow,
    FeedbackPlaceRow,
    FeedbackRow,
    PlanCaseRow,
    ReviewRow,
    RoutingRow,
    RunRow,
)
from services.domain import Principal
from services.domain.answers import CitedSentence, Review, SentenceReview, SignOff, unproven_indexes
from services.domain.errors import InvalidInput, NotFound
from services.domain.events import PlanRecalled
from services.domain.plan_cases import CASE_TASKS_MAX, CaseTask, PlanCase, PlanKind
from services.domain.value import Value
from services.library.thresholds import Vote, VoteInfo

SIGN: Final = "sign"
ALL_SENTENCES: Final = -1
"""The sentence number of a sign-off."""


class Routing(Value):
    """The votes that count for a collection, and its thresholds in hundredths if locked."""

    votes: tuple[Vote, ...] = ()
    fast: int | None = None
    agent: int | None = None


class Votes(Repository):
    """Reads and writes votes. The caller checks who may vote and lock thresholds."""

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

    @cached(64)
    def _routing(self, collection_ids: tuple[str, ...]) -> dict[str, Routing]:
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
    """Decisions about sentences; none is ever changed, the last counts. Access has been checked."""

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
        """Return the decisions that apply to these sentences, as they are worded now."""
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
    quotes = (citation.quote for citation in sentence.citations)
    return sentence.text == review.original and (
        review.decision != "quote" or review.text in quotes
    )


def _seal(sentences: Sequence[CitedSentence]) -> str:
    """Return the hash that a sign-off refers to; it changes with the wording."""
    return sha256("\n".join(sentence.text for sentence in sentences).encode()).hexdigest()


NOT_STORED = {"case_id", "vote", "used_in", "created_at"}


class Plans(Repository):
    """Reads and writes cases. A principal sees only their own, even an admin."""

    def put(self, owner: str, case: PlanCase, fingerprint: str, vector: bytes) -> None:
        """Store a case, replacing an earlier one of the same turn unless that was edited."""
        query = select(PlanCaseRow).filter_by(owner=owner, thread_id=case.thread_id, turn=case.turn)
        with self._database.write() as session:
            earlier = session.scalar(query)
            if earlier is not None and earlier.edited:
                return
            row = PlanCaseRow(
                **case.model_dump(mode="json", exclude=NOT_STORED),
                case_id=earlier.case_id if earlier else uuid.uuid4().hex[:12],
                owner=owner,
                fingerprint=fingerprint,
                vector=vector,
                created_at=ids.now(),
            )
            session.merge(row)

    def get(self, principal: Principal, case_id: str) -> PlanCase:
        """Return one of the principal's cases; raise NotFound if there is none."""
        for case, _ in self._cases(principal, owned(principal, case_id)):
            return case
        raise NotFound(
            "You have no plan {case!r}. `rabbithole plans list` shows your plans.", case=case_id
        )

    def comparable(
        self, principal: Principal, kind: PlanKind, language: str, fingerprint: str
    ) -> list[tuple[PlanCase, bytes]]:
        """Return the principal's cases of a kind and language, with their vectors."""
        return self._cases(
            principal,
            owned(principal)
            & (PlanCaseRow.kind == kind)
            & (PlanCaseRow.language == language)
            & (PlanCaseRow.fingerprint == fingerprint),
        )

    def edit(self, principal: Principal, case_id: str, tasks: Sequence[str]) -> PlanCase:
        """Replace the tasks of a case; an unchanged task keeps its query and origin.

        Raises NotFound, or InvalidInput if no task is left or there are too many.
        """
        unchanged = {task.task: task for task in self.get(principal, case_id).tasks}
        texts = list(dict.fromkeys(text for task in tasks if (text := " ".join(task.split()))))
        if not 0 < len(texts) <= CASE_TASKS_MAX:
            raise InvalidInput(
                "A plan must have 1 to {most} tasks, not {count}.",
                most=CASE_TASKS_MAX,
                count=len(texts),
            )
        edited = [
            unchanged.get(text, CaseTask(task=text, query=text, origin="person")) for text in texts
        ]
        values = {"tasks": [task.model_dump(mode="json") for task in edited], "edited": True}
        row = update(PlanCaseRow).where(owned(principal, case_id))
        self._database.execute(row.values(**values))
        return self.get(principal, case_id)

    def forget(self, principal: Principal, case_id: str | None = None) -> int:
        """Delete one of the principal's cases, or all; return how many. Raises as ``get``."""
        if case_id is not None:
            self.get(principal, case_id)
        return self._database.execute(delete(PlanCaseRow).where(owned(principal, case_id)))

    def _cases(
        self, principal: Principal, condition: ColumnElement[bool]
    ) -> list[tuple[PlanCase, bytes]]:
        vote = and_(
            FeedbackRow.thread_id == PlanCaseRow.thread_id,
            FeedbackRow.turn == PlanCaseRow.turn,
            FeedbackRow.user == PlanCaseRow.owner,
        )
        query = select(PlanCaseRow, FeedbackRow.up).outerjoin(FeedbackRow, vote).where(condition)
        query = query.order_by(PlanCaseRow.created_at.desc(), PlanCaseRow.case_id)
        used = self._uses(principal)

        def as_case(row: PlanCaseRow, up: bool | None) -> PlanCase:
            case = PlanCase.model_validate(row, from_attributes=True)
            return case.model_copy(update={"vote": up, "used_in": tuple(used[row.case_id])})

        with self._database.read() as session:
            return [(as_case(row, up), row.vector) for row, up in session.execute(query)]

    def _uses(self, principal: Principal) -> defaultdict[str, dict[str, None]]:
        """Return the principal's threads in which each case was recalled, from their logs."""
        query = (
            select(EventRow.thread_id, EventRow.event)
            .join(RunRow, RunRow.thread_id == EventRow.thread_id)
            .where(EventRow.kind == "plan_recalled", RunRow.owner == principal.user)
            .order_by(EventRow.seq)
        )
        used: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for thread, event in self._database.rows(query):
            for case in PlanRecalled.model_validate(event).cases:
                used[case.case_id][thread] = None
        return used

    def list(self, principal: Principal) -> list[PlanCase]:
        """Return the principal's cases, newest first."""
        return [case for case, _ in self._cases(principal, owned(principal))]


def owned(principal: Principal, case_id: str | None = None) -> ColumnElement[bool]:
    owner = PlanCaseRow.owner == principal.user
    return owner if case_id is None else owner & (PlanCaseRow.case_id == case_id)
