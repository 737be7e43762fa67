"""Dates of a question as a filter of documents, without losing those that have none in silence."""

from services.catalog import Catalog
from services.query.values import DateRange
from services.types import Scope, SearchFilter
from services.value import Value

MOST_UNDATED = 0.5
"""Share of the documents that may be without a date where dates are to narrow a search."""


class DatedFilter(Value):
    """A filter, and how many of the documents have no date.

    An answer should tell of these: with the dates ``applied`` they are left out, else everything is
    searched.
    """

    only: SearchFilter = SearchFilter()
    applied: bool = False
    undated: int = 0


def dated_filter(dates: DateRange | None, *, scope: Scope, catalog: Catalog) -> DatedFilter:
    """The dates of a question as a filter, if documents have dates to compare with.

    They narrow the search when at most half of the documents are undated. Otherwise the question
    more likely means dates that its documents speak of, and everything is searched.
    """
    if dates is None or (dates.since is None and dates.until is None):
        return DatedFilter()
    found = {each.document_id for each in catalog.corpus.documents(scope, SearchFilter())}
    undated = len(found) - len(catalog.filters.dates(sorted(found), scope=scope))
    if undated > MOST_UNDATED * len(found):
        return DatedFilter(undated=undated)
    only = SearchFilter(since=dates.since, until=dates.until)
    return DatedFilter(only=only, applied=bool(found), undated=undated)
