"""An exported report speaks the language of its answer, whoever exports it."""

import json
from pathlib import Path

import pytest

from agent.engine.engine import connect_to
from agent.engine.reports import SINCE_ADDED
from services.domain import Principal
from services.locale import rendered
from tests.support import played_turn
from tests.support.desk import make_services
from tests.support.exported import READING
from tests.support.played_report import report

OWNER = Principal()


def exported(home: Path, language: str, format_name: str) -> str:
    """The played report as a file, in a home of its own."""
    services = make_services(home / language)
    with connect_to(services, OWNER) as client:
        services.catalog.runs.create("t1", OWNER, "Was gilt?", (), {})
        content = {**report("t1", "Was gilt?"), "language": language}
        services.catalog.runs.update("t1", status="done", report=content)
        return client.threads.export_report("t1", format_name).decode()


def test_warnings_limits_and_reasons_follow_the_language_of_the_answer(tmp_path: Path) -> None:
    german = exported(tmp_path, "de", "html")
    assert "12 von 30 Befunden wurden" in german
    assert "weggelassen, weil ihre Befunde" in german
    assert "Relevanz 0,21 zur Frage, nötig ist mindestens 0,3" in german
    assert "teilweise abgedeckt: Schwangere" in german
    english = exported(tmp_path, "en", "html")
    assert "12 of 30 findings were dropped" in english
    assert "their findings support only part of them" in english


def test_the_format_for_programs_holds_the_report_as_it_is(tmp_path: Path) -> None:
    found = json.loads(exported(tmp_path, "de", "json"))
    assert found["degraded"] == rendered(report("t1", "Was gilt?")["degraded"])
    assert found["dropped"] == rendered(report("t1", "Was gilt?")["dropped"])


@pytest.mark.parametrize("format_name", READING)
def test_an_answer_that_an_earlier_version_kept_is_exported(
    tmp_path: Path, format_name: str
) -> None:
    services = make_services(tmp_path)
    turn = played_turn.turn("a1", 1, "Welcher Grenzwert gilt?", "fast")
    kept = {name: each for name, each in turn.items() if name not in SINCE_ADDED}
    with connect_to(services, OWNER) as client:
        services.catalog.runs.create("a1", OWNER, turn["question"], (), {}, kind="ask")
        content = {"thread_id": "a1", "turns": [kept]}
        services.catalog.runs.update("a1", status="done", report=content)
        assert client.threads.export_report("a1", format_name)
        assert json.loads(client.threads.export_report("a1", "json"))["turns"] == [kept]
