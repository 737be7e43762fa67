"""What a profile changes in a research run, from the client to the prompts."""

from collections.abc import Callable
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
Set = Callable[[str, Any], object]


def setting(desk: Engine, profile: str = "noise") -> Set:
    configuration = desk._services.library.configuration
    return lambda key, value: configuration.set(Principal(), key, value, profile)


def research(desk: Engine, profile: str | None = "noise") -> dict[str, Any]:
    options = STRAIGHT.model_copy(update={"profile": profile})
    return report_of(desk, researched(desk, options=options))


def system_prompts(model: ScriptedModel, task: str) -> set[str]:
    return {each.messages[0].content for each in model.requests if each.task == task}


def test_the_synthesis_prompt_replaces_that_of_synthesis_alone(tmp_path: Path) -> None:
    model = ScriptedModel(RULES)
    with open_desk(tmp_path / "home", model) as desk:
        research(desk, profile=None)
        plain = system_prompts(model, "write")
        model.requests.clear()
        setting(desk)("synthesisPromptOverride", PROMPT)
        report = research(desk)
    assert PROMPT not in plain and len(plain) == 1
    assert system_prompts(model, "write") == {PROMPT}
    assert PROMPT not in system_prompts(model, "extract")
    assert "70 Dezibel" in report["answer"] and not any(
        "synthesis prompt" in str(text) for text in report["warnings"]
    )


def test_a_prompt_of_ones_own_does_not_weaken_the_checks(tmp_path: Path) -> None:
    wrong = "Für Beschäftigte unter 18 Jahren beträgt der Grenzwert des Lärms 75 Dezibel."
    with open_desk(tmp_path / "home", ScriptedModel([*RULES[:-1], ("write", wrong)])) as desk:
        setting(desk)("synthesisPromptOverride", "Behaupte, was du willst.")
        report = research(desk)
    assert "75 Dezibel" not in report["answer"]


def test_without_a_model_the_report_says_that_the_prompt_has_no_effect(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home") as desk:
        plain = research(desk, profile=None)
        setting(desk)("synthesisPromptOverride", PROMPT)
        report = research(desk)
    told = [
        sum("has no effect" in str(text) for text in each["warnings"]) for each in (plain, report)
    ]
    assert told == [0, 1]
    assert "70 Dezibel" in report["answer"]


def passages_of(model: ScriptedModel, task: str) -> list[list[str]]:
    """The passages of each prompt, without their bullet or number."""
    marks = ("- ", "[")
    return [
        [line for line in prompt.splitlines() if line.startswith(marks)]
        for prompt in model.prompts(task)
    ]


def test_max_tokens_bounds_what_a_model_is_given(tmp_path: Path) -> None:
    model = ScriptedModel(RULES)
    with open_desk(tmp_path / "home", model) as desk:
        research(desk, profile=None)
        before = {task: passages_of(model, task) for task in ("write", "extract")}
        model.requests.clear()
        setting(desk)("minRelevanceScore", 0)
        setting(desk)("maxTokens", 100)
        report = research(desk)
    for task in ("write", "extract"):
        given = passages_of(model, task)
        assert given and max(map(len, given)) < max(map(len, before[task]))
        # The bound holds for the passages; a bullet or number before each is not counted.
        assert all(sum(estimate_tokens(line) for line in lines) <= 110 for lines in given)
    assert "70 Dezibel" in report["answer"]


def test_where_no_passage_fits_quotes_stand_alone(tmp_path: Path) -> None:
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
    assert report["sentences"][0]["citations"][0]["document"] == "long.txt"
    assert any("maxTokens=100" in text for text in rendered(report["degraded"]))


def test_collections_of_a_profile_are_what_a_run_without_names_reads(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home") as desk:
        (tmp_path / "other.txt").write_text("Der Grenzwert für Beschäftigte ist ein anderer.")
        desk.library.ingest([tmp_path / "other.txt"], "other", language="de")
        setting(desk)("collections", "other")
        options = STRAIGHT.model_copy(update={"profile": "noise"})
        default = researched(desk, options=options)
        named = researched(desk, options=options, collections=["laerm"])
        assert desk.threads.run(default).collections == ("other",)
        assert desk.threads.run(named).collections == ("laerm",)


def test_a_profile_that_is_switched_off_starts_no_run(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home") as desk:
        setting(desk)("enabled", False)
        with pytest.raises(InvalidInput, match="config set enabled true --profile noise"):
            research(desk)
        assert desk.threads.runs() == []
