"""Documents and search on the library page, on a real desk."""

import datetime
import statistics
import time
from pathlib import Path

from streamlit.testing.v1 import AppTest

from agent.engine.engine import Engine
from app.components.search import excerpt, marked
from services.domain import MetadataChanges, Principal
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

RERUN_S = 0.3


def law(client: Engine) -> str:
    return client.library.documents("laerm")[0].document_id


def test_a_document_is_filed_and_only_what_changed_is_set(owner: Engine) -> None:
    law_id = law(owner)
    owner.library.edit_document("laerm", law_id, MetadataChanges(author="Amt"))
    at = open_library(owner, doc=law_id)
    here = law_id[:12]
    assert at.text_input(key=f"author-{here}").value == "Amt"
    at.text_input(key=f"tags-{here}").input("Lärm, Arbeit")
    at.date_input(key=f"date-{here}").set_value(datetime.date(2024, 5, 1))
    press(at, "edit")
    info = owner.library.documents("laerm")[0]
    assert (info.tags, info.date, info.author) == (
        ("Lärm", "Arbeit"),
        datetime.date(2024, 5, 1),
        "Amt",
    )
    assert "Gespeichert." in reads(at) and "Schlagwörter: Lärm, Arbeit" in reads(at)
    at.text_input(key=f"author-{here}").input("")
    press(at, "edit")
    assert owner.library.documents("laerm")[0].author is None
    (link,) = at.link_button
    assert link.url == f"/document?doc={law_id}"


def test_a_document_is_removed_after_saying_what_goes(owner: Engine) -> None:
    at = open_library(owner, doc=law(owner))
    assert "Entfernt **LaermG.txt** (Textstellen: 5)" in reads(at)
    press(at, "remove")
    until_done(at, owner)
    assert owner.library.documents("laerm") == []
    assert "„LaermG.txt“ ist entfernt" in reads(at)
    assert "doc" not in at.query_params


def test_older_versions_can_be_opened(owner: Engine, tmp_path: Path) -> None:
    old = law(owner)
    file = tmp_path / "home" / "LaermG.txt"
    file.write_text(LAW.replace("85 Dezibel", "80 Dezibel"), encoding="utf-8")
    owner.library.ingest([file], "laerm")
    at = open_library(owner, doc=law(owner))
    assert "Frühere Versionen (1)" in reads(at)
    assert [found.url for found in at.link_button][1] == f"/document?doc={old}"


def test_a_document_that_is_gone_is_said_to_be(owner: Engine) -> None:
    assert "nicht mehr in der Sammlung" in reads(open_library(owner, doc="f" * 64))


def test_hits_are_marked_explained_and_lead_to_their_place(owner: Engine) -> None:
    at = open_library(owner, view="search")
    at.text_input(key="query").input("Grenzwert für Auszubildende § 2")
    press(at, "search")
    told = reads(at)
    assert "**Auszubildende**" in told and "**Grenzwert**" in told and "**für**" not in told
    assert "§ 2 · LaermG.txt" in told
    assert "Nach der Bedeutung auf Platz 1" in told and "Nach den Wörtern auf Platz 1" in told
    assert "(Relevanz " in told and "Zwischenspeicher" not in told
    first = owner.library.search("Grenzwert für Auszubildende § 2", collections=["laerm"])[0]
    expected = f"/document?doc={first.document_id}&span={first.start}-{first.end}"
    assert at.link_button[0].url == expected
    press(at, "search")
    assert "aus dem Zwischenspeicher" in reads(at)


def test_filters_narrow_the_search(owner: Engine) -> None:
    owner.library.edit_document(
        "laerm", law(owner), MetadataChanges(tags=("Arbeit",), date="2020-01-01")
    )
    here = owner.library.collection("laerm").collection_id
    at = open_library(owner, view="search")
    assert not at.multiselect and not at.date_input, "drawn before anybody has opened the options"
    at.session_state[f"narrow-{here}"] = True
    at.run()
    at.text_input(key="query").input("Gehörschutz")
    at.selectbox(key="mode").set_value("keyword")
    at.number_input(key="hits").set_value(1)
    at.multiselect(key=f"with-tags-{here}").set_value(["Arbeit"])
    press(at, "search")
    assert "Treffer: 1" in reads(at) and "Bedeutung auf Platz" not in reads(at)
    at.date_input(key="since").set_value(datetime.date(2021, 1, 1))
    press(at, "search")
    assert "Versuchen Sie andere Worte" in reads(at)
    at.date_input(key="until").set_value(datetime.date(2020, 1, 1))
    press(at, "search")
    assert "Tauschen Sie die beiden" in reads(at)
    at.session_state[f"narrow-{here}"] = False
    at.run()
    assert "Tauschen Sie die beiden" in reads(at), "closed options count as they were chosen"


def test_a_profile_can_be_tried_and_its_reranking_is_said(owner: Engine) -> None:
    settings = owner._services.library.configuration
    settings.set(owner.principal, "reranking", "sentences", "sorgfältig")
    settings.set(owner.principal, "minRelevanceScore", 0.0, "sorgfältig")
    at = open_library(owner, view="search")
    at.session_state[f"narrow-{owner.library.collection('laerm').collection_id}"] = True
    at.run()
    at.text_input(key="query").input("Wann ist Gehörschutz zu tragen?")
    at.selectbox(key="profile").set_value("sorgfältig")
    press(at, "search")
    assert "durch einen zweiten Blick neu geordnet" in reads(at)
    assert "Beim zweiten Blick auf Platz 1" in reads(at)


def test_five_hundred_documents_are_paged_filtered_and_quick(owner: Engine, tmp_path: Path) -> None:
    here = owner.library.create_collection("viele").collection_id
    many_documents(tmp_path / "home" / "catalog.sqlite3", here, 500)
    for number in range(50):
        owner._services.catalog.runs.create(f"t{number}", owner.principal, "?", ("viele",), {})
    at = open_library(owner, collection=here)
    assert len(at.dataframe[0].value) == 50
    assert "1 bis 50 von 500" in reads(at)
    at.pagination[0].set_value(10)
    shown(at.run())
    assert "451 bis 500 von 500" in reads(at)
    at.text_input(key=f"filter-{here}").input("akte 0499")
    shown(at.run())
    assert list(at.dataframe[0].value["Datei"]) == ["Akte 0499.txt"]
    at.text_input(key=f"filter-{here}").input("gibt es nicht")
    assert "Kein Dokument passt" in reads(shown(at.run()))
    at.text_input(key=f"filter-{here}").input("")
    took = [timed(at) for _ in range(5)]
    print(f"rerun with 500 documents and 50 threads: {statistics.median(took) * 1000:.0f} ms")
    assert min(took) < RERUN_S


def timed(at: AppTest) -> float:
    started = time.perf_counter()
    at.run()
    return time.perf_counter() - started


def test_words_of_the_query_are_marked_with_their_endings_and_in_compounds() -> None:
    text = "Die Dosisgrenzwerte des § 78 gelten für Auszubildende."
    words = [word for word, named in marked(text, "Welche Grenzwert für § 78?") if named]
    assert words == ["Dosisgrenzwerte", "78"]
    assert "".join(piece for piece, _ in marked(text, "Grenzwert")) == text
    assert [*marked("", "x")] == []


def test_an_excerpt_is_where_the_words_are() -> None:
    text = "Anfang. " + "Füllwort " * 200 + "Hier steht der Gehörschutz. " + "Ende " * 200
    found = excerpt(text, "Gehörschutz", 200)
    assert "Gehörschutz" in found and found.startswith("… ") and found.endswith(" …")
    assert len(found) <= 204
    assert excerpt("kurz", "Gehörschutz", 200) == "kurz"
    assert excerpt(text, "nichts davon", 50).startswith("Anfang.")


def test_a_reader_sees_a_document_without_what_changes_it(owner: Engine) -> None:
    owner.library.share_collection("laerm", "public")
    at = open_library(owner.acting_as(Principal(user="ben")), doc=law(owner))
    assert at.link_button and "remove" not in keys(at) and "edit" not in keys(at)
