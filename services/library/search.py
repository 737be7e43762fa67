"""A person's search: parameters of the profile, what may be read, the cache, the retriever."""

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
    SearchOptions,
    SearchRequest,
    SearchResult,
)
from services.domain.errors import InvalidInput, NotFound
from services.domain.notices import Notice
from services.library.archive.values import UNFINISHED
from services.library.configuration import EffectiveConfiguration
from services.models.base import estimate_tokens
from services.retrieval.cache import SearchKey, normalise_query
from services.retrieval.context import assemble_context, with_neighbours
from services.retrieval.rerank import CANDIDATES_PER_HIT, rerank_hits

QUERY_LENGTH = 4000
MOST_HITS = 100
SHOWN_BELOW = 3
"""Nearest hits that are shown where all lie below the least relevance."""


class Search:
    """One request of a principal."""

    def __init__(
        self, components: Components, principal: Principal, request: SearchRequest
    ) -> None:
        self._components = components
        self._principal = principal
        self._request = request

    async def find(self) -> SearchResult:
        """What it finds, best first; the same search again is answered from memory.

        A result whose reranking failed has a warning and is not kept.

        Raises:
            InvalidInput: the query is empty or too long, ``k`` out of range, or the profile is
                switched off.
            NotFound: a collection or a document of the filter is unknown or may not be read, or
                there is no such profile.
            EmbeddingMismatch: another embedding model indexed one of the collections.
            NoModel: the cross-encoder that is to rerank cannot be loaded.
        """
        key = await asyncio.to_thread(self._key)
        result = await self._found(key)
        if not self._request.context:
            return result
        context = await asyncio.to_thread(self._context, key.scope, result.hits)
        return result.model_copy(update={"context": context})

    async def _found(self, key: SearchKey) -> SearchResult:
        searches = self._components.searches
        may_be_kept = self._request.cached and self._request.only.neutral
        kept = searches.get(key) if may_be_kept else None
        found, warnings = (
            kept,
            await asyncio.to_thread(unfinished, self._components, key.scope, key.mode),
        )
        if found is None:
            hits = await asyncio.to_thread(self._candidates, key)
            chosen = await asyncio.to_thread(self._to_rerank, key, hits)
            query, rerankers = self._request.query, self._components.rerankers
            ordered, failed = await rerank_hits(query, hits, chosen, rerankers)
            warnings = (*warnings, *failed)
            found = tuple(ordered[: key.k])
            if may_be_kept and found and not warnings:
                searches.put(key, found)
        return SearchResult(
            hits=found,
            from_cache=kept is not None,
            cache=searches.statistics(),
            warnings=warnings,
            min_relevance=key.options.min_relevance,
            below=() if found else await asyncio.to_thread(self._below, key),
        )

    def _key(self) -> SearchKey:
        """The search with everything that its result depends on, checked."""
        version = self._components.catalog.lookup_version()
        asked = (self._principal, self._request)
        return self._components.searches.key_of(asked, version, self._checked)

    def _checked(self) -> SearchKey:
        request = self._request
        if not request.query.strip() or len(request.query) > QUERY_LENGTH:
            raise InvalidInput("A query needs 1 to {most} characters.", most=QUERY_LENGTH)
        effective = self._effective()
        k = effective.hits(request.k)
        if not 1 <= k <= MOST_HITS:
            raise InvalidInput(
                "The number of hits must be 1 to {most}, not {k}.", most=MOST_HITS, k=k
            )
        # The versions are read before the search: what changes meanwhile makes another key.
        names = effective.collections(request.collections)
        collections = self._components.catalog.collections
        scope = collections.scope(self._principal, names)
        versions = collections.versions(scope)
        for documents in (request.documents, request.only.documents):
            scope = self._components.catalog.filters.narrowed(scope, documents)
        return SearchKey(
            query=normalise_query(request.query),
            k=k,
            mode=request.mode,
            options=self._options(effective),
            scope=scope,
            versions=versions,
            reranking=self._rerankings(effective, scope),
        )

    def _options(self, effective: EffectiveConfiguration) -> SearchOptions:
        options = effective.search_options()
        return options.model_copy(update={"min_relevance": 0.0}) if self._request.far else options

    def _effective(self) -> EffectiveConfiguration:
        profile = self._request.profile
        return self._components.configuration.for_request(self._principal, profile)

    def _context(self, scope: Scope, hits: Sequence[Hit]) -> str:
        """The hits with their neighbours as a model would read them, within ``maxTokens``."""
        chunks = self._components.catalog.chunks
        widened = with_neighbours(hits, lambda chunk_id: chunks.neighbours(chunk_id, scope=scope))
        days = self._components.catalog.filters.dates(
            [hit.document_id for hit in hits], scope=scope
        )
        most = self._effective().values().max_tokens
        return assemble_context(widened, most, estimate_tokens, days)

    def _rerankings(self, effective: EffectiveConfiguration, scope: Scope) -> tuple[Reranking, ...]:
        """How each collection of the scope is reranked; empty where none is.

        What the profile says of a collection counts before its general value, unless that is
        locked.
        """
        values = effective.values()
        own: dict[str, Reranking] = {}
        for each in () if effective["reranking"].locked else values.collections:
            if each.reranking is not None:
                # What the principal can no longer read is not in the scope either.
                with suppress(NotFound):
                    named = [each.collection]
                    meant = self._components.catalog.collections.scope(self._principal, named)
                    own |= dict.fromkeys(meant.collections, each.reranking)
        chosen = tuple(own.get(name, values.reranking) for name in scope.collections)
        return chosen if any(each != "none" for each in chosen) else ()

    def _below(self, key: SearchKey) -> tuple[Hit, ...]:
        """The nearest hits where all lie below the least relevance."""
        if not key.options.min_relevance:
            return ()
        options = key.options.model_copy(update={"min_relevance": 0.0})
        nearest = replace(key, k=SHOWN_BELOW, options=options, reranking=())
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
        """The chunk ids for each reranker; one that two could order goes to the first."""
        ids = [hit.chunk_id for hit in hits]
        kinds = list(dict.fromkeys(kind for kind in key.reranking if kind != "none"))
        if len(set(key.reranking)) == 1:
            return dict.fromkeys(kinds, frozenset(ids))
        chosen: dict[Reranking, Set[str]] = {}
        for kind in kinds:
            pairs = zip(key.scope.collections, key.reranking, strict=True)
            own = tuple(name for name, wanted in pairs if wanted == kind)
            scope = key.scope.model_copy(update={"collections": own})
            held = self._components.catalog.chunks.get(ids, scope=scope).keys()
            chosen[kind] = held - {each for other in chosen.values() for each in other}
        return chosen


def unfinished(
    components: Components, scope: Scope, mode: SearchMode = "hybrid"
) -> tuple[Notice, ...]:
    """Which collections lack something in an index, as after a restoration that was killed."""
    indexes = {"keyword": (components.lexical,), "vector": (components.vectors,)}
    asked = indexes.get(mode, (components.vectors, components.lexical))
    told = []
    for collection in components.catalog.collections.within(scope):
        name, place = collection.name, collection.collection_id
        wanted = components.catalog.chunks.count(place)
        if name.endswith(UNFINISHED) or min(each.count(place) for each in asked) < wanted:
            notice = Notice.of(
                "The indexes of {collection} are not whole, so not everything in it is found. "
                "`rabbithole doctor --repair --admin` finishes them.",
                collection=name,
            )
            told.append(notice)
    return tuple(told)
