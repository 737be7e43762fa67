"""Building: what is missing and nothing else, however often it is cut short.

A changed document changes its own part of the graph: not those of others, and no more of it.
"""

import asyncio
import re
import sqlite3
from itertools import pairwise
from pathlib import Path

import pytest

from services.catalog import Catalog
from services.catalog.graph import Unbuilt
from services.domain import Scope
from services.domain.errors import Interrupted
from services.domain.events import DocumentProgress, Event
from services.graph.build import GraphBuilder
from services.graph.facts import FactsReader
from services.graph.search import KnowledgeGraph
from services.graph.structure import read_structure
from services.graph.text import SourceText
from services.graph.values import GraphPart
from tests.support.documents import law, store
from tests.support.graph_parts import stored_parts
from tests.support.scripted_model import ScriptedModel

DUTY = "Die Behörde prüft jeden Antrag des Betreibers auf seine Vollständigkeit und Richtigkeit."
LIMIT = "Der Betreiber meldet der Behörde jede Überschreitung der Grenzwerte binnen einer Woche."
AIM = "Zweck dieses Gesetzes ist der Schutz aller Menschen und der Umwelt vor vielerlei Gefahren."
OTHER = "Das Bundesamt führt ein Register der Dosen, das die Behörde jederzeit einsehen kann."
CHANGED = "Der Betreiber meldet dem Bundesamt jede Überschreitung der Grenzwerte binnen drei Tagen."
RELATION = {"sentence": 1, "subject": "Behörde", "relation": "prüft", "object": "Antrag"}
NAMES = ["Behörde", "Betreiber", "Bundesamt", "Antrag", "Register"]
SCRIPT = [("graph_facts", {"entities": NAMES, "relations": [RELATION]})]
TABLES = ("graph_parts", "graph_nodes", "graph_mentions", "graph_edges")


@pytest.fixture
def laws(catalog: Catalog, scope: Scope) -> Scope:
    place = scope.collections[0]
    store(catalog, place, law(AIM, DUTY, LIMIT), name="a.txt")
    store(catalog, place, law(OTHER, *["Der Grenzwert gilt."] * 2), name="b.txt")
    store(catalog, place, law(*["Die Grenzwerte gelten."] * 2, OTHER), name="c.txt")
    return scope


def change(catalog: Catalog, laws: Scope) -> str:
    """Replaces ``a.txt``, of which one section stays, in another place; the id of its new text."""
    (place,) = laws.collections
    (old,) = catalog.documents.versions(laws, "a.txt")
    new = law("Kurz.", DUTY, CHANGED)
    document = store(catalog, place, new, name="a.txt", indexed=False)
    catalog.documents.mark_indexed(place, document, retire=[old.document_id])
    (text_id,) = (each.text_id for each in texts(catalog, laws) if each.document_id == document)
    return text_id


def texts(catalog: Catalog, laws: Scope) -> list[Unbuilt]:
    return catalog.graph.missing(laws, "nobody")


def read(catalog: Catalog, laws: Scope, model: ScriptedModel) -> int:
    """Has the model read what is left; how many passages that were."""
    GraphBuilder(catalog).build(laws)
    return asyncio.run(FactsReader(catalog, model, deadline_s=10.0).read(laws)).passages


def built(catalog: Catalog, laws: Scope) -> list[str]:
    """The documents that are read by a build."""
    heard: list[Event] = []
    GraphBuilder(catalog).build(laws, heard.append)
    progress = [each for each in heard if isinstance(each, DocumentProgress)]
    return [each.document for each in progress if each.stage == "graph"]


def test_every_text_is_read_once_by_each_version(
    catalog: Catalog, laws: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = GraphBuilder(catalog).build(laws)
    assert (report.documents, report.built, len(stored_parts(catalog, laws))) == (3, 3, 3)
    assert built(catalog, laws) == []
    monkeypatch.setattr("services.graph.build.VERSION", "next")
    assert GraphBuilder(catalog).build(laws).built == 3


@pytest.mark.parametrize("whole", [2, 3])
def test_a_build_that_is_cut_short_goes_on_where_it_was(
    catalog: Catalog, laws: Scope, whole: int
) -> None:
    """Also where only the look for duplicates was left."""
    heard = 0

    def die(event: Event) -> None:
        nonlocal heard
        heard += 1
        if heard == 2 * whole:  # before, after, before, after: the second text is whole
            raise Interrupted("ends")

    with pytest.raises(Interrupted):
        GraphBuilder(catalog).build(laws, die)
    kept = stored_parts(catalog, laws)
    assert (len(kept), len(built(catalog, laws))) == (whole, 3 - whole)
    parts = {part.text_id: part for part in stored_parts(catalog, laws)}
    assert all(parts[part.text_id] == part for part in kept)
    assert catalog.graph.merges.of(laws.collections[0])


def test_a_text_that_cannot_be_read_is_named_and_the_others_are_read(
    catalog: Catalog, laws: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fragile(source: SourceText) -> GraphPart:
        if AIM in source.text:
            raise ZeroDivisionError("division by zero")
        return read_structure(source)

    heard: list[Event] = []
    with monkeypatch.context() as broken:
        broken.setattr("services.graph.build.read_structure", fragile)
        report = GraphBuilder(catalog).build(laws, heard.append)
    (warning,) = report.warnings
    assert str(warning).startswith("a.txt is not in the knowledge graph (ZeroDivisionError")
    assert (report.documents, report.built) == (3, 2)
    failed = [each for each in heard if isinstance(each, DocumentProgress) and each.error]
    assert [(each.document, each.error) for each in failed] == [("a.txt", warning)]
    assert built(catalog, laws) == ["a.txt"]


def of_others(path: Path, changed: set[str]) -> dict[str, set[tuple[object, ...]]]:
    """All rows but those of the texts that changed, by table."""
    texts = ",".join(f"'{each}'" for each in sorted(changed))
    others = f"SELECT part_id FROM graph_parts WHERE text_id NOT IN ({texts})"
    queries = {name: f"SELECT * FROM {name} WHERE part_id IN ({others})" for name in TABLES}
    queries["facts"] = f"SELECT * FROM graph_facts WHERE text_id NOT IN ({texts})"
    queries["merges"] = "SELECT * FROM graph_merges"
    with sqlite3.connect(path) as connection:
        return {name: set(connection.execute(query)) for name, query in queries.items()}


def test_rows_of_other_texts_stay_as_they_are(
    catalog: Catalog, laws: Scope, tmp_path: Path
) -> None:
    first = {each.text_id for each in texts(catalog, laws)}
    read(catalog, laws, ScriptedModel(SCRIPT))
    path, version = tmp_path / "catalog.sqlite3", catalog.graph.version(laws)
    text_id = change(catalog, laws)
    changed = first ^ {each.text_id for each in texts(catalog, laws)}
    assert len(changed) == 2 and text_id in changed
    before = of_others(path, changed)
    assert all(before.values()), "there must be something that could change"
    assert built(catalog, laws) == ["a.txt"]
    read(catalog, laws, ScriptedModel(SCRIPT))
    assert of_others(path, changed) == before
    assert catalog.graph.version(laws) != version


def test_only_passages_that_changed_are_read_again(catalog: Catalog, laws: Scope) -> None:
    assert read(catalog, laws, ScriptedModel(SCRIPT)) == 5  # the others are too short
    change(catalog, laws)
    GraphBuilder(catalog).build(laws)
    again = ScriptedModel(SCRIPT)
    assert FactsReader(catalog, again, deadline_s=10.0).cost(laws).passages == 1
    assert read(catalog, laws, again) == 1
    assert all("drei Tagen" in prompt for prompt in again.prompts("graph_facts"))


def test_facts_of_passages_that_stay_move_with_them(catalog: Catalog, laws: Scope) -> None:
    read(catalog, laws, ScriptedModel(SCRIPT))
    text_id = change(catalog, laws)
    text = catalog.documents.text_of(text_id)
    starts = [each.start() for each in re.finditer("§", text)]
    spans = list(pairwise([*starts, len(text)]))
    carry_over = catalog.graph.facts.carry_over  # a kill may come between facts and part
    assert [carry_over(text_id, spans), carry_over(text_id, spans)] == [1, 0]
    GraphBuilder(catalog).build(laws)  # without a model
    (part,) = (each for each in stored_parts(catalog, laws) if each.text_id == text_id)
    (edge,) = (each for each in part.edges if each.by == "model")
    assert text[edge.start : edge.end].endswith(DUTY)
    named = [each for each in part.mentions if each.node_id.startswith("entity:")]
    assert {text[each.start : each.end] for each in named} == {"Behörde", "Antrag"}
    assert all(text.index(DUTY) <= each.start < text.index(CHANGED) for each in named)


def test_groups_that_stay_are_not_summed_up_again(catalog: Catalog, laws: Scope) -> None:
    graph = KnowledgeGraph(catalog, catalog.graph)
    found = []
    for name in ("d.txt", "e.txt"):
        GraphBuilder(catalog).build(laws)
        found.append({each.community_id: each for each in graph.communities(laws)})
        store(catalog, laws.collections[0], law("Etwas ganz anderes."), name=name)
    assert found[0] and found[0].items() <= found[1].items()
