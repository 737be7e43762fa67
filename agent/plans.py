"""A plan in a person's hands: what may be approved, and what was changed."""

from collections.abc import Sequence

from agent.models import TODO_MAX_ITEMS, ToDoItem
from services.errors import InvalidInput
from services.events import PlanItem


def checked_plan(items: Sequence[PlanItem]) -> list[ToDoItem]:
    """A person's plan as to-do items, numbered in its order.

    Raises:
        InvalidInput: if no task is left, one is empty, or there are more than 15.
    """
    tasks = [item for item in items if item.task.strip()]
    if not tasks:
        raise InvalidInput("The plan has no task. Keep or add at least one, then approve.")
    if len(tasks) > TODO_MAX_ITEMS:
        raise InvalidInput(
            f"The plan has {len(tasks)} tasks, {TODO_MAX_ITEMS} are possible. Remove some."
        )
    return [
        ToDoItem(id=number, task=item.task.strip(), context=item.context)
        for number, item in enumerate(tasks, start=1)
    ]


def plan_changes(proposal: list[ToDoItem], approved: list[ToDoItem]) -> list[str]:
    """What a person did to the proposal, one line each: added, removed, reordered."""
    before = [item.task for item in proposal]
    after = [item.task for item in approved]
    common_before = [task for task in before if task in after]
    common_after = [task for task in after if task in before]
    return [
        *(f"removed: {task}" for task in before if task not in after),
        *(f"added: {task}" for task in after if task not in before),
        *(["reordered"] if common_before != common_after else []),
    ]
