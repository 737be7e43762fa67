"""Proof is what its own writer finds in the places that it cites too."""

from collections.abc import Iterator
from typing import Any

import pytest

from agent.engine.engine import Engine
from tests.support.desk import open_desk
from tests.support.faulty_tasks import REPLIES, TRUE
from tests.support.research import report_of, researched
from tests.support.scripted_model import Rule, ScriptedModel

NEARLY = "Die Behörde kann Lehrlingen einen Grenzwert von 80 Dezibel zulassen."
"""What the judge takes for nearly said: one word is another."""


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


def reported(engine: Engine, model: ScriptedModel, **says: Any) -> dict[str, Any]:
    """A report whose model says this."""
    model.play(rules(**says))
    return report_of(engine, researched(engine))


def test_a_sentence_that_its_writer_takes_back_gives_way_to_the_quote(
    engine: Engine, model: ScriptedModel
) -> None:
    kept = reported(engine, model, write=TRUE)
    prompt = model.prompts("read_again")[0]
    assert "1. Stelle: § 2: Für Beschäftigte unter 18 Jahren" in prompt and TRUE in prompt
    assert standing_of(kept["sentences"])[TRUE] == "follows"
    report = reported(engine, model, write=TRUE, read_again=reading("70 Dezibel"))
    assert set(standing_of(report["sentences"]).values()) == {"quote"}
    assert "70 Dezibel" in report["answer"]


def test_what_is_nearly_said_is_proof_once_its_writer_finds_it(
    engine: Engine, model: ScriptedModel
) -> None:
    report = reported(engine, model, write=NEARLY, read_again="kein JSON")
    assert NEARLY not in standing_of(report["sentences"])
    report = reported(engine, model, write=NEARLY, read_again=reading())
    (found,) = [each for each in report["sentences"] if each["text"] == NEARLY]
    assert (found["standing"], found["supported"]) == ("follows", True)
    assert found["reason"] == "Die Stelle sagt es mit anderen Worten."
    doubt = reading("Lehrlingen")["readings"] + reading()["readings"]
    report = reported(engine, model, write=NEARLY, read_again={"readings": doubt})
    assert NEARLY not in standing_of(report["sentences"])


def test_only_what_is_no_quote_is_read_again(engine: Engine, model: ScriptedModel) -> None:
    reported(engine, model, write="Der Mond besteht aus Käse.")
    assert model.prompts("read_again") == []


@pytest.mark.parametrize("reply", [reading("x", 3), "kein JSON", reading("x", 0)])
def test_a_reading_that_makes_no_sense_is_told_and_takes_nothing_back(
    engine: Engine, model: ScriptedModel, reply: Any
) -> None:
    report = reported(engine, model, write=TRUE, read_again=reply)
    assert standing_of(report["sentences"])[TRUE] == "follows"
    assert any("read_again" in str(each) for each in report["degraded"])
