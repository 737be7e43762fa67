"""The library's view on the knowledge graph, on a real desk."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from agent.engine.engine import Engine
from agent.engine.graph import GraphPart
from services.graph.values import EntityCard, Node, Step
from tests.support.desk import open_desk
from tests.support.library_window import open_library, shown

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
