"""Whole runs over a small law: phases, people, faults."""

import asyncio
import gc
import json
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from agent.engine.engine import Engine, connect_to
from agent.models import RunOptions
from agent.research.tiers import REVISION_BELOW
from app.cli.answer_text import run_text
from app.run_log import fold
from services.domain import Principal
from services.domain.errors import AlreadyAnswered, InvalidInput, ModelUnavailable, NotFound
from services.domain.events import PlanItem, total_seconds
from services.locale import rendered
from tests.support import research
from tests.support.desk import QUESTION, make_services, open_desk, until_ended, until_waiting
from tests.support.research import (
    STRAIGHT,
    FaultyModel,
    planned,
    researched,
    rules,
    until_writing,
    written,
)
from tests.support.scripted_model import ScriptedModel
from tests.support.waiting import until

Json = dict[str, Any]
RULES = rules()


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A desk without a model that all of these runs share."""
    with open_desk(tmp_path_factory.mktemp("desk") / "home") as client:
        yield client


@pytest.fixture(scope="module")
def report(desk: Engine) -> Json:
    return report_of(desk)


def report_of(client: Engine, question: str = QUESTION, options: RunOptions = STRAIGHT) -> Json:
    return research.report_of(client, researched(client, question, options))


class TestWithoutModel:
    def test_the_dossier_states_the_facts_with_verified_quotes(
        self, desk: Engine, report: Json
    ) -> None:
        assert report["language"] == "de"
        text = desk.library.open_document(report["sources"][0]["document_id"]).parsed.text
        citations = [c for s in report["sentences"] for c in s["citations"]]
        assert all(text[c["start"] : c["end"]] == c["quote"] for c in citations)
        assert "§ 2" in {c["section"] for c in citations}
        assert report["references"] == [], "nobody reads what refers to what"
        assert report["usage"]["model"] == "none" and report["usage"]["fallbacks"] == 0
        assert {
            "thread_id", "question", "language", "answer", "sentences", "findings", "sources",
            "evidence", "references", "todo", "anchor", "retrieval_history", "dropped",
            "quality", "gaps", "warnings", "degraded", "usage",
        } <= json.loads(json.dumps(report)).keys()  # fmt: skip

    def test_quotes_claim_nothing_and_none_stands_twice(self, report: Json) -> None:
        lead, *sections = report["answer"].split("## ")
        assert lead.strip() == report["opening"] != ""
        assert "70 Dezibel" in sections[0] and report["answer"].count("70 Dezibel") == 1
        assert len(sections) == len(report["todo"]) == 3
        assert f"Siehe »{report['todo'][0]['task']}«" in sections[2]
        assert {each["certainty"] for each in report["parts"]} == {report["certainty"]}
        assert report["certainty"] == "perhaps"
        assert report["standings"] == {"quote": len(report["sentences"])}
        places = [(c["start"], c["end"]) for s in report["sentences"] for c in s["citations"]]
        assert len(places) == len(set(places))

    def test_a_report_took_as_long_as_the_list_of_runs_and_the_log_say(
        self, desk: Engine, report: Json
    ) -> None:
        log = fold(desk.threads.events(report["thread_id"], 0))
        seconds = report["usage"]["seconds"]
        assert seconds == {phase: each.seconds for phase, each in log.phases.items()}
        assert desk.threads.costs()[report["thread_id"]].seconds == total_seconds(seconds) > 0
        told = [record.at for record in desk.threads.events(report["thread_id"])]
        first, last = (datetime.fromisoformat(at).timestamp() for at in (told[0], told[-1]))
        rounding = 0.01 * len(seconds)
        assert total_seconds(seconds) <= last - first + rounding
        work = report["usage"]["work_seconds"]
        assert work.keys() == seconds.keys()
        assert all(work[phase] >= seconds[phase] - rounding for phase in work)

    def test_the_same_question_gives_the_same_report(self, desk: Engine, report: Json) -> None:
        first, second = dict(report), report_of(desk)
        for volatile in ("thread_id", "anchor", "usage"):
            del first[volatile], second[volatile]
        assert first == second

    def test_nothing_suitable_is_said_honestly(self, desk: Engine) -> None:
        report = report_of(desk, "Xylophon Quarzuhr Vanille?")
        assert report["sentences"] == [] and report["certainty"] == "refused"
        assert report["opening"] and report["opening"] in report["answer"]

    def test_each_part_is_judged_and_what_nothing_answers_is_a_gap(self, desk: Engine) -> None:
        report = report_of(
            desk, "Welcher Grenzwert gilt für Beschäftigte? Wie entsteht eine Quarzuhr?"
        )
        assert report["certainty"] == "perhaps"
        certainty = [part["certainty"] for part in report["parts"]]
        assert certainty == ["perhaps", "refused", "perhaps"]
        assert report["gaps"] == ["Wie entsteht eine Quarzuhr"]
        assert "Dazu fand sich nichts, bei 1 Suche und " in report["answer"]
        assert report["quality"]["semantic_validity"] == pytest.approx(33.3)
        rows = {each["item"]: each["status"] for each in report["required_info"]}
        assert rows["Wie entsteht eine Quarzuhr"] == "missing"

    def test_a_low_score_has_the_report_written_once_more_and_the_better_one_stays(
        self, desk: Engine
    ) -> None:
        known = "Welcher Grenzwert des Lärms gilt für Beschäftigte?"
        question = f"{known} Wie entsteht eine Quarzuhr? Wer backt Apfelkuchen mit Zimt?"
        report = report_of(desk, question)
        quality, before, after = (report["quality"][k] for k in ("total", "before", "after"))
        assert report["quality"]["revised"] and before["total"] < REVISION_BELOW
        assert report["quality"]["revision_helped"] is (after["total"] > before["total"])
        assert quality == max(before["total"], after["total"])
        assert (
            "a task found nothing: Wie entsteht eine Quarzuhr"
            in rendered(report)["quality"]["remarks"]
        )
        assert report["quality"]["structural_integrity"] < 100
        assert f"Quality: {quality:.0f} of 400; revised once" in run_text(report)

    def test_words_that_the_documents_never_use_are_named(self, desk: Engine) -> None:
        warnings = report_of(desk, "Welcher Grenzwert gilt an der Kreissäge?")["warnings"]
        (named,) = [line for line in map(str, warnings) if "kommen in den Dokumenten" in line]
        assert "Kreissäge" in named and "Grenzwert" not in named

    def test_given_queries_skip_clarification(self, desk: Engine) -> None:
        queries = ("Grenzwert für Beschäftigte unter 18 Jahren", "Messung des Lärms")
        options = STRAIGHT.model_copy(update={"research_queries": queries})
        report = report_of(desk, options=options)
        assert report["retrieval_history"] == []
        assert [item["task"] for item in report["todo"]][:2] == list(queries)


class TestPeople:
    def test_an_edited_plan_is_what_runs_and_a_second_approval_is_refused(
        self, desk: Engine
    ) -> None:
        thread, pending = planned(desk)
        assert pending.interrupt == "plan"
        with pytest.raises(InvalidInput, match="no task"):
            desk.threads.approve(thread, pending.interrupt_id, [])
        edited = [PlanItem(id=1, task="Messung des Lärms"), *pending.items[:1]]
        desk.threads.approve(thread, pending.interrupt_id, edited)
        with pytest.raises(AlreadyAnswered):
            desk.threads.approve(thread, pending.interrupt_id)
        assert until_ended(desk, thread) == "done"
        report = research.report_of(desk, thread)
        assert [item["task"] for item in report["todo"]] == [item.task for item in edited]
        approved = [r.event for r in desk.threads.events(thread) if r.event.kind == "plan_approved"]
        assert "added: Messung des Lärms" in map(str, approved[0].changes)

    def test_an_answer_that_was_stored_before_a_kill_continues_with_the_next(
        self, desk: Engine
    ) -> None:
        thread, pending = planned(desk)
        decision = {"items": [{"id": 1, "task": "Messung des Lärms"}]}
        key = thread, pending.interrupt_id
        desk._catalog.answers.put(*key, {"value": decision}, Principal())
        with pytest.raises(AlreadyAnswered):
            desk.threads.approve(*key)
        assert until_ended(desk, thread) == "done"
        assert [item["task"] for item in research.report_of(desk, thread)["todo"]] == [
            "Messung des Lärms"
        ]

    def test_of_many_approvals_one_counts(self, desk: Engine) -> None:
        thread, pending = planned(desk)
        barrier, outcomes = Barrier(8), []

        def approve(number: int) -> None:
            barrier.wait()
            try:
                task = PlanItem(id=1, task=f"Grenzwert für Beschäftigte, Fassung {number}")
                desk.threads.approve(thread, pending.interrupt_id, [task])
                outcomes.append(number)
            except AlreadyAnswered:
                outcomes.append(None)

        crowd = [Thread(target=approve, args=(number,)) for number in range(8)]
        for each in crowd:
            each.start()
        for each in crowd:
            each.join()
        winners = [number for number in outcomes if number is not None]
        assert len(outcomes) == 8 and len(winners) == 1
        assert until_ended(desk, thread) == "done"
        report = research.report_of(desk, thread)
        assert report["todo"][0]["task"].endswith(str(winners[0]))

    def test_strangers_see_nothing(self, desk: Engine) -> None:
        thread = desk.threads.start(QUESTION)
        until_waiting(desk, thread)
        threads = desk.acting_as(Principal(user="stranger")).threads
        for look in (threads.run, threads.report, threads.events, threads.resume):
            with pytest.raises(NotFound):
                look(thread)
        assert threads.runs() == []


class TestDurability:
    def test_a_paused_thread_goes_on_in_another_process(self, tmp_path: Path) -> None:
        home = tmp_path / "home"
        with open_desk(home) as first:
            thread, pending = planned(first)
        with open_desk(home) as second:
            assert second.threads.run(thread).status == "waiting"
            second.threads.approve(thread, pending.interrupt_id)
            assert until_ended(second, thread) == "done"
        with sqlite3.connect(home / "checkpoints.sqlite3") as connection:
            (largest,) = connection.execute(
                "select max(length(checkpoint)) from checkpoints"
            ).fetchone()
        assert largest < 200_000, "checkpoints stay small"

    def test_cancelling_while_working_reports_what_there_is(self, tmp_path: Path) -> None:
        with open_desk(tmp_path / "home", FaultyModel("hang")) as desk:
            thread = desk.threads.start(QUESTION, options=STRAIGHT)
            until_writing(desk, thread)
            desk.threads.cancel(thread)
            assert desk.threads.run(thread).status == "cancelled"
            report = research.report_of(desk, thread)
            assert "70 Dezibel" in report["answer"]

    def test_cancelling_before_a_step_is_kept_takes_in_what_it_found(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        reached = Event()
        keep = AsyncSqliteSaver.aput

        async def slow(saver: AsyncSqliteSaver, config: Any, checkpoint: Any, *rest: Any) -> Any:
            if "todo_list" in checkpoint["channel_values"] and not reached.is_set():
                reached.set()
                await asyncio.sleep(60)
            return await keep(saver, config, checkpoint, *rest)

        monkeypatch.setattr(AsyncSqliteSaver, "aput", slow)
        with open_desk(tmp_path / "home") as desk:
            thread = desk.threads.start(QUESTION, options=STRAIGHT)
            assert reached.wait(30)
            desk.threads.cancel(thread)
            assert desk.threads.run(thread).status == "cancelled"
            report = research.report_of(desk, thread)
            assert report["todo"] and report["anchor"]["original_query"] == QUESTION

    def test_cancelling_before_there_is_a_plan_reports_nothing(self, tmp_path: Path) -> None:
        model = FaultyModel("hang", "plan")
        with open_desk(tmp_path / "home", model) as desk:
            thread = desk.threads.start(QUESTION)
            until(lambda: "plan" in model.started)
            desk.threads.cancel(thread)
            assert desk.threads.run(thread).status == "cancelled"

    @pytest.mark.parametrize("by_hand", [True, False])
    def test_stopping_amid_tasks_leaves_no_write_unfinished(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture, by_hand: bool
    ) -> None:
        home, model = tmp_path / "home", FaultyModel("hang", "read")
        with open_desk(home, model) as desk:
            thread = desk.threads.start(QUESTION, options=STRAIGHT)
            until(lambda: "read" in model.started)
            if by_hand:
                desk.threads.pause(thread)
        gc.collect()
        assert "Task was destroyed" not in caplog.text
        with open_desk(home, ScriptedModel(RULES)) as desk:
            assert desk.threads.run(thread).status == "paused"
            desk.threads.resume(thread)
            assert until_ended(desk, thread) == "done"


FALSE = {
    "answered": "yes",
    "claims": [{"text": "Es gelten 75 Dezibel.", "sources": []}],
    "missing": "",
}
ENGLISH = "The limit for all employees is 70 decibels and the office may allow more of it."


@pytest.mark.parametrize(
    ("model", "shown", "fallbacks", "certainty"),
    [
        (ScriptedModel(RULES), "", False, "answered"),
        (ScriptedModel(rules(read=FALSE)), "75 Dezibel", False, "refused"),
        (
            ScriptedModel(rules(section=written(("prose", [(ENGLISH, [1])])))),
            ENGLISH, True, "answered",
        ),
        (ScriptedModel(default=ModelUnavailable("nobody here")), "nobody", True, "perhaps"),
    ],
    ids=["useful", "no quote", "wrong language", "gone"],
)  # fmt: skip
def test_what_a_model_says_is_proven_or_not_used(
    tmp_path: Path, model: ScriptedModel, shown: str, fallbacks: bool, certainty: str
) -> None:
    with open_desk(tmp_path / "home", model) as desk:
        report = report_of(desk)
        told = research.kinds(desk, report["thread_id"])
    assert (report["usage"]["fallbacks"] > 0) == fallbacks
    assert report["certainty"] == certainty
    assert (certainty != "refused") == ("70 Dezibel" in report["answer"])
    if shown:
        assert shown not in report["answer"] and report["degraded"]
    else:
        first = report["sentences"][0]
        assert first["text"] == research.LIMIT and first["citations"][0]["section"] == "§ 2"
        assert first["standing"] == "follows" and report["usage"]["model_calls"] > 5
    assert "model_called" in told and "conversation_llm_step" not in told


@pytest.mark.parametrize("whole", [True, False])
def test_a_research_says_that_an_index_is_not_whole(tmp_path: Path, whole: bool) -> None:
    services = make_services(tmp_path)
    with connect_to(services, Principal()) as engine:
        law = tmp_path / "LaermG.txt"
        law.write_text("§ 1 Zweck\n\nDieses Gesetz schützt vor Lärm.\n", encoding="utf-8")
        engine.library.ingest([law], "laerm")
        if not whole:
            (laws,) = engine.library.collections()
            chunk = services.catalog.chunks.ids(laws.collection_id)[0]
            services.lexical.delete(laws.collection_id, [chunk])
        report = engine.threads.research_report(researched(engine))
    assert report is not None
    assert any("incomplete" in str(each) for each in report.warnings) is not whole
