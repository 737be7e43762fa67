"""The past of threads: forked, renamed, deleted, and failed steps done again."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.engine.engine import Engine
from agent.research.graph import build_research_graph
from agent.research.state import PHASE_OF, CheckpointInfo
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound
from services.domain.events import PlanItem
from tests.support.desk import QUESTION, open_desk, until_ended, until_waiting
from tests.support.research import STRAIGHT, FaultyModel, kinds, planned, report_of, researched


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with open_desk(tmp_path_factory.mktemp("desk") / "home") as client:
        yield client


@pytest.fixture(scope="module")
def done(desk: Engine) -> str:
    """A finished thread whose plan was approved by hand; no test changes it."""
    thread, pending = planned(desk)
    desk.threads.approve(thread, pending.interrupt_id)
    assert until_ended(desk, thread) == "done"
    return thread


def checkpoint(client: Engine, thread: str, following: str) -> CheckpointInfo:
    """The first checkpoint before a node."""
    return next(info for info in client.threads.checkpoints(thread) if info.next == following)


def lasting(desk: Engine, thread: str) -> dict[str, Any]:
    """A report without what differs from thread to thread."""
    report = report_of(desk, thread)
    return {name: value for name, value in report.items() if name not in ("thread_id", "usage")}


def test_every_node_belongs_to_a_phase() -> None:
    assert set(build_research_graph().nodes) - {"__start__"} == set(PHASE_OF)


def test_checkpoints_tell_what_comes_next_and_what_there_was(desk: Engine, done: str) -> None:
    past = desk.threads.checkpoints(done)
    phases = list(dict.fromkeys(info.phase for info in past))
    assert phases == [
        "clarify", "plan", "extract", "validate", "synthesize", "assess", "attribute",
    ]  # fmt: skip
    assert [info.at for info in past] == sorted(info.at for info in past)
    last = past[-1]
    assert last.drafted and last.evidence and last.tasks
    assert "passages" in last.summary and "answer drafted" in last.summary
    assert past[0].summary == "nothing yet"


def test_a_fork_asks_again_and_leaves_the_old_thread_alone(desk: Engine, done: str) -> None:
    before, told = desk.threads.report(done), desk.threads.events(done)
    place = checkpoint(desk, done, "hitl_approve_todo")
    fork = desk.threads.fork(done, place.id)
    pending = until_waiting(desk, fork)
    assert pending.interrupt == "plan"
    desk.threads.approve(fork, pending.interrupt_id, [PlanItem(id=1, task="Messung des Lärms")])
    assert until_ended(desk, fork) == "done"
    report = report_of(desk, fork)
    assert report["thread_id"] == fork
    assert [item["task"] for item in report["todo"]] == ["Messung des Lärms"]
    assert desk.threads.report(done) == before and desk.threads.events(done) == told
    run = desk.threads.run(fork)
    assert (run.parent_thread, run.parent_checkpoint) == (done, place.id)


def test_a_fork_does_no_step_twice_and_has_a_past_of_its_own(desk: Engine, done: str) -> None:
    first = desk.threads.fork(done, checkpoint(desk, done, "validate_relevance").id)
    assert until_ended(desk, first) == "done"
    assert lasting(desk, first) == lasting(desk, done)
    assert kinds(desk, first) == [kind for kind in kinds(desk, done) if kind != "waiting"]
    tasks = [
        [r.at for r in desk.threads.events(thread) if r.event.kind == "task_finished"]
        for thread in (done, first)
    ]
    assert tasks[0] == tasks[1]
    second = desk.threads.fork(first, checkpoint(desk, first, "synthesize").id)
    assert until_ended(desk, second) == "done"
    desk.threads.delete(first)
    third = desk.threads.fork(second, checkpoint(desk, second, "hitl_approve_todo").id)
    assert until_waiting(desk, third).interrupt == "plan"
    assert desk.threads.run(third).parent_thread == second


def test_a_fork_outlives_its_process(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with open_desk(home) as first:
        thread, _ = planned(first)
        fork = first.threads.fork(thread, checkpoint(first, thread, "hitl_approve_todo").id)
        pending = until_waiting(first, fork)
    with open_desk(home) as second:
        second.threads.approve(fork, pending.interrupt_id)
        assert until_ended(second, fork) == "done"
        assert second.threads.run(thread).status == "waiting"


def test_an_unknown_checkpoint_and_a_stranger_are_refused(desk: Engine, done: str) -> None:
    threads = desk.acting_as(Principal(user="stranger")).threads
    place, before = checkpoint(desk, done, "synthesize").id, len(desk.threads.runs())
    with pytest.raises(NotFound, match=f"runs fork {done}"):
        desk.threads.fork(done, "nothing")
    for attempt in (
        lambda: threads.checkpoints(done),
        lambda: threads.fork(done, place),
        lambda: threads.rename(done, "Meins"),
        lambda: threads.delete(done),
    ):
        with pytest.raises(NotFound):
            attempt()
    assert threads.costs() == {} and len(desk.threads.runs()) == before


def test_deleting_leaves_nothing_of_a_thread_and_all_of_others(desk: Engine, done: str) -> None:
    other, home = researched(desk), desk._services.settings.home
    waiting, _ = planned(desk)
    costs = desk.threads.costs()
    assert min(costs[other].seconds, costs[waiting].seconds) > 0 and costs[other].tokens == 0
    assert rows(home, other)["events"] and rows(home, other)["checkpoints"]
    desk.threads.delete(other)
    assert not any(rows(home, other).values())
    assert desk.threads.report(done) is not None and desk.threads.checkpoints(done)
    with pytest.raises(NotFound):
        desk.threads.run(other)


def test_a_thread_that_never_got_to_a_checkpoint_is_deleted(desk: Engine) -> None:
    desk._catalog.runs.create("t", Principal(), QUESTION, ["laerm"], {})
    assert desk.threads.run("t").status == "interrupted" and desk.threads.checkpoints("t") == []
    desk.threads.delete("t")
    assert "t" not in [run.thread_id for run in desk.threads.runs()]


def rows(home: Path, thread: str) -> dict[str, int]:
    """How many rows each store holds of a thread."""
    tables = {
        "catalog.sqlite3": ("runs", "events", "answers", "leases"),
        "checkpoints.sqlite3": ("checkpoints", "writes"),
    }
    found = {}
    for file, names in tables.items():
        with sqlite3.connect(home / file) as connection:
            for name in names:
                query = f"SELECT count(*) FROM {name} WHERE thread_id = ?"
                (found[name],) = connection.execute(query, (thread,)).fetchone()
    return found


def test_a_running_thread_is_not_deleted(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home", FaultyModel("hang")) as desk:
        thread = desk.threads.start(QUESTION, options=STRAIGHT)
        with pytest.raises(InvalidInput, match="Pause or cancel it"):
            desk.threads.delete(thread)
        desk.threads.pause(thread)
        desk.threads.delete(thread)
        assert desk.threads.runs() == []


def test_a_failed_step_is_tried_again_and_only_that(tmp_path: Path) -> None:
    model = FaultyModel("break")
    with open_desk(tmp_path / "home", model) as desk:
        thread = desk.threads.start(QUESTION, options=STRAIGHT)
        assert until_ended(desk, thread) == "failed"
        assert "the disk is full" in str(desk.threads.run(thread).error)
        before = [request.task for request in model.requests]
        model.fault = None
        desk.threads.resume(thread)
        assert until_ended(desk, thread) == "done"
        run, told, report = desk.threads.run(thread), kinds(desk, thread), report_of(desk, thread)
    again = {request.task for request in model.requests[len(before) :]}
    assert again == {"section", "lead", "verify"}
    assert "plan" in before and run.error is None and told.count("plan_proposed") == 1
    assert told.count("task_started") == len(report["todo"])
