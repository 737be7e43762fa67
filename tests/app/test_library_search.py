"""The search of the library: its hits, collections and filters."""

import datetime
import re
from pathlib import Path

from agent.engine.engine import Engine
from app.components.search import excerpt, highlight_query
from services.domain import MetadataChanges, SearchRequest
from tests.app.test_library_page import law
from tests.support.library_window import open_library, press, reads


def test_hits_are_marked_explained_and_lead_to_their_place(owner: Engine) -> None:
    at = open_library(owner, view="search")
    at.text_input(key="query").input("Grenzwert für Auszubildende § 2")
    press(at, "search")
    told = reads(at)
    assert "**Auszubildende**" in told and "**Grenzwert**" in told and "**für**" not in told
    assert "§ 2 · LaermG.txt" in told
    assert "nach Bedeutung auf Rang 1" in told and "nach Wörtern auf Rang 1" in told
    assert "gleiche Wörter: " in told and "gleiche Bedeutung" in told
    assert not re.search(r"\d,\d\d", " ".join(each.value for each in at.caption)), "in folds alone"
    first = owner.library.find(
        SearchRequest(query="Grenzwert für Auszubildende § 2", collections=("laerm",))
    ).hits[0]
    expected = f"/document?doc={first.document_id}&span={first.start}-{first.end}"
    assert at.link_button[0].url == expected


def test_several_collections_are_searched_at_once(owner: Engine, tmp_path: Path) -> None:
    path = tmp_path / "Pause.md"
    path.write_text("# Pausen\n\nWer Lärm ausgesetzt ist, erhält nach zwei Stunden eine Pause.\n")
    owner.library.ingest([path], "pausen")
    here, other = (owner.library.collection(name).collection_id for name in ("laerm", "pausen"))
    at = open_library(owner, view="search", collection=here)
    at.text_input(key="query").input("Lärm Pause")
    press(at, "search")
    assert "Pause.md" not in reads(at)
    at.multiselect(key=f"search-in-{here}").set_value([here, other])
    press(at, "search")
    assert "Pause.md** :gray[pausen]" in reads(at) and "LaermG.txt** :gray[laerm]" in reads(at)


def test_filters_and_a_profile_narrow_the_search(owner: Engine) -> None:
    filed = MetadataChanges(tags=("Arbeit",), date="2020-01-01")
    owner.library.edit_document("laerm", law(owner), filed)
    owner.settings.set_parameter("reranking", "cross-encoder", "sorgfältig")
    owner.settings.set_parameter("minRelevanceScore", 0.0, "sorgfältig")
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
    assert "Treffer: 1" in reads(at) and "Bedeutung auf Rang" not in reads(at)
    at.selectbox(key="profile").set_value("sorgfältig")
    press(at, "search")
    assert "Nach dem Neuordnen auf Rang 1" in reads(at)
    at.date_input(key="since").set_value(datetime.date(2021, 1, 1))
    press(at, "search")
    assert not at.link_button
    at.date_input(key="until").set_value(datetime.date(2020, 1, 1))
    press(at, "search")
    assert at.warning, "the dates are the wrong way round"
    at.session_state[f"narrow-{here}"] = False
    assert at.run().warning, "closed options count as they were chosen"


def test_words_of_the_query_are_marked_with_their_endings_and_in_compounds() -> None:
    text = "Die Dosisgrenzwerte des § 78 gelten für Auszubildende."
    shown = highlight_query(text, "Welche Grenzwert für § 78?").replace("\\", "")
    assert shown == text.replace("Dosisgrenzwerte", "**Dosisgrenzwerte**").replace("78", "**78**")
    assert highlight_query("", "x") == "" and "**" not in highlight_query(text, "")


def test_an_excerpt_is_where_the_words_are() -> None:
    text = "Anfang. " + "Füllwort " * 200 + "Hier steht der Gehörschutz. " + "Ende " * 200
    found = excerpt(text, "Gehörschutz", 200)
    assert "Gehörschutz" in found and found.startswith("… ") and found.endswith(" …")
    assert len(found) <= 204
    assert excerpt("kurz", "Gehörschutz", 200) == "kurz"
    assert excerpt(text, "nichts davon", 50).startswith("Anfang.")
