"""The runs page: the table of threads, what can be done to one, and its replay."""

import re
import time

import pytest
from streamlit.testing.v1 import AppTest

from agent.engine.exports import FORMATS
from app.components.replay import EVENT
from app.components.runs import ACTION
from app.locale import translate
from services.domain.errors import InvalidInput
from tests.support import played_session, played_turn
from tests.support.fake_client import FakeClient
from tests.support.pages import button, open_app, texts_of


def facts(at: AppTest) -> list[str]:
    """What the table says of each thread beside its question."""
    bodies = [element.proto.body for element in at.get("html")]
    rows = [body for body in bodies if 'class="run-facts"' in body]
    return [re.sub(r"<[^>]+>", " ", body) for body in rows]


def threads(at: AppTest) -> list[str]:
    """The threads of the table, in its order."""
    keys = [found.key or "" for found in at.button]
    return [key.removeprefix("show-") for key in keys if key.startswith("show-")]


def act(at: AppTest, action: str, thread: str = "t1") -> AppTest:
    return at.menu_button(key=f"menu-{thread}").click(action).run()


def finished(question: str = "Welche Grenzwerte?") -> FakeClient:
    """A client with one thread that has played its whole session."""
    fake = FakeClient()
    thread = fake.threads.start(question)
    fake.threads.run(thread)
    fake.threads.answer(thread, fake.threads.run(thread).pending.interrupt_id, "/end")  # type: ignore[union-attr]
    fake.threads.run(thread)
    fake.threads.approve(thread, fake.threads.run(thread).pending.interrupt_id)  # type: ignore[union-attr]
    assert fake.threads.run(thread).status == "done"
    return fake


def test_without_runs_the_page_says_how_to_begin() -> None:
    at = open_app(FakeClient(), page="runs")
    assert "Stellen Sie auf der Seite Recherche" in texts_of(at)
    assert button(at, "Frage stellen")


def test_a_thread_tells_its_phase_start_duration_tokens_and_state() -> None:
    fake = FakeClient()
    fake.threads.start("Welche Grenzwerte?")
    fake.stop_with("t1", "paused")
    fake.set_phase("t1", "hitl_approve_todo")
    at = open_app(fake, page="runs")
    (row,) = facts(at)
    for told in ("angehalten", "Planen", "21.11.2026 22:30", "1:32 min", "17.440"):
        assert told in row
    assert button(at, "Welche Grenzwerte?")


def test_waiting_then_running_then_interrupted_then_the_rest() -> None:
    fake = FakeClient(pace=0)
    order = ("done", "interrupted", "waiting", "failed", "running", "cancelled", "paused")
    for status in order:
        thread = fake.threads.start(status)
        fake.stop_with(thread, status)
    at = open_app(fake, page="runs")
    assert threads(at) == ["t3", "t5", "t2", "t1", "t4", "t6", "t7"]


def test_many_threads_come_in_pages_and_ask_for_costs_once() -> None:
    fake = FakeClient(pace=0)
    for number in range(110):
        fake.stop_with(fake.threads.start(f"Frage {number}"), "done")
    at = open_app(fake, page="runs")
    assert len(threads(at)) == 20
    assert fake.calls.count(("run_costs",)) == 1
    began = time.process_time()
    at.run()
    assert time.process_time() - began < 2.0
    at.get("pagination")[0].set_value(6).run()
    assert len(threads(at)) == 10


def test_a_stopped_thread_is_resumed_and_opened() -> None:
    fake = FakeClient(pace=0)
    fake.threads.start("Was gilt?")
    fake.stop_with("t1", "interrupted")
    at = open_app(fake, page="runs")
    at.button(key="resume-t1").click().run()
    assert ("resume", "t1") in fake.calls
    assert at.query_params["thread"] == "t1"


def test_what_goes_on_or_has_ended_is_not_resumed() -> None:
    fake = finished()
    at = open_app(fake, page="runs")
    assert not [found for found in at.button if (found.key or "").startswith("resume-")]


def test_a_thread_is_renamed() -> None:
    fake = finished()
    at = act(open_app(fake, page="runs"), "rename")
    at.text_input(key="title-t1").input("Grenzwerte")
    at.button(key="dialog-do").click().run()
    assert ("rename_run", "t1", "Grenzwerte") in fake.calls
    assert button(at, "Grenzwerte") and not at.text_input


@pytest.mark.parametrize("elsewhere", ["library", "replay"])
def test_a_dialog_left_open_is_closed_when_one_comes_back(elsewhere: str) -> None:
    at = act(open_app(finished(), page="runs"), "fork")
    assert at.button(key="dialog-do")
    at.run()
    assert at.button(key="dialog-do"), "a rerun of the page keeps it"
    if elsewhere == "replay":
        at.query_params["replay"] = "t1"
        at.run()
        del at.query_params["replay"]
        at.run()
    else:
        at.switch_page(f"app_pages/{elsewhere}.py").run()
        at.switch_page("app_pages/runs.py").run()
    assert threads(at) == ["t1"]
    assert "dialog-do" not in {found.key for found in at.button}


def test_a_thread_is_deleted_only_after_a_second_yes() -> None:
    fake = finished()
    at = act(open_app(fake, page="runs"), "delete")
    assert "lässt sich nicht zurücknehmen" in texts_of(at)
    at.button(key="dialog-leave").click().run()
    assert threads(at) == ["t1"] and "nicht zurücknehmen" not in texts_of(at)
    act(at, "delete")
    at.button(key="dialog-do").click().run()
    assert ("delete_run", "t1") in fake.calls
    assert threads(at) == [] and "Gelöscht: Welche Grenzwerte?" in texts_of(at)


def test_a_running_thread_cannot_be_deleted_and_the_way_out_is_said() -> None:
    fake = FakeClient(pace=0)
    fake.threads.start("Was gilt?")
    at = act(open_app(fake, page="runs"), "delete")
    assert "Halten Sie sie an" in texts_of(at)
    assert at.button(key="dialog-do").disabled


def test_a_fork_starts_at_the_chosen_point_and_is_opened() -> None:
    fake = finished()
    at = act(open_app(fake, page="runs"), "fork")
    places = at.radio(key="place-t1")
    assert "**Planen** · vor der Freigabe des Plans" in places.options
    assert "Aufgaben: 3 · Textstellen: 31" in " ".join(places.proto.captions)
    places.set_value("c1").run()
    at.button(key="dialog-do").click().run()
    assert ("fork", "t1", "c1") in fake.calls
    assert at.query_params["thread"] == "t2"
    assert "(Abzweigung)" in " ".join(facts(open_app(fake, page="runs")))


def test_what_fails_is_said_and_changes_nothing() -> None:
    fake = finished()
    at = act(open_app(fake, page="runs"), "delete")
    fake.refuse = InvalidInput(
        "Thread {thread} is running. Pause or cancel it, then delete.", thread="t1"
    )
    at.button(key="dialog-do").click().run()
    assert "Halten Sie sie an" in texts_of(at) and threads(at) == ["t1"]


def test_the_replay_shows_the_run_as_it_was() -> None:
    fake = finished()
    at = act(open_app(fake, page="runs"), "replay")
    assert at.query_params["replay"] == "t1"
    slider = at.slider(key="replay-t1")
    assert (slider.min, slider.value) == (1, 1)
    assert "Die Recherche beginnt" in texts_of(at)
    assert not at.expander
    kinds = [record.event.kind for record in fake.threads.events("t1")]
    slider.set_value(kinds.index("plan_proposed") + 1).run()
    shown = texts_of(at)
    assert "Plan vorgeschlagen" in shown and played_session.ITEMS[0].task in shown
    assert [step.label for step in at.expander][-1].startswith("Planen")
    at.button(key="replay-t1-back").click().run()
    assert played_session.ITEMS[0].task not in texts_of(at)
    at.slider(key="replay-t1").set_value(len(kinds)).run()
    assert "Ende: fertig" in texts_of(at)
    assert "so weit war es" not in " ".join(step.label for step in at.expander)
    assert at.button(key="replay-t1-on").disabled


def test_every_kind_of_event_has_a_name() -> None:
    script = [event for segment in FakeClient().script for event in segment]
    assert {event.kind for event in script} <= set(EVENT)


def test_text_of_people_is_never_markup() -> None:
    fake = FakeClient(pace=0)
    fake.threads.start(played_session.HOSTILE)
    fake.stop_with("t1", "done")
    at = open_app(fake, page="runs")
    assert all("<img" not in body.proto.body for body in at.get("html"))
    labels = [found.label for found in at.button if (found.key or "").startswith("show-")]
    assert labels and "![" not in labels[0]


def test_a_conversation_of_quick_answers_says_so_and_can_be_read() -> None:
    fake = FakeClient()
    thread = fake.answers.ask("Welcher Grenzwert gilt?").thread_id
    at = open_app(fake, page="runs")
    (row,) = facts(at)
    assert "Schnelle Antwort" in row
    shown = set(at.menu_button(key=f"menu-{thread}").options)
    assert shown == {
        translate("de", ACTION[name]) for name in ("open", "rename", "export", "delete")
    }
    at.button(key=f"show-{thread}").click().run()
    assert played_turn.PROSE in texts_of(at)


def test_a_report_is_exported_from_the_table() -> None:
    fake = finished()
    at = act(open_app(fake, page="runs"), "export")
    offered = [found.proto.label for found in at.get("download_button")]
    assert len(offered) == len(FORMATS) and offered[0].startswith("PDF")
    assert not [call for call in fake.calls if call[0] == "export"]


def test_a_thread_without_a_report_says_why_there_is_nothing_to_export() -> None:
    fake = FakeClient()
    fake.threads.start("Welche Grenzwerte?")
    fake.stop_with("t1", "paused")
    at = act(open_app(fake, page="runs"), "export")
    assert "noch keinen Bericht" in at.info[0].value
    assert not at.get("download_button")
