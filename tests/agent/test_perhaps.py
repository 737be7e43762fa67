"""A model that writes well decides what the judge is unsure of; what it says is checked as ever."""

from pathlib import Path
from typing import Any

import pytest

from agent.ask import answer
from agent.prompts.ask import AnswerInput, AnswerQuestion
from tests.support.desk import open_desk
from tests.support.scripted_model import ScriptedModel

LIMIT = "Welcher Grenzwert des Lärms gilt für Beschäftigte?"
PROSE = "Für Beschäftigte beträgt der Grenzwert des Lärms 85 Dezibel."
NONE = "Die Stellen beantworten das nicht."


@pytest.fixture(autouse=True)
def unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer, "certainty", lambda *_, **__: "perhaps")


def turn(tmp_path: Path, said: str, *, measured: bool = True) -> tuple[dict[str, Any], int]:
    """The answer, and how often the model was asked."""
    model = ScriptedModel([("answer", said)])
    with open_desk(tmp_path, model, measured=measured) as desk:
        asked = desk.answers.ask(LIMIT, depth="fast")
        list(desk.threads.follow(asked.thread_id, asked.after))
        return desk.answers.turns(asked.thread_id)[0], sum(
            r.task == "answer" for r in model.requests
        )


def test_what_is_proven_answers(tmp_path: Path) -> None:
    found, asked = turn(tmp_path, PROSE)
    assert found["certainty"] == "answered" and asked == 1
    assert [each["standing"] for each in found["sentences"]] == ["follows"]


@pytest.mark.parametrize("said", [NONE, "Der Mond besteht aus grünem Käse."])
def test_no_answer_and_none_that_holds_claim_nothing(tmp_path: Path, said: str) -> None:
    found, _ = turn(tmp_path, said)
    assert found["certainty"] == "perhaps"
    assert {each["standing"] for each in found["sentences"]} == {"quote"}


def test_the_words_of_a_refusal_are_those_that_the_model_is_given() -> None:
    wanted = AnswerInput(question=LIMIT, language="de", passages=(), may_decline=True)
    assert NONE in AnswerQuestion().render(wanted)[0].content
