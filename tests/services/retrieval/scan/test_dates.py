"""Dates of a question narrow a search only where documents have dates, and say what is left out."""

from datetime import date

import pytest

from services.catalog import Catalog
from services.domain import MetadataChanges, Scope, SearchFilter
from services.language.query.values import DateRange
from services.retrieval.scan.asked import dated_filter
from tests.services.retrieval.scan.conftest import ANNA
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
    assert found.undated == 1


def test_mostly_undated_documents_are_all_searched(catalog: Catalog) -> None:
    these = scope(catalog, "2021-05-01", None, None)
    found = dated_filter(SINCE_2022, scope=these, catalog=catalog)
    assert (found.applied, found.undated) == (False, 2) and found.only.neutral


def test_half_undated_is_narrowed(catalog: Catalog) -> None:
    assert dated_filter(
        SINCE_2022, scope=scope(catalog, "2021-05-01", None), catalog=catalog
    ).applied


@pytest.mark.parametrize("dates", [None, DateRange()])
def test_without_dates_the_filter_stays(catalog: Catalog, dates: DateRange | None) -> None:
    found = dated_filter(dates, scope=scope(catalog, "2021-05-01"), catalog=catalog)
    assert found.only.neutral and not found.applied
