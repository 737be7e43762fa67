"""The library's view on the knowledge graph, on a real desk."""

import base64
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from agent.engine.engine import Engine
from agent.engine.graph import GraphPart
from services.graph.values import EntityCard, Node, Step
from tests.support.library_window import open_library, reads, shown

HOSTILE = "[klick](http://x) <script>alert(1)</script> **laut**"


def pictures(at: AppTest) -> list[str]:
    found = (re.search(r"base64,([\w+/=]+)\)", each.proto.body) for each in at.get("html"))
    return [base64.b64decode(each[1]).decode() for each in found if each]


def look_up(at: AppTest, name: str) -> AppTest:
    at.text_input(key="entity").input(name)
    return shown(at.run())


def test_a_name_that_is_typed_shows_its_ties_with_their_places(owner: Engine) -> None:
    at = look_up(open_library(owner, view="graph"), "§ 2 LärmG")
    assert at.query_params["entity"] == "§ 2 LärmG"
    assert "Abschnitt" in reads(at)
    (picture,) = pictures(at)
    assert "LärmG § 3" in picture and "verweist auf" in picture
    table = at.dataframe[0].value
    row = table[table["Verbindung"] == "verweist auf"].iloc[0]
    assert (row["Name"], row["Stelle"]) == ("LärmG § 3", "LaermG § 2")
    address = parse_qs(urlsplit(row["Ansehen"]).query)
    start, end = map(int, address["span"][0].split("-"))
    opened = owner.library.open_document(address["doc"][0])
    assert opened.parsed.text[start:end] == "§ 3"


def test_an_address_opens_a_name_and_each_tie_leads_on(owner: Engine) -> None:
    at = open_library(owner, view="graph", entity="§ 2 LärmG", language="en")
    assert at.dataframe[0].value["Tie"].iloc[0]
    at.button_group(key="go-on").set_value("LärmG § 3")
    shown(at.run())
    assert at.query_params["entity"] == "LärmG § 3"
    assert at.text_input(key="entity").value == "LärmG § 3"


def test_without_a_name_the_most_connected_are_offered(owner: Engine) -> None:
    at = open_library(owner, view="graph")
    assert not at.dataframe and not pictures(at)
    (first, *_) = at.button_group(key="go-on").options
    assert first


def test_a_name_that_is_not_there_is_told_in_the_language_of_the_page(owner: Engine) -> None:
    at = look_up(open_library(owner, view="graph"), "Nirgendwo")
    assert "Im Wissensgraphen heißt nichts Nirgendwo" in " ".join(e.value for e in at.error)


def test_without_a_graph_the_page_says_how_to_build_it(owner: Engine) -> None:
    here = owner.library.create_collection("leer & neu").collection_id
    at = open_library(owner, view="graph", collection=here)
    assert "noch keinen Wissensgraphen" in reads(at)
    assert [each.value for each in at.code] == ["rabbithole graph build --collection 'leer & neu'"]
    assert not [each for each in at.text_input if each.key == "entity"]


@pytest.mark.parametrize("view", ["documents", "search", "health", "manage"])
def test_other_views_ask_nothing_of_the_graph(
    owner: Engine, view: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*_: Any, **__: Any) -> Any:
        raise AssertionError("the graph was asked")

    for name in ("exists", "entity", "communities"):
        monkeypatch.setattr(GraphPart, name, asked)
    open_library(owner, view=view, entity="LärmG")


def test_hostile_names_stay_text(owner: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    node = Node(node_id="word:x", kind="word", name=HOSTILE, places=1)
    tie = Step(source=node, kind="relates", target=node.model_copy(update={"name": f"2{HOSTILE}"}))
    card = EntityCard(node=node, definition=HOSTILE, neighbours=(tie,), aliases=(HOSTILE,))
    monkeypatch.setattr(GraphPart, "entity", lambda *_, **__: card)
    at = open_library(owner, view="graph", entity=HOSTILE)
    for found in (*at.markdown, *at.caption):
        assert "](http" not in found.value and "<script" not in found.value.replace("\\<", "")
    assert not any("<script>alert" in each.proto.body for each in at.get("html"))
    assert "](http" not in "".join(at.button_group(key="go-on").options)
