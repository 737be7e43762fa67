"""A thread that was deleted has left nothing in the home, though a kill came between."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agent.engine.engine import Engine, connect_to
from agent.engine.jobs import DeleteThread
from services.domain import Principal
from services.domain.errors import NotFound
from services.home import open_catalog
from services.settings import Settings
from tests.support.desk import ask, make_services, open_desk, until_ended, until_waiting
from tests.support.scripted_model import ScriptedModel
from tests.support.waiting import until

MARK = "Quarzwimpel"
QUESTION = f"Welcher Grenzwert gilt für Beschäftigte unter 18 Jahren ({MARK})?"
REPLY = f"Für Beschäftigte unter 18 Jahren beträgt der Grenzwert des Lärms 70 Dezibel ({MARK})."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def desk(home: Path) -> Iterator[Engine]:
    model = ScriptedModel([("answer", REPLY)], default=f"kein JSON {MARK}")
    with open_desk(home, model) as desk:
        desk.settings.set_parameter("answerCache", True)
        yield desk


def left(home: Path) -> list[str]:
    """Where the mark stands in the home: files, and rows of the catalog."""
    spelt = [MARK.encode(), MARK.encode("utf-16-le"), MARK.lower().encode()]
    files = [
        str(path.relative_to(home))
        for path in sorted(home.rglob("*"))
        if path.is_file() and any(each in path.read_bytes() for each in spelt)
    ]
    with closing(sqlite3.connect(home / "catalog.sqlite3")) as catalog:
        tables = catalog.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        rows = [
            f"{table}: {row}"
            for (table,) in tables
            for row in catalog.execute(f'SELECT * FROM "{table}"')
            if MARK.lower() in repr(row).lower()
        ]
    return files + rows


def conversation(desk: Engine) -> str:
    """Two questions and a vote."""
    thread = str(ask(desk, QUESTION, depth="fast")["thread_id"])
    ask(desk, f"Und für Auszubildende ({MARK})?", thread_id=thread, depth="fast")
    desk.answers.vote(thread, up=True, text=f"Gut: {MARK}")
    return thread


def research(desk: Engine) -> str:
    """A research that was answered, whose plan was drafted and approved, and whose case edited."""
    thread = desk.threads.start(QUESTION)
    while (waiting := until_waiting(desk, thread)).interrupt == "clarification":
        desk.threads.answer(thread, waiting.interrupt_id, f"/end {MARK}")
    desk.threads.keep_draft(thread, waiting.interrupt_id, {"note": MARK})
    desk.threads.approve(thread, waiting.interrupt_id)
    assert until_ended(desk, thread) == "done"
    desk.threads.rename(thread, f"Über {MARK}")
    for case in desk.plans.list():
        desk.plans.edit(case.case_id, [f"Grenzwert prüfen ({MARK})"])
    return thread


def test_nothing_of_a_deleted_thread_is_in_the_home(desk: Engine, home: Path) -> None:
    threads = [conversation(desk), research(desk)]
    again = ask(desk, QUESTION, depth="fast")
    assert again["from_cache"], "the cache is on"
    assert left(home), "the mark is found where it is"
    for thread in threads:
        desk.threads.delete(thread)
    assert desk.plans.forget() == 1, "an edited plan stays until it is forgotten"
    desk.threads.delete(str(again["thread_id"]))
    assert left(home) == []
    services = desk._services
    assert [services.answers.statistics().size, services.searches.statistics().size] == [0, 0]


@pytest.mark.parametrize("rows_gone", [False, True])
def test_a_deletion_that_was_killed_is_finished_by_the_next_owner(
    desk: Engine, home: Path, tmp_path: Path, rows_gone: bool
) -> None:
    thread, copied, killed = conversation(desk), tmp_path / "copied", tmp_path / "killed"
    shutil.copytree(home, copied)
    with open_catalog(Settings(home=copied)) as catalog:
        begun = DeleteThread(thread_id=thread, begun=rows_gone).model_dump(mode="json")
        number = catalog.queue.submit(Principal(), DeleteThread.kind, begun)
        while (claimed := catalog.queue.claim()) and claimed.id != number:
            pass
        if rows_gone:
            catalog.runs.delete(thread, by=number)
        shutil.copytree(copied, killed)  # with the log, which closing the catalog empties
    assert left(killed), "the log of the catalog has it still"
    with connect_to(make_services(killed), Principal()) as next_owner:
        next_owner.settings.search_cache()
        until(lambda: next_owner._catalog.queue.get(number).status == "done")
        assert left(killed) == []


def test_only_a_thread_of_ones_own_is_deleted(desk: Engine) -> None:
    thread = conversation(desk)
    with pytest.raises(NotFound):
        desk.acting_as(Principal(user="ben")).threads.delete(thread)
    assert desk.threads.run(thread).question == QUESTION
