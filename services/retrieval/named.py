"""The documents, sections and dates that a question names, found as references in documents are."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from services.catalog import Alias, Catalog
from services.domain import DetectedReference, Scope, SearchFilter
from services.domain.value import Value
from services.language.query.values import DateRange, Understanding
from services.references import detect_references
from services.references.registry import Registry

_SOURCE = re.compile(
    r"(?<!\w)(?i:laut|gemäß|according to|under|as per)\s+(?:(?:der|dem|des|the)\s+)?(?=[A-ZÄÖÜ])"
)
MOST_UNDATED = 0.5
"""Share of the documents that may be without a date where dates are to narrow a search."""


@dataclass(frozen=True)
class NamedDocuments:
    """Ids of the documents that a question names, and names that match none or several.

    ``by_title``: only titles of several words name them, which may be ordinary phrases.
    """

    documents: tuple[str, ...]
    missing: tuple[str, ...]
    by_title: bool = False


class DatedFilter(Value):
    """A filter by the dates of a question, and how many documents have no date.

    Where the dates are ``applied``, the ``undated`` documents are left out. Besides a filter that
    is not ``sure`` everything is searched, too.
    """

    only: SearchFilter = SearchFilter()
    sure: bool = True
    applied: bool = False
    undated: int = 0


def named_documents(question: str, *, scope: Scope, catalog: Catalog) -> NamedDocuments:
    aliases = catalog.references.aliases(scope)
    registry = Registry(aliases)
    documents = dict.fromkeys(ids_of_named(question, aliases))
    source = _SOURCE.search(question)
    if not documents and source:
        documents |= dict.fromkeys(registry.begun_with(question[source.end() :]))
    by_title = not source and not any(ids_of_named(question, aliases, titles=False))
    missing: dict[str, None] = {}
    for reference in detect_references(question):
        if reference.document is None or reference.type == "external":
            continue
        document_id = registry.resolve(reference, from_document_id="").document_id
        if document_id is None:
            missing[reference.document] = None
        else:
            documents[document_id] = None
            by_title = False
    return NamedDocuments(tuple(documents), tuple(missing), by_title and bool(documents))


def named_sections(query: str, scope: Scope, catalog: Catalog) -> list[tuple[str, str]]:
    """Return (document id, label) of each section that a query names."""
    named = resolve_sections(query, scope, catalog)
    return list(dict.fromkeys(pair for section in named for pair in section.pairs))


class NamedSection(NamedTuple):
    """A section that a query names, the document named with it, and all that have it."""

    reference: DetectedReference
    document: str | None
    pairs: list[tuple[str, str]]


def resolve_sections(query: str, scope: Scope, catalog: Catalog) -> Iterator[NamedSection]:
    references = [reference for reference in detect_references(query) if reference.label]
    with_document = any(reference.document is not None for reference in references)
    registry = Registry(catalog.references.aliases(scope) if with_document else ())
    for reference in references:
        label, document = reference.label or "", None
        documents = catalog.documents.with_section(label, scope)
        if reference.document is not None:
            document = registry.resolve(reference, from_document_id="").document_id
            documents = [document_id for document_id in documents if document_id == document]
        yield NamedSection(reference, document, [(name, label) for name in documents])


def ids_of_named(text: str, aliases: Iterable[Alias], *, titles: bool = True) -> Iterable[str]:
    """Yield the ids of the documents whose names occur verbatim in a text.

    A single ordinary word is a name only with its file's ending. Several words are one, unless
    ``titles`` is False and they are a title or a file name.
    """
    lowered = text.lower()
    for alias in aliases:
        if _occurs(alias.document.lower(), lowered):
            yield alias.document_id
        elif len(alias.alias.split()) > 1:
            is_name = titles or alias.kind in ("abbreviation", "series")
            if is_name and _occurs(alias.alias.lower(), lowered):
                yield alias.document_id
        elif sum(letter.isupper() for letter in alias.alias) > 1 and _occurs(alias.alias, text):
            yield alias.document_id


def _occurs(name: str, text: str) -> bool:
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def question_filter(understanding: Understanding, *, scope: Scope, catalog: Catalog) -> DatedFilter:
    """Return a filter for the documents that a question names, else for its dates."""
    if not understanding.asks_documents:
        named = named_documents(understanding.question, scope=scope, catalog=catalog)
        if named.documents:
            only = SearchFilter(documents=named.documents)
            return DatedFilter(only=only, sure=not named.by_title)
    return dated_filter(understanding.dates, scope=scope, catalog=catalog)


def dated_filter(dates: DateRange | None, *, scope: Scope, catalog: Catalog) -> DatedFilter:
    """Return the dates of a question as a filter, if at most half of the documents are undated."""
    if dates is None or (dates.since is None and dates.until is None):
        return DatedFilter()
    ids = {row.document_id for row in catalog.corpus.documents(scope, SearchFilter())}
    undated = len(ids) - len(catalog.filters.dates(sorted(ids), scope=scope))
    if undated > MOST_UNDATED * len(ids):
        return DatedFilter(undated=undated)
    only = SearchFilter(since=dates.since, until=dates.until)
    return DatedFilter(only=only, applied=bool(ids), undated=undated)
