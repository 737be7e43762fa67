"""The instruction to answer in a language is for the model; no reader ever sees it."""

import pytest

from agent.prompts.research import (
    AskQuestions,
    PlanInput,
    PlanTasks,
    QuestionsInput,
    SectionFound,
    WriteInput,
    WritePart,
)

LANGUAGES = pytest.mark.parametrize(
    ("language", "name"), [("fr", "French"), ("es", "Spanish"), ("it", "Italian")]
)


def asked(language: str) -> QuestionsInput:
    return QuestionsInput(
        question="Q?", language=language, found=("F",), gaps=("G",), readings=("A", "B"), asked=()
    )


def planned(language: str) -> PlanInput:
    return PlanInput(
        question="Une question ?",
        language=language,
        facets=("facette première",),
        refinements=("remarque seconde",),
        found=(SectionFound(name="Loi § 1", heading="Objet"),),
    )


@LANGUAGES
def test_questions_and_plan_are_shown_without_the_instruction(language: str, name: str) -> None:
    questions = [each.question for each in AskQuestions().fallback(asked(language))]
    tasks = PlanTasks().fallback(planned(language))
    shown = [*questions, *(text for task in tasks for text in (task.task, task.context))]
    assert len(questions) == 1 and len(tasks) == 3
    assert not [text for text in shown if name in text or "\n" in text]


@LANGUAGES
def test_the_model_is_told_the_language_once(language: str, name: str) -> None:
    written = WriteInput(task="T", context="", sentences=("S",), language=language)
    for messages in (
        AskQuestions().render(asked(language)),
        PlanTasks().render(planned(language)),
        WritePart().render(written),
    ):
        system, user = messages
        assert system.content.endswith(f"Answer in {name}.") and name not in user.content


def test_what_a_french_reader_sees_is_french() -> None:
    (asking,) = AskQuestions().fallback(asked("fr"))
    assert asking.question.startswith("S'agit-il") and asking.answers == ("A", "B")
