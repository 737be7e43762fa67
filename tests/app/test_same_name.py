"""Collections of several people that bear one name: each is a place of its own on the desk."""

from pathlib import Path

import pytest
from sqlalchemy import update
from streamlit.testing.v1 import AppTest

from agent.engine.engine import Engine
from services.catalog.work_models import RunRow
from services.domain import CollectionInfo, Principal
from services.domain.collections import unique_names
from services.domain.errors import NotFound
from tests.support.desk import LAW, ask, until_ended
from tests.support.library_window import open_library, shown, until_done
from tests.support.pages import open_app

QUESTION = "Welcher Grenzwert des Lärms gilt für Beschäftigte?"


@pytest.fixture
def ben(owner: Engine, tmp_path: Path) -> Engine:
    """Somebody with a collection ``laerm``, who reads that of the owner of the home as well."""
    owner.library.change_collection("laerm", visibility="public")
    file = tmp_path / "HallenO.txt"
    file.write_text(LAW.replace("85", "60").replace("LärmG", "HallenO"), encoding="utf-8")
    ben = owner.acting_as(Principal(user="ben"))
    ben.library.ingest([file], "laerm")
    return ben


def by_owner(engine: Engine) -> dict[str, CollectionInfo]:
    return {each.owner: each for each in engine.library.collections()}


def documents(engine: Engine, thread: str) -> set[str]:
    """What the only answer of a conversation cites."""
    (turn,) = engine.answers.turns(thread)
    return {each["document"] for each in turn["sources"]}


def send(at: AppTest, question: str) -> str:
    """Asks in the box; the thread."""
    shown(at.chat_input(key="question").set_value(question).run())
    return at.query_params["thread"]


def test_each_is_ticked_and_asked_by_itself(ben: Engine) -> None:
    theirs = by_owner(ben)["local"]
    at = shown(open_app(ben))
    assert {box.label for box in at.checkbox if box.key.startswith("box-in-")} == {
        "laerm · von ben",
        "laerm · von local",
    }
    at.checkbox(key="box-only-some").check()
    at.checkbox(key=f"box-in-{theirs.collection_id}").check().run()
    assert at.multiselect(key="box-documents").options == ["LaermG.txt"]
    thread = send(at, QUESTION)
    assert until_ended(ben, thread) == "done"
    assert ben.threads.run(thread).collections == (theirs.collection_id,)
    assert documents(ben, thread) == {"LaermG.txt"}


def test_each_is_opened_in_the_library(ben: Engine) -> None:
    at = open_library(ben)
    for owner in ("local", "ben"):
        there = by_owner(ben)[owner].collection_id
        at.radio(key="collection").set_value(there).run()
        assert at.query_params["collection"] == there


def test_where_nothing_is_ticked_both_are_searched(ben: Engine) -> None:
    thread = send(open_app(ben), QUESTION)
    until_ended(ben, thread)
    run = ben.threads.run(thread)
    scope = ben._catalog.scope_of(ben.principal, run)
    assert set(scope.collections) == {each.collection_id for each in by_owner(ben).values()}
    assert documents(ben, thread) == {"LaermG.txt", "HallenO.txt"}


@pytest.mark.parametrize("old", [False, True], ids=["by id", "by the name of an old thread"])
def test_a_later_collection_of_the_same_name_does_not_join_a_thread(
    owner: Engine, tmp_path: Path, old: bool
) -> None:
    thread = ask(owner, QUESTION)["thread_id"]
    if old:
        owner._catalog.runs._database.execute(update(RunRow).values(collection_ids=[]))
    else:
        owner.library.change_collection("laerm", new_name="lärmschutz")
    assert len(ask(owner, QUESTION, thread_id=thread)["sources"]) > 0
    owner.library.delete_collection("laerm" if old else "lärmschutz")
    file = tmp_path / "HallenO.txt"
    file.write_text(LAW, encoding="utf-8")
    ben = owner.acting_as(Principal(user="ben"))
    ben.library.ingest([file], "laerm")
    ben.library.change_collection("laerm", visibility="public")
    with pytest.raises(NotFound, match="laerm"):
        ask(owner, QUESTION, thread_id=thread)
    assert ask(owner, QUESTION)["sources"], "a new one searches it"


def test_a_name_that_one_collection_has_is_what_it_is_called(ben: Engine, owner: Engine) -> None:
    assert unique_names(owner.library.collections()) == ("laerm",), "ben's is private"
    assert ask(owner, QUESTION)["sources"] and owner.threads.runs()[0].collections == ("laerm",)
    both = ben.library.collections()
    assert unique_names(both) == tuple(each.collection_id for each in both)


def test_what_is_dropped_on_the_desk_goes_into_ones_own(owner: Engine, home: Path) -> None:
    owner.library.change_collection("laerm", visibility="public")
    eva = owner.acting_as(Principal(user="eva"))
    for user, into in ((eva, "Dokumente"), (owner, "laerm")):
        at = open_app(user)
        at.file_uploader(key="files-drop-0").upload("neu.txt", b"Ein Satz.")
        until_done(shown(at.run()), user)
        mine = by_owner(user)[user.principal.user]
        assert mine.name == into
        assert "neu.txt" in {each.document for each in user.library.documents(mine.collection_id)}


def test_what_is_dropped_goes_into_a_collection_that_has_the_name_of_a_sample(
    owner: Engine, tmp_path: Path
) -> None:
    (tmp_path / "Mietvertrag.txt").write_text(LAW, encoding="utf-8")
    ben = owner.acting_as(Principal(user="ben"))
    ben.library.ingest([tmp_path / "Mietvertrag.txt"], "contracts")
    at = open_app(ben)
    at.file_uploader(key="files-drop-0").upload("neu.txt", b"Ein Satz.")
    until_done(shown(at.run()), ben)
    assert [info.name for info in ben.library.collections()] == ["contracts"]


def test_files_that_a_slow_browser_sends_again_are_ingested_once(owner: Engine) -> None:
    at = open_app(owner)
    field = at.file_uploader(key="files-drop-0").upload("neu.txt", b"Ein Satz.")
    sent, before = field._widget_state, len(owner.library.ingestions())
    until_done(shown(at.run()), owner)
    states = at._tree.get_widget_states()
    assert states is not None
    states.widgets.append(sent)
    until_done(shown(at._run(states)), owner)
    assert len(owner.library.ingestions()) == before + 1
