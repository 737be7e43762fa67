from collections.abc import Callable
from datetime import date

import pytest
from sqlalchemy import update

from services.catalog import Catalog
from services.catalog.database import Database
from services.catalog.models import MembershipRow
from services.types import Principal, Scope, SearchFilter
from tests.support.documents import law, store

MOST = 1000


@pytest.fixture
def documents(catalog: Catalog, url: str, anna: Principal) -> dict[str, str]:
    """Three documents of three days, the ids by name; the last in another collection."""
    place = catalog.collections.ensure(anna, "laws").collection_id
    other = catalog.collections.ensure(anna, "others").collection_id
    found = {
        "a.txt": store(catalog, place, law("Eins", "Zwei", title="A"), name="a.txt"),
        "b.txt": store(catalog, place, law("Drei", title="B"), name="b.txt"),
        "c.txt": store(catalog, other, law("Vier", title="C"), name="c.txt"),
    }
    database = Database(url)
    with database.write() as session:
        for day, name in enumerate(found, start=1):
            session.execute(
                update(MembershipRow)
                .where(MembershipRow.document == name)
                .values(ingested_at=f"2026-01-0{day}T12:00:00.000000+00:00")
            )
    database.close()
    return found


@pytest.fixture
def listed(
    catalog: Catalog, documents: dict[str, str], anna: Principal
) -> Callable[..., set[tuple[str, str]]]:
    """The chunks that a filter allows, as file name and section; both ways must agree."""
    scope = catalog.collections.scope(anna, None)
    every = [name for each in scope.collections for name in catalog.chunks.ids(each)]

    def listed(**fields: object) -> set[tuple[str, str]]:
        only = SearchFilter.model_validate(fields)
        ids = catalog.filters.chunk_ids(only, scope=scope, most=MOST)
        assert ids is not None and ids == sorted(set(ids))
        assert catalog.filters.among(every, only, scope=scope) == set(ids)
        chunks = catalog.chunks.get(ids, scope=scope).values()
        return {(chunk.document, chunk.section) for chunk in chunks}

    return listed


def test_by_document_name_or_id(
    listed: Callable[..., set[tuple[str, str]]], documents: dict[str, str]
) -> None:
    assert listed(documents=("b.txt",)) == {("b.txt", "§ 1")}
    assert {name for name, _ in listed(documents=(documents["a.txt"], "c.txt"))} == {
        "a.txt",
        "c.txt",
    }
    assert listed(documents=("b.tx%",)) == set()


def test_by_section(listed: Callable[..., set[tuple[str, str]]]) -> None:
    assert listed(sections=("§ 2",)) == {("a.txt", "§ 2")}
    assert listed(sections=("§ 2",), documents=("b.txt",)) == set()
    assert len(listed(sections=("§ 1",))) == 3


def test_by_day_both_ends_included(listed: Callable[..., set[tuple[str, str]]]) -> None:
    def names(**bounds: date) -> set[str]:
        return {name for name, _ in listed(**bounds)}

    assert names(since=date(2026, 1, 2)) == {"b.txt", "c.txt"}
    assert names(until=date(2026, 1, 2)) == {"a.txt", "b.txt"}
    assert names(since=date(2026, 1, 2), until=date(2026, 1, 2)) == {"b.txt"}
    assert names(until=date.max) == {"a.txt", "b.txt", "c.txt"}


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


def test_the_latest_day_of_a_document_counts(
    catalog: Catalog, documents: dict[str, str], anna: Principal
) -> None:
    scope = catalog.collections.scope(anna, None)
    dates = catalog.filters.dates(list(documents.values()), scope=scope)
    assert dates[documents["b.txt"]].startswith("2026-01-02")
    place = catalog.collections.ensure(anna, "newer").collection_id
    store(catalog, place, law("Drei", title="B"), name="b.txt")
    scope = catalog.collections.scope(anna, None)
    assert catalog.filters.dates([documents["b.txt"]], scope=scope)[documents["b.txt"]] > "2026-02"


def test_content_versions_come_in_the_order_of_the_scope(
    catalog: Catalog, documents: dict[str, str], anna: Principal
) -> None:
    scope, versions = catalog.collections.state(anna, ["others", "laws"])
    assert scope == catalog.collections.scope(anna, ["others", "laws"])
    assert versions == (1, 2)
    catalog.collections.bump(scope.collections[0])
    assert catalog.collections.state(anna, None)[1] == (2, 2)
