"""A plan while a person edits it. Values only; the proposal stays beside every change."""

from collections.abc import Iterable, Sequence

from agent.research.plan_changes import NEW, PlanChange, plan_changes
from services.domain import Value
from services.domain.events import PlanItem


class DraftRow(Value, extra="ignore"):
    """A task being edited; ``proposed`` is what it was, None when the person added it.

    What else an older draft kept of a task stands in ``proposed`` as well, and is passed over.
    """

    key: int
    task: str
    proposed: PlanItem | None

    @property
    def edited(self) -> bool:
        return self.proposed is not None and self.task.strip() != self.proposed.task.strip()

    @property
    def item(self) -> PlanItem:
        """The task as it is now; its parts are those of the proposed words and go with them."""
        before = self.proposed or PlanItem(id=NEW, task="")
        parts = () if self.edited else before.subtasks
        return before.model_copy(update={"task": self.task.strip(), "subtasks": parts})


class PlanDraft(Value):
    """Rows in their order, and the proposal that they came from."""

    proposal: tuple[PlanItem, ...]
    rows: tuple[DraftRow, ...]
    next_key: int

    @classmethod
    def of(cls, proposal: Sequence[PlanItem], first_key: int = 0) -> "PlanDraft":
        """The proposal itself; ``first_key`` keeps its rows apart from those of a draft."""
        rows = tuple(
            DraftRow(key=key, task=item.task, proposed=item)
            for key, item in enumerate(proposal, start=first_key)
        )
        return cls(proposal=tuple(proposal), rows=rows, next_key=first_key + len(rows))

    def edit(self, key: int, task: str) -> "PlanDraft":
        """Other words for a task."""
        return self._with(
            row.model_copy(update={"task": task}) if row.key == key else row for row in self.rows
        )

    def move(self, key: int, by: int) -> "PlanDraft":
        """Moves a row up (negative) or down; at the end it stays where it is."""
        row = next(row for row in self.rows if row.key == key)
        target = min(max(self.rows.index(row) + by, 0), len(self.rows) - 1)
        rest = [other for other in self.rows if other.key != key]
        return self._with([*rest[:target], row, *rest[target:]])

    def remove(self, key: int) -> "PlanDraft":
        return self._with(row for row in self.rows if row.key != key)

    def add(self, item: PlanItem | None = None) -> "PlanDraft":
        """Appends an empty task, or one of the proposal that was removed, which is there once."""
        if item is not None and item not in self.removed:
            return self
        key = self.next_key
        row = DraftRow(key=key, task=item.task if item else "", proposed=item)
        return PlanDraft(proposal=self.proposal, rows=(*self.rows, row), next_key=key + 1)

    @property
    def removed(self) -> tuple[PlanItem, ...]:
        kept = {row.proposed.id for row in self.rows if row.proposed is not None}
        return tuple(item for item in self.proposal if item.id not in kept)

    @property
    def changes(self) -> list[PlanChange]:
        """How the draft differs from the proposal; a row left empty is none."""
        return plan_changes(self.proposal, self.items())

    def items(self) -> tuple[PlanItem, ...]:
        """The plan to approve, with the ids of the proposal; rows left empty are not in it."""
        return tuple(row.item for row in self.rows if row.task.strip())

    def _with(self, rows: Iterable[DraftRow]) -> "PlanDraft":
        return PlanDraft(proposal=self.proposal, rows=tuple(rows), next_key=self.next_key)
