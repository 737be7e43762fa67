"""Cases of plan memory: plans that people approved, each visible to its owner alone."""

import uuid
from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import ColumnElement, and_, delete, select, update

from services.catalog import ids
from services.catalog.database import Repository
from services.catalog.work_models import EventRow, FeedbackRow, PlanCaseRow, RunRow
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound
from services.domain.events import PlanRecalled
from services.domain.plans import CASE_TASKS_MAX, CaseTask, PlanCase, PlanKind

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
            "You have no plan {case!r}. `rabbithole plans list` shows your plans.",
            case=case_id,
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

        Raises:
            NotFound: The principal has no such case.
            InvalidInput: No task is left, or there are too many.
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
    """Select one case of the principal, or all."""
    owner = PlanCaseRow.owner == principal.user
    return owner if case_id is None else owner & (PlanCaseRow.case_id == case_id)
