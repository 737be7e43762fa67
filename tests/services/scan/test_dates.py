"""Dates of a question narrow a search only where documents have dates, and say what is left out."""

from datetime import date

import pytest

from services.catalog import Catalog
from services.query.values import DateRange
from services.scan.dates import dated_filter
from services.types import MetadataChanges, Scope, SearchFilter
from tests.services.scan.conftest import ANNA
from tests.support.documents import law, store

SINCE_2022 = DateRange(since=date(2022, 1, 1))


def scope(catalog: Catalog, *days: str | None) -> Scope:
    """A collection of one document for each day."""
    place = catalog.collections.ensure(ANNA, "laws").collection_id
    for n, day in enumerate(days):
        document = store(
            catalog, place, law("Text", title=f"T{n}"), name=f"{n}.txt", data=bytes([n])
        )
        if day is not None:
            catalog.metadata.edit(place, document, MetadataChanges(date=day))
    return catalog.collections.scope(ANNA, ["laws"])


def test_dated_documents_are_narrowed_and_undated_ones_told(catalog: Catalog) -> None:
    these = scope(catalog, "2021-05-01", "2023-05-01", "2022-01-01", None)
    found = dated_filter(SINCE_2022, scope=these, catalog=catalog)
    assert found.applied and found.only == SearchFilter(since=date(2022, 1, 1))
    assert (found.within, found.outside, found.undated) == (2, 1, 1)


def test_mostly_undated_documents_are_all_searched(catalog: Catalog) -> None:
    these = scope(catalog, "2021-05-01", None, None)
    found = dated_filter(SINCE_2022, scope=these, catalog=catalog)
    assert (found.applied, found.reason) == (False, "mostly undated")
    assert found.only.neutral
    assert (found.within, found.outside, found.undated) == (0, 1, 2)


def test_half_undated_is_narrowed(catalog: Catalog) -> None:
    assert dated_filter(
        SINCE_2022, scope=scope(catalog, "2021-05-01", None), catalog=catalog
    ).applied


@pytest.mark.parametrize("dates", [None, DateRange()])
def test_without_dates_the_filter_stays(catalog: Catalog, dates: DateRange | None) -> None:
    only = SearchFilter(tags=("x",))
    found = dated_filter(dates, scope=scope(catalog, "2021-05-01"), catalog=catalog, only=only)
    assert (found.only, found.reason) == (only, "no dates asked")


def test_a_filter_of_the_person_only_becomes_narrower(catalog: Catalog) -> None:
    these = scope(catalog, "2021-05-01", "2023-05-01")
    only = SearchFilter(since=date(2023, 1, 1), until=date(2024, 1, 1))
    asked = DateRange(since=date(2020, 1, 1), until=date(2023, 12, 31))
    found = dated_filter(asked, scope=these, catalog=catalog, only=only)
    assert (found.only.since, found.only.until) == (date(2023, 1, 1), date(2023, 12, 31))
    nothing = dated_filter(asked, scope=these, catalog=catalog, only=SearchFilter(tags=("none",)))
    assert nothing.reason == "no documents"
