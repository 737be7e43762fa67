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


@pytest.mark.parametrize(("language", "name"), [("fr", "French"), ("it", "Italian")])
def test_the_model_is_told_the_language_once_and_the_reader_never(language: str, name: str) -> None:
    asked = QuestionsInput(
        question="Q?", language=language, found=("F",), gaps=("G",), readings=("A", "B"), asked=()
    )
    planned = PlanInput(
        question="Une question ?",
        language=language,
        facets=("facette première",),
        refinements=("remarque seconde",),
        found=(SectionFound(name="Loi § 1", heading="Objet"),),
    )
    written = WriteInput(task="T", context="", sentences=("S",), language=language)
    for messages in (
        AskQuestions().render(asked),
        PlanTasks().render(planned),
        WritePart().render(written),
    ):
        system, user = messages
        assert system.content.endswith(f"Answer in {name}.") and name not in user.content

    (question,) = AskQuestions().fallback(asked)
    tasks = PlanTasks().fallback(planned)
    shown = [question.question, *(text for task in tasks for text in (task.task, task.context))]
    assert len(tasks) == 3 and question.answers == ("A", "B")
    assert not [text for text in shown if name in text or "\n" in text]
    assert question.question.startswith("S'agit-il") == (language == "fr")
