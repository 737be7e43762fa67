from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest

from services.catalog import Catalog
from services.catalog.database import Database
from services.catalog.metadata import Filters
from services.domain import MetadataChanges, Principal, Scope, SearchFilter
from tests.support.documents import law, store

MOST = 1000


@pytest.fixture
def documents(catalog: Catalog, anna: Principal) -> dict[str, str]:
    """Documents of three days and one without, the ids by name; ``c.txt`` in another collection."""
    place = catalog.collections.ensure(anna, "laws").collection_id
    other = catalog.collections.ensure(anna, "others").collection_id
    found = {
        "a.txt": store(catalog, place, law("Eins", "Zwei", title="A"), name="a.txt"),
        "b.txt": store(catalog, place, law("Drei", title="B"), name="b.txt"),
        "c.txt": store(catalog, other, law("Vier", title="C"), name="c.txt"),
        "undated.txt": store(catalog, place, law("Fünf", title="D"), name="undated.txt"),
    }
    for name, (collection, fields) in {
        "a.txt": (
            place,
            {"date": "2026-01-01", "tags": ["Lärm", "100%"], "author": "Ada Lovelace, B. Jo"},
        ),
        "b.txt": (
            place,
            {"date": "2026-01-02", "tags": ["Licht"], "category": "Recht der Arbeit"},
        ),
        "c.txt": (
            other,
            {"date": "2026-01-03", "tags": ["lärm"], "category": "RECHT DER ARBEIT"},
        ),
    }.items():
        file(catalog, collection, found[name], **fields)
    return found


def file(catalog: Catalog, collection_id: str, document_id: str, **fields: Any) -> None:
    changes = MetadataChanges.model_validate(fields)
    catalog.metadata.edit(collection_id, document_id, changes)


@pytest.fixture
def database(catalog: Catalog, url: str) -> Iterator[Database]:
    """The database of the catalog, for parts with settings of their own."""
    opened = Database(url)
    yield opened
    opened.close()


@pytest.fixture
def listed(
    catalog: Catalog, database: Database, documents: dict[str, str], anna: Principal
) -> Callable[..., set[tuple[str, str]]]:
    """The chunks that a filter allows, as file name and section; all ways must agree."""
    scope = catalog.collections.scope(anna, None)
    by_member = Filters(database, rare=0)
    every = [name for each in scope.collections for name in catalog.chunks.ids(each)]

    def listed(**fields: object) -> set[tuple[str, str]]:
        only = SearchFilter.model_validate(fields)
        ids = catalog.filters.chunk_ids(only, scope=scope, most=MOST)
        assert ids is not None and ids == sorted(set(ids))
        assert by_member.chunk_ids(only, scope=scope, most=MOST) == ids
        assert by_member.chunk_ids(only, scope=scope) == ids
        assert catalog.filters.among(every, only, scope=scope) == set(ids)
        chunks = catalog.chunks.get(ids, scope=scope).values()
        return {(chunk.document, chunk.section) for chunk in chunks}

    return listed


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
    listed: Callable[..., set[tuple[str, str]]], documents: dict[str, str]
) -> None:
    by_id = {"documents": (documents["a.txt"], "c.txt")}
    for fields, expected in [*FILTERS, (by_id, "aac")]:
        found = listed(**fields)
        assert "".join(sorted(name[0] for name, _ in found)) == expected, fields
    assert listed(sections=("§ 2",)) == {("a.txt", "§ 2")}


def test_the_filing_of_another_collection_does_not_count(
    catalog: Catalog, documents: dict[str, str], anna: Principal, ben: Principal
) -> None:
    place = catalog.collections.ensure(ben, "laws").collection_id
    mine = catalog.collections.scope(anna, ["laws"])
    store(catalog, place, law("Drei", title="B"), name="b.txt")
    file(catalog, place, documents["b.txt"], tags=["geheim"], date="2030-01-01")
    assert catalog.filters.chunk_ids(SearchFilter(tags=("geheim",)), scope=mine) == []
    assert catalog.filters.dates([documents["b.txt"]], scope=mine) == {
        documents["b.txt"]: "2026-01-02"
    }
    (info,) = (each for each in catalog.documents.list(mine) if each.document == "b.txt")
    assert (info.tags, info.date) == (("Licht",), date(2026, 1, 2))


def test_documents_by_name_id_or_beginning(
    catalog: Catalog, documents: dict[str, str], anna: Principal
) -> None:
    scope, named = catalog.collections.scope(anna, ["laws"]), catalog.filters.named
    identifier = documents["a.txt"]
    assert named("a.txt", scope=scope) == named(identifier, scope=scope) == [identifier]
    assert named(identifier[:12], scope=scope) == []
    assert named(identifier[:12], scope=scope, beginning=True) == [identifier]
    assert named("%" * 8, scope=scope, beginning=True) == named("c.txt", scope=scope) == []


def test_nothing_outside_the_scope(
    catalog: Catalog, documents: dict[str, str], anna: Principal
) -> None:
    narrow = catalog.collections.scope(anna, ["laws"])
    only = SearchFilter(documents=("c.txt", documents["c.txt"]))
    for scope in (narrow, Scope(user="anna", collections=())):
        assert catalog.filters.chunk_ids(only, scope=scope, most=MOST) == []
        assert catalog.filters.dates([documents["c.txt"]], scope=scope) == {}
    everywhere = catalog.collections.scope(anna, None)
    ids = catalog.filters.chunk_ids(only, scope=everywhere, most=MOST) or []
    assert ids and catalog.filters.among(ids, only, scope=narrow) == set()


def test_too_many_are_not_listed(catalog: Catalog, anna: Principal) -> None:
    place = catalog.collections.ensure(anna, "long").collection_id
    store(catalog, place, law("Wort " * 100))
    scope, only = catalog.collections.scope(anna, None), SearchFilter(sections=("§ 1",))
    number = len(catalog.chunks.ids(place))
    assert len(catalog.filters.chunk_ids(only, scope=scope, most=number) or []) == number
    assert catalog.filters.chunk_ids(only, scope=scope, most=number - 1) is None


@pytest.mark.parametrize("rare", [0, MOST])
def test_of_many_documents_too(
    catalog: Catalog, database: Database, documents: dict[str, str], anna: Principal, rare: int
) -> None:
    """With few chunks asked for, members are read a few at a time."""
    scope, filters = catalog.collections.scope(anna, None), Filters(database, rare=rare)
    everywhere, once = SearchFilter(sections=("§ 1",)), SearchFilter(sections=("§ 2",))
    assert len(filters.chunk_ids(everywhere, scope=scope, most=4) or []) == 4
    assert filters.chunk_ids(everywhere, scope=scope, most=3) is None
    assert filters.chunk_ids(everywhere, scope=scope, most=0) is None
    assert len(filters.chunk_ids(once, scope=scope, most=1) or []) == 1


def test_a_list_is_of_the_catalog_as_it_is(
    catalog: Catalog, documents: dict[str, str], anna: Principal
) -> None:
    scope, only = catalog.collections.scope(anna, ["laws"]), SearchFilter(tags=("neu",))
    assert catalog.filters.chunk_ids(only, scope=scope, most=MOST) == []
    file(catalog, scope.collections[0], documents["b.txt"], tags=["neu"])
    tagged = catalog.filters.chunk_ids(only, scope=scope, most=MOST)
    assert tagged and tagged == catalog.filters.chunk_ids(only, scope=scope)
    tagged.clear()
    assert catalog.filters.chunk_ids(only, scope=scope, most=MOST) != []


def test_more_chunks_than_a_statement_has_parameters(
    catalog: Catalog, documents: dict[str, str], anna: Principal
) -> None:
    scope, only = catalog.collections.scope(anna, None), SearchFilter(sections=("§ 2",))
    known = catalog.filters.chunk_ids(only, scope=scope) or []
    unknown = [f"{number:032x}" for number in range(40_000)]
    assert catalog.filters.among([*unknown, *known], only, scope=scope) == set(known)


def test_the_latest_day_of_a_document_counts(
    catalog: Catalog, documents: dict[str, str], anna: Principal
) -> None:
    scope = catalog.collections.scope(anna, None)
    dates = catalog.filters.dates(list(documents.values()), scope=scope)
    assert dates[documents["b.txt"]] == "2026-01-02" and documents["undated.txt"] not in dates
    place = catalog.collections.ensure(anna, "newer").collection_id
    store(catalog, place, law("Drei", title="B"), name="b.txt")
    file(catalog, place, documents["b.txt"], date="2026-03-01")
    scope = catalog.collections.scope(anna, None)
    dates = catalog.filters.dates([documents["b.txt"]], scope=scope)
    assert dates[documents["b.txt"]] == "2026-03-01"


def test_content_versions_come_in_the_order_of_the_scope(
    catalog: Catalog, documents: dict[str, str], anna: Principal
) -> None:
    scope, versions = catalog.collections.state(anna, ["others", "laws"])
    assert scope == catalog.collections.scope(anna, ["others", "laws"])
    assert versions == (2, 5)
    catalog.collections.bump(scope.collections[0])
    assert catalog.collections.state(anna, None)[1] == (5, 3)
