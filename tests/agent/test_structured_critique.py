"""The critique of the structured route: what it may ask for, and that it decides nothing alone."""

from pathlib import Path
from typing import Any

import pytest

from services.domain.errors import ModelTimeout
from tests.agent.test_structured import (
    HALF,
    TAX,
    WORKERS,
    YOUNG,
    statuses,
    verdicts,
    with_model,
)


def test_a_critic_asks_for_one_pass_more_and_no_second(tmp_path: Path) -> None:
    turn, model = with_model(tmp_path / "home", critique=verdicts("no", "no", query="Ausnahme"))
    gap = [each for each in turn["sub_queries"] if each["gap"]]
    assert [(each["query"], each["target_info"]) for each in gap] == [
        ("Ausnahme", WORKERS),
        ("Ausnahme", YOUNG),
    ]
    assert len(model.prompts("critique")) == 1
    assert turn["gaps"] == [] and statuses(turn)[YOUNG] == "covered"


def test_a_critic_who_doubts_little_asks_for_nothing_more(tmp_path: Path) -> None:
    turn, _ = with_model(tmp_path / "home", critique=verdicts("yes", "partly", query="Ausnahme"))
    assert not any(each["gap"] for each in turn["sub_queries"])


@pytest.mark.parametrize("failing", [ModelTimeout("too slow"), "Unsinn", {"verdicts": []}])
def test_a_failing_critic_never_counts_as_sufficient(tmp_path: Path, failing: Any) -> None:
    turn, _ = with_model(tmp_path / "home", decompose="Unsinn", critique=failing, question=HALF)
    assert [each["target_info"] for each in turn["sub_queries"] if each["gap"]] == [TAX]
    assert turn["gaps"] == [TAX] and turn["usage"]["fallbacks"] == 2


def test_a_critic_cannot_talk_a_gap_away(tmp_path: Path) -> None:
    turn, _ = with_model(tmp_path / "home", decompose="Unsinn", question=HALF)
    assert turn["gaps"] == [TAX] and any(each["gap"] for each in turn["sub_queries"])


def test_a_model_of_one_call_at_a_time_judges_only_what_is_open(tmp_path: Path) -> None:
    said = {"decompose": "Unsinn", "critique": verdicts("no", query="Abgabe § 99")}
    turn, model = with_model(tmp_path / "covered", slots=1, **said)
    assert model.prompts("critique") == [] and set(statuses(turn).values()) == {"covered"}
    turn, model = with_model(tmp_path / "open", question=HALF, slots=1, **said)
    (prompt,) = model.prompts("critique")
    assert f"1. {TAX}" in prompt and "Dezibel" not in prompt
    gap = [each["query"] for each in turn["sub_queries"] if each["gap"]]
    assert gap and not any("99" in query for query in gap)
