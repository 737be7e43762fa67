"""A principal's search: parameters of the profile, access, cache, retriever and reranking."""

import asyncio
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace

from services.components import Components
from services.domain import (
    Hit,
    Principal,
    Reranking,
    Scope,
    SearchMode,
    SearchRequest,
    SearchResult,
)
from services.domain.errors import InvalidInput, NotFound
from services.domain.notices import Notice
from services.library.archive.export import UNFINISHED
from services.library.caches import SearchKey, normalise_query
from services.library.configuration import EffectiveConfiguration
from services.models.base import estimate_tokens
from services.retrieval.context import assemble_context, with_neighbours
from services.retrieval.rerank import CANDIDATES_PER_HIT, rerank_hits

QUERY_LENGTH = 4000
MOST_HITS = 100
MOST_BELOW = 3
"""Nearest hits to return if all are below the least relevance."""


class Search:
    def __init__(
        self, components: Components, principal: Principal, request: SearchRequest
    ) -> None:
        self._components = components
        self._principal = principal
        self._request = request

    async def find(self) -> SearchResult:
        """Return the hits, best first; the same search again is answered from the cache.

        A result whose reranking failed has a warning and is not cached. Raises InvalidInput,
        NotFound, EmbeddingMismatch, or NoModel if the cross-encoder cannot be loaded.
        """
        key = await asyncio.to_thread(self._key)
        result = await self._search(key)
        if not self._request.context:
            return result
        context = await asyncio.to_thread(self._context, key.scope, result.hits)
        return result.model_copy(update={"context": context})

    async def _search(self, key: SearchKey) -> SearchResult:
        searches = self._components.searches
        cacheable = self._request.cached and self._request.only.neutral
        hits = cached = searches.get(key) if cacheable else None
        warnings = await asyncio.to_thread(unfinished, self._components, key.scope, key.mode)
        if hits is None:
            candidates = await asyncio.to_thread(self._candidates, key)
            by_reranker = await asyncio.to_thread(self._to_rerank, key, candidates)
            query, rerankers = self._request.query, self._components.rerankers
            ordered, failures = await rerank_hits(query, candidates, by_reranker, rerankers)
            warnings = (*warnings, *failures)
            hits = tuple(ordered[: key.k])
            if cacheable and hits and not warnings:
                searches.put(key, hits)
        return SearchResult(
            hits=hits,
            from_cache=cached is not None,
            cache=searches.statistics(),
            warnings=warnings,
            min_relevance=key.options.min_relevance,
            below=() if hits else await asyncio.to_thread(self._below, key),
        )

    def _key(self) -> SearchKey:
        request = self._request
        if not request.query.strip() or len(request.query) > QUERY_LENGTH:
            raise InvalidInput("A query must have 1 to {most} characters.", most=QUERY_LENGTH)
        effective = self._effective()
        k = effective.hits(request.k)
        if not 1 <= k <= MOST_HITS:
            raise InvalidInput(
                "The number of hits must be 1 to {most}, not {k}.", most=MOST_HITS, k=k
            )
        # The versions are read before the search: a change meanwhile makes another key.
        names = effective.collections(request.collections)
        collections = self._components.catalog.collections
        scope = collections.scope(self._principal, names)
        versions = collections.versions(scope)
        for documents in (request.documents, request.only.documents):
            scope = self._components.catalog.filters.narrowed(scope, documents)
        options = effective.search_options()
        if request.far:
            options = options.model_copy(update={"min_relevance": 0.0})
        return SearchKey(
            query=normalise_query(request.query),
            k=k,
            mode=request.mode,
            options=options,
            scope=scope,
            versions=versions,
            reranking=self._rerankings(effective, scope),
        )

    def _effective(self) -> EffectiveConfiguration:
        profile = self._request.profile
        return self._components.configuration.for_request(self._principal, profile)

    def _context(self, scope: Scope, hits: Sequence[Hit]) -> str:
        """Return the hits with their neighbours as text for a model, within ``maxTokens``."""
        chunks = self._components.catalog.chunks
        widened = with_neighbours(hits, lambda chunk_id: chunks.neighbours(chunk_id, scope=scope))
        days = self._components.catalog.filters.dates(
            [hit.document_id for hit in hits], scope=scope
        )
        most = self._effective().values().max_tokens
        return assemble_context(widened, most, estimate_tokens, days)

    def _rerankings(self, effective: EffectiveConfiguration, scope: Scope) -> tuple[Reranking, ...]:
        """Return the reranking of each collection of the scope, empty if none is reranked."""
        values = effective.values()
        by_collection: dict[str, Reranking] = {}
        for entry in () if effective["reranking"].locked else values.collections:
            if entry.reranking is not None:
                # A collection that is no longer readable is not in the scope either.
                with suppress(NotFound):
                    collections = self._components.catalog.collections
                    named = collections.scope(self._principal, [entry.collection])
                    by_collection |= dict.fromkeys(named.collections, entry.reranking)
        rerankings = tuple(by_collection.get(key, values.reranking) for key in scope.collections)
        return rerankings if set(rerankings) != {"none"} else ()

    def _below(self, key: SearchKey) -> tuple[Hit, ...]:
        if not key.options.min_relevance:
            return ()
        options = key.options.model_copy(update={"min_relevance": 0.0})
        nearest = replace(key, k=MOST_BELOW, options=options, reranking=())
        return tuple(self._candidates(nearest))

    def _candidates(self, key: SearchKey) -> Sequence[Hit]:
        hits = self._components.retriever.search(
            self._request.query,
            scope=key.scope,
            k=key.k * (CANDIDATES_PER_HIT if key.reranking else 1),
            mode=key.mode,
            options=key.options,
            only=self._request.only.model_copy(update={"documents": ()}),
        )
        texts = self._components.catalog.documents
        pictures = texts.with_pictures({hit.text_id for hit in hits})

        def is_recognised(hit: Hit) -> bool:
            parsed = texts.parsed(hit.document_id) if hit.text_id in pictures else None
            return parsed is not None and parsed.is_recognised(hit.start, hit.end)

        return [hit.model_copy(update={"recognised": is_recognised(hit)}) for hit in hits]

    def _to_rerank(self, key: SearchKey, hits: Sequence[Hit]) -> Mapping[Reranking, Set[str]]:
        """Return the chunk ids for each reranker; a chunk of two goes to the first."""
        ids = [hit.chunk_id for hit in hits]
        kinds = list(dict.fromkeys(kind for kind in key.reranking if kind != "none"))
        if len(set(key.reranking)) == 1:
            return dict.fromkeys(kinds, frozenset(ids))
        by_reranker: dict[Reranking, Set[str]] = {}
        assigned = set[str]()
        for kind in kinds:
            pairs = zip(key.scope.collections, key.reranking, strict=True)
            collections = tuple(name for name, reranking in pairs if reranking == kind)
            scope = key.scope.model_copy(update={"collections": collections})
            chunk_ids = self._components.catalog.chunks.get(ids, scope=scope).keys()
            by_reranker[kind] = chunk_ids - assigned
            assigned |= chunk_ids
        return by_reranker


def unfinished(
    components: Components, scope: Scope, mode: SearchMode = "hybrid"
) -> tuple[Notice, ...]:
    """Warn of collections whose indexes are incomplete, as after an interrupted restoration."""
    indexes = {"keyword": (components.lexical,), "vector": (components.vectors,)}
    searched = indexes.get(mode, (components.vectors, components.lexical))
    warnings = []
    for info in components.catalog.collections.within(scope):
        collection_id = info.collection_id
        chunks = components.catalog.chunks.count(collection_id)
        indexed = min(index.count(collection_id) for index in searched)
        if info.name.endswith(UNFINISHED) or indexed < chunks:
            notice = Notice.of(
                "The indexes of {collection} are incomplete, so searches may miss something. "
                "`rabbithole doctor --repair --admin` completes them.",
                collection=info.name,
            )
            warnings.append(notice)
    return tuple(warnings)
