"""What a person did to a proposed plan: edited, moved, removed and added, told apart."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from services.domain import Value
from services.domain.events import PlanItem
from services.domain.notices import Notice

NEW: Final = 0
"""The id of a task that a person added."""


Kind = Literal["edited", "moved", "removed", "added"]


class PlanChange(Value):
    """One difference between the proposal and the plan, and how it is said."""

    kind: Kind
    text: Notice


def plan_changes(proposal: Sequence[PlanItem], plan: Sequence[PlanItem]) -> list[PlanChange]:
    """The differences: removed tasks in the order of the proposal, then those of the plan.

    A task counts as moved if it is none of the longest row of tasks that kept their order, so
    that one task taken to another place is one move.
    """
    changes = _changes(proposal, plan, origins_of(proposal, plan))
    return [PlanChange(kind=kind, text=text) for kind, text in changes]


def _changes(
    proposal: Sequence[PlanItem], plan: Sequence[PlanItem], origins: Sequence[int | None]
) -> Iterator[tuple[Kind, Notice]]:
    stayed = [n for n in origins if n is not None]
    in_order = _longest_rise(stayed)
    for n, item in enumerate(proposal):
        if n not in stayed:
            yield "removed", Notice.of("removed: {task}", task=_text(item))
    for at, (item, origin) in enumerate(zip(plan, origins, strict=True), start=1):
        text = _text(item)
        if origin is None:
            yield "added", Notice.of("added: {task}", task=text)
            continue
        if text != (before := _text(proposal[origin])):
            yield "edited", Notice.of("edited: {before} -> {after}", before=before, after=text)
        if origin not in in_order:
            yield (
                "moved",
                Notice.of(
                    "moved: {task}: {before} -> {after}", task=text, before=origin + 1, after=at
                ),
            )


def origins_of(proposal: Sequence[PlanItem], plan: Sequence[PlanItem]) -> list[int | None]:
    """For each task of a plan, which of the proposal it was, by position; None: a new one.

    The same words are the same task whatever its id, since a person may write a plan without ids;
    otherwise the id decides.
    """
    free = dict(enumerate(proposal))
    origins: list[int | None] = [None] * len(plan)
    for same in (
        lambda a, b: a.id == b.id and _text(a) == _text(b),
        lambda a, b: a.task.strip() == b.task.strip(),
        lambda a, b: a.id == b.id,
    ):
        for at, item in enumerate(plan):
            if origins[at] is None:
                origins[at] = next((n for n, old in free.items() if same(old, item)), None)
                free.pop(origins[at], None)  # type: ignore[arg-type]
    return origins


def _text(item: PlanItem) -> str:
    """A task with what it asks one by one, as far as that says more."""
    task = item.task.strip()
    parts = [part for part in item.subtasks if part.strip(" ?.") not in task]
    return f"{task} ({'; '.join(parts)})" if parts else task


def _longest_rise(numbers: Sequence[int]) -> list[int]:
    """The longest row of numbers that rises, not necessarily of neighbours; of equals the first."""
    rows: list[list[int]] = []
    for number in numbers:
        before = max((row for row in rows if row[-1] < number), key=len, default=[])
        rows.append([*before, number])
    return max(rows, key=len, default=[])
