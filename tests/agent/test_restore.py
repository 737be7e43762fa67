"""Evidence that validation dropped comes back by a person's word, without a new search."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.engine.engine import Engine
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound
from services.locale import rendered
from services.models.base import ChatRequest
from tests.support.desk import QUESTION, open_desk, until_ended
from tests.support.research import (
    LIMIT,
    STRAIGHT,
    FaultyModel,
    kinds,
    plan_of,
    planned,
    reader,
    report_of,
    researched,
    rules,
    until_writing,
)
from tests.support.scripted_model import ScriptedModel
from tests.support.waiting import until

DROPPED_SECTION = "§ 1"
"""It is far from the question, and near to a task."""
PURPOSE = "Dieses Gesetz schützt Beschäftigte vor Lärm am Arbeitsplatz."
MEASURED = "Der Lärm ist jährlich durch eine anerkannte Stelle zu messen."


def graded(request: ChatRequest) -> str:
    """Of three findings only the first belongs to the question."""
    lines = re.findall(r"(?m)^(\d+)\. (.*)$", request.messages[-1].content)
    grades = [
        {"number": int(n), "grade": 9 if LIMIT in text else 1, "why": "gehört zu anderem"}
        for n, text in lines
    ]
    return json.dumps({"grades": grades})


READING: dict[str, Any] = {
    "plan": plan_of("Grenzwert des Lärms", "Zweck des Gesetzes", "Messung des Lärms"),
    "read": reader({"Grenzwert": [LIMIT], "Zweck": [PURPOSE], "Messung": [MEASURED]}),
    "grade": graded,
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with open_desk(tmp_path_factory.mktemp("desk") / "home") as client:
        yield client


@pytest.fixture
def thread(desk: Engine) -> str:
    return researched(desk)


def restore(client: Engine, thread: str) -> str:
    """Restores the first of what was dropped; its chunk id."""
    dropped = report_of(client, thread)["dropped"]
    client.threads.restore_evidence(thread, [dropped[0]["chunk_id"]])
    assert until_ended(client, thread) == "done", client.threads.run(thread).error
    return str(dropped[0]["chunk_id"])


def begun(client: Engine, thread: str) -> str:
    """Begins to restore what was dropped, with a model that hangs; its chunk id."""
    chunk = str(report_of(client, thread)["dropped"][0]["chunk_id"])
    client.threads.restore_evidence(thread, [chunk])
    until(lambda: "evidence_restored" in kinds(client, thread))
    return chunk


def cited(report: dict[str, Any]) -> set[str]:
    return {c["section"] for s in report["sentences"] for c in s["citations"]}


def restored(report: dict[str, Any]) -> list[str]:
    return [each["chunk_id"] for each in report["evidence"] if each["restored"]]


def test_restored_evidence_counts_and_nothing_is_searched_or_extracted_again(
    desk: Engine, thread: str
) -> None:
    before, first = report_of(desk, thread), desk.threads.events(thread)
    assert DROPPED_SECTION not in cited(before)
    chunk = restore(desk, thread)
    after = report_of(desk, thread)
    assert restored(after) == [chunk] and after["dropped"] == []
    assert {DROPPED_SECTION, *cited(before)} <= cited(after), "nothing is pushed out"
    assert any("Von Hand wieder aufgenommen" in str(line) for line in after["warnings"])
    assert not any("dropped as not relevant" in str(line) for line in after["warnings"])

    told = desk.threads.events(thread)
    assert told[: len(first)] == first, "the first pass stays in the log"
    again = told[len(first) :]
    assert {record.key.branch for record in again} == {"restore-1"}
    assert [r.event.phase for r in again if r.event.kind == "phase_finished"] == [
        "validate", "synthesize", "assess", "attribute",
    ]  # fmt: skip
    with pytest.raises(InvalidInput, match="already included"):
        desk.threads.restore_evidence(thread, [chunk])


def test_a_second_restoration_keeps_the_first_and_no_cost_is_forgotten(tmp_path: Path) -> None:
    model = ScriptedModel(rules(**READING))
    with open_desk(tmp_path / "home", model) as desk:
        thread = researched(desk)
        before, calls = report_of(desk, thread)["usage"], len(model.requests)
        first = restore(desk, thread)
        after = report_of(desk, thread)["usage"]
        again = [request.task for request in model.requests[calls:]]
        assert desk.threads.costs()[thread].tokens == (
            after["prompt_tokens"] + after["completion_tokens"]
        )
        both = {first, restore(desk, thread)}
        report = report_of(desk, thread)
        branches = {record.key.branch for record in desk.threads.events(thread)}
    assert set(again) == {"grade", "relate", "section", "lead", "verify"}
    assert after["model_calls"] == before["model_calls"] + len(again)
    assert after["seconds"]["extract"] == before["seconds"]["extract"]
    assert after["seconds"]["synthesize"] >= before["seconds"]["synthesize"]
    assert set(restored(report)) == both and len(both) == 2
    assert branches == {"main", "restore-1", "restore-2"}


def test_a_dropped_finding_is_told_with_its_text_and_grade_and_comes_back_whole(
    tmp_path: Path,
) -> None:
    with open_desk(tmp_path / "home", ScriptedModel(rules(**READING))) as desk:
        thread = researched(desk)
        before = report_of(desk, thread)
        chosen = next(each for each in before["dropped"] if each["text"] == PURPOSE)
        assert (chosen["score"], chosen["section"]) == (0.1, "§ 1")
        assert rendered(chosen)["reason"] == "gehört zu anderem"
        desk.threads.restore_evidence(thread, [chosen["chunk_id"]])
        assert until_ended(desk, thread) == "done"
        after = report_of(desk, thread)
    assert PURPOSE not in before["answer"] and PURPOSE in after["answer"]
    sentence = next(each for each in after["sentences"] if each["text"] == PURPOSE)
    assert sentence["standing"] == "follows" and sentence["citations"][0]["section"] == "§ 1"
    assert [each["text"] for each in after["dropped"]] == [MEASURED]


def test_the_old_report_is_readable_until_the_new_one_is_there(tmp_path: Path) -> None:
    model = FaultyModel(**READING)
    with open_desk(tmp_path / "home", model) as desk:
        thread = researched(desk)
        before = report_of(desk, thread)
        model.fault = "hang"
        chunk = begun(desk, thread)
        assert report_of(desk, thread) == before
        desk.threads.pause(thread)
        assert report_of(desk, thread) == before
        model.fault = None
        desk.threads.resume(thread)
        assert until_ended(desk, thread) == "done"
        assert chunk in restored(report_of(desk, thread))


def test_cancelling_the_second_pass_reports_with_what_was_restored(tmp_path: Path) -> None:
    model = FaultyModel(**READING)
    with open_desk(tmp_path / "home", model) as desk:
        thread = researched(desk)
        model.fault = "hang"
        chunk = begun(desk, thread)
        desk.threads.cancel(thread)
        assert desk.threads.run(thread).status == "cancelled"
        assert restored(report_of(desk, thread)) == [chunk]


def test_a_cancelled_thread_stays_cancelled_when_evidence_of_it_is_restored(tmp_path: Path) -> None:
    model = FaultyModel("hang", **READING)
    with open_desk(tmp_path / "home", model) as desk:
        thread = desk.threads.start(QUESTION, options=STRAIGHT)
        until_writing(desk, thread)
        desk.threads.cancel(thread)
        chunk = begun(desk, thread)
        desk.threads.pause(thread)
        model.fault = None
        desk.threads.resume(thread)
        assert until_ended(desk, thread) == "cancelled", desk.threads.run(thread).error
        report = report_of(desk, thread)
        ends = [
            r.event.status for r in desk.threads.events(thread) if r.event.kind == "run_finished"
        ]
        with pytest.raises(InvalidInput, match="already ended"):
            desk.threads.resume(thread)
    assert restored(report) == [chunk]
    assert sum("run was cancelled" in str(line) for line in report["warnings"]) == 1
    assert ends == ["cancelled", "paused", "cancelled"]


def test_a_thread_stopped_before_its_report_was_kept_ends_when_resumed(desk: Engine) -> None:
    thread = researched(desk)
    desk._catalog.runs.update(thread, status="running", report={})
    assert desk.threads.run(thread).status == "interrupted"
    desk.threads.resume(thread)
    assert until_ended(desk, thread) == "done"
    assert "70 Dezibel" in report_of(desk, thread)["answer"]
    with pytest.raises(InvalidInput, match="already ended"):
        desk.threads.resume(thread)


def test_what_cannot_be_restored_is_said(desk: Engine, thread: str) -> None:
    stranger = desk.acting_as(Principal(user="stranger"))
    waiting, _ = planned(desk)
    attempts: list[tuple[Engine, str, list[str], type[Exception], str]] = [
        (desk, thread, [], InvalidInput, "at least one"),
        (desk, thread, ["nothing"], NotFound, "lists as dropped"),
        (stranger, thread, ["x"], NotFound, "no thread"),
        (desk, waiting, ["x"], InvalidInput, "no finished report"),
    ]
    for client, name, chunks, error, says in attempts:
        with pytest.raises(error, match=says):
            client.threads.restore_evidence(name, chunks)
    assert desk.threads.run(thread).status == "done"


def test_a_thread_whose_collection_is_gone_keeps_its_report(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home") as desk:
        thread = researched(desk)
        before = report_of(desk, thread)
        desk.library.delete_collection("laerm")
        with pytest.raises(NotFound):
            desk.threads.restore_evidence(thread, [before["dropped"][0]["chunk_id"]])
        with pytest.raises(NotFound):
            desk.threads.fork(thread, desk.threads.checkpoints(thread)[-1].id)
        assert desk.threads.run(thread).status == "done" and report_of(desk, thread) == before
