"""The runs page: the table of threads, what can be done to one, and its replay."""

import time
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from streamlit.testing.v1 import AppTest

from agent.engine.engine import Engine
from agent.engine.exports import FORMATS
from app.components.progress import EVENT
from app.components.runs import ACTION, PAGE
from app.components.start import RECENT_RUNS
from app.locale import translate
from services.domain.notices import Notice
from services.domain.runs import RunKind
from tests.support.desk import until_ended
from tests.support.house import CLEAR, QUESTION, House
from tests.support.pages import keys, open_app, texts_of
from tests.support.played_session import HOSTILE


def opened(engine: Engine, **where: str) -> AppTest:
    return open_app(engine, page="runs", **where)


def facts(at: AppTest) -> list[str]:
    """What the page says of each thread beside its question, in its order."""
    rows = [block for block in blocks(at.main) if "-run-" in getattr(block.proto, "id", "")]
    return [" ".join(caption.value for caption in row.caption) for row in rows]


def blocks(block: Any) -> Iterator[Any]:
    for child in getattr(block, "children", {}).values():
        if child.type == "flex_container":
            yield child
        yield from blocks(child)


def threads(at: AppTest) -> list[str]:
    """The threads of the table, in its order."""
    return [key.removeprefix("show-") for key in keys(at) if key.startswith("show-")]


def act(at: AppTest, action: str, thread: str) -> AppTest:
    return at.menu_button(key=f"menu-{thread}").click(action).run()


def owned(house: House, *statuses: str, question: str = QUESTION) -> tuple[Engine, list[str]]:
    """Somebody's threads in these states, the last one the newest."""
    engine, runs = house.newcomer(), house.services.catalog.runs
    user = engine.principal
    names = [f"{user.user}{number}" for number, _ in enumerate(statuses)]
    for name, status in zip(names, statuses, strict=True):
        runs.create(name, user, question, ["strahlenschutz"], {})
        runs.update(name, status=status, phase="hitl_approve_todo")  # type: ignore[arg-type]
    return engine, names


Own = tuple[Engine, str]
"""Somebody with a thread that went through everything."""


@pytest.fixture(scope="module")
def own(shared_house: House) -> Own:
    shared_house.play()
    engine = shared_house.newcomer()
    return engine, shared_house.went_through_all(engine)


def test_a_thread_tells_its_state_phase_start_duration_and_tokens(house: House, own: Own) -> None:
    engine, thread = own
    run, cost = engine.threads.run(thread), engine.threads.costs()[thread]
    at = opened(engine)
    row = facts(at)[threads(at).index(run.thread_id)]
    assert cost.tokens > 1000 and f"{cost.tokens:,}".replace(",", ".") in row
    assert f"{run.created_at[8:10]}.{run.created_at[5:7]}.{run.created_at[:4]}" in row
    engine, _ = owned(house, "paused")
    (row,) = facts(opened(engine))
    assert translate("de", "paused") in row and translate("de", "Plan") in row


def test_waiting_come_first_then_what_stopped_then_the_rest(house: House) -> None:
    engine, names = owned(house, "done", "waiting", "failed", "cancelled", "paused")
    assert threads(opened(engine)) == [names[at] for at in (1, 4, 2, 3, 0)]


def test_many_threads_come_in_pages(house: House) -> None:
    engine, names = owned(house, *(["done"] * (2 * PAGE + 3)))
    at = opened(engine)
    assert len(threads(at)) == PAGE
    began = time.process_time()
    at.run()
    assert time.process_time() - began < 2.0
    at.get("pagination")[0].set_value(3).run()
    assert threads(at) == names[2::-1]
    for name in names[: PAGE + 1]:
        engine.threads.rename(name, "Messung")
    at.text_input(key="box-history").set_value("messung").run()
    assert threads(at) == names[PAGE:0:-1], "of two pages the first"
    assert at.get("pagination")[0].value == 1


def test_the_first_page_searches_the_same_history(house: House) -> None:
    engine, names = owned(house, *["done"] * (RECENT_RUNS + 1))
    engine.threads.rename(names[0], "Messung der Schwingungen")
    at = open_app(engine)
    assert threads(at) == names[:0:-1], "the newest, without the oldest"
    at.text_input(key="box-history").set_value("schwingungen messung").run()
    assert threads(at) == names[:1]
    at.switch_page("app_pages/runs.py").run()
    assert threads(at) == names[:1], "what was typed counts there too"


def test_only_a_stopped_thread_is_resumed_and_opened(house: House) -> None:
    engine, (ended,) = owned(house, "done")
    thread = house.stopped(engine)
    at = opened(engine)
    assert f"resume-{ended}" not in keys(at)
    house.disturb(None)
    at.button(key=f"resume-{thread}").click().run()
    assert at.query_params["thread"] == thread
    assert until_ended(engine, thread) == "done"


def test_a_thread_is_renamed(house: House) -> None:
    engine, (thread,) = owned(house, "done")
    at = act(opened(engine), "rename", thread)
    at.text_input(key=f"title-{thread}").input("Grenzwerte")
    at.button(key="dialog-do").click().run()
    assert engine.threads.run(thread).title == "Grenzwerte" and "dialog-do" not in keys(at)
    assert at.button(key=f"show-{thread}").label == "Grenzwerte"


@pytest.mark.parametrize("elsewhere", ["library", "replay"])
def test_a_dialog_left_open_is_closed_when_one_comes_back(house: House, elsewhere: str) -> None:
    engine, (thread,) = owned(house, "done")
    at = act(opened(engine), "rename", thread)
    assert at.run().button(key="dialog-do"), "a rerun of the page keeps it"
    if elsewhere == "replay":
        at.query_params["replay"] = thread
        at.run()
        del at.query_params["replay"]
        at.run()
    else:
        at.switch_page(f"app_pages/{elsewhere}.py").run()
        at.switch_page("app_pages/runs.py").run()
    assert threads(at) == [thread] and "dialog-do" not in keys(at)


def test_a_thread_is_deleted_only_after_a_second_yes(house: House) -> None:
    engine, (thread,) = owned(house, "done")
    at = act(opened(engine), "delete", thread)
    at.button(key="dialog-leave").click().run()
    assert threads(at) == [thread] and "dialog-do" not in keys(at)
    act(at, "delete", thread).button(key="dialog-do").click().run()
    assert threads(at) == [] and engine.threads.runs() == [] and len(at.info) == 1


def test_what_is_deleted_is_called_by_its_name(house: House) -> None:
    engine, runs = house.newcomer(), house.services.catalog.runs
    names = {"ask": "Gespräch", "research": "Recherche", "grid": "Tabelle", "sweep": "Durchsicht"}
    for kind in get_args(RunKind):
        thread = f"{engine.principal.user}-{kind}"
        runs.create(thread, engine.principal, QUESTION, ["strahlenschutz"], {}, kind)
        runs.update(thread, status="done")
        text = texts_of(act(opened(engine), "delete", thread))
        said = {
            name for name in names.values() if f"Diese {name}" in text.replace("Dieses", "Diese")
        }
        assert said == {names[kind]}
        engine.threads.delete(thread)


def test_a_running_thread_cannot_be_deleted(house: House) -> None:
    engine = house.newcomer()
    thread = house.stopped(engine)
    engine.threads.resume(thread)
    assert act(opened(engine), "delete", thread).button(key="dialog-do").disabled
    engine.threads.cancel(thread)


def test_a_fork_starts_at_the_chosen_point_and_is_opened(own: Own) -> None:
    engine, thread = own
    at = act(opened(engine), "fork", thread)
    places = at.radio(key=f"place-{thread}")
    info = {each.id: each for each in engine.threads.checkpoints(thread)}
    chosen = places.value
    assert info[chosen].next == "hitl_approve_todo", "where most people want to go back to"
    captions = [caption.split(" · ") for caption in places.proto.captions]
    assert any(len(each) > 2 for each in captions)
    at.button(key="dialog-do").click().run()
    fork = engine.threads.run(at.query_params["thread"])
    assert (fork.parent_thread, fork.parent_checkpoint) == (thread, chosen)
    at = opened(engine)
    assert translate("de", "branch") in facts(at)[threads(at).index(fork.thread_id)]
    engine.threads.cancel(fork.thread_id)


def test_the_replay_shows_the_run_as_it_was(house: House, own: Own) -> None:
    engine, thread = own
    at = act(opened(engine), "replay", thread)
    assert at.query_params["replay"] == thread
    slider = at.slider(key=f"replay-{thread}")
    assert (slider.min, slider.value) == (1, 1) and not at.expander
    records = engine.threads.events(thread)
    kinds = [record.event.kind for record in records]
    planned = records[kinds.index("plan_proposed")].event
    assert planned.kind == "plan_proposed"
    slider.set_value(kinds.index("plan_proposed") + 1).run()
    first = f"1. {planned.items[0].task}"
    assert first in texts_of(at) and at.expander[-1].proto.expanded
    at.button(key=f"replay-{thread}-back").click().run()
    assert first not in texts_of(at)
    at.slider(key=f"replay-{thread}").set_value(len(kinds)).run()
    assert not [step for step in at.expander if step.proto.expanded], "no step is the current one"
    assert at.button(key=f"replay-{thread}-on").disabled
    told = set(kinds) - {"waiting"}
    assert told <= set(EVENT) and "finding_made" in told
    other, (silent,) = owned(house, "queued")
    assert len(opened(other, replay=silent).info) == 1


def test_text_of_people_is_never_markup(house: House) -> None:
    engine, (thread,) = owned(house, "done", question=HOSTILE)
    at = opened(engine)
    assert "![" not in at.button(key=f"show-{thread}").label


def test_a_conversation_of_quick_answers_says_so_and_can_be_read(house: House) -> None:
    thread = house.answered()["thread_id"]
    at = opened(house.engine)
    assert translate("de", "quick answer") in facts(at)[threads(at).index(thread)]
    assert set(at.menu_button(key=f"menu-{thread}").options) == {
        translate("de", ACTION[name]) for name in ("open", "rename", "export", "delete")
    }
    at.button(key=f"show-{thread}").click().run()
    assert CLEAR in texts_of(at) and at.query_params["thread"] == thread


def test_a_report_is_exported_from_the_table_and_without_one_it_says_why(
    house: House, own: Own
) -> None:
    at = act(opened(own[0]), "export", own[1])
    assert len(at.get("download_button")) == len(FORMATS) and not at.info
    engine, (thread,) = owned(house, "paused")
    at = act(opened(engine), "export", thread)
    assert len(at.info) == 1 and not at.get("download_button")


def test_a_failed_thread_is_told_in_the_language_of_the_reader(house: House) -> None:
    engine, (thread,) = owned(house, "failed")
    said = Notice.of("There are no documents yet. Add some: rabbithole ingest PATH... "
                     "--collection NAME")  # fmt: skip
    house.services.catalog.runs.update(thread, status="failed", error=said)
    at = open_app(engine, thread=thread)
    assert str(said) not in at.error[0].value.replace("\\", "") and at.error[0].value
