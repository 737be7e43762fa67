"""Cases of plan memory: what people approved, each seen by its owner alone, admins included."""

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
    """Reads and writes cases."""

    def put(self, owner: str, case: PlanCase, fingerprint: str, vector: bytes) -> None:
        """Keep a case in the place of an earlier one of the same turn; an edited one stays."""
        this = (
            (PlanCaseRow.owner == owner)
            & (PlanCaseRow.thread_id == case.thread_id)
            & (PlanCaseRow.turn == case.turn)
        )
        with self._database.write() as session:
            before = session.scalar(select(PlanCaseRow).where(this))
            if before is not None and before.edited:
                return
            row = PlanCaseRow(
                **case.model_dump(mode="json", exclude=NOT_STORED),
                case_id=before.case_id if before else uuid.uuid4().hex[:12],
                owner=owner,
                fingerprint=fingerprint,
                vector=vector,
                created_at=ids.now(),
            )
            session.merge(row)

    def get(self, principal: Principal, case_id: str) -> PlanCase:
        """One of one's own; raises NotFound where there is none."""
        for case, _ in self._found(principal, mine(principal, case_id)):
            return case
        raise NotFound(
            "There is no plan {case!r} among yours. `rabbithole plans list` shows them.",
            case=case_id,
        )

    def comparable(
        self, principal: Principal, kind: PlanKind, language: str, fingerprint: str
    ) -> list[tuple[PlanCase, bytes]]:
        """One's own cases of a kind and language with their vectors by this embedding."""
        return self._found(
            principal,
            (PlanCaseRow.owner == principal.user)
            & (PlanCaseRow.kind == kind)
            & (PlanCaseRow.language == language)
            & (PlanCaseRow.fingerprint == fingerprint),
        )

    def edit(self, principal: Principal, case_id: str, tasks: Sequence[str]) -> PlanCase:
        """Word the tasks of a case anew; one that stays as it was keeps its query and origin.

        Raises:
            NotFound: there is no such case among one's own.
            InvalidInput: no task is left, or there are too many.
        """
        before = {each.task: each for each in self.get(principal, case_id).tasks}
        texts = list(dict.fromkeys(text for each in tasks if (text := " ".join(each.split()))))
        if not 0 < len(texts) <= CASE_TASKS_MAX:
            raise InvalidInput(
                "A plan has 1 to {most} tasks, not {count}.", most=CASE_TASKS_MAX, count=len(texts)
            )
        fresh = (
            before.get(text, CaseTask(task=text, query=text, origin="person")) for text in texts
        )
        values = {"tasks": [each.model_dump(mode="json") for each in fresh], "edited": True}
        change = update(PlanCaseRow).where(mine(principal, case_id)).values(**values)
        self._database.execute(change)
        return self.get(principal, case_id)

    def forget(self, principal: Principal, case_id: str | None = None) -> int:
        """Forget a case of one's own, or all of them; how many. Raises NotFound as ``get``."""
        if case_id is not None:
            self.get(principal, case_id)
        return self._database.execute(delete(PlanCaseRow).where(mine(principal, case_id)))

    def _found(
        self, principal: Principal, which: ColumnElement[bool]
    ) -> list[tuple[PlanCase, bytes]]:
        vote = and_(
            FeedbackRow.thread_id == PlanCaseRow.thread_id,
            FeedbackRow.turn == PlanCaseRow.turn,
            FeedbackRow.user == PlanCaseRow.owner,
        )
        query = select(PlanCaseRow, FeedbackRow.up).outerjoin(FeedbackRow, vote).where(which)
        query = query.order_by(PlanCaseRow.created_at.desc(), PlanCaseRow.case_id)
        used = self._uses(principal)

        def as_case(row: PlanCaseRow, up: bool | None) -> PlanCase:
            case = PlanCase.model_validate(row, from_attributes=True)
            return case.model_copy(update={"vote": up, "used_in": tuple(used[row.case_id])})

        with self._database.read() as session:
            return [(as_case(row, up), row.vector) for row, up in session.execute(query)]

    def _uses(self, principal: Principal) -> defaultdict[str, dict[str, None]]:
        """The threads of one's own in which each case helped, as their logs say."""
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
        """One's own cases, newest first."""
        return [case for case, _ in self._found(principal, PlanCaseRow.owner == principal.user)]


def mine(principal: Principal, case_id: str | None) -> ColumnElement[bool]:
    """Cases of one's own: this one, or all."""
    own = PlanCaseRow.owner == principal.user
    return own if case_id is None else own & (PlanCaseRow.case_id == case_id)
