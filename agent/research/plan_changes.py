"""What a person changed of a proposed plan: tasks edited, moved, removed and added."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from services.domain import Value
from services.domain.events import PlanItem
from services.domain.notices import Notice

NEW: Final = 0
"""The id of a task that a person added."""


class PlanChange(Value):
    """A difference between the proposal and the plan, with its text for a reader."""

    kind: Literal["edited", "moved", "removed", "added"]
    text: Notice


def plan_changes(proposal: Sequence[PlanItem], plan: Sequence[PlanItem]) -> list[PlanChange]:
    """Return the differences: removed tasks in the order of the proposal, then those of the plan.

    A task counts as moved if it is not in the longest sequence of tasks that kept their order, so
    that moving one task is one change.
    """
    return list(_changes(proposal, plan, origins_of(proposal, plan)))


def _changes(
    proposal: Sequence[PlanItem], plan: Sequence[PlanItem], origins: Sequence[int | None]
) -> Iterator[PlanChange]:
    remaining = [n for n in origins if n is not None]
    in_order = _longest_increasing(remaining)
    for n, item in enumerate(proposal):
        if n not in remaining:
            text = Notice.of("removed: {task}", task=_text(item))
            yield PlanChange(kind="removed", text=text)
    for at, (item, origin) in enumerate(zip(plan, origins, strict=True), start=1):
        task = _text(item)
        if origin is None:
            yield PlanChange(kind="added", text=Notice.of("added: {task}", task=task))
            continue
        if task != (before := _text(proposal[origin])):
            text = Notice.of("edited: {before} -> {after}", before=before, after=task)
            yield PlanChange(kind="edited", text=text)
        if origin not in in_order:
            text = Notice.of(
                "moved: {task}: {before} -> {after}", task=task, before=origin + 1, after=at
            )
            yield PlanChange(kind="moved", text=text)


def origins_of(proposal: Sequence[PlanItem], plan: Sequence[PlanItem]) -> list[int | None]:
    """Return for each task of a plan its index in the proposal; None for a new task.

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
    """Return a task with those of its subtasks that say more."""
    task = item.task.strip()
    subtasks = [subtask for subtask in item.subtasks if subtask.strip(" ?.") not in task]
    return f"{task} ({'; '.join(subtasks)})" if subtasks else task


def _longest_increasing(numbers: Sequence[int]) -> list[int]:
    """Return the longest increasing subsequence; of several the first."""
    sequences: list[list[int]] = []
    for number in numbers:
        smaller = (sequence for sequence in sequences if sequence[-1] < number)
        sequences.append([*max(smaller, key=len, default=[]), number])
    return max(sequences, key=len, default=[])
