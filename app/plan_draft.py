"""A plan while a person edits it. Values only; the proposal stays beside every change."""

from collections.abc import Iterable, Sequence

from services.domain import Value
from services.domain.events import PlanItem


class DraftRow(Value):
    """A task being edited; ``proposed`` is what it was, None when the person added it."""

    key: int
    task: str
    context: str
    proposed: PlanItem | None

    @property
    def edited(self) -> bool:
        return self.proposed is not None and self.task.strip() != self.proposed.task.strip()


class Changes(Value):
    """How far a draft is from the proposal."""

    edited: int
    removed: int
    added: int
    reordered: bool

    def __bool__(self) -> bool:
        return bool(self.edited or self.removed or self.added or self.reordered)


class PlanDraft(Value):
    """Rows in their order, and the proposal that they came from."""

    proposal: tuple[PlanItem, ...]
    rows: tuple[DraftRow, ...]
    next_key: int

    @classmethod
    def of(cls, proposal: Sequence[PlanItem], first_key: int = 0) -> "PlanDraft":
        """The proposal itself; ``first_key`` keeps its rows apart from those of a draft."""
        rows = tuple(
            DraftRow(key=key, task=item.task, context=item.context, proposed=item)
            for key, item in enumerate(proposal, start=first_key)
        )
        return cls(proposal=tuple(proposal), rows=rows, next_key=first_key + len(rows))

    def edit(self, key: int, task: str) -> "PlanDraft":
        change = {key: {"task": task}}
        return self._with(row.model_copy(update=change.get(row.key)) for row in self.rows)

    def move(self, key: int, by: int) -> "PlanDraft":
        """Moves a row up (negative) or down; at the end it stays where it is."""
        row = next(row for row in self.rows if row.key == key)
        target = min(max(self.rows.index(row) + by, 0), len(self.rows) - 1)
        rest = [other for other in self.rows if other.key != key]
        return self._with([*rest[:target], row, *rest[target:]])

    def remove(self, key: int) -> "PlanDraft":
        return self._with(row for row in self.rows if row.key != key)

    def add(self, item: PlanItem | None = None) -> "PlanDraft":
        """Appends an empty task, or one of the proposal that was removed."""
        key, task, context = self.next_key, item.task if item else "", item.context if item else ""
        row = DraftRow(key=key, task=task, context=context, proposed=item)
        return PlanDraft(proposal=self.proposal, rows=(*self.rows, row), next_key=key + 1)

    @property
    def removed(self) -> tuple[PlanItem, ...]:
        kept = {row.proposed.id for row in self.rows if row.proposed is not None}
        return tuple(item for item in self.proposal if item.id not in kept)

    @property
    def changes(self) -> Changes:
        kept = [row.proposed.id for row in self.rows if row.proposed is not None]
        before = [item.id for item in self.proposal if item.id in kept]
        return Changes(
            edited=sum(row.edited for row in self.rows),
            removed=len(self.removed),
            added=sum(row.proposed is None and bool(row.task.strip()) for row in self.rows),
            reordered=kept != before,
        )

    def items(self) -> tuple[PlanItem, ...]:
        """The plan to approve, numbered in its order; rows left empty are not in it."""
        rows = [row for row in self.rows if row.task.strip()]
        return tuple(
            PlanItem(id=number, task=row.task.strip(), context=row.context)
            for number, row in enumerate(rows, start=1)
        )

    def _with(self, rows: Iterable[DraftRow]) -> "PlanDraft":
        return PlanDraft(proposal=self.proposal, rows=tuple(rows), next_key=self.next_key)
