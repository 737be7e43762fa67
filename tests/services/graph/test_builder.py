"""Building: what is missing and nothing else, however often it is cut short."""

import pytest

from services.catalog import Catalog
from services.domain import Principal, Scope
from services.domain.errors import Interrupted
from services.domain.events import DocumentProgress, Event
from services.graph.builder import GraphBuilder
from services.graph.structure import Source, read_structure
from services.graph.values import GraphPart
from tests.support.documents import law, store
from tests.support.graph_parts import stored_parts


@pytest.fixture
def scope(catalog: Catalog) -> Scope:
    place = catalog.collections.create(Principal(), "law").collection_id
    for name in ("Grenzwert der Dosis", "Grenzwerte der Dosis", "Anzeige"):
        store(catalog, place, law(name), name=f"{name}.txt")
    return Scope(user="local", collections=(place,))


def built(catalog: Catalog, scope: Scope) -> list[str]:
    """The documents that are read by a build."""
    heard: list[str] = []

    def hear(event: Event) -> None:
        if isinstance(event, DocumentProgress) and event.stage == "graph":
            heard.append(event.document)

    GraphBuilder(catalog).build(scope, hear)
    return heard


def test_every_text_is_read_once(catalog: Catalog, scope: Scope) -> None:
    report = GraphBuilder(catalog).build(scope)
    assert (report.documents, report.built) == (3, 3)
    assert built(catalog, scope) == []
    assert len(stored_parts(catalog, scope)) == 3


def test_a_build_that_is_cut_short_goes_on_where_it_was(catalog: Catalog, scope: Scope) -> None:
    whole = 0

    def die(event: Event) -> None:
        nonlocal whole
        whole += 1
        if whole == 4:  # before, after, before, after: the second text is whole
            raise Interrupted("ends")

    with pytest.raises(Interrupted):
        GraphBuilder(catalog).build(scope, die)
    kept = stored_parts(catalog, scope)
    assert len(kept) == 2
    assert len(built(catalog, scope)) == 1
    parts = {part.text_id: part for part in stored_parts(catalog, scope)}
    assert all(parts[part.text_id] == part for part in kept)


def test_a_changed_document_changes_its_part_alone(catalog: Catalog, scope: Scope) -> None:
    GraphBuilder(catalog).build(scope)
    before = {part.text_id: part for part in stored_parts(catalog, scope)}
    version = catalog.graph.version(scope)
    store(catalog, scope.collections[0], law("Anzeige", "Neues"), name="Anzeige.txt")
    assert built(catalog, scope) == ["Anzeige.txt"]
    after = {part.text_id: part for part in stored_parts(catalog, scope)}
    assert len(before.keys() & after.keys()) >= 2
    assert all(after[text_id] == before[text_id] for text_id in before.keys() & after.keys())
    assert catalog.graph.version(scope) != version


def test_another_version_builds_anew(catalog: Catalog, scope: Scope) -> None:
    GraphBuilder(catalog).build(scope)
    assert GraphBuilder(catalog, version="next").build(scope).built == 3


def test_a_text_that_cannot_be_read_is_named_and_the_others_are_read(
    catalog: Catalog, scope: Scope
) -> None:
    def fragile(source: Source) -> GraphPart:
        if "Anzeige" in source.text:
            raise ZeroDivisionError("division by zero")
        return read_structure(source)

    heard: list[Event] = []
    report = GraphBuilder(catalog, structure=fragile).build(scope, heard.append)
    (warning,) = report.warnings
    assert str(warning).startswith("Anzeige.txt is not in the knowledge graph (ZeroDivisionError")
    assert (report.documents, report.built) == (3, 2)
    failed = [each for each in heard if isinstance(each, DocumentProgress) and each.error]
    assert [(each.document, each.error) for each in failed] == [("Anzeige.txt", warning)]
    assert built(catalog, scope) == ["Anzeige.txt"]
