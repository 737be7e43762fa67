"""Quick answers with and without a knowledge graph, and the commands that look into it."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from agent.engine.engine import Engine
from agent.engine.reports import read_answer
from agent.graph_paths import location_name
from app.cli.answer_text import explanation
from app.cli.graph import graph, path, show_entity
from services.domain.errors import NotFound
from tests.support.desk import ask, open_desk

JOINING = "Welcher Zusammenhang besteht zwischen Zweck und Grenzwerten des Lärms?"
FACT = "Wie hoch ist der Grenzwert des Lärms?"
FAR = "Wie weit fliegt ein Storch?"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def desk(home: Path) -> Iterator[Engine]:
    """A law of four sections, as it was before there were graphs: ingesting builds one."""
    with open_desk(home) as client:
        with sqlite3.connect(home / "catalog.sqlite3") as database:
            database.execute("PRAGMA foreign_keys = ON")
            database.execute("DELETE FROM graph_parts")
        yield client


def same(turn: dict[str, Any]) -> str:
    """A turn without its ids, times and what the graph did."""
    kept = ("answer", "sentences", "citations", "sources", "refused")
    found = turn["found"]
    return json.dumps([found["nearest"], found["results"], *(turn[key] for key in kept)])


def explained(turn: dict[str, Any]) -> str:
    return "\n".join(explanation(read_answer(turn)))


def test_the_graph_is_walked_where_its_weight_is_enough(desk: Engine) -> None:
    before = {question: ask(desk, question, k=2) for question in (FACT, JOINING)}
    assert all(turn["found"]["graph"] is None for turn in before.values())
    assert "Graph" not in explained(before[JOINING])
    desk.graph.build()
    fact, turn = ask(desk, FACT, k=2), ask(desk, JOINING, k=2)
    assert (fact["found"]["graph"]["asked"], fact["found"]["graph"]["ways"]) == (False, [])
    assert same(fact) == same(before[FACT])
    use = turn["found"]["graph"]
    assert use["asked"] and len(use["ways"]) == 1
    assert turn["found"]["results"] == before[JOINING]["found"]["results"] == 2
    way = use["ways"][0]
    assert all(step["source"]["name"] in way["path"] for step in way["steps"])
    assert (use["weight_before"], use["after_all"]) == (0.5, False)
    assert "Graph: weight 0.00 from the question's type" in explained(fact)
    shown = explained(turn)
    assert (
        "Graph: weight 0.50 from the question's type" in shown
        and f"{way['document']} {way['section']}" in shown
    )


def test_a_graph_that_is_skipped_is_asked_after_all_where_the_search_finds_little(
    desk: Engine,
) -> None:
    desk.graph.build()
    desk.settings.set_parameter("minRelevanceScore", 0.0)
    turn = ask(desk, FAR, k=5)
    assert not ask(desk, FAR, k=2)["found"]["graph"]["asked"]  # a fifth of two is no place
    use = turn["found"]["graph"]
    assert use["weight_before"] == 0.0 and use["vector_confidence"] < 0.15
    assert use["asked"] and use["after_all"]
    assert "used because the search found little" in explained(turn)


def test_an_answer_from_before_the_graph_is_not_given_again(desk: Engine) -> None:
    desk.settings.set_parameter("answerCache", True)

    def searched() -> bool:
        return "retrieve" in ask(desk, FACT, k=2)["usage"]["seconds"]

    assert searched() and not searched()
    desk.graph.build()
    assert searched() and not searched()


def test_show_and_path_tell_each_step_with_its_place(desk: Engine, home: Path) -> None:
    with pytest.raises(NotFound, match="graph build"):
        desk.graph.entity("LärmG § 2")
    desk.graph.build()
    (way,) = desk.graph.paths("LärmG § 1", "LärmG § 3", limit=1)
    assert [step.kind for step in way] == ["cites", "cites"]
    places = [place and location_name(place) for place in desk.graph.places_of(way)]
    assert places == ["LaermG.txt § 1", "LaermG.txt § 2"]
    with pytest.raises(NotFound, match="Drachen"):
        desk.graph.entity("Drachen")
    environment = {"RABBITHOLE_HOME": str(home), "RABBITHOLE_LLM": "none"}
    runner = CliRunner()
    shown = runner.invoke(path, ["LärmG § 1", "LärmG § 3"], env=environment)
    assert shown.output.splitlines()[:3] == [
        "Path 1",
        "  LärmG § 1 refers to LärmG § 2 [LaermG.txt § 1]",
        "  LärmG § 2 refers to LärmG § 3 [LaermG.txt § 2]",
    ]
    card = runner.invoke(show_entity, ["LärmG § 2", "--json"], env=environment)
    assert json.loads(card.output)["node"]["name"] == "LärmG § 2"
    text = runner.invoke(show_entity, ["LärmG § 2"], env=environment)
    assert "LärmG § 2 is referred to by LärmG § 1 [LaermG.txt § 1]" in text.output
    missing = runner.invoke(show_entity, ["Drachen"], env=environment)
    assert set(graph.commands) >= {"show", "path"}
    assert missing.exit_code == 1 and "Drachen" in missing.output
