"""Clarification asks what would change the search, names what nothing answers, and nothing else."""

from pathlib import Path
from typing import Any

import pytest

from agent.engine.engine import Engine
from agent.models import RunOptions
from agent.prompts.research import AnalysisInput, AnalysisOutput, AnalyzeRetrieval
from services.domain.events import ClarificationEnded
from tests.support.desk import open_desk, until_ended, until_waiting
from tests.support.research import report_of, researched
from tests.support.scripted_model import ScriptedModel

VIBRATION = """Gesetz über Schwingungen (SchwG)

§ 1 Zweck

(1) Dieses Gesetz schützt vor Schwingungen von Maschinen und Fahrzeugen.

§ 2 Auslösewert

(1) Für Schwingungen der Hand beträgt der Auslösewert 2,5 Meter je Sekunde im Quadrat.

§ 3 Unterweisung

(1) Wer Schwingungen der Hand ausgesetzt ist, wird vor Beginn der Tätigkeit unterwiesen.

§ 5 Vorsorge

(1) Bei Schwingungen der Hand wird eine ärztliche Vorsorge angeboten.
"""
OPEN = "Welcher Grenzwert gilt für Beschäftigte, und wie hoch ist das Bußgeld bei Verstößen?"


def replies(*questions: tuple[str, list[str]]) -> list[tuple[str, Any]]:
    asked = [{"question": text, "answers": answers} for text, answers in questions]
    return [
        ("search_queries", {"queries": ["Grenzwert Beschäftigte", "Bußgeld"]}),
        ("analyze_retrieval", {"concepts": [], "gaps": [], "clarification_needed": True}),
        ("clarifying_questions", {"questions": asked}),
        ("plan", {"tasks": ["Grenzwert für Beschäftigte feststellen"]}),
        ("extract", {"relevant": [1]}),
        ("write", "Für Beschäftigte beträgt der Grenzwert des Lärms 85 Dezibel im Tagesmittel."),
    ]


WORTH = ("Geht es um Lärm oder um Schwingungen?", ["Lärm Messung", "Schwingungen der Hand"])
IDLE = ("Für welchen Zweck fragen Sie?", ["beruflich", "privat"])


def desk_with(tmp_path: Path, *questions: tuple[str, list[str]]) -> Engine:
    client = open_desk(tmp_path / "home", ScriptedModel(replies(*questions)))
    law = tmp_path / "SchwG.txt"
    law.write_text(VIBRATION, encoding="utf-8")
    client.library.ingest([law], "laerm")
    return client


def test_only_a_question_whose_answers_change_the_search_is_asked(tmp_path: Path) -> None:
    with desk_with(tmp_path, IDLE, WORTH) as desk:
        thread = desk.threads.start(OPEN)
        pending = until_waiting(desk, thread)
        assert (pending.interrupt, pending.questions) == ("clarification", (WORTH[0],))
        assert pending.found
        desk.threads.answer(thread, pending.interrupt_id, "Es geht um Lärm")
        plan = until_waiting(desk, thread)
        assert plan.interrupt == "plan", "what was asked is not asked again"
        desk.threads.approve(thread, plan.interrupt_id)
        assert until_ended(desk, thread) == "done"
        report = report_of(desk, thread)
    assert report["anchor"]["hitl_refinements"] == ["Es geht um Lärm"]
    first, second = report["retrieval_history"]
    assert first["dedup_ratio"] == 0 and second["hits"] == second["new"] + second["duplicates"]
    assert first["coverage"] == 0.5


def test_what_nothing_answers_is_named_before_the_plan(tmp_path: Path) -> None:
    with desk_with(tmp_path, IDLE) as desk:
        thread = desk.threads.start(OPEN)
        pending = until_waiting(desk, thread)
        (ended,) = [
            r.event for r in desk.threads.events(thread) if isinstance(r.event, ClarificationEnded)
        ]
    assert pending.interrupt == "plan" and ended.reason == "nothing_to_clarify"
    assert len(pending.gaps) == 1 and "Bußgeld" in pending.gaps[0]
    assert ended.gaps == pending.gaps


def test_where_all_is_answered_nothing_is_asked(tmp_path: Path) -> None:
    with desk_with(tmp_path, WORTH) as desk:
        report = report_of(desk, researched(desk, options=RunOptions(approve_plan=False)))
    assert [look["coverage"] for look in report["retrieval_history"]] == [1.0]
    assert report["clarification"]["conversation"][1:] == []


@pytest.mark.parametrize("needed", [True, False])
def test_a_model_cannot_open_a_question_that_is_answered(needed: bool) -> None:
    asked = AnalysisInput(question="Was gilt?", language="de", found=(), missing=(), complete=True)
    output = AnalysisOutput(concepts=[], gaps=["Was gilt noch"], clarification_needed=needed)
    analysis = AnalyzeRetrieval().check(asked, output)
    assert not analysis.clarification_needed and analysis.gaps == ()
