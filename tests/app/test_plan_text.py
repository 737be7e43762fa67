"""The plan as lines in a person's editor."""

import click
import pytest

from app.cli.terminal import describe, edited_plan, question_lines
from services.domain.errors import InvalidInput
from services.domain.events import FindingMade, PlanItem, QuestionsAsked

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


def test_a_question_is_told_with_what_hangs_on_it_and_what_may_be_answered() -> None:
    matters = ("Es gelten zwei Gesetze.",)
    told = question_lines(("Wen?", "Wann?"), matters, (("Alle", "Manche"),))
    why, some = "  Es gelten zwei Gesetze.", "  Possible answers: Alle; Manche"
    assert [*told] == ["? Wen?", why, some, "? Wann?"]
    asked = QuestionsAsked(iteration=0, questions=("Wen?",), found=(), matters=matters)
    assert [*describe(asked)] == ["? Wen?", why]
    assert [*describe(FindingMade(task_id=2, text="So."))] == ["  [2] found: So."]
