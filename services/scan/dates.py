"""Dates of a question as a filter of documents, without losing those that have none in silence."""

from typing import Literal

from services.catalog import Catalog
from services.query.values import DateRange
from services.types import Scope, SearchFilter
from services.value import Value

MOST_UNDATED = 0.5
"""Share of the documents that may be without a date where dates are to narrow a search."""

Unfiltered = Literal["no dates asked", "no documents", "mostly undated"]


class DatedFilter(Value):
    """A filter, and what it leaves out.

    ``reason`` says why the dates were not applied, None where they were. Of the documents that
    the filter would allow but for dates, ``within`` lie in the range, ``outside`` have a date
    beyond it, and ``undated`` have none; the answer should tell of these: applied, they are left
    out, else everything is searched.
    """

    only: SearchFilter
    reason: Unfiltered | None
    within: int = 0
    outside: int = 0
    undated: int = 0

    @property
    def applied(self) -> bool:
        return self.reason is None


def dated_filter(
    dates: DateRange | None,
    *,
    scope: Scope,
    catalog: Catalog,
    only: SearchFilter | None = None,
) -> DatedFilter:
    """The filter with the dates of a question, if documents have dates to compare with.

    The dates narrow the search when at most half of the documents are undated. Otherwise the
    question more likely means dates that its documents speak of, and the filter stays as it was.
    Dates that the filter has already only become narrower.
    """
    wanted = only or SearchFilter()
    if dates is None or (dates.since is None and dates.until is None):
        return DatedFilter(only=wanted, reason="no dates asked")
    undated_filter = wanted.model_copy(update={"since": None, "until": None})
    found = {each.document_id for each in catalog.corpus.documents(scope, undated_filter)}
    if not found:
        return DatedFilter(only=wanted, reason="no documents")
    narrowed = wanted.model_copy(
        update={
            "since": max(filter(None, (wanted.since, dates.since)), default=None),
            "until": min(filter(None, (wanted.until, dates.until)), default=None),
        }
    )
    within = len(catalog.corpus.documents(scope, narrowed))
    undated = len(found) - len(catalog.filters.dates(sorted(found), scope=scope))
    applied = undated <= MOST_UNDATED * len(found)
    return DatedFilter(
        only=narrowed if applied else wanted,
        reason=None if applied else "mostly undated",
        within=within,
        outside=len(found) - undated - within,
        undated=undated,
    )
