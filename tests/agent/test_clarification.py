"""Clarification asks what would change the search, names what nothing answers, and nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent.engine.engine import Engine
from agent.models import QueryAnalysis, RetrievalRecord, RunOptions
from agent.prompts.research import LookOver, Survey, SurveyInput
from agent.research.phases.clarify import end_of_clarification
from agent.research.state import ResearchState
from services.domain.events import ClarificationEnded
from tests.support.desk import open_desk, until_ended, until_waiting
from tests.support.research import report_of, rules
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
Json = dict[str, Any]
OPEN = "Welcher Grenzwert gilt für Beschäftigte? Wie hoch ist das Bußgeld bei Verstößen?"


FINE = "der Grenzwert"
MATTERS = "Davon hängt ab, welche Werte gelten."


def asked_back(question: str, *options: tuple[str, list[int]]) -> Json:
    """A question back; of each answer the passages by number, of which a word holds then."""
    answers = [
        {"answer": answer, "holds": [{"passage": n, "quote": f"Wort {n}"} for n in numbers]}
        for answer, numbers in options
    ]
    return {"question": question, "matters": MATTERS, "options": answers}


WORTH = asked_back(
    "Geht es um Lärm oder um Schwingungen?", ("um Lärm", [1, 2]), ("um Schwingungen", [3])
)
IDLE = asked_back("Für welchen Zweck fragen Sie?", ("beruflich", [1]), ("privat", [1]))


def survey(*questions: Json, fine: str = "no") -> Json:
    """That one half of the question is covered, and the other as told."""
    aspects = [{"aspect": FINE, "covered": "yes"}, {"aspect": "das Bußgeld", "covered": fine}]
    return {
        "concepts": ["Grenzwert", "Bußgeld"],
        "aspects": aspects,
        "assumptions": ["Es geht um Lärm am Arbeitsplatz."],
        "questions": list(questions),
    }


@contextmanager
def desk_with(tmp_path: Path, *surveys: Json, **other: Any) -> Iterator[tuple[Engine, Any]]:
    """A desk with two laws, whose model says one survey after the other."""
    model = ScriptedModel(rules(look_over=list(surveys)))
    with open_desk(tmp_path / "home", model, **other) as client:
        law = tmp_path / "SchwG.txt"
        law.write_text(VIBRATION, encoding="utf-8")
        client.library.ingest([law], "laerm")
        yield client, model


def ended_of(client: Engine, thread: str) -> ClarificationEnded:
    (ended,) = [
        r.event for r in client.threads.events(thread) if isinstance(r.event, ClarificationEnded)
    ]
    return ended


def test_only_a_question_under_whose_answers_other_words_hold_is_asked(tmp_path: Path) -> None:
    with desk_with(tmp_path, survey(IDLE, WORTH)) as (desk, model):
        thread = desk.threads.start(OPEN)
        pending = until_waiting(desk, thread)
        assert (pending.interrupt, pending.questions) == ("clarification", (WORTH["question"],))
        assert pending.answers == (("um Lärm", "um Schwingungen"),)
        assert pending.matters == (MATTERS,) and pending.found
        assert "Es geht um Lärm am Arbeitsplatz." in pending.assumed
        desk.threads.answer(thread, pending.interrupt_id, "Es geht um Lärm")
        plan = until_waiting(desk, thread)
        assert plan.interrupt == "plan", "what was asked is not asked again"
        desk.threads.approve(thread, plan.interrupt_id)
        assert until_ended(desk, thread) == "done"
        report = report_of(desk, thread)
    first, second = model.prompts("look_over")
    assert "Es geht um Lärm\n" not in first and "[1]" in first
    assert WORTH["question"] in second and "Es geht um Lärm" in second
    assert report["anchor"]["hitl_refinements"] == ["Es geht um Lärm"]
    one, two = report["retrieval_history"]
    assert one["dedup_ratio"] == 0 and two["hits"] == two["new"] + two["duplicates"]
    assert one["coverage"] == 0.5 and one["gaps"] == ["das Bußgeld"]
    for task in ("plan", "grade", "section", "lead"):
        assert all("Es geht um Lärm" in prompt for prompt in model.prompts(task)), task


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
    with desk_with(tmp_path, survey(WORTH)) as (desk, _):
        thread = desk.threads.start(OPEN, options=RunOptions(max_iterations=most))
        desk.threads.answer(thread, until_waiting(desk, thread).interrupt_id, said)
        assert until_waiting(desk, thread).interrupt == "plan"
        ended = ended_of(desk, thread)
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
        ({"gaps": 3, "needed": False, "answered": 1}, "clarified"),
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
        hitl_iteration=at.get("answered", 0),
        retrieval_history=[look],
        knowledge_gaps=["?"] * at["gaps"],
        query_analysis=analysis,
    )
    assert end_of_clarification(state) == reason


def test_what_nothing_answers_is_named_before_the_plan(tmp_path: Path) -> None:
    with desk_with(tmp_path, survey(IDLE)) as (desk, _):
        thread = desk.threads.start(OPEN)
        pending = until_waiting(desk, thread)
        ended = ended_of(desk, thread)
    assert pending.interrupt == "plan" and ended.reason == "nothing_to_clarify"
    assert pending.gaps == ended.gaps == ("das Bußgeld",)


def test_the_asking_goes_on_until_the_passages_repeat_themselves(tmp_path: Path) -> None:
    other = {**WORTH, "question": "Und für wen?"}
    with desk_with(tmp_path, survey(WORTH), survey(other, fine="yes")) as (desk, _):
        thread = desk.threads.start(OPEN)
        desk.threads.answer(thread, until_waiting(desk, thread).interrupt_id, "Es geht um Lärm")
        assert until_waiting(desk, thread).interrupt == "plan"
        assert ended_of(desk, thread).reason == "convergence"


def test_where_no_model_reads_nothing_is_asked_and_nothing_is_looked_over(tmp_path: Path) -> None:
    with desk_with(tmp_path, survey(WORTH), reads=False) as (desk, model):
        thread = desk.threads.start(OPEN)
        pending = until_waiting(desk, thread)
        assert pending.interrupt == "plan" and model.requests == []
        assert ended_of(desk, thread).reason == "nothing_to_clarify"
    assert [gap for gap in pending.gaps if "Bußgeld" in gap]


def test_a_model_that_fails_to_look_over_leaves_it_to_the_search(tmp_path: Path) -> None:
    with desk_with(tmp_path, {"concepts": []}) as (desk, _):
        thread = desk.threads.start(OPEN, options=RunOptions(approve_plan=False))
        assert until_ended(desk, thread) == "done"
        report = report_of(desk, thread)
    assert report["usage"]["tasks"]["look_over"]["fallbacks"] == 1
    assert 0 < report["retrieval_history"][0]["coverage"] < 1


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ([("a", [1]), ("b", [2])], True),
        ([("a", [1]), ("b", [1, 2])], True),
        ([("a", [1, 2]), ("b", [2, 1])], False),
        ([("a", [1]), ("b", [2]), ("c", [1])], False),
        ([("a", []), ("b", [])], False),
    ],
)
def test_under_each_answer_other_words_hold(
    options: list[tuple[str, list[int]]], kept: bool
) -> None:
    asked = SurveyInput(question="Was gilt?", language="de")
    found = Survey.model_validate(survey(asked_back("Für wen?", *options)))
    assert bool(LookOver().check(asked, found).questions) is kept
