"""What quick answers rest on: definitions, both sides of a comparison, no more than is needed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.engine.engine import Engine
from tests.support.desk import ask as desk_ask
from tests.support.desk import open_desk
from tests.support.scripted_model import ScriptedModel

RULES = """Ordnung für Werkhallen (HallenO)

§ 1 Inhalt

Dieses Kapitel regelt den Aufenthalt im Gefahrenbereich. Ein Gefahrenbereich ist zu kennzeichnen.

§ 2 Begriffe

1. Gefahrenbereich, wenn Menschen von Lasten getroffen werden können.

§ 3 Gefahrenbereich in Hallen

Gefahrenbereiche, die in einem Teil der Halle liegen, müssen nicht gesondert abgegrenzt werden.

§ 4 Fristen für Krane

Für Krane beträgt die Frist der Prüfung 12 Monate.

§ 5 Fristen für Leitern

Für Leitern beträgt die Frist der Prüfung 6 Monate.
"""
DECLINES = "Die Stellen beantworten das nicht."
TERM = "Was ist ein Gefahrenbereich?"


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "HallenO.txt"
    path.write_text(RULES, encoding="utf-8")
    return path


@pytest.fixture
def desk(tmp_path: Path, rules: Path) -> Iterator[Engine]:
    with open_desk(tmp_path / "home") as client:
        client.library.ingest([rules], "hallen")
        yield client


def ask(client: Engine, question: str, **choices: Any) -> dict[str, Any]:
    return desk_ask(client, question, collections=["hallen"], **choices)


def with_model(tmp_path: Path, rules: Path, question: str, said: str) -> dict[str, Any]:
    with open_desk(tmp_path / "home", ScriptedModel([("answer", said)])) as client:
        client.library.ingest([rules], "hallen")
        return ask(client, question)


def test_a_definition_in_the_model_s_words_stays(tmp_path: Path, rules: Path) -> None:
    said = "Im Gefahrenbereich können Menschen von Lasten getroffen werden."
    turn = with_model(tmp_path, rules, TERM, said)
    assert [sentence["text"] for sentence in turn["sentences"]] == [said]


def test_both_sides_of_a_comparison_are_searched_for_and_quoted(desk: Engine) -> None:
    turn = ask(desk, "Vergleiche die Frist für Krane mit der für Leitern.")
    assert turn["depth"] == "enhanced"
    assert turn["found"]["searches"][1:] == ["Frist für Krane", "Frist für Leitern"]
    sections = {sentence["citations"][0]["section"] for sentence in turn["sentences"]}
    assert {"§ 4", "§ 5"} <= sections


def test_a_model_that_sees_no_answer_is_not_believed_where_the_passages_say_enough(
    tmp_path: Path, rules: Path
) -> None:
    turn = with_model(tmp_path, rules, "Welche Frist der Prüfung gilt für Krane?", DECLINES)
    assert not turn["refused"] and "12 Monate" in turn["answer"]
    assert "the model saw no answer" in str(turn["degraded"][0])
