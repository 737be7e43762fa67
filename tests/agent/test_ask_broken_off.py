"""A turn that breaks off goes on from what there is of it, and is not answered twice."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agent.ask.threads import AskThreads
from tests.support.desk import ask, make_services, open_desk, until_ended
from tests.support.scripted_model import ScriptedModel

LIMIT = "Welcher Grenzwert des Lärms gilt für Beschäftigte?"


@pytest.mark.parametrize(
    ("place", "asked_again"), [("_stream", True), ("_make_report", False), ("end", False)]
)
def test_a_turn_that_broke_off_after_its_answer_is_not_answered_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, asked_again: bool
) -> None:
    def broken_off(*_: Any, **__: Any) -> None:
        raise asyncio.CancelledError

    model = ScriptedModel(default="")
    with open_desk(tmp_path / "home", model) as desk:
        thread = ask(desk, LIMIT, depth="structured")["thread_id"]
        with monkeypatch.context() as patched:
            patched.setattr(AskThreads, place, broken_off)
            asked = desk.answers.ask(LIMIT, thread_id=thread, depth="structured")
            assert until_ended(desk, thread, asked.after) == "paused"
        model.requests.clear()
        desk.threads.resume(thread)
        assert until_ended(desk, thread) == "done"
        turns = desk.answers.turns(thread)
        assert [each["turn"] for each in turns] == [1, 2]
        assert turns[1]["question_rewritten"] is None, "it is not asked after itself"
        assert bool(model.requests) is asked_again


def test_what_a_killed_owner_left_goes_on_under_one_with_the_same_process_id(
    tmp_path: Path,
) -> None:
    """As in a container, where each is process 1."""
    with open_desk(tmp_path) as desk:
        thread = ask(desk, LIMIT)["thread_id"]
    services = make_services(tmp_path)
    services.catalog.leases.acquire(thread, services.catalog.workers.holder)
    services.catalog.runs.update(thread, status="running")
    services.close()
    with open_desk(tmp_path) as desk:
        assert desk.threads.run(thread).status == "interrupted"
        desk.threads.resume(thread)
        assert until_ended(desk, thread) == "done"
        desk.threads.delete(thread)
