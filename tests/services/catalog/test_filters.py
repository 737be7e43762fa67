"""Searches narrowed to documents, sections, days and facets; every way to the chunks agrees."""

from datetime import date
from typing import Any

import pytest

from services.catalog import Catalog
from services.catalog.database import Database
from services.catalog.metadata import SHORT_ID, Filters
from services.domain import MetadataChanges, Scope, SearchFilter
from services.domain.errors import NotFound
from tests.services.catalog.conftest import ANNA, BEN
from tests.support.documents import law, store

MOST = 1000
FILED: dict[str, dict[str, object]] = {
    "a.txt": {"date": "2026-01-01", "tags": ["Lärm", "100%"], "author": "Ada Lovelace, B. Jo"},
    "b.txt": {"date": "2026-01-02", "tags": ["Licht"], "category": "Recht der Arbeit"},
    "c.txt": {"date": "2026-01-03", "tags": ["lärm"], "category": "RECHT DER ARBEIT"},
}
TEXTS = {"a.txt": ("Eins", "Zwei"), "b.txt": ("Drei",), "c.txt": ("Vier",), "undated.txt": ("5",)}


@pytest.fixture
def documents(catalog: Catalog) -> dict[str, str]:
    """Documents of three days and one without, the ids by name; ``c.txt`` in another collection."""
    found = {}
    for name, bodies in TEXTS.items():
        shelf = catalog.collections.ensure(ANNA, "others" if name == "c.txt" else "laws")
        found[name] = store(catalog, shelf.collection_id, law(*bodies, title=name), name=name)
        if name in FILED:
            file(catalog, shelf.collection_id, found[name], **FILED[name])
    return found


def file(catalog: Catalog, collection_id: str, document_id: str, **fields: Any) -> None:
    changes = MetadataChanges.model_validate(fields)
    catalog.metadata.edit(collection_id, document_id, changes)


SECOND = date(2026, 1, 2)
FILTERS: list[tuple[dict[str, object], str]] = [
    ({"documents": ("b.txt",)}, "b"),
    ({"documents": ("b.tx%",)}, ""),
    ({"sections": ("§ 2",)}, "a"),
    ({"sections": ("§ 2",), "documents": ("b.txt",)}, ""),
    ({"sections": ("§ 1",)}, "abcu"),
    # Both ends of a span of days are in it.
    ({"since": SECOND}, "bc"),
    ({"until": SECOND}, "aab"),
    ({"since": SECOND, "until": SECOND}, "b"),
    ({"until": date.max}, "aabc"),
    ({"since": date.min}, "aabc"),
    ({"tags": ("LÄRM",)}, "aac"),
    ({"tags": ("Lärm", "Licht")}, "aabc"),
    ({"tags": ("Lär",)}, ""),
    ({"tags": ("10_%",)}, ""),
    ({"tags": ("Ada Lovelace",)}, ""),
    ({"categories": ("recht  der arbeit",)}, "bc"),
    ({"authors": ("lovelace",)}, "aa"),
    ({"authors": ("b. jo", "nobody")}, "aa"),
    ({"authors": ("%",)}, ""),
    ({"authors": ("Recht",)}, ""),
    ({"tags": ("lärm",), "categories": ("Recht der Arbeit",)}, "c"),
    ({"tags": ("lärm",), "since": SECOND}, "c"),
]
"""Filters, and the first letter of the document of each chunk that they allow."""


def test_what_a_filter_allows(
    catalog: Catalog, database: Database, documents: dict[str, str]
) -> None:
    scope = catalog.collections.scope(ANNA, None)
    every = [name for each in scope.collections for name in catalog.chunks.ids(each)]
    by_member = Filters(database, rare=0)
    by_id = {"documents": (documents["a.txt"], "c.txt")}
    for fields, expected in [*FILTERS, (by_id, "aac")]:
        only = SearchFilter.model_validate(fields)
        ids = catalog.filters.chunk_ids(only, scope=scope, most=MOST)
        assert ids is not None and ids == sorted(set(ids))
        assert by_member.chunk_ids(only, scope=scope, most=MOST) == ids
        assert by_member.chunk_ids(only, scope=scope) == ids
        assert catalog.filters.among(every, only, scope=scope) == set(ids)
        chunks = catalog.chunks.get(ids, scope=scope).values()
        assert "".join(sorted(chunk.document[0] for chunk in chunks)) == expected, fields
        assert {chunk.section for chunk in chunks} <= set(only.sections or ("§ 1", "§ 2"))


def test_the_filing_of_another_collection_does_not_count(
    catalog: Catalog, documents: dict[str, str]
) -> None:
    place = catalog.collections.ensure(BEN, "laws").collection_id
    mine, document = catalog.collections.scope(ANNA, ["laws"]), documents["b.txt"]
    store(catalog, place, law("Drei", title="b.txt"), name="b.txt")
    file(catalog, place, document, tags=["geheim"], date="2030-01-01")
    assert catalog.filters.chunk_ids(SearchFilter(tags=("geheim",)), scope=mine) == []
    assert catalog.filters.dates([document], scope=mine) == {document: "2026-01-02"}
    (info,) = (each for each in catalog.documents.list(mine) if each.document == "b.txt")
    assert (info.tags, info.date) == (("Licht",), SECOND)


def test_documents_by_name_id_or_beginning(catalog: Catalog, documents: dict[str, str]) -> None:
    scope, identifier = catalog.collections.scope(ANNA, ["laws"]), documents["a.txt"]
    for name in ("a.txt", identifier, identifier[:12]):
        assert catalog.filters.narrowed(scope, [name]).documents == (identifier,)
    for unknown in (identifier[: SHORT_ID - 1], "%" * SHORT_ID, "c.txt"):
        with pytest.raises(NotFound):
            catalog.filters.narrowed(scope, [unknown])


def test_nothing_outside_the_scope(catalog: Catalog, documents: dict[str, str]) -> None:
    narrow, document = catalog.collections.scope(ANNA, ["laws"]), documents["c.txt"]
    only = SearchFilter(documents=("c.txt", document))
    ids = catalog.filters.chunk_ids(only, scope=catalog.collections.scope(ANNA, None)) or []
    for scope in (narrow, Scope(user="anna", collections=())):
        assert catalog.filters.chunk_ids(only, scope=scope, most=MOST) == []
        assert catalog.filters.dates([document], scope=scope) == {}
        assert ids and catalog.filters.among(ids, only, scope=scope) == set()


@pytest.mark.parametrize("rare", [0, MOST])
def test_too_many_are_not_listed(
    catalog: Catalog, database: Database, documents: dict[str, str], rare: int
) -> None:
    """With few chunks asked for, members are read a few at a time."""
    scope, filters = catalog.collections.scope(ANNA, None), Filters(database, rare=rare)
    everywhere, once = SearchFilter(sections=("§ 1",)), SearchFilter(sections=("§ 2",))
    for most, number in ((4, 4), (3, None), (0, None)):
        ids = filters.chunk_ids(everywhere, scope=scope, most=most)
        assert (ids if ids is None else len(ids)) == number
    found = filters.chunk_ids(once, scope=scope, most=1) or []
    assert len(found) == 1
    unknown = [f"{number:032x}" for number in range(40_000)]  # more than a statement's parameters
    assert filters.among([*unknown, *found], once, scope=scope) == set(found)


def test_a_list_is_of_the_catalog_as_it_is(catalog: Catalog, documents: dict[str, str]) -> None:
    scope, only = catalog.collections.scope(ANNA, ["laws"]), SearchFilter(tags=("neu",))
    assert catalog.filters.chunk_ids(only, scope=scope, most=MOST) == []
    file(catalog, scope.collections[0], documents["b.txt"], tags=["neu"])
    tagged = catalog.filters.chunk_ids(only, scope=scope, most=MOST)
    assert tagged and tagged == catalog.filters.chunk_ids(only, scope=scope)
    tagged.clear()
    assert catalog.filters.chunk_ids(only, scope=scope, most=MOST) != []


def test_the_latest_day_of_a_document_counts(catalog: Catalog, documents: dict[str, str]) -> None:
    names = list(documents.values())
    dates = catalog.filters.dates(names, scope=catalog.collections.scope(ANNA, None))
    assert dates == {documents[name]: filed["date"] for name, filed in FILED.items()}
    place = catalog.collections.ensure(ANNA, "newer").collection_id
    store(catalog, place, law("Drei", title="b.txt"), name="b.txt")
    file(catalog, place, documents["b.txt"], date="2026-03-01")
    dates = catalog.filters.dates(names, scope=catalog.collections.scope(ANNA, None))
    assert dates[documents["b.txt"]] == "2026-03-01"
