"""Parts of the knowledge graph in the catalog: whole or not there, one a text, gone with it."""

import tracemalloc

import pytest

from services.catalog import Catalog, ids
from services.catalog.graph_models import (
    GraphEdgeRow,
    GraphFactsRow,
    GraphMentionRow,
    GraphMergeRow,
    GraphNodeRow,
    GraphPartRow,
)
from services.domain import Scope
from services.domain.errors import NotFound
from services.graph.values import (
    Fact,
    GraphPart,
    Mention,
    Merge,
    NamedEntity,
    Node,
    PartEdge,
    PassageFacts,
)
from tests.services.catalog.conftest import ANNA, BEN, Count
from tests.support.documents import law, store
from tests.support.graph_parts import stored_parts

TABLES = (GraphPartRow, GraphNodeRow, GraphMentionRow, GraphEdgeRow, GraphFactsRow)


@pytest.fixture
def scope(catalog: Catalog) -> Scope:
    catalog.collections.create(ANNA, "law")
    return catalog.collections.scope(ANNA, None)


def part_of(text_id: str, mentions: int = 1) -> GraphPart:
    ends = {"source": f"document:{text_id}", "target": "term:dosis"}
    return GraphPart(
        text_id=text_id,
        nodes=(
            Node(node_id=ends["source"], kind="document", name="Gesetz"),
            Node(node_id=ends["target"], kind="term", name="Dosis", places=mentions),
        ),
        mentions=tuple(
            Mention(node_id=ends["target"], start=n, end=n + 5) for n in range(mentions)
        ),
        edges=(
            PartEdge(**ends, kind="defines", start=0, end=5),
            PartEdge(**ends, kind="mentions", weight=0.5, label="x", start=1, end=2),
        ),
    )


def add(catalog: Catalog, scope: Scope, name: str = "Erstens") -> tuple[str, str]:
    """A document and its text."""
    document = store(catalog, scope.collections[0], law(name))
    (text_id,) = (
        each.text_id for each in catalog.graph.missing(scope, "1") if each.document_id == document
    )
    return document, text_id


def test_a_part_comes_back_as_it_was_kept_until_another_replaces_it(
    catalog: Catalog, scope: Scope, rows: Count
) -> None:
    document, text_id = add(catalog, scope)
    versions = {catalog.graph.version(scope)}
    for builder, mentions in (("1", 1_203), ("2", 2)):
        part = part_of(text_id, mentions)
        catalog.graph.store(part, builder)
        versions.add(catalog.graph.version(scope))
        assert stored_parts(catalog, scope) == stored_parts(catalog, scope) == [part]
        assert rows(GraphMentionRow) == mentions
        assert catalog.graph.missing(scope, builder) == []
        assert [each.text_id for each in catalog.graph.missing(scope, "3")] == [text_id]
    assert len(versions) == 3
    catalog.graph.facts.put(text_id, PassageFacts(start=0, end=9, made_by="m"))
    catalog.documents.remove(scope.collections[0], document)
    catalog.deletions.forget([document])
    assert [rows(table) for table in TABLES] == [0] * len(TABLES), "they go with their text"


def test_a_part_that_was_cut_short_does_not_count(
    catalog: Catalog, scope: Scope, rows: Count
) -> None:
    _, text_id = add(catalog, scope)
    whole = part_of(text_id)
    edge = whole.edges[0].model_copy(update={"target": "nobody"})
    with pytest.raises(KeyError):
        catalog.graph.store(whole.model_copy(update={"edges": (edge,)}), "1")
    assert rows(GraphPartRow) == 1
    assert stored_parts(catalog, scope) == []
    assert [each.text_id for each in catalog.graph.missing(scope, "1")] == [text_id]
    catalog.graph.store(whole, "1")
    assert stored_parts(catalog, scope) == [whole]
    assert rows(GraphNodeRow) == 2


def test_only_what_the_scope_sees_is_given(catalog: Catalog, scope: Scope) -> None:
    for name in ("Erstens", "Zweitens"):
        catalog.graph.store(part_of(add(catalog, scope, name)[1]), "1")
    add(catalog, scope, "Drittens")
    status = catalog.graph.status(scope)
    assert (status.documents, status.built, status.facts) == (3, 2, 0)
    assert status.nodes == {"document": 2, "term": 1}, "shared nodes count once"
    assert status.edges == {"defines": 2, "mentions": 2}
    catalog.collections.create(BEN, "other")
    others = catalog.collections.scope(BEN, None)
    assert catalog.graph.is_built(scope) and not catalog.graph.is_built(others)
    assert stored_parts(catalog, others) == catalog.graph.missing(others, "2") == []
    assert catalog.graph.passages(others) == 0


def test_what_a_model_read_is_part_of_the_text(catalog: Catalog, scope: Scope) -> None:
    _, text_id = add(catalog, scope)
    catalog.graph.store(part_of(text_id), "1")
    before = catalog.graph.version(scope)
    entities = (
        NamedEntity(name="Behörde", start=0, end=7),
        NamedEntity(name="Antrag", start=10, end=16),
    )
    fact = Fact(subject="Behörde", relation="prüft", object="Antrag", start=0, end=16)
    read = PassageFacts(start=0, end=20, made_by="m", entities=entities, facts=(fact,))
    catalog.graph.facts.put(text_id, read)
    (part,) = stored_parts(catalog, scope)
    assert [node.node_id for node in part.nodes[2:]] == ["entity:behörde", "entity:antrag"]
    edge = part.edges[-1]
    assert (edge.kind, edge.label, edge.by) == ("relates", "prüft", "model")
    assert (edge.source, edge.target) == ("entity:behörde", "entity:antrag")
    assert catalog.graph.facts.done(text_id, "m") == {(0, 20)}
    assert catalog.graph.facts.done(text_id, "other") == set()
    assert catalog.graph.status(scope).facts == 1
    assert catalog.graph.version(scope) != before


def test_a_text_is_read_once_however_much_a_model_read_in_it(
    catalog: Catalog, scope: Scope
) -> None:
    (place,) = scope.collections
    old, new = law("Wort " * 20_000), law("Wort " * 20_000, "Neu")
    for parsed in (old, new):
        store(catalog, place, parsed, name="law.txt")
    before, after = ids.text_id(old), ids.text_id(new)
    spans = [(n, n + 100) for n in range(0, 40_000, 100)]
    for start, end in spans:
        read = PassageFacts(start=start, end=end, made_by="m")
        catalog.graph.facts.put(before, read)
    tracemalloc.start()
    assert catalog.graph.facts.carry_over(after, spans) == len(spans)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 50 * len(old.text)


def test_a_merge_that_was_taken_back_stays_so(catalog: Catalog, scope: Scope) -> None:
    (place,) = scope.collections
    one = Merge(node_id="word:dosen", into="term:dosis", why="inflection")
    other = Merge(node_id="word:werte", into="word:wert", why="inflection")
    catalog.graph.merges.replace(place, [one, other])
    now = {"word:dosen": "term:dosis", "word:werte": "word:wert"}
    assert catalog.graph.merges.merged(scope.collections) == now
    before = catalog.graph.version(scope)
    assert catalog.graph.merges.undo(place, "word:dosen").into == "term:dosis"
    assert catalog.graph.version(scope) != before
    catalog.graph.merges.replace(place, [one])
    assert catalog.graph.merges.merged(scope.collections) == {}
    assert [each.undone for each in catalog.graph.merges.of(place)] == [True]
    with pytest.raises(NotFound):
        catalog.graph.merges.undo(place, "word:dosen")


def test_merges_of_several_collections_are_one_group(
    catalog: Catalog, scope: Scope, rows: Count
) -> None:
    second = catalog.collections.create(ANNA, "more").collection_id
    for place, node, into in ((scope.collections[0], "a:2", "a:1"), (second, "a:3", "a:2")):
        catalog.graph.merges.replace(place, [Merge(node_id=node, into=into, why="case")])
    both = catalog.collections.scope(ANNA, None)
    assert catalog.graph.merges.merged(both.collections) == {"a:2": "a:1", "a:3": "a:1"}
    catalog.deletions.begin(second)
    assert rows(GraphMergeRow) == 1
