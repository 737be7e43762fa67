"""A changed document changes its own part of the graph: not those of others, and no more of it."""

import asyncio
import re
import sqlite3
from itertools import pairwise
from pathlib import Path

import pytest

from services.catalog import Catalog
from services.catalog.graph import Unbuilt
from services.domain import Principal, Scope
from services.graph.builder import GraphBuilder
from services.graph.facts_reader import FactsReader
from services.graph.search import KnowledgeGraph
from tests.support.documents import law, store
from tests.support.graph_parts import stored_parts
from tests.support.scripted_model import ScriptedModel

DUTY = "Die Behörde prüft jeden Antrag des Betreibers auf seine Vollständigkeit und Richtigkeit."
LIMIT = "Der Betreiber meldet der Behörde jede Überschreitung der Grenzwerte binnen einer Woche."
AIM = "Zweck dieses Gesetzes ist der Schutz aller Menschen und der Umwelt vor vielerlei Gefahren."
OTHER = "Das Bundesamt führt ein Register der Dosen, das die Behörde jederzeit einsehen kann."
CHANGED = "Der Betreiber meldet dem Bundesamt jede Überschreitung der Grenzwerte binnen drei Tagen."
NAMES = {"entities": ["Behörde", "Betreiber", "Bundesamt", "Antrag", "Register"]}
RELATIONS = {
    "relations": [{"sentence": 1, "subject": "Behörde", "relation": "prüft", "object": "Antrag"}]
}
TABLES = ("graph_parts", "graph_nodes", "graph_mentions", "graph_edges")


@pytest.fixture
def scope(catalog: Catalog) -> Scope:
    place = catalog.collections.create(Principal(), "law").collection_id
    scope = Scope(user="local", collections=(place,))
    store(catalog, place, law(AIM, DUTY, LIMIT), name="a.txt")
    store(catalog, place, law(OTHER, *["Der Grenzwert gilt."] * 2), name="b.txt")
    store(catalog, place, law(*["Die Grenzwerte gelten."] * 2, OTHER), name="c.txt")
    return scope


def change(catalog: Catalog, scope: Scope) -> str:
    """Replaces ``a.txt``, of which one section stays, in another place; the id of its new text."""
    (place,) = scope.collections
    new = law("Kurz.", DUTY, CHANGED)
    (old,) = catalog.documents.versions(scope, "a.txt")
    document = store(catalog, place, new, name="a.txt", indexed=False)
    catalog.documents.mark_indexed(place, document, retire=[old.document_id])
    (text_id,) = (each.text_id for each in texts(catalog, scope) if each.document_id == document)
    return text_id


def model() -> ScriptedModel:
    return ScriptedModel(
        [
            ("graph_entities", NAMES),
            ("graph_relations", RELATIONS),
            ("graph_critique", {"said": [True]}),
        ]
    )


def read(catalog: Catalog, scope: Scope, reads_with: ScriptedModel) -> int:
    """Has the model read what is left; how many passages that were."""
    GraphBuilder(catalog).build(scope)
    reader = FactsReader(catalog, reads_with, deadline_s=10.0)
    return asyncio.run(reader.read(scope)).passages


def rows(path: Path, query: str) -> set[tuple[object, ...]]:
    with sqlite3.connect(path) as connection:
        return set(connection.execute(query))


def of_others(path: Path, changed: set[str]) -> dict[str, set[tuple[object, ...]]]:
    """All rows but those of the texts that changed, by table."""
    texts = ",".join(f"'{each}'" for each in sorted(changed))
    others = f"SELECT part_id FROM graph_parts WHERE text_id NOT IN ({texts})"
    found = {name: rows(path, f"SELECT * FROM {name} WHERE part_id IN ({others})")
             for name in TABLES}  # fmt: skip
    query = f"SELECT * FROM graph_facts WHERE text_id NOT IN ({texts})"
    return found | {"facts": rows(path, query), "merges": rows(path, "SELECT * FROM graph_merges")}


def texts(catalog: Catalog, scope: Scope) -> list[Unbuilt]:
    return catalog.graph.missing(scope, "nobody")


def test_rows_of_other_texts_stay_as_they_are(
    catalog: Catalog, scope: Scope, tmp_path: Path
) -> None:
    first = {each.text_id for each in texts(catalog, scope)}
    read(catalog, scope, model())
    path = tmp_path / "catalog.sqlite3"
    text_id = change(catalog, scope)
    changed = first ^ {each.text_id for each in texts(catalog, scope)}
    assert len(changed) == 2 and text_id in changed
    before = of_others(path, changed)
    assert all(before.values()), "there must be something that could change"
    read(catalog, scope, model())
    assert of_others(path, changed) == before


def test_only_passages_that_changed_are_read_again(catalog: Catalog, scope: Scope) -> None:
    assert read(catalog, scope, model()) == 5  # the others are too short
    change(catalog, scope)
    GraphBuilder(catalog).build(scope)
    again = model()
    assert FactsReader(catalog, again, deadline_s=10.0).cost(scope).passages == 1
    assert read(catalog, scope, again) == 1
    assert all("drei Tagen" in prompt for prompt in again.prompts("graph_entities"))


def test_facts_of_passages_that_stay_move_with_them(catalog: Catalog, scope: Scope) -> None:
    read(catalog, scope, model())
    text_id = change(catalog, scope)
    GraphBuilder(catalog).build(scope)  # without a model
    (part,) = (each for each in stored_parts(catalog, scope) if each.text_id == text_id)
    (edge,) = (each for each in part.edges if each.by == "model")
    text = catalog.corpus.text(text_id)
    assert text[edge.start : edge.end].endswith(DUTY)
    named = [each for each in part.mentions if each.node_id.startswith("entity:")]
    assert {text[each.start : each.end] for each in named} == {"Behörde", "Antrag"}
    assert all(text.index(DUTY) <= each.start < text.index(CHANGED) for each in named)


def test_a_build_that_is_killed_between_facts_and_part_carries_them_once(
    catalog: Catalog, scope: Scope
) -> None:
    read(catalog, scope, model())
    text_id = change(catalog, scope)
    spans = _sections(catalog.corpus.text(text_id))
    facts = catalog.graph.facts
    assert [facts.carry_over(text_id, spans), facts.carry_over(text_id, spans)] == [1, 0]


def _sections(text: str) -> list[tuple[int, int]]:
    starts = [each.start() for each in re.finditer("§", text)]
    return list(pairwise([*starts, len(text)]))


def test_groups_that_stay_are_not_summed_up_again(catalog: Catalog, scope: Scope) -> None:
    GraphBuilder(catalog).build(scope)
    graph = KnowledgeGraph(catalog, catalog.graph)
    before = {each.community_id: each for each in graph.communities(scope)}
    store(catalog, scope.collections[0], law("Etwas ganz anderes."), name="d.txt")
    GraphBuilder(catalog).build(scope)
    after = {each.community_id: each for each in graph.communities(scope)}
    assert before and before.items() <= after.items()
