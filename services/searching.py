"""A person's search: parameters of the profile, what may be read, the cache, the retriever."""

from typing import TYPE_CHECKING, Protocol

from services.configuration import Configuration
from services.errors import InvalidInput, NotFound
from services.holdings import SHORT_ID
from services.retrieval.cache import SearchKey
from services.types import Hit, Principal, Scope, SearchFilter, SearchRequest, SearchResult

if TYPE_CHECKING:
    from services.catalog import Catalog
    from services.retrieval.cache import SearchCache
    from services.retrieval.retriever import Retriever
    from services.settings import Settings

QUERY_LENGTH = 4000
MOST_HITS = 100


class SearchParts(Protocol):
    """What a search needs; the retriever opens when it is first asked for."""

    @property
    def settings(self) -> "Settings": ...
    @property
    def catalog(self) -> "Catalog": ...
    @property
    def retriever(self) -> "Retriever": ...
    @property
    def searches(self) -> "SearchCache": ...


def find(parts: SearchParts, principal: Principal, request: SearchRequest) -> SearchResult:
    """What a search finds, best first; the same search again is answered from memory.

    Raises:
        InvalidInput: the query is empty or too long, or ``k`` out of range.
        NotFound: a collection or a document of the filter is unknown or may not be read, or there
            is no such profile.
        EmbeddingMismatch: another embedding model indexed one of the collections.
    """
    if not request.query.strip() or len(request.query) > QUERY_LENGTH:
        raise InvalidInput(f"A query needs 1 to {QUERY_LENGTH} characters.")
    configuration = Configuration(parts.catalog.parameters, parts.settings.admins)
    effective = configuration.effective(principal, request.profile)
    k = effective.hits(request.k, parts.settings.k)
    if not 1 <= k <= MOST_HITS:
        raise InvalidInput(f"The number of hits must be 1 to {MOST_HITS}, not {k}.")
    # The versions are read before the search: what changes meanwhile makes another key.
    scope, versions = parts.catalog.collections.state(principal, request.collections)
    key = SearchKey(
        query=request.query,
        k=k,
        mode=request.mode,
        options=effective.search_options(),
        scope=scope,
        versions=versions,
    )
    may_be_kept = request.cached and request.only.neutral
    kept = parts.searches.get(key.normal()) if may_be_kept else None
    hits = _search(parts, key, request) if kept is None else kept
    if kept is None and may_be_kept:
        parts.searches.put(key.normal(), hits)
    return SearchResult(hits=hits, from_cache=kept is not None, cache=parts.searches.statistics())


def _search(parts: SearchParts, key: SearchKey, request: SearchRequest) -> tuple[Hit, ...]:
    hits = parts.retriever.search(
        request.query,
        scope=key.scope,
        k=key.k,
        mode=key.mode,
        options=key.options,
        only=resolved(request.only, key.scope, parts.catalog),
    )
    return tuple(hits)


def resolved(only: SearchFilter, scope: Scope, catalog: "Catalog") -> SearchFilter:
    """The filter with documents by id, which may be named by the beginning of their ids too."""
    found: list[str] = []
    for name in only.documents:
        ids = catalog.filters.named(name, scope=scope, beginning=len(name) >= SHORT_ID)
        if not ids:
            raise NotFound(
                f"There is no document {name!r} in what is searched. "
                "`rabbithole documents list` shows the names."
            )
        found += ids
    return only.model_copy(update={"documents": tuple(found)})
