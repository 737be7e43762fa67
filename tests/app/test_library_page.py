"""The library page on a real desk: collections, and who is offered what."""

from pathlib import Path

import pytest

from agent.engine.engine import Engine
from services.domain import Principal
from tests.support.library_window import keys, open_library, press, reads, shown, until_done
from tests.support.pages import button
from tests.support.played_session import HOSTILE

CHANGING = {"files", "rename", "share", "delete", "remove", "edit", "check", "rebuild"}


@pytest.fixture
def ben(owner: Engine) -> Engine:
    return owner.acting_as(Principal(user="ben"))


def offered(client: Engine, collection: str, **where: str) -> set[str]:
    """What can be operated in all views of a collection."""
    views = ("documents", "search", "graph", "health", "manage")
    here = {"collection": collection, **where}
    return set().union(*(keys(open_library(client, view=view, **here)) for view in views))


def test_the_owner_sees_the_collection_and_may_do_everything(owner: Engine) -> None:
    here = owner.library.collection("laerm").collection_id
    at = open_library(owner)
    assert "Dokumente: 1 ·" in reads(at) and "privat · Ihre" in reads(at)
    assert list(at.dataframe[0].value["Datei"]) == ["LaermG.txt"]
    assert list(at.dataframe[0].value["Zustand"]) == ["bereit"]
    document = owner.library.documents("laerm")[0].document_id
    assert offered(owner, here, doc=document) >= CHANGING


def test_a_reader_is_offered_nothing_that_changes(owner: Engine, ben: Engine) -> None:
    here = owner.library.collection("laerm").collection_id
    owner.library.share_collection("laerm", "public")
    document = owner.library.documents("laerm")[0].document_id
    found = offered(ben, here, doc=document)
    assert not found & CHANGING
    assert {"search", "export"} <= found
    at = open_library(ben, collection=here, view="manage")
    assert "Ändern kann sie local" in reads(at)
    assert "öffentlich · von local" in reads(at)


def test_a_link_lets_a_stranger_read_subscribe_and_leave(owner: Engine, ben: Engine) -> None:
    here = owner.library.share_collection("laerm", "unlisted").collection_id
    assert [found.value for found in open_library(owner, view="manage").code] == [
        f"?collection={here}"
    ]
    assert "laerm" not in reads(open_library(ben))
    at = open_library(ben, collection=here)
    assert "Dokumente: 1 ·" in reads(at)
    press(at, "subscribe")
    assert "abonniert, von local" in reads(at)
    at = open_library(ben, view="manage")
    press(at, "unsubscribe")
    assert ben.library.collections() == []


def test_what_is_private_is_not_there_for_others(owner: Engine, ben: Engine) -> None:
    here = owner.library.collection("laerm").collection_id
    at = open_library(ben, collection=here)
    assert "nicht für Sie freigegeben" in reads(at)
    assert "laerm" not in reads(at)
    assert "collection" not in at.query_params


def test_an_admin_changes_what_others_own_and_keeps_it_centrally(owner: Engine) -> None:
    here = owner.library.collection("laerm").collection_id
    admin = owner.acting_as(Principal(user="root", role="admin"))
    at = open_library(admin, collection=here, view="manage")
    at.radio(key=f"visibility-{here}").set_value("admin")
    press(at, "share")
    assert owner.library.collection("laerm").visibility == "admin"
    assert not offered(owner, here) & CHANGING
    at = open_library(owner, collection=here, view="manage")
    assert "Ändern kann sie nur die Administration" in reads(at)


def test_a_collection_is_made_renamed_described_and_shared(owner: Engine) -> None:
    at = open_library(owner)
    at.text_input(key="new-name").input("Verträge")
    at.selectbox(key="new-visibility").set_value("public")
    press(at, "create")
    info = owner.library.collection("Verträge")
    assert info.visibility == "public"
    assert at.query_params["collection"] == info.collection_id
    assert "Noch keine Dokumente in dieser Sammlung" in reads(at)
    at = open_library(owner, collection=info.collection_id, view="manage")
    at.text_input(key=f"name-{info.collection_id}").input("laerm")
    press(at, "rename")
    assert "hat schon eine Sammlung namens" in reads(at)
    at.text_input(key=f"name-{info.collection_id}").input("Mietverträge")
    at.text_area(key=f"description-{info.collection_id}").input("Aus dem Archiv.")
    press(at, "rename")
    now = owner.library.collection("Mietverträge")
    assert now.description == "Aus dem Archiv." and "Aus dem Archiv." in reads(at)


def test_deleting_names_what_goes_and_leads_to_another_collection(owner: Engine) -> None:
    other = owner.library.create_collection("leer").collection_id
    here = owner.library.collection("laerm").collection_id
    at = open_library(owner, collection=here, view="manage")
    assert "Gelöscht wird **laerm** (Dokumente: 1, " in reads(at)
    press(at, "delete")
    assert [info.collection_id for info in owner.library.collections()] == [other]
    assert "„laerm“ ist gelöscht (Dokumente: 1)" in reads(at)
    assert at.subheader[0].value == "leer"


def test_choosing_a_collection_and_a_view_is_kept_in_the_url(owner: Engine) -> None:
    other = owner.library.create_collection("leer").collection_id
    at = open_library(owner, doc="x")
    at.radio(key="collection").set_value(other)
    shown(at.run())
    assert at.query_params["collection"] == other and "doc" not in at.query_params
    at.segmented_control(key="view").set_value("manage")
    shown(at.run())
    assert at.query_params["view"] == "manage" and "rename" in keys(at)


def test_an_empty_library_offers_the_sample_and_a_first_collection(
    owner: Engine, ben: Engine
) -> None:
    at = open_library(ben)
    assert "Noch keine Dokumente" in reads(at)
    assert button(at, "Beispielgesetz einlesen")
    at.file_uploader(key="files").upload("a.txt", b"Ein Satz.")
    press(at, "ingest")
    assert "Geben Sie der Sammlung einen Namen" in reads(at)
    at.file_uploader(key="files").upload("a.txt", "§ 1 Zweck\n\nEin Satz über Lärm.".encode())
    at.text_input(key="into").input("Meine")
    press(at, "ingest")
    until_done(at, ben)
    assert [info.document for info in ben.library.documents("Meine")] == ["a.txt"]
    assert at.subheader[0].value == "Meine"


def test_hostile_names_are_shown_letter_by_letter(owner: Engine, tmp_path: Path) -> None:
    name = "[x](http://evil.example)![y](http://evil.example/z.png)<b>"
    owner.library.rename_collection("laerm", name, description=HOSTILE.replace("\n", " ")[:300])
    at = open_library(owner, view="manage")
    at_documents = open_library(owner, doc=owner.library.documents()[0].document_id)
    for element in [*at.markdown, *at.subheader, *at_documents.markdown, *at.caption]:
        assert "](http" not in str(element.value) and "<b>" not in str(element.value)
    assert name in reads(at).replace("\u2060", "")
