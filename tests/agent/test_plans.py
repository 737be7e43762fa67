"""A plan in a person's hands."""

import pytest

from agent.models import TODO_MAX_ITEMS, ToDoItem
from agent.prompts.research import PlanInput, PlanTasks
from agent.research.plans import checked_plan, parts_of, plan_changes
from services.domain.errors import InvalidInput
from services.domain.events import PlanItem


def plan(*tasks: str) -> list[PlanItem]:
    return [PlanItem(id=9, task=task) for task in tasks]


def test_items_are_numbered_in_the_order_of_the_person() -> None:
    items = checked_plan(plan(" b ", "", "a"))
    assert [(item.id, item.task) for item in items] == [(1, "b"), (2, "a")]


def test_an_empty_plan_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no task"):
        checked_plan(plan("  "))


def test_a_plan_that_is_too_long_is_refused() -> None:
    checked_plan(plan(*map(str, range(TODO_MAX_ITEMS))))
    with pytest.raises(InvalidInput, match="16 tasks"):
        checked_plan(plan(*map(str, range(TODO_MAX_ITEMS + 1))))


def test_changes_name_what_was_added_removed_and_moved() -> None:
    before = [ToDoItem(id=i, task=t) for i, t in enumerate("abc", 1)]
    after = checked_plan(plan("c", "a", "new"))
    assert [*map(str, plan_changes(before, after))] == ["removed: b", "added: new", "reordered"]
    assert plan_changes(before, checked_plan(plan("a", "b", "c"))) == []


def test_a_part_that_takes_the_topic_along_is_no_repetition() -> None:
    question = "Wie oft werden Beschäftigte unterwiesen, und in welcher Form?"
    parts = parts_of(question, "de")
    asked = PlanInput(question=question, language="de", facets=parts, refinements=(), found=())
    tasks = [task.task for task in PlanTasks().fallback(asked)]
    assert len(tasks) == 2
    assert tasks[1].startswith("In welcher Form") and "unterwiesen" in tasks[1]
