"""Plans as a person edits them: their tasks, the check of a changed plan, and its differences."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, Literal

from agent.models import TODO_MAX_ITEMS, ToDoItem
from services.domain import Language, Value
from services.domain.errors import InvalidInput
from services.domain.events import PlanItem
from services.domain.notices import Notice
from services.language.query.understand import subquestions

NEW: Final = 0
"""The id of a task that a person added."""


def bundle(questions: Sequence[str], max_tasks: int) -> tuple[str, ...]:
    """Return questions as at most ``max_tasks`` tasks; neighbours that must share one get question
    marks, so that each is found in it again."""
    if len(questions) <= max_tasks:
        return tuple(questions)
    left, (size, longer) = iter(questions), divmod(len(questions), max_tasks)
    groups = [list(islice(left, size + (n < longer))) for n in range(max_tasks)]
    return tuple(
        group[0] if len(group) == 1 else " ".join(f"{text.rstrip(' ?')}?" for text in group)
        for group in groups
    )


def subtasks_of(task: str, language: Language) -> tuple[str, ...]:
    """Return the questions of a task that has several."""
    questions = subquestions(task, language)
    return questions if len(questions) > 1 else ()


def with_subtasks(item: ToDoItem, language: Language) -> ToDoItem:
    """Return the task with its questions one by one, unless it has subtasks."""
    return item.model_copy(update={"subtasks": item.subtasks or subtasks_of(item.task, language)})


def check_plan(items: Sequence[PlanItem], proposal: Sequence[ToDoItem] = ()) -> list[ToDoItem]:
    """Return a person's plan, numbered in its order; unchanged tasks keep the searches of the
    proposal.

    Raises:
        InvalidInput: if no task is left, one is empty, or there are more than 15.
    """
    tasks = [item for item in items if item.task.strip()]
    if not tasks:
        raise InvalidInput(
            "The plan has no tasks. Keep or add at least one, then approve the plan."
        )
    if len(tasks) > TODO_MAX_ITEMS:
        raise InvalidInput(
            "The plan has {tasks} tasks; at most {most} are allowed. Remove some.",
            tasks=len(tasks),
            most=TODO_MAX_ITEMS,
        )
    searches = {item.task.strip(): item.searches for item in proposal}
    return [
        ToDoItem(
            id=number,
            task=item.task.strip(),
            context=item.context,
            subtasks=item.subtasks,
            searches=searches.get(item.task.strip(), ()),
        )
        for number, item in enumerate(tasks, start=1)
    ]


class PlanChange(Value):
    """A difference between the proposal and the plan, with its text for a reader."""

    kind: Literal["edited", "moved", "removed", "added"]
    text: Notice


def plan_changes(proposal: Sequence[PlanItem], plan: Sequence[PlanItem]) -> list[PlanChange]:
    """Return the differences: removed tasks in the order of the proposal, then those of the plan.

    A task is moved if it is not in the longest sequence of tasks that kept their order.
    """
    return list(_changes(proposal, plan))


def _changes(proposal: Sequence[PlanItem], plan: Sequence[PlanItem]) -> Iterator[PlanChange]:
    origins = origins_of(proposal, plan)
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

    The same words are the same task, since a plan may have no ids; otherwise the id decides.
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
    sequences: list[list[int]] = []
    for number in numbers:
        smaller = (sequence for sequence in sequences if sequence[-1] < number)
        sequences.append([*max(smaller, key=len, default=[]), number])
    return max(sequences, key=len, default=[])
