"""The search and the knowledge graph of the library, on a real desk."""

import datetime
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from agent.engine.engine import Engine
from agent.engine.graph import GraphPart
from app.components.search import excerpt, highlight_query
from services.domain import MetadataChanges, SearchRequest
from services.graph.values import EntityCard, Node, Step
from tests.app.test_library_page import law
from tests.support.desk import open_desk
from tests.support.library_window import open_library, press, reads, shown

DEFINING = """Gesetz über Begriffe (BegG)

§ 1 Zweck

(1) Dieses Gesetz dient dem Test.

§ 2 Begriffsbestimmungen

(1) Für dieses Gesetz gelten folgende Begriffsbestimmungen:

1. Abfälle: Alle Stoffe, deren sich ihr Besitzer entledigt.

2. Lärm: Jeder Schall, der stört.
"""
HOSTILE = "[klick](http://x) <script>alert(1)</script> **laut**"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with open_desk(Path(tmp_path_factory.mktemp("graph"))) as client:
        yield client


def drawn(at: AppTest) -> list[str]:
    return [each.proto.spec for each in at.get("graphviz_chart")]


def lines(at: AppTest) -> list[str]:
    """Relations and definitions, each of which ends with a link to its place."""
    said = "\n".join(each.value for each in at.markdown).replace("\\", "").replace("\xa0", " ")
    return [line.removeprefix("- ") for line in said.splitlines() if line.endswith(")")]


def address_of(line: str) -> str:
    return line[line.rindex("](") + 2 : -1]


def test_a_name_that_is_typed_shows_its_ties_with_their_places(desk: Engine) -> None:
    at = open_library(desk, view="graph")
    assert not lines(at) and not drawn(at)
    assert at.button_group(key="go-on").options, "the most connected are offered"
    at.text_input(key="entity").input("§ 2 LärmG")
    shown(at.run())
    assert at.query_params["entity"] == "§ 2 LärmG"
    (graph,) = drawn(at)
    assert '"LärmG § 2" -> "LärmG § 3" [label="verweist auf"]' in graph
    assert '"LärmG § 1" -> "LärmG § 2" [label="verweist auf"]' in graph, "as the text has it"
    line = next(line for line in lines(at) if line.startswith("verweist auf "))
    assert line.startswith("verweist auf **LärmG § 3** [LaermG § 2](")
    address = parse_qs(urlsplit(address_of(line)).query)
    start, end = map(int, address["span"][0].split("-"))
    opened = desk.library.open_document(address["doc"][0])
    assert opened.parsed.text[start:end] == "§ 3"


def test_the_glossary_has_each_defined_term_with_its_place(desk: Engine, tmp_path: Path) -> None:
    file = tmp_path / "BegG.txt"
    file.write_text(DEFINING, encoding="utf-8")
    desk.library.ingest([file], "wörter")
    here = desk.library.collection("wörter").collection_id
    at = open_library(desk, view="graph", collection=here)
    assert not lines(at), "read when it is opened"
    at.session_state[f"glossary-{here}"] = True
    shown(at.run())
    cards = desk.graph.glossary((here,))
    assert len(lines(at)) == len(cards) != 0
    shown_terms = [each.value.partition("\n")[0].strip() for each in at.markdown]
    assert {f"**{card.node.name}**" for card in cards} <= set(shown_terms)
    for line, card in zip(lines(at), cards, strict=True):
        assert line.startswith(f"{card.definition} [BegG § 2](")
        start, end = map(int, parse_qs(urlsplit(address_of(line)).query)["span"][0].split("-"))
        assert card.defined_at
        text = desk.library.open_document(card.defined_at.document_id).parsed.text[start:end]
        assert card.definition.startswith(" ".join(text.split())[:40])


def test_an_address_opens_a_name_and_each_tie_leads_on(desk: Engine) -> None:
    at = open_library(desk, view="graph", entity="§ 2 LärmG", language="en")
    assert lines(at)
    at.button_group(key="go-on").set_value("LärmG § 3")
    shown(at.run())
    assert at.query_params["entity"] == at.text_input(key="entity").value == "LärmG § 3"
    at = open_library(desk, view="graph", entity="Nirgendwo")
    assert "Nirgendwo" in at.error[0].value


def test_without_a_graph_the_page_says_how_to_build_it(desk: Engine) -> None:
    here = desk.library.create_collection("leer & neu").collection_id
    at = open_library(desk, view="graph", collection=here)
    assert [each.value for each in at.code] == ["rabbithole graph build --collection 'leer & neu'"]
    assert "entity" not in {each.key for each in at.text_input}


@pytest.mark.parametrize("view", ["documents", "search", "health", "manage"])
def test_other_views_ask_nothing_of_the_graph(
    desk: Engine, view: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*_: Any, **__: Any) -> Any:
        raise AssertionError("the graph was asked")

    for name in ("exists", "entity", "communities"):
        monkeypatch.setattr(GraphPart, name, asked)
    open_library(desk, view=view, entity="LärmG")


def test_hostile_names_stay_text(desk: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    node = Node(node_id="word:x", kind="word", name=HOSTILE, places=1)
    tie = Step(source=node, kind="relates", target=node.model_copy(update={"name": f"2{HOSTILE}"}))
    card = EntityCard(node=node, definition=HOSTILE, neighbours=(tie,), aliases=(HOSTILE,))
    monkeypatch.setattr(GraphPart, "entity", lambda *_, **__: card)
    at = open_library(desk, view="graph", entity=HOSTILE)
    for found in (*at.markdown, *at.caption):
        assert "](http" not in found.value and "<script" not in found.value.replace("\\<", "")
    assert "](http" not in "".join(at.button_group(key="go-on").options)


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
