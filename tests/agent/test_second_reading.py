"""Proof is what its own writer finds in the places that it cites too."""

from collections.abc import Iterator
from typing import Any

import pytest

from agent.engine.engine import Engine
from tests.support.desk import ask, open_desk
from tests.support.faulty_tasks import EXCEPTION, REPLIES, TRUE
from tests.support.research import report_of, researched
from tests.support.scripted_model import Rule, ScriptedModel

NEARLY = "Die Behörde kann Lehrlingen einen Grenzwert von 80 Dezibel zulassen."
"""What the judge takes for nearly said: one word is another."""
QUESTION = "Welcher Grenzwert des Lärms gilt für Beschäftigte unter 18 Jahren?"


@pytest.fixture(scope="module")
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory, model: ScriptedModel) -> Iterator[Engine]:
    with open_desk(tmp_path_factory.mktemp("second"), model) as engine:
        yield engine


def rules(**other: Any) -> list[Rule]:
    return [(f"^{task}$", reply) for task, reply in (REPLIES | other).items()]


def reading(missing: str = "", number: int = 1) -> dict[str, Any]:
    return {"readings": [{"number": number, "missing": missing}]}


def standing_of(sentences: list[dict[str, Any]]) -> dict[str, str]:
    return {each["text"]: each["standing"] for each in sentences}


@pytest.mark.parametrize("depth", ["fast", "structured"])
def test_a_sentence_that_its_writer_takes_back_gives_way_to_the_quote(
    engine: Engine, model: ScriptedModel, depth: str
) -> None:
    says: dict[str, Any] = {"answer": TRUE, "synthesis": TRUE}
    model.play(rules(**says))
    kept = ask(engine, QUESTION, depth=depth)
    (prompt,) = model.prompts("read_again")
    assert "1. Stelle: § 2: Für Beschäftigte unter 18 Jahren" in prompt and TRUE in prompt
    assert standing_of(kept["sentences"])[TRUE] == "follows"

    model.play(rules(**says, read_again=reading("70 Dezibel")))
    turn = ask(engine, QUESTION, depth=depth)
    assert TRUE not in standing_of(turn["sentences"])
    assert set(standing_of(turn["sentences"]).values()) == {"quote"}
    assert "70 Dezibel" in turn["answer"]
    assert any(TRUE in str(each) for each in turn["degraded"])


def test_what_is_nearly_said_is_proof_once_its_writer_finds_it(
    engine: Engine, model: ScriptedModel
) -> None:
    model.play(rules(answer=NEARLY))
    assert NEARLY not in standing_of(ask(engine, QUESTION, depth="fast")["sentences"])
    model.play(rules(answer=NEARLY, read_again=reading()))
    turn = ask(engine, QUESTION, depth="fast")
    (found,) = [each for each in turn["sentences"] if each["text"] == NEARLY]
    assert (found["standing"], found["supported"]) == ("follows", True)
    assert found["reason"] == "Die Stelle sagt es mit anderen Worten."
    doubt = reading("Lehrlingen")["readings"] + reading()["readings"]
    model.play(rules(answer=NEARLY, read_again={"readings": doubt}))
    turn = ask(engine, QUESTION, depth="fast")
    assert NEARLY not in standing_of(turn["sentences"])
    assert any("Nicht in der Stelle: Lehrlingen" in str(each) for each in turn["degraded"])


def test_so_it_is_in_a_report(engine: Engine, model: ScriptedModel) -> None:
    model.play(rules(write=TRUE))
    assert "follows" in standings(report_of(engine, researched(engine)))
    model.play(rules(write=TRUE, read_again=reading("70 Dezibel")))
    assert standings(report_of(engine, researched(engine))) == {"quote"}


def standings(report: dict[str, Any]) -> set[str]:
    return {each["standing"] for each in report["sentences"]}


def test_only_what_is_no_quote_is_read_again(engine: Engine, model: ScriptedModel) -> None:
    model.play(rules(answer="Der Mond besteht aus Käse."))
    ask(engine, QUESTION, depth="fast")
    assert model.prompts("read_again") == []


@pytest.mark.parametrize("reply", [reading("x", 3), "kein JSON", reading("x", 0)])
def test_a_reading_that_makes_no_sense_is_told_and_takes_nothing_back(
    engine: Engine, model: ScriptedModel, reply: Any
) -> None:
    model.play(rules(answer=f"{TRUE} {EXCEPTION}", read_again=reply))
    turn = ask(engine, QUESTION, depth="fast")
    assert standing_of(turn["sentences"])[TRUE] == "follows"
    assert any("read_again" in str(each) for each in turn["degraded"])
