"""A plan while a person edits it. Values only; the proposal stays beside every change."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter

from services.domain.events import PlanItem


@dataclass(frozen=True)
class DraftRow:
    """A task being edited; ``proposed`` is what it was, None when the person added it."""

    key: int
    task: str
    context: str
    proposed: PlanItem | None

    @property
    def edited(self) -> bool:
        return self.proposed is not None and self.task.strip() != self.proposed.task.strip()


@dataclass(frozen=True)
class Changes:
    """How far a draft is from the proposal."""

    edited: int
    removed: int
    added: int
    reordered: bool

    def __bool__(self) -> bool:
        return bool(self.edited or self.removed or self.added or self.reordered)


@dataclass(frozen=True)
class PlanDraft:
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

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "PlanDraft":
        return _JSON.validate_python(value)

    def as_json(self) -> dict[str, Any]:
        """The draft as the catalog keeps it."""
        value: dict[str, Any] = _JSON.dump_python(self, mode="json")
        return value

    def edit(self, key: int, task: str) -> "PlanDraft":
        rows = tuple(replace(row, task=task) if row.key == key else row for row in self.rows)
        return replace(self, rows=rows)

    def move(self, key: int, by: int) -> "PlanDraft":
        """Moves a row up (negative) or down; at the end it stays where it is."""
        position = self._position(key)
        target = min(max(position + by, 0), len(self.rows) - 1)
        rest = [row for row in self.rows if row.key != key]
        rest.insert(target, self.rows[position])
        return replace(self, rows=tuple(rest))

    def remove(self, key: int) -> "PlanDraft":
        return replace(self, rows=tuple(row for row in self.rows if row.key != key))

    def add(self) -> "PlanDraft":
        """Appends an empty task."""
        return self._append(DraftRow(key=self.next_key, task="", context="", proposed=None))

    def restore(self, item: PlanItem) -> "PlanDraft":
        """Takes a removed task of the proposal back, at the end."""
        row = DraftRow(key=self.next_key, task=item.task, context=item.context, proposed=item)
        return self._append(row)

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

    def _position(self, key: int) -> int:
        return next(index for index, row in enumerate(self.rows) if row.key == key)

    def _append(self, row: DraftRow) -> "PlanDraft":
        return replace(self, rows=(*self.rows, row), next_key=self.next_key + 1)


_JSON: TypeAdapter[PlanDraft] = TypeAdapter(PlanDraft)
