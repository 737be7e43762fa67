import pytest

from services.catalog import Catalog
from services.domain import Principal, Scope
from tests.support.documents import law, reference, store

LONG = "Der Grenzwert der effektiven Dosis beträgt 20 Millisievert im Kalenderjahr. " * 3


@pytest.fixture
def scope(collection: str) -> Scope:
    return Scope(user="anna", collections=(collection,))


def test_chunks_say_where_they_stand(catalog: Catalog, collection: str, scope: Scope) -> None:
    parsed = law(LONG, LONG, title="Strahlenschutzgesetz")
    document = store(catalog, collection, parsed, name="StrlSchG.pdf")
    for chunk in catalog.chunks.get(catalog.chunks.ids(collection), scope=scope).values():
        assert chunk.document_id == document
        assert (chunk.document, chunk.title) == ("StrlSchG.pdf", "Strahlenschutzgesetz")
        assert chunk.text == parsed.text[chunk.start : chunk.end]
        assert chunk.section == f"§ {chunk.page}"
        assert chunk.heading_path == (f"§ {chunk.page} Überschrift",)


def test_get_keeps_the_order_asked_for(catalog: Catalog, collection: str, scope: Scope) -> None:
    store(catalog, collection, law(LONG, LONG))
    wanted = catalog.chunks.ids(collection)[::-1]
    assert list(catalog.chunks.get([*wanted, "unknown"], scope=scope)) == wanted


def test_nothing_outside_the_scope_is_found(
    catalog: Catalog, collection: str, scope: Scope, ben: Principal
) -> None:
    parsed = law(LONG)
    document = store(catalog, collection, parsed)
    other = catalog.collections.create(ben, "law").collection_id
    outside = Scope(user="ben", collections=(other,))
    chunk_ids = catalog.chunks.ids(collection)
    for nothing in (outside, Scope(user="ben", collections=())):
        assert catalog.chunks.get(chunk_ids, scope=nothing) == {}
        assert catalog.chunks.of_section(document, "§ 1", scope=nothing) == []
        assert catalog.chunks.neighbours(chunk_ids[0], scope=nothing) == []
        assert catalog.references.aliases(nothing) == []
    store(catalog, other, parsed, name="mine.txt")
    found = catalog.chunks.get(chunk_ids, scope=outside)
    assert {chunk.document for chunk in found.values()} == {"mine.txt"}


def test_a_section_is_read_in_text_order(catalog: Catalog, collection: str, scope: Scope) -> None:
    parsed = law(LONG, LONG, LONG)
    document = store(catalog, collection, parsed)
    chunks = catalog.chunks.of_section(document, "§ 2", scope=scope)
    section = parsed.sections[1]
    assert "".join(chunk.text for chunk in chunks) == parsed.text[section.start : section.end]
    assert catalog.chunks.of_section(document, "§ 22", scope=scope) == []


def test_neighbours_stay_in_the_section(catalog: Catalog, collection: str, scope: Scope) -> None:
    document = store(catalog, collection, law(LONG, LONG))
    section = catalog.chunks.of_section(document, "§ 2", scope=scope)
    first, middle, last = section[0], section[2], section[-1]
    neighbours = catalog.chunks.neighbours
    assert neighbours(middle.chunk_id, scope=scope) == [section[1], section[3]]
    assert neighbours(middle.chunk_id, scope=scope, before=2, after=0) == section[:2]
    assert neighbours(first.chunk_id, scope=scope) == [section[1]]
    assert neighbours(last.chunk_id, scope=scope, after=5) == [section[-2]]
    assert neighbours("unknown", scope=scope) == []


def test_references_are_found_by_span(catalog: Catalog, collection: str) -> None:
    found = (reference("§ 3", 20, "§ 3"), reference("§ 4", 50, "§ 4"), reference("§ 4", 50, "§ 5"))
    document = store(catalog, collection, law(LONG), references=found)
    within = catalog.references.within
    assert within(document, 0, 100) == list(found)
    assert within(document, 20, 50) == [found[0]]
    assert within(document, 21, 51) == list(found[1:])
    assert within("f" * 64, 0, 100) == []


def test_aliases_carry_the_name_used_in_the_collection(
    catalog: Catalog, collection: str, scope: Scope, anna: Principal
) -> None:
    parsed = law(LONG, title="Atomgesetz")
    document = store(catalog, collection, parsed, name="AtG.docx")
    other = catalog.collections.create(anna, "other").collection_id
    store(catalog, other, parsed, name="copy.docx")
    (alias,) = catalog.references.aliases(scope)
    assert (alias.document_id, alias.document, alias.alias) == (document, "AtG.docx", "Atomgesetz")
    both = Scope(user="anna", collections=(collection, other))
    assert {alias.document for alias in catalog.references.aliases(both)} == {
        "AtG.docx",
        "copy.docx",
    }
