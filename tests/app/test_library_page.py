"""The library page on a real desk: collections, documents, search."""

import datetime
import re
import statistics
import time
from pathlib import Path

import pytest
from sqlalchemy import update
from streamlit.testing.v1 import AppTest

from agent.engine.engine import Engine
from app.components.collections import who_can_open
from app.components.documents import PAGE
from services.catalog.grids import Summaries
from services.catalog.models import MembershipRow
from services.domain import Citation, CitedSentence, MetadataChanges, Principal
from services.domain.answers import DocumentSummary
from tests.support.desk import LAW
from tests.support.library_window import (
    keys,
    many_documents,
    open_library,
    press,
    reads,
    shown,
    until_done,
)
from tests.support.pages import open_app, read, texts_of
from tests.support.played_session import HOSTILE

RERUN_S = 0.3


@pytest.fixture
def ben(owner: Engine) -> Engine:
    return owner.acting_as(Principal(user="ben"))


def law(client: Engine) -> str:
    return client.library.documents()[0].document_id


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://127.0.0.1:8501/library", True),
        ("http://localhost:8501/library", True),
        ("http://[::1]:8501/library", True),
        ("https://desk.example/library", False),
    ],
)
def test_a_link_says_who_can_open_it(address: str, local: bool) -> None:
    assert who_can_open(address).startswith("Only people using this machine") is local


def test_a_link_lets_a_stranger_read_subscribe_and_leave(owner: Engine, ben: Engine) -> None:
    here = owner.library.change_collection("laerm", visibility="unlisted").collection_id
    assert [found.value for found in open_library(owner).code] == [f"?collection={here}"]
    assert "laerm" not in reads(open_library(ben))
    at = open_library(ben, collection=here)
    assert at.subheader[0].value == "laerm"
    press(at, "subscribe")
    assert "subscribe" not in keys(at)
    press(open_library(ben, view="manage"), "unsubscribe")
    assert ben.library.collections() == []


def test_an_admin_keeps_what_another_owns_centrally(owner: Engine) -> None:
    here = owner.library.collection("laerm").collection_id
    admin = owner.acting_as(Principal(user="root", role="admin"))
    at = open_library(admin, collection=here)
    at.radio(key=f"visibility-{here}").set_value("admin")
    press(at, "share")
    assert owner.library.collection("laerm").visibility == "admin"
    assert not {"rename", "share", "delete"} & keys(open_library(owner, view="manage"))


def test_a_collection_is_made_chosen_renamed_and_deleted(owner: Engine) -> None:
    at = open_library(owner, doc="x")
    at.text_input(key="new-name").input("Verträge")
    at.selectbox(key="new-visibility").set_value("public")
    press(at, "create")
    info = owner.library.collection("Verträge")
    here = info.collection_id
    assert info.visibility == "public" and at.query_params["collection"] == here
    assert "doc" not in at.query_params and not rows(at)
    at.radio(key="collection").set_value(owner.library.collection("laerm").collection_id)
    assert shown(at.run()).subheader[0].value == "laerm"
    at.radio(key="collection").set_value(here)
    shown(at.run())
    at.segmented_control(key="view").set_value("manage")
    assert "rename" in keys(shown(at.run())) and at.query_params["view"] == "manage"
    at.text_input(key=f"name-{here}").input("laerm")
    press(at, "rename")
    assert at.error and owner.library.collection("Verträge"), "the name is taken"
    at.text_input(key=f"name-{here}").input("Mietverträge")
    at.text_area(key=f"description-{here}").input("Aus dem Archiv.")
    press(at, "rename")
    assert owner.library.collection("Mietverträge").description == "Aus dem Archiv."
    assert "Gelöscht wird **Mietverträge** (Dokumente: 0, " in reads(at)
    press(at, "delete")
    assert [each.name for each in owner.library.collections()] == ["laerm"]
    assert at.subheader[0].value == "laerm", "the page leads to another one"


def test_an_empty_library_offers_a_first_collection(ben: Engine) -> None:
    at = open_library(ben)
    assert "files-0" in keys(at)
    at.file_uploader(key="files-0").upload("a.txt", b"Ein Satz.")
    press(at, "ingest")
    assert at.info, "a collection needs a name"
    at.file_uploader(key="files-0").upload("a.txt", "§ 1 Zweck\n\nEin Satz über Lärm.".encode())
    at.text_input(key="into-0").input("Meine")
    until_done(press(at, "ingest"), ben)
    assert [info.document for info in ben.library.documents("Meine")] == ["a.txt"]
    assert at.subheader[0].value == "Meine"


def test_a_notice_does_not_move_the_page_below_it(ben: Engine) -> None:
    at = open_library(ben)
    before = position(at)
    press(at, "ingest")
    assert at.info and position(at) == before, "a moved upload form loses its files"


def position(at: AppTest) -> int:
    """Where the title of the page is among what the page consists of."""
    return next(n for n, found in at.main.children.items() if found.type == "title")


def test_hostile_names_are_shown_letter_by_letter(owner: Engine) -> None:
    name = "[x](http://evil.example)![y](http://evil.example/z.png)<b>"
    owner.library.change_collection(
        "laerm", new_name=name, description=HOSTILE.replace("\n", " ")[:300]
    )
    at = open_library(owner, view="manage")
    at_documents = open_library(owner, doc=owner.library.documents()[0].document_id)
    for element in [*at.markdown, *at.subheader, *at_documents.markdown, *at.caption]:
        assert "](http" not in str(element.value) and "<b>" not in str(element.value)
    assert name in reads(at).replace("\u2060", "")


def test_a_document_is_filed_versioned_and_removed(owner: Engine, tmp_path: Path) -> None:
    old = law(owner)
    owner.library.edit_document("laerm", old, MetadataChanges(author="Amt"))
    at, here = open_library(owner, doc=old), old[:12]
    at.text_input(key=f"tags-{here}").input("Lärm, Arbeit")
    at.date_input(key=f"date-{here}").set_value(datetime.date(2024, 5, 1))
    press(at, "edit")
    info = owner.library.documents("laerm")[0]
    assert (info.tags, info.author) == (("Lärm", "Arbeit"), "Amt")
    assert info.date == datetime.date(2024, 5, 1)
    at.text_input(key=f"author-{here}").input("")
    press(at, "edit")
    assert owner.library.documents("laerm")[0].author is None
    file = tmp_path / "home" / "LaermG.txt"
    file.write_text(LAW.replace("85 Dezibel", "80 Dezibel"), encoding="utf-8")
    owner.library.ingest([file], "laerm")
    new = law(owner)
    at = open_library(owner, doc=new)
    assert f"](/document?doc={new})" in "".join(str(each.value) for each in at.markdown)
    assert [each.url for each in at.link_button] == [f"/document?doc={old}"]
    assert "Entfernt **LaermG.txt** (Textstellen: 5)" in reads(at)
    until_done(press(at, "remove"), owner)
    assert owner.library.documents("laerm") == [] and "doc" not in at.query_params
    assert at.success and "LaermG.txt" in at.success[0].value.replace("\\", "")
    assert "nicht mehr in der Sammlung" not in reads(at)
    until_done(press(at, f"unbin-{new[:12]}"), owner)
    assert law(owner) == new and "wurde wiederhergestellt" in at.success[0].value
    assert f"unbin-{new[:12]}" not in keys(at)


def test_a_form_keeps_what_was_entered_elsewhere_meanwhile(owner: Engine) -> None:
    at = open_library(owner, doc=law(owner))
    here = owner.library.collection("laerm").collection_id
    owner.library.edit_document("laerm", law(owner), MetadataChanges(author="Anna"))
    owner.library.change_collection("laerm", new_name="lärm")
    shown(at.run()).text_input(key=f"tags-{law(owner)[:12]}").input("Arbeit")
    press(at, "edit")
    (info,) = owner.library.documents("lärm")
    assert (info.author, info.tags) == ("Anna", ("Arbeit",))
    at = open_library(owner, view="manage", collection=here)
    owner.library.change_collection("lärm", new_name="laerm")
    shown(at.run()).text_area(key=f"description-{here}").input("Aus dem Archiv.")
    press(at, "rename")
    assert owner.library.collection("laerm").description == "Aus dem Archiv."


def test_a_document_whose_ingestion_was_killed_can_be_removed(owner: Engine) -> None:
    owner._catalog.runs._database.execute(update(MembershipRow).values(status="pending"))
    at = open_library(owner, doc=law(owner))
    assert "unvollständig" in reads(at)
    until_done(press(at, "remove"), owner)
    assert owner.library.documents("laerm") == []


def test_two_versions_stand_beside_each_other_and_answers_on_the_older_are_named(
    owner: Engine, tmp_path: Path
) -> None:
    old = law(owner)
    asked = owner.answers.ask("Wie hoch darf der Lärm sein?").thread_id
    list(owner.threads.follow(asked))
    file = tmp_path / "home" / "LaermG.txt"
    file.write_text(LAW.replace("85 Dezibel", "80 Dezibel"), encoding="utf-8")
    owner.library.ingest([file], "laerm")
    at = open_app(owner, page="document", doc=law(owner), against=old)
    assert "Geänderte Abschnitte: 1" in texts_of(at)
    heads = [read(column) for column in at.columns[:2]]
    assert [head.count("LaermG.txt, eingelesen") for head in heads] == [1, 1]
    assert "frühere Version" in heads[0] and "frühere Version" not in heads[1]
    assert ["**85**" in each.value for each in at.markdown].count(True) == 1
    assert ["**80**" in each.value for each in at.markdown].count(True) == 1
    assert f"cites-{asked}" in keys(at)
    links = open_app(owner, page="document", doc=old).get("page_link")
    assert "Vergleichen" in [each.proto.label for each in links]
    stranger = owner.acting_as(Principal(user="ben"))
    assert "Geänderte" not in texts_of(open_app(stranger, page="document", doc=old, against=old))


def test_a_change_behind_a_wide_gap_is_shown(owner: Engine, tmp_path: Path) -> None:
    file, wide, ids = tmp_path / "home" / "LaermG.txt", "Wort " * 80 + " " * 200, []
    for limit in ("85", "80"):
        file.write_text(LAW.replace("85 Dezibel", f"{wide}{limit} Dezibel"), encoding="utf-8")
        owner.library.ingest([file], "laerm")
        ids.append(law(owner))
    at = open_app(owner, page="document", doc=ids[1], against=ids[0])
    assert "**80**" in texts_of(at) and not at.exception


def test_a_file_of_the_same_name_elsewhere_is_no_newer_version(
    owner: Engine, tmp_path: Path
) -> None:
    old, file = law(owner), tmp_path / "home" / "LaermG.txt"
    for limit, collection in (("80", "laerm"), ("75", "anderes")):
        file.write_text(LAW.replace("85 Dezibel", f"{limit} Dezibel"), encoding="utf-8")
        owner.library.ingest([file], collection)
    links = open_app(owner, page="document", doc=old).get("page_link")
    (compare,) = [each.proto.query_string for each in links if each.proto.label == "Vergleichen"]
    newer = next(each.document_id for each in owner.library.documents("laerm"))
    assert f"doc={newer}" in compare and f"against={old}" in compare


def test_five_hundred_documents_are_filtered_and_quick(owner: Engine, tmp_path: Path) -> None:
    here = owner.library.create_collection("viele").collection_id
    many_documents(tmp_path / "home" / "catalog.sqlite3", here, 500)
    for number in range(50):
        owner._services.catalog.runs.create(f"t{number}", owner.principal, "?", ("viele",), {})
    at = open_library(owner, collection=here, doc="f" * 64)
    assert len(rows(at)) == PAGE and "Dokumente: 500" in reads(at)
    assert "nicht mehr in der Sammlung" in reads(at)
    took = []
    for words, count in (("akte 0499", 1), ("gibt es nicht", 0), ("akte", PAGE), ("", PAGE)):
        at.text_input(key=f"filter-{here}").input(words)
        started = time.process_time()
        shown(at.run())
        took.append(time.process_time() - started)
        assert len(rows(at)) == count
    assert statistics.median(took) < RERUN_S


def rows(at: AppTest) -> list[str]:
    """The file names in the list of documents."""
    keys = (str(each.key) for each in at.button)
    names = {key: at.button(key=key).label for key in keys if re.match(r"document-\w{64}$", key)}
    return [name.replace("\\", "") for name in names.values()]


def test_a_row_opens_and_closes_below_its_name(owner: Engine, tmp_path: Path) -> None:
    here = owner.library.create_collection("viele").collection_id
    many_documents(tmp_path / "home" / "catalog.sqlite3", here, 60)
    last = f"{59:064}"
    at = open_library(owner, collection=here, doc=last)
    assert "Akte 0059.txt" in rows(at), "the list is turned to the page of the address"
    assert "Gliederung" in [box.label for box in at.expander]
    press(at, f"document-{last}")
    assert "doc" not in at.query_params and "Gliederung" not in [box.label for box in at.expander]
    press(at, f"document-{last}")
    at.text_input(key=f"filter-{here}").input("akte 00")
    assert "Akte 0059.txt" in rows(shown(at.run())), "what is open stays in sight"
    press(at, f"document-{last}")
    at.selectbox(key="documents-order").set_value("title")
    assert rows(shown(at.run()))[0] == "Akte 0000.txt", "another order begins at its first page"


def test_collections_are_shown_in_folders(owner: Engine, tmp_path: Path) -> None:
    path = tmp_path / "Pause.md"
    path.write_text("# Pausen\n\nWer Lärm ausgesetzt ist, erhält nach zwei Stunden eine Pause.\n")
    for name in ("Hansen/Pausen", "Hansen/Werk Nord/Pausen", "Hansen/Aufzüge", "Hansen"):
        owner.library.ingest([path], name)
    at = open_library(owner, view="search", collection=(here := place(owner, "laerm")))
    assert [box.label for box in at.expander][:2] == ["Hansen", "Hansen / Werk Nord"]
    folder = at.radio(key="collection-Hansen")
    assert [option.replace("\\", "") for option in folder.options] == [
        "Hansen",
        "Aufzüge",
        "Pausen",
    ]
    at.multiselect(key=f"search-in-{here}").set_value(["Hansen"])
    at.run()
    at.text_input(key="query").input("Lärm Pause")
    press(at, "search")
    request, _versions = at.session_state["found"][0]
    assert set(request.collections) == {
        place(owner, name) for name in ("Hansen", "Hansen/Aufzüge", "Hansen/Pausen")
    }
    at.radio(key="collection-Hansen").set_value(place(owner, "Hansen/Pausen"))
    assert shown(at.run()).subheader[0].value == "Hansen/Pausen"


def place(owner: Engine, name: str) -> str:
    return owner.library.collection(name).collection_id


def test_a_summary_leads_to_its_sources_and_its_questions_ask_this_document(
    owner: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id, quote = law(owner), "Für Beschäftigte beträgt der Grenzwert des Lärms 85 Dezibel"
    start = LAW.index(quote)
    citation = Citation(
        document="LaermG.txt",
        document_id=document_id,
        section="§ 2",
        page=None,
        start=start,
        end=start + len(quote),
        quote=quote,
        verified=True,
    )
    sentence = CitedSentence(
        text="85 Dezibel sind erlaubt.", supported=True, standing="follows", citations=(citation,)
    )
    summary = DocumentSummary(
        sentences=(sentence,),
        questions=("Wie laut darf es sein?",),
        sections_read=3,
        sections=4,
        model="capable",
    )
    monkeypatch.setattr(Summaries, "newest", lambda *_: summary)
    at, key = open_library(owner, doc=document_id), f"chosen-{document_id[:12]}"
    assert "85 Dezibel sind erlaubt." in reads(at)
    assert "Zusammenfassung von capable; 3 von 4 Abschnitten gelesen" in reads(at)
    assert "Gliederung" not in [box.label for box in at.expander]
    assert quote in at.button(key=f"mark-summary-{key}-1").help
    at.button(key=f"ask-{key}-0").click().run()
    (run,) = owner.threads.runs()
    assert (run.question, run.documents) == ("Wie laut darf es sein?", ("LaermG.txt",))


def test_without_a_summary_the_outline_links_to_the_sections(owner: Engine) -> None:
    document_id = law(owner)
    at = open_library(owner, doc=document_id)
    (outline,) = [box for box in at.expander if box.label == "Gliederung"]
    links = outline.markdown[0].value
    assert f"/document?doc={document_id}&span=" in links and "Messung" in links


def test_an_outline_under_one_title_shows_the_headings_below_it(
    owner: Engine, tmp_path: Path
) -> None:
    lines = ("# Guide", "## Start", "### Deep", "#### Deepest", "### Low")
    text = "".join(f"{line}\n\nText.\n\n" for line in lines)
    (tmp_path / "guide.md").write_text(text, encoding="utf-8")
    owner.library.ingest([tmp_path / "guide.md"], "laerm")
    at = open_library(owner, doc=owner.library.document("guide.md").document_id)
    (outline,) = [box for box in at.expander if box.label == "Gliederung"]
    assert re.findall(r"\[(\w+)\]", outline.markdown[0].value) == ["Start", "Deep", "Low"]
