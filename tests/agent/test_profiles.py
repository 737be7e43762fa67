"""What a profile changes in a research run, from the client to the prompts."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.engine.engine import Engine
from services.domain import Principal
from services.domain.errors import InvalidInput
from services.locale import rendered
from services.models.base import estimate_tokens
from tests.support.desk import open_desk
from tests.support.research import STRAIGHT, report_of, researched, rules
from tests.support.scripted_model import ScriptedModel

PROMPT = "Du bist Sachverständige für Lärmschutz. Antworte knapp."
RULES = rules(extract={"relevant": [1]})


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
    return any("has no effect" in str(text) for text in report["warnings"])


def system_prompts(model: ScriptedModel, task: str) -> set[str]:
    return {each.messages[0].content for each in model.requests if each.task == task}


def passages_of(model: ScriptedModel, task: str) -> list[list[str]]:
    """The passages of each prompt, with the headers that they stand under."""
    return [
        prompt[prompt.index("=== ") :].split("\n\n")[0].splitlines()
        for prompt in model.prompts(task)
    ]


def test_prompt_and_tokens_of_a_profile_count_in_synthesis_and_not_without_it(
    desk: Engine, model: ScriptedModel
) -> None:
    research(desk, profile=None)
    plain = system_prompts(model, "write")
    before = {task: passages_of(model, task) for task in ("write", "extract")}
    model.requests.clear()
    for key, value in {"synthesisPromptOverride": PROMPT, "maxTokens": 130}.items():
        setting(desk)(key, value)
    setting(desk)("minRelevanceScore", 0)
    report = research(desk)
    assert PROMPT not in plain and len(plain) == 1
    assert system_prompts(model, "write") == {PROMPT}
    assert PROMPT not in system_prompts(model, "extract")
    for task in ("write", "extract"):
        given = passages_of(model, task)
        assert given and max(map(len, given)) < max(map(len, before[task]))
        # The bound holds for passages and headers; a number before each is not counted.
        assert all(sum(estimate_tokens(line) for line in lines) <= 135 for lines in given)
    assert "70 Dezibel" in report["answer"] and not told_without_effect(report)


def test_without_a_model_the_report_says_that_the_prompt_has_no_effect(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home") as desk:
        plain = research(desk, profile=None)
        setting(desk)("synthesisPromptOverride", PROMPT)
        report = research(desk)
    assert (told_without_effect(plain), told_without_effect(report)) == (False, True)
    assert "70 Dezibel" in report["answer"]


def test_where_no_passage_fits_quotes_of_the_collections_of_the_profile_stand_alone(
    tmp_path: Path,
) -> None:
    class Wordy(ScriptedModel):
        """Counts so many tokens that no passage fits a small bound."""

        def count_tokens(self, text: str) -> int:
            return len(text)

    model = Wordy(RULES, context_tokens=100_000)
    with open_desk(tmp_path / "home", model) as desk:
        law = tmp_path / "long.txt"
        law.write_text("§ 1 Lärm\n\n" + "Der Grenzwert gilt für Beschäftigte, " * 6 + "immer.")
        setting(desk)("maxTokens", 100)
        setting(desk)("collections", "long")
        desk.library.ingest([law], "long", language="de")
        report = research(desk)
        assert model.prompts("write") == model.prompts("extract") == []
        options = STRAIGHT.model_copy(update={"profile": "noise"})
        named = researched(desk, options=options, collections=["laerm"])
        assert desk.threads.run(report["thread_id"]).collections == ("long",)
        assert desk.threads.run(named).collections == ("laerm",)
        setting(desk)("enabled", False)
        with pytest.raises(InvalidInput, match="config set enabled true --profile noise"):
            research(desk)
    assert report["sentences"][0]["citations"][0]["document"] == "long.txt"
    assert any("maxTokens=100" in text for text in rendered(report["degraded"]))
