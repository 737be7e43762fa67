"""What documents might say is searched with, by a model that writes well, and shown to nobody."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from agent.engine.engine import Engine
from tests.support.desk import open_desk
from tests.support.faulty_tasks import REPLIES
from tests.support.research import report_of, researched
from tests.support.scripted_model import ScriptedModel

EVERYDAY = "Wie viel Krach müssen Lehrlinge aushalten?"
EXPECTED = "In der Ausbildung wird Gehörschutz getragen, was die Behörde prüft."
ANSWERING = "§ 3"


@pytest.fixture(scope="module")
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory, model: ScriptedModel) -> Iterator[Engine]:
    with open_desk(tmp_path_factory.mktemp("expect"), model) as engine:
        yield engine


def said(model: ScriptedModel, expected: str) -> None:
    replies: dict[str, Any] = REPLIES | {"expect": {"passage": expected}}
    model.play([(f"^{task}$", reply) for task, reply in replies.items()])


def test_a_model_of_which_nothing_is_known_is_not_asked(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RABBITHOLE_DETERMINISTIC", "1")
    model = ScriptedModel()
    said(model, EXPECTED)
    with open_desk(tmp_path_factory.mktemp("unknown"), model, reads=None) as engine:
        nearest(engine)
    assert model.prompts("expect") == []


def test_nor_is_one_that_would_take_longer_than_a_first_word_may(
    engine: Engine, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(model, EXPECTED)
    monkeypatch.setattr(model, "output_tokens_per_s", 5.0)
    nearest(engine)
    assert model.prompts("expect") == []


def test_a_research_searches_with_it_too(engine: Engine, model: ScriptedModel) -> None:
    said(model, "")
    before = nearest(engine)
    said(model, EXPECTED)
    after = nearest(engine)
    (prompt,) = model.prompts("expect")
    assert EVERYDAY.rstrip("?") in prompt
    assert ANSWERING not in before and ANSWERING in after


def nearest(engine: Engine) -> str:
    """The sections of the passages that count most in a research of the question."""
    report = report_of(engine, researched(engine, EVERYDAY))
    assert EXPECTED not in json.dumps(report, ensure_ascii=False)
    best = max(report["evidence"], key=lambda each: each["score"], default={"section": ""})
    return str(best["section"])
