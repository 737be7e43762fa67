"""A person's search: parameters of the profile, what may be read, the cache, the retriever."""

import asyncio
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from typing import TYPE_CHECKING

from services.dependencies import SHORT_ID, SearchDependencies
from services.domain import (
    Hit,
    Principal,
    Reranking,
    Scope,
    SearchFilter,
    SearchRequest,
    SearchResult,
)
from services.domain.errors import InvalidInput, NotFound
from services.library.configuration import Configuration, EffectiveConfiguration
from services.models.base import estimate_tokens
from services.retrieval.cache import SearchKey
from services.retrieval.context import assemble_context, with_neighbours
from services.retrieval.rerank import CANDIDATES_PER_HIT, reranked

if TYPE_CHECKING:
    from services.catalog import Catalog

QUERY_LENGTH = 4000
MOST_HITS = 100


async def find(
    parts: SearchDependencies, principal: Principal, request: SearchRequest
) -> SearchResult:
    """What a search finds, best first; the same search again is answered from memory.

    A result whose reranking failed has a warning and is not kept.

    Raises:
        InvalidInput: the query is empty or too long, ``k`` out of range, or the profile is
            switched off.
        NotFound: a collection or a document of the filter is unknown or may not be read, or there
            is no such profile.
        EmbeddingMismatch: another embedding model indexed one of the collections.
        NoModel: the cross-encoder that is to rerank cannot be loaded.
    """
    key = await asyncio.to_thread(_key, parts, principal, request)
    result = await _found(parts, key, request)
    if not request.context:
        return result
    context = await asyncio.to_thread(_context, parts, principal, request, key.scope, result.hits)
    return result.model_copy(update={"context": context})


async def _found(parts: SearchDependencies, key: SearchKey, request: SearchRequest) -> SearchResult:
    may_be_kept = request.cached and request.only.neutral
    kept = parts.searches.get(key.normal()) if may_be_kept else None
    if kept is not None:
        return SearchResult(hits=kept, from_cache=True, cache=parts.searches.statistics())
    hits = await asyncio.to_thread(_candidates, parts, key, request)
    chosen = await asyncio.to_thread(_to_rerank, parts, key, hits)
    ordered, warnings = await reranked(request.query, hits, chosen, parts.rerankers)
    found = tuple(ordered[: key.k])
    if may_be_kept and not warnings:
        parts.searches.put(key.normal(), found)
    return SearchResult(
        hits=found, from_cache=False, cache=parts.searches.statistics(), warnings=warnings
    )


def find_plainly(
    parts: SearchDependencies, principal: Principal, request: SearchRequest
) -> list[Hit]:
    """The hits of ``find`` without cache and reranking; raises as it does."""
    key = _key(parts, principal, request)
    return list(_candidates(parts, key, request)[: key.k])


def _key(parts: SearchDependencies, principal: Principal, request: SearchRequest) -> SearchKey:
    """The search with everything that its result depends on, checked."""
    version = parts.catalog.version()
    return parts.searches.resolved(
        (principal, request), version, lambda: _checked(parts, principal, request)
    )


def _checked(parts: SearchDependencies, principal: Principal, request: SearchRequest) -> SearchKey:
    if not request.query.strip() or len(request.query) > QUERY_LENGTH:
        raise InvalidInput(f"A query needs 1 to {QUERY_LENGTH} characters.")
    effective = _effective(parts, principal, request)
    k = effective.hits(request.k, parts.settings.k)
    if not 1 <= k <= MOST_HITS:
        raise InvalidInput(f"The number of hits must be 1 to {MOST_HITS}, not {k}.")
    # The versions are read before the search: what changes meanwhile makes another key.
    names = effective.collections(request.collections)
    scope, versions = parts.catalog.collections.state(principal, names)
    return SearchKey(
        query=request.query,
        k=k,
        mode=request.mode,
        options=effective.search_options(),
        scope=scope,
        versions=versions,
        reranking=_rerankings(parts, principal, effective, scope),
    )


def _effective(
    parts: SearchDependencies, principal: Principal, request: SearchRequest
) -> EffectiveConfiguration:
    configuration = Configuration(parts.catalog.parameters, parts.settings.admins)
    return configuration.for_request(principal, request.profile)


def _context(
    parts: SearchDependencies,
    principal: Principal,
    request: SearchRequest,
    scope: Scope,
    hits: Sequence[Hit],
) -> str:
    """The hits with their neighbours as a language model would read them, within maxTokens."""
    most = _effective(parts, principal, request).values().max_tokens
    widened = with_neighbours(
        hits, lambda chunk_id: parts.catalog.chunks.neighbours(chunk_id, scope=scope)
    )
    return assemble_context(widened, most, estimate_tokens)


def _rerankings(
    parts: SearchDependencies, principal: Principal, effective: EffectiveConfiguration, scope: Scope
) -> tuple[Reranking, ...]:
    """How each collection of the scope is reranked; empty where none is.

    What the profile says of a collection counts before its general value, unless that is locked.
    """
    values = effective.values()
    own: dict[str, Reranking] = {}
    for each in () if effective["reranking"].locked else values.collections:
        if each.reranking is not None:
            # What the principal can no longer read is not in the scope either.
            with suppress(NotFound):
                meant = parts.catalog.collections.scope(principal, [each.collection])
                own |= dict.fromkeys(meant.collections, each.reranking)
    chosen = tuple(own.get(name, values.reranking) for name in scope.collections)
    return chosen if any(each != "none" for each in chosen) else ()


def _candidates(parts: SearchDependencies, key: SearchKey, request: SearchRequest) -> Sequence[Hit]:
    return parts.retriever.search(
        request.query,
        scope=key.scope,
        k=key.k * (CANDIDATES_PER_HIT if key.reranking else 1),
        mode=key.mode,
        options=key.options,
        only=resolved(request.only, key.scope, parts.catalog),
    )


def _to_rerank(
    parts: SearchDependencies, key: SearchKey, hits: Sequence[Hit]
) -> Mapping[Reranking, Set[str]]:
    """The chunk ids that each reranker is to order; one that two could order goes to the first."""
    ids = [hit.chunk_id for hit in hits]
    kinds = list(dict.fromkeys(kind for kind in key.reranking if kind != "none"))
    if len(set(key.reranking)) == 1:
        return dict.fromkeys(kinds, frozenset(ids))
    chosen: dict[Reranking, Set[str]] = {}
    for kind in kinds:
        pairs = zip(key.scope.collections, key.reranking, strict=True)
        own = tuple(name for name, wanted in pairs if wanted == kind)
        scope = Scope(user=key.scope.user, collections=own)
        held = parts.catalog.chunks.get(ids, scope=scope).keys()
        chosen[kind] = held - {each for other in chosen.values() for each in other}
    return chosen


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
