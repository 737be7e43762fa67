"""The plan as lines in a person's editor."""

import click
import pytest

from app.plan_text import edited_plan
from services.domain.errors import InvalidInput
from services.domain.events import PlanItem

PLAN = (
    PlanItem(id=1, task="Was gilt,\nund  wie lange?", context="why", subtasks=("Was  gilt", "b")),
    PlanItem(id=2, task="other"),
)


def comes_back(monkeypatch: pytest.MonkeyPatch, old: str = "", new: str = "") -> list[PlanItem]:
    monkeypatch.setattr(click, "edit", lambda text, extension: text.replace(old, new))
    return edited_plan(PLAN)


def test_a_plan_that_was_left_as_it_is_approves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match="unchanged"):
        comes_back(monkeypatch)


def test_what_is_known_of_a_task_stays_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = comes_back(monkeypatch, "[2] other", "a new one")
    assert first == PLAN[0], "its line is as it was"
    (first, _) = comes_back(monkeypatch, "Was gilt, und", "Was gilt und")
    assert (first.task, first.context) == ("Was gilt und wie lange?", "why")
    assert (first.id, first.subtasks) == (1, ("Was gilt", "b"))
    assert second.task == "a new one" and second.id not in (1, 2)
