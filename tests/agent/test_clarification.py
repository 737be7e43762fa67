"""Clarification asks what would change the search, names what nothing answers, and nothing else."""

from pathlib import Path
from typing import Any

import pytest

from agent.engine.engine import Engine
from agent.models import QueryAnalysis, RetrievalRecord, RunOptions
from agent.prompts.research import (
    AnalysisInput,
    AnalysisOutput,
    AnalyzeRetrieval,
    AskQuestions,
    QuestionsInput,
)
from agent.research.phases.clarify import end_of_clarification
from agent.research.state import ResearchState
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
        assert pending.found and pending.answers == (tuple(WORTH[1]),)
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


@pytest.mark.parametrize(
    ("said", "most", "reason", "refinements"),
    [
        ("/end", 5, "user_end", ()),
        ("Es geht um Lärm\n/end", 5, "user_end", ("Es geht um Lärm",)),
        ("Es geht um Lärm", 1, "max_iterations", ("Es geht um Lärm",)),
    ],
)
def test_a_person_or_the_limit_ends_the_asking(
    tmp_path: Path, said: str, most: int, reason: str, refinements: tuple[str, ...]
) -> None:
    with desk_with(tmp_path, WORTH) as desk:
        thread = desk.threads.start(OPEN, options=RunOptions(max_iterations=most))
        desk.threads.answer(thread, until_waiting(desk, thread).interrupt_id, said)
        assert until_waiting(desk, thread).interrupt == "plan"
        (ended,) = [
            r.event for r in desk.threads.events(thread) if isinstance(r.event, ClarificationEnded)
        ]
    assert (ended.reason, ended.refinements) == (reason, refinements)


AT_THE_BOUNDS = {"coverage": 0.8, "dedup_ratio": 0.7, "gaps": 2, "needed": True, "active": True}


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({}, "convergence"),
        ({"coverage": 0.79}, None),
        ({"dedup_ratio": 0.69}, None),
        ({"gaps": 3}, None),
        ({"gaps": 3, "needed": False}, "nothing_to_clarify"),
        ({"active": False}, "skipped"),
    ],
)
def test_the_asking_converges_by_coverage_repetition_and_gaps(
    other: dict[str, Any], reason: str | None
) -> None:
    at = AT_THE_BOUNDS | other
    look = RetrievalRecord(
        iteration=1, queries=(), hits=10, new=3, duplicates=7,
        dedup_ratio=at["dedup_ratio"], coverage=at["coverage"],
    )  # fmt: skip
    analysis = QueryAnalysis(
        original_query="q", entities=(), scope="", facets=(), clarification_needed=at["needed"]
    )
    state = ResearchState(
        hitl_active=at["active"],
        retrieval_history=[look],
        knowledge_gaps=["?"] * at["gaps"],
        query_analysis=analysis,
    )
    assert end_of_clarification(state) == reason


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


@pytest.mark.parametrize(("readings", "asked"), [((), False), (("A § 1", "B § 1"), True)])
def test_a_model_cannot_wave_through_readings_that_compete(
    readings: tuple[str, ...], asked: bool
) -> None:
    found = AnalysisInput(
        question="Was gilt?", language="de", found=(), missing=(), complete=False, readings=readings
    )
    output = AnalysisOutput(concepts=(), gaps=(), clarification_needed=False)
    assert AnalyzeRetrieval().check(found, output).clarification_needed is asked


@pytest.mark.parametrize(
    ("readings", "answers"),
    [(("A § 1", "B § 1"), None), (("A § 1", "C § 1"), None), (("C § 1", "D § 1"), 2)],
)
def test_a_reading_is_offered_once(readings: tuple[str, ...], answers: int | None) -> None:
    found = QuestionsInput(
        question="Was gilt?", language="de", found=(), gaps=(), readings=readings,
        asked=("Geht es Ihnen um A § 1 oder um B § 1?",),
    )  # fmt: skip
    asked = AskQuestions().fallback(found)
    assert [len(each.answers) for each in asked] == ([] if answers is None else [answers])


def test_a_model_assumes_what_the_question_is_about_and_more_than_it_says() -> None:
    question = "Welcher Grenzwert des Lärms gilt?"
    asked = AnalysisInput(question=question, language="de", found=(), missing=(), complete=False)
    proposed = ("Gemeint ist Lärm am Arbeitsplatz", "Der Grenzwert des Lärms", "Kuchen ist süß")
    output = AnalysisOutput(
        concepts=(), gaps=(), assumptions=proposed[:2], clarification_needed=True
    )
    assert AnalyzeRetrieval().check(asked, output).assumptions == proposed[:1]
    other = output.model_copy(update={"assumptions": proposed[2:]})
    assert AnalyzeRetrieval().check(asked, other).assumptions == ()
