"""What a profile changes in a research run, from the client to the prompts."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.engine.engine import Engine
from services.domain import Principal
from services.domain.errors import InvalidInput
from tests.support.desk import open_desk
from tests.support.research import STRAIGHT, report_of, researched, rules
from tests.support.scripted_model import ScriptedModel

PROMPT = "Du bist Sachverständige für Lärmschutz. Antworte knapp."
RULES = rules()


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(RULES)


@pytest.fixture
def desk(tmp_path: Path, model: ScriptedModel) -> Iterator[Engine]:
    with open_desk(tmp_path / "home", model) as client:
        yield client


def setting(desk: Engine) -> Callable[[str, Any], object]:
    configuration = desk._services.configuration
    return lambda key, value: configuration.set(Principal(), key, value, "noise")


def research(desk: Engine, profile: str | None = "noise") -> dict[str, Any]:
    options = STRAIGHT.model_copy(update={"profile": profile})
    return report_of(desk, researched(desk, options=options))


def told_without_effect(report: dict[str, Any]) -> bool:
    return any("have no effect" in str(text) for text in report["warnings"])


def system_prompts(model: ScriptedModel, task: str) -> set[str]:
    return {each.messages[0].content for each in model.requests if each.task == task}


def test_the_prompt_of_a_profile_counts_in_synthesis_alone(
    desk: Engine, model: ScriptedModel
) -> None:
    research(desk, profile=None)
    plain = {task: system_prompts(model, task) for task in ("section", "lead", "read")}
    model.requests.clear()
    setting(desk)("synthesisPromptOverride", PROMPT)
    report = research(desk)
    assert all(len(prompts) == 1 and PROMPT not in prompts for prompts in plain.values())
    assert system_prompts(model, "section") == system_prompts(model, "lead") == {PROMPT}
    assert system_prompts(model, "read") == plain["read"]
    assert "70 Dezibel" in report["answer"] and not told_without_effect(report)


def test_without_a_model_the_report_says_that_the_prompt_has_no_effect(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home") as desk:
        plain = research(desk, profile=None)
        setting(desk)("synthesisPromptOverride", PROMPT)
        report = research(desk)
    assert (told_without_effect(plain), told_without_effect(report)) == (False, True)
    assert "70 Dezibel" in report["answer"]


def test_the_collections_of_a_profile_are_searched_unless_others_are_named(
    desk: Engine, tmp_path: Path
) -> None:
    law = tmp_path / "long.txt"
    law.write_text("§ 1 Lärm\n\nDer Grenzwert gilt für Beschäftigte immer.")
    setting(desk)("collections", "long")
    desk.library.ingest([law], "long", language="de")
    report = research(desk)
    options = STRAIGHT.model_copy(update={"profile": "noise"})
    named = researched(desk, options=options, collections=["laerm"])
    assert desk.threads.run(report["thread_id"]).collections == ("long",)
    assert desk.threads.run(named).collections == ("laerm",)
    assert {each["document"] for task in report["tasks"] for each in task["read"]} == {"long.txt"}
    setting(desk)("enabled", False)
    with pytest.raises(InvalidInput, match="config set enabled true --profile noise"):
        research(desk)
