"""The first page: where to look, and samples that a click asks."""

from pathlib import Path

import pytest

from agent.engine.engine import Engine
from app.components import start, upload
from app.samples import CONTRACTS, QUESTIONS, Sample
from services.domain import Principal
from tests.app.test_ask_page import opened
from tests.support.desk import until_ended
from tests.support.house import CLEAR, House
from tests.support.library_window import until_done
from tests.support.pages import keys, open_app, texts_of


def test_a_question_to_chosen_documents_keeps_to_them(house: House) -> None:
    at = opened(house)
    assert not at.multiselect, "no name is read before somebody wants to see them"
    at.checkbox(key="box-only-some").check()
    name = at.run().multiselect(key="box-documents").options[0]
    at.multiselect(key="box-documents").set_value([name]).run()
    at.chat_input(key="question").set_value(CLEAR).run()
    thread = at.query_params["thread"]
    until_ended(house.engine, thread)
    assert house.engine.threads.run(thread).documents == (name,) and not at.exception
    at.run().chat_input(key="question").set_value("und für Auszubildende?").run()
    assert until_ended(house.engine, thread) == "done"
    assert house.engine.threads.run(thread).documents == (name,)
    at.run().button(key="research-1").click().run()
    deep = at.query_params["thread"]
    assert deep != thread and house.engine.threads.run(deep).documents == (name,)


def test_who_has_asked_nothing_yet_asks_the_sample_with_one_click(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Liefervertrag.md").write_text("# Haftung\n\nDie Haftung ist begrenzt.\n")
    sample = CONTRACTS._replace(documents=(tmp_path,))
    monkeypatch.setattr(start, "CONTRACTS", sample)
    engine = house.newcomer()
    engine.library.ingest([house.home / "LaermG.txt"], sample.collection)
    at = open_app(engine)
    at.button(key="example-3").click().run()
    until_done(at, engine)
    run = engine.threads.run(at.run().query_params["thread"])
    assert (run.question, run.collections) == (QUESTIONS["de"][2], ("contracts-2",))
    until_ended(engine, run.thread_id)
    again = open_app(engine)
    again.button(key="example-grid").click().run()
    grid = engine.threads.run(again.query_params["thread"])
    assert (grid.kind, grid.collections) == ("grid", ("contracts-2",))
    again = open_app(engine)
    again.button(key="example-grid").click().run()
    assert again.query_params["thread"] == grid.thread_id, "the same grid is opened again"


def test_a_question_that_waits_for_its_sample_is_shown_as_asked(
    owner: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload, "ingest_sample", lambda _: None)
    monkeypatch.setattr(Engine, "open_jobs", lambda _: owner.jobs()[:1])
    at = open_app(owner.acting_as(Principal(user="ben")))
    at.button(key="example-3").click().run()
    assert QUESTIONS["de"][2] in texts_of(at) and "Beispieldokumente" in texts_of(at)
    assert "example-3" not in keys(at) and not at.exception


def test_a_sample_that_was_emptied_is_taken_in_again_by_the_click(
    owner: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ordered: list[Sample] = []
    monkeypatch.setattr(upload, "ingest_sample", ordered.append)
    ben = owner.acting_as(Principal(user="ben"))
    ben.library.create_collection(CONTRACTS.collection)
    at = open_app(ben)
    at.button(key="example-3").click().run()
    assert ordered == [CONTRACTS]


def test_a_folder_of_collections_is_ticked_at_once(owner: Engine, tmp_path: Path) -> None:
    (tmp_path / "Pause.md").write_text("# Pausen\n\nNach zwei Stunden ist eine Pause zu machen.\n")
    for name in ("Hansen/Lager", "Hansen/Werk"):
        owner.library.ingest([tmp_path / "Pause.md"], name)
    at = open_app(owner)
    at.checkbox(key="box-folder-Hansen").check().run()
    ids = {info.name: info.collection_id for info in owner.library.collections()}
    ticked = {name for name, id_ in ids.items() if at.checkbox(key=f"box-in-{id_}").value}
    assert ticked == {"Hansen/Lager", "Hansen/Werk"}
    at.checkbox(key=f"box-in-{ids['Hansen/Werk']}").uncheck().run()
    assert not at.checkbox(key="box-folder-Hansen").value, "not all of it is chosen"
