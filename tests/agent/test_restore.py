"""Evidence that validation dropped comes back by a person's word, without a new search."""

import time
from pathlib import Path
from typing import Any

import pytest

from agent.engine.engine import Engine
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound
from tests.support.desk import QUESTION, open_desk, until_ended
from tests.support.research import (
    STRAIGHT,
    FaultyModel,
    kinds,
    planned,
    report_of,
    researched,
    rules,
    until_writing,
)
from tests.support.scripted_model import ScriptedModel

DROPPED_SECTION = "§ 1"
PLAN = {"tasks": ["Grenzwert des Lärms für Auszubildende feststellen", "Zweck"]}
RULES = rules(plan=PLAN, extract={"relevant": [1]})


@pytest.fixture
def thread(desk: Engine) -> str:
    return researched(desk)


def restore(client: Engine, thread: str) -> str:
    """Restores the first of what was dropped; its chunk id."""
    dropped = report_of(client, thread)["dropped"]
    client.threads.restore_evidence(thread, [dropped[0]["chunk_id"]])
    assert until_ended(client, thread) == "done", client.threads.run(thread).error
    return str(dropped[0]["chunk_id"])


def cited(report: dict[str, Any]) -> set[str]:
    return {c["section"] for s in report["sentences"] for c in s["citations"]}


def test_restored_evidence_counts_is_cited_and_the_report_says_so(
    desk: Engine, thread: str
) -> None:
    before = report_of(desk, thread)
    assert DROPPED_SECTION not in cited(before)
    chunk = restore(desk, thread)
    after = report_of(desk, thread)
    (entry,) = [entry for entry in after["evidence"] if entry["chunk_id"] == chunk]
    assert entry["restored"] and entry["section"] == DROPPED_SECTION
    assert [e["restored"] for e in after["evidence"]].count(True) == 1
    assert after["dropped"] == []
    assert DROPPED_SECTION in cited(after)
    assert any("Von Hand wieder aufgenommen" in str(line) for line in after["warnings"])
    assert not any("dropped as drift" in str(line) for line in after["warnings"])
    assert cited(before) <= cited(after), "what was there before is not pushed out"


def test_nothing_is_searched_or_extracted_again(desk: Engine, thread: str) -> None:
    first = kinds(desk, thread)
    restore(desk, thread)
    again = kinds(desk, thread)[len(first) :]
    assert "task_started" not in again and "retrieval_iteration" not in again
    phases = [
        r.event.phase for r in desk.threads.events(thread) if r.event.kind == "phase_finished"
    ]
    assert phases[-4:] == ["validate", "synthesize", "assess", "attribute"]
    assert phases.count("extract") == len(report_of(desk, thread)["todo"])


def test_the_first_pass_stays_in_the_log(desk: Engine, thread: str) -> None:
    first = desk.threads.events(thread)
    restore(desk, thread)
    after = desk.threads.events(thread)
    assert after[: len(first)] == first
    new = after[len(first) :]
    assert {record.key.branch for record in new} == {"restore-1"}
    assert kinds(desk, thread).count("run_finished") == 2
    assert kinds(desk, thread).count("evidence_restored") == 1


def test_the_cost_of_the_first_pass_is_not_forgotten(tmp_path: Path) -> None:
    model = ScriptedModel(RULES)
    with open_desk(tmp_path / "home", model) as desk:
        thread = researched(desk)
        before = report_of(desk, thread)["usage"]
        calls = [request.task for request in model.requests]
        restore(desk, thread)
        after = report_of(desk, thread)["usage"]
        again = [request.task for request in model.requests][len(calls) :]
        cost = desk.threads.costs()[thread]
    assert set(again) == {"write"}
    assert after["model_calls"] == before["model_calls"] + len(again)
    assert after["seconds"]["extract"] == before["seconds"]["extract"]
    assert after["seconds"]["synthesize"] > before["seconds"]["synthesize"]
    assert cost.tokens == after["prompt_tokens"] + after["completion_tokens"]


def test_a_second_restoration_keeps_the_first(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home", ScriptedModel(RULES)) as desk:
        thread = researched(desk)
        restored = {restore(desk, thread), restore(desk, thread)}
        report = report_of(desk, thread)
        branches = {record.key.branch for record in desk.threads.events(thread)}
    assert {entry["chunk_id"] for entry in report["evidence"] if entry["restored"]} == restored
    assert len(restored) == 2 and branches == {"main", "restore-1", "restore-2"}


def test_the_old_report_is_readable_until_the_new_one_is_there(tmp_path: Path) -> None:
    model = FaultyModel(plan=PLAN, extract={"relevant": [1]})
    with open_desk(tmp_path / "home", model) as desk:
        thread = researched(desk)
        before = report_of(desk, thread)
        model.fault = "hang"
        chunk = before["dropped"][0]["chunk_id"]
        desk.threads.restore_evidence(thread, [chunk])
        while kinds(desk, thread).count("evidence_restored") == 0:
            time.sleep(0.01)
        assert report_of(desk, thread) == before
        desk.threads.pause(thread)
        assert report_of(desk, thread) == before
        model.fault = None
        desk.threads.resume(thread)
        assert until_ended(desk, thread) == "done"
        after = report_of(desk, thread)
    assert chunk in [entry["chunk_id"] for entry in after["evidence"] if entry["restored"]]


def test_cancelling_the_second_pass_reports_with_what_was_restored(tmp_path: Path) -> None:
    model = FaultyModel(plan=PLAN, extract={"relevant": [1]})
    with open_desk(tmp_path / "home", model) as desk:
        thread = researched(desk)
        model.fault = "hang"
        chunk = report_of(desk, thread)["dropped"][0]["chunk_id"]
        desk.threads.restore_evidence(thread, [chunk])
        while kinds(desk, thread).count("evidence_restored") == 0:
            time.sleep(0.01)
        desk.threads.cancel(thread)
        assert desk.threads.run(thread).status == "cancelled"
        report = report_of(desk, thread)
    assert [e["chunk_id"] for e in report["evidence"] if e["restored"]] == [chunk]


def test_a_cancelled_thread_stays_cancelled_when_evidence_of_it_is_restored(
    tmp_path: Path,
) -> None:
    model = FaultyModel("hang", plan=PLAN, extract={"relevant": [1]})
    with open_desk(tmp_path / "home", model) as desk:
        thread = desk.threads.start(QUESTION, options=STRAIGHT)
        until_writing(desk, thread)
        desk.threads.cancel(thread)
        chunk = report_of(desk, thread)["dropped"][0]["chunk_id"]
        desk.threads.restore_evidence(thread, [chunk])
        while kinds(desk, thread).count("evidence_restored") == 0:
            time.sleep(0.01)
        desk.threads.pause(thread)
        model.fault = None
        desk.threads.resume(thread)
        assert until_ended(desk, thread) == "cancelled", desk.threads.run(thread).error
        report = report_of(desk, thread)
        ends = [
            r.event.status for r in desk.threads.events(thread) if r.event.kind == "run_finished"
        ]
        with pytest.raises(InvalidInput, match="has ended"):
            desk.threads.resume(thread)
    assert [e["chunk_id"] for e in report["evidence"] if e["restored"]] == [chunk]
    assert sum("run was cancelled" in str(line) for line in report["warnings"]) == 1
    assert ends == ["cancelled", "paused", "cancelled"]


def test_a_thread_stopped_before_its_report_was_kept_ends_when_resumed(
    desk: Engine, thread: str
) -> None:
    desk._catalog.runs.update(thread, status="running", report={})
    assert desk.threads.run(thread).status == "interrupted"
    desk.threads.resume(thread)
    assert until_ended(desk, thread) == "done"
    assert "70 Dezibel" in report_of(desk, thread)["answer"]
    with pytest.raises(InvalidInput, match="has ended"):
        desk.threads.resume(thread)


def test_a_thread_whose_collection_is_gone_keeps_its_report(desk: Engine, thread: str) -> None:
    before = report_of(desk, thread)
    desk.library.delete_collection("laerm")
    with pytest.raises(NotFound):
        desk.threads.restore_evidence(thread, [before["dropped"][0]["chunk_id"]])
    with pytest.raises(NotFound):
        desk.threads.fork(thread, desk.threads.checkpoints(thread)[-1].id)
    assert desk.threads.run(thread).status == "done" and report_of(desk, thread) == before


@pytest.mark.parametrize(
    ("chunks", "error", "says"),
    [([], InvalidInput, "at least one"), (["nothing"], NotFound, "lists as dropped")],
)
def test_what_cannot_be_restored_is_said(
    desk: Engine, thread: str, chunks: list[str], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        desk.threads.restore_evidence(thread, chunks)
    assert desk.threads.run(thread).status == "done"


def test_what_counts_already_is_refused(desk: Engine, thread: str) -> None:
    chunk = restore(desk, thread)
    with pytest.raises(InvalidInput, match="counts already"):
        desk.threads.restore_evidence(thread, [chunk])


def test_a_thread_without_report_and_a_stranger_are_refused(desk: Engine, thread: str) -> None:
    stranger = desk.acting_as(Principal(user="stranger"))
    with pytest.raises(NotFound):
        stranger.threads.restore_evidence(thread, ["x"])
    waiting, _ = planned(desk)
    with pytest.raises(InvalidInput, match="no finished report"):
        desk.threads.restore_evidence(waiting, ["x"])
