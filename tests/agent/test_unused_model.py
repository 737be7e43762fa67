"""At every depth one line says what failed with the model and what to do."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent.engine.reports import read_answer, read_report
from app.cli.answer_text import answer_text
from services.domain.errors import (
    InvalidGeneration,
    ModelSilent,
    ModelTimeout,
    ModelUnavailable,
    NoAnswer,
    NoModel,
    PromptTooLong,
)
from services.domain.notices import Notice
from services.models.openai_compatible import OpenAICompatibleModel
from tests.support.desk import QUESTION, ask, open_desk
from tests.support.openai_server import OpenAIServer
from tests.support.reading_rules import reading_rules
from tests.support.research import report_of, researched
from tests.support.scripted_model import ScriptedModel

FAILURES = (
    NoModel("it refuses the key; check RABBITHOLE_OPENAI_API_KEY"),
    ModelUnavailable("it answered with HTTP 429; try again later"),
    ModelSilent("it sent nothing for 30 s; start its server again"),
    ModelTimeout("no whole answer within 120 s; raise RABBITHOLE_MODEL_DEADLINE_S"),
    NoAnswer("nothing but thoughts; use another model"),
    PromptTooLong("too many tokens; raise RABBITHOLE_CONTEXT_TOKENS"),
    InvalidGeneration("the text is in English"),
)

SENTENCE = "Für Beschäftigte unter 18 Jahren beträgt der Grenzwert des Lärms 70 Dezibel"


@pytest.mark.parametrize("depth", ["structured", "agent"])
def test_an_answer_says_why_the_model_was_of_no_use(depth: str, tmp_path: Path) -> None:
    model = ScriptedModel()
    with open_desk(tmp_path, model) as desk:
        for failure in FAILURES:
            model.play([(".", failure)])
            turn = ask(desk, QUESTION, depth=depth)
            lines = [str(each) for each in read_answer(turn).warnings]
            said = [line for line in lines if str(failure) in line]
            assert len(said) == 1 and said[0].startswith("scripted failed ("), lines
            text = answer_text(read_answer(turn), "t")
            assert text.count(f"Warning: {said[0]}") == 1
            assert turn["sentences"]


def test_a_research_says_it_too_and_names_the_server_before_the_model(tmp_path: Path) -> None:
    down = NoModel("it refuses the key")
    rules: list[Any] = [("words|plan", InvalidGeneration("no list")), (".", down)]
    with open_desk(tmp_path, ScriptedModel(rules)) as desk:
        report = read_report(report_of(desk, researched(desk)))
    said = [str(each) for each in report.warnings if "scripted failed (" in str(each)]
    assert len(said) == 1 and said[0].endswith(": it refuses the key"), report.warnings


@pytest.mark.parametrize("how", ["structured", "research"])
def test_a_silent_server_is_waited_for_once_a_turn(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where much time passes between the reading test and what it was for."""
    monkeypatch.setattr("services.models.streaming.REST_S", 0.0)
    with OpenAIServer() as server:
        server.fault = "silent"
        model = OpenAICompatibleModel("m", url=server.base_url, first_word_s=1.0)
        with open_desk(tmp_path / "home", model, reads=None) as desk:
            if how == "research":
                thread = researched(desk)
                warned = report_of(desk, thread)["warnings"]
            else:
                turn = ask(desk, QUESTION, depth=how)
                thread, warned = turn["thread_id"], turn["warnings"]
            assert len(server.requests) == 1
            assert "sent nothing for 1 s" in str(read_notices(warned))
            file = tmp_path / "trace.json"
            file.write_text(json.dumps(desk.threads.trace(thread)), encoding="utf-8")
            assert desk.threads.replay(file).difference is None


def read_notices(kept: list[Any]) -> list[str]:
    return [str(Notice.model_validate(each)) for each in kept]


def test_nothing_is_said_of_a_model_that_was_of_use(tmp_path: Path) -> None:
    with open_desk(tmp_path, ScriptedModel(reading_rules(SENTENCE))) as desk:
        turn = ask(desk, QUESTION, depth="fast")
    assert (turn["reads"], turn["refused"], turn["warnings"]) == (True, False, [])
