"""Search over a scope: both indexes at once, fused, resolved in the catalog, calibrated."""

import re
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from services.catalog import Catalog
from services.domain import (
    Hit,
    Language,
    Passage,
    Scope,
    SearchFilter,
    SearchMode,
    SearchOptions,
    StrategyScore,
)
from services.domain.errors import InvalidInput
from services.retrieval.embedders import Embedder, Vectors
from services.retrieval.embedders.base import EmbedQuery, cache_queries, require_same_model
from services.retrieval.embedding import project_query
from services.retrieval.indexes import LexicalIndex, VectorIndex
from services.retrieval.scoring import (
    Calibration,
    age_days,
    either,
    evidence_sum,
    freshness,
    merge,
    named_first,
    ordered,
    select,
)
from services.retrieval.terms import language_of

EXACT_CHUNKS = 500
"""Chunks that a filter may leave to be scored one by one, in about 16 ms; more are searched for
and sifted.
"""

LABEL_EVIDENCE = 0.5
"""What it adds to a chunk's relevance that the query names its section."""

ResolveLabels = Callable[[str, Scope], Sequence[tuple[str, str]]]
"""From a query to the sections it names inside the scope: (document id, section label)."""

DEPTH = 100
"""Chunks that each strategy fetches at least, before fusion cuts to what was asked for."""

OVER_FETCH = 10
"""Chunks that each strategy fetches for each one asked for; options will leave some of them out."""

SIFTED = 1000
"""Chunks that each strategy fetches at least where they are sifted by a filter."""

DEFAULT_OPTIONS, EVERYWHERE = SearchOptions(), SearchFilter()


@dataclass(frozen=True)
class Request:
    """A checked search. ``listed`` are the chunks that the filter ``only`` allows, if listed."""

    query: str
    scope: Scope
    k: int
    mode: SearchMode
    options: SearchOptions = DEFAULT_OPTIONS
    only: SearchFilter = EVERYWHERE
    listed: Sequence[str] | None = None

    @property
    def narrowed(self) -> bool:
        """Whether some chunks of the collections are left out."""
        return not self.only.neutral or self.scope.documents is not None

    @property
    def depth(self) -> int:
        """How many chunks each strategy fetches."""
        if self.listed is not None:
            return len(self.listed)
        return max(SIFTED if self.narrowed else DEPTH, OVER_FETCH * self.k)


@dataclass
class Found:
    """Rankings by strategy, and what is known of chunks already, by id.

    In those that are ``worded`` all words of the query stand, and so no relevance is too little.
    """

    rankings: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    chunks: dict[str, Passage] = field(default_factory=dict)
    freshness: dict[str, float] = field(default_factory=dict)
    worded: set[str] = field(default_factory=set)

    @property
    def ids(self) -> list[str]:
        """The chunks that were found, each once."""
        return sorted({name for ranking in self.rankings.values() for name, _ in ranking})

    def sift(self, allowed: set[str]) -> None:
        """Forget all other chunks."""
        for name, ranking in self.rankings.items():
            self.rankings[name] = [item for item in ranking if item[0] in allowed]

    def fused(self, request: Request, calibration: Calibration) -> list[tuple[str, float]]:
        """All strategies as one ranking; named sections take at most half of the ``k`` places."""
        vector, keyword = self.rankings.get("vector", []), self.rankings.get("keyword", [])
        ranking = evidence_sum(vector, keyword, calibration, depth=request.depth)
        if not (named := self.rankings.get("label")):
            return ranking
        scores = dict(ranking)
        best = sorted(named, key=lambda item: -scores.get(item[0], 0.0))
        return named_first(ranking, [name for name, _ in best[: (request.k + 1) // 2]])

    def explained(self, hits: Sequence[Hit]) -> list[Hit]:
        """The hits with their rank and raw score in every strategy that found them.

        Where freshness was weighed, it is one of them; chunks of one age share a rank.
        """
        explain: dict[str, dict[str, StrategyScore]] = {hit.chunk_id: {} for hit in hits}
        for strategy, ranking in self.rankings.items():
            for rank, (name, score) in enumerate(ranking, start=1):
                if name in explain:
                    explain[name][strategy] = StrategyScore(rank=rank, score=score)
        ages = sorted(set(self.freshness.values()), reverse=True)
        for name in explain.keys() & self.freshness.keys():
            fresh = self.freshness[name]
            explain[name]["freshness"] = StrategyScore(rank=ages.index(fresh) + 1, score=fresh)
        return [hit.model_copy(update={"explain": explain[hit.chunk_id]}) for hit in hits]


class Retriever:
    """Finds chunks of a scope. Thread-safe; searches may run at the same time."""

    def __init__(
        self,
        catalog: Catalog,
        embedder: Embedder,
        vectors: VectorIndex,
        lexical: LexicalIndex,
        *,
        resolve_labels: ResolveLabels = lambda query, scope: (),
        embed_query: EmbedQuery | None = None,
        exact_chunks: int = EXACT_CHUNKS,
    ) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._vectors = vectors
        self._lexical = lexical
        self._resolve_labels = resolve_labels
        self._exact_chunks = exact_chunks
        self._embed = project_query(embed_query or cache_queries(embedder), embedder.fingerprint)
        self._pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="keyword-search")

    def search(
        self,
        query: str,
        *,
        scope: Scope,
        k: int = 10,
        mode: SearchMode = "hybrid",
        options: SearchOptions = DEFAULT_OPTIONS,
        only: SearchFilter = EVERYWHERE,
    ) -> list[Hit]:
        """The ``k`` best chunks of the scope, best first.

        ``score`` adds up what the strategies say (``scoring.evidence_sum``); ``relevance`` is the
        calibrated cosine (0-1) whatever found the chunk; ``explain`` has rank and raw score by
        strategy: ``vector`` (cosine), ``keyword`` (share of the highest BM25 score), ``label``
        (the query names the chunk's section; such chunks come first, up to half of ``k``). In
        keyword and vector mode only that strategy is used.

        Args:
            options: what to leave out and prefer. With a freshness weight, ``score`` is the
                blend of relevance and freshness, and ``explain`` has ``freshness`` too.
            only: where to look. Where it leaves up to ``EXACT_CHUNKS`` chunks, each of them is
                scored; else it sifts what the strategies found, ``SIFTED`` chunks each, and
                scores each that it leaves only if fewer than ``k`` remain.

        Raises:
            InvalidInput: the query is blank, or ``k`` below 1.
            EmbeddingMismatch: a collection was indexed with another embedding model.
        """
        request = self._checked(Request(query, scope, k, mode, options, only))
        if not scope.collections:
            return []
        found = self._find(request)
        if request.narrowed and request.listed is None and len(found.ids) < k:
            everything = self._catalog.filters.chunk_ids(only, scope=scope)
            request = replace(request, listed=everything)
            found = self._find(request)
        return self._hits(request, found)

    def rankings(
        self,
        query: str,
        *,
        scope: Scope,
        only: SearchFilter = EVERYWHERE,
        min_relevance: float = 0.0,
    ) -> dict[str, list[tuple[str, float]]]:
        """What each strategy finds by itself, best first, for a fusion of one's own.

        ``vector`` has cosines, ``keyword`` shares of the highest BM25 score, ``label`` the chunks
        of sections that the query names; some ``DEPTH`` of each, without those of less
        relevance than ``min_relevance``. Raises as ``search``.
        """
        request = self._checked(Request(query, scope, 1, "hybrid", DEFAULT_OPTIONS, only))
        if not scope.collections:
            return {}
        found = self._find(request)
        if min_relevance:
            relevance = self._relevance_of(found.ids, request, found)
            far = {name for name, value in relevance.items() if value < min_relevance}
            found.sift(relevance.keys() - far | self._worded(far, request, found))
        return found.rankings

    def _checked(self, request: Request) -> Request:
        """The request with a tidy query, and with the chunks that its filter allows if few."""
        query = " ".join(request.query.split())
        if not query:
            raise InvalidInput("The query is empty. Say what to search for.")
        if request.k < 1:
            raise InvalidInput("k is {k}, but a search returns at least 1 hit.", k=request.k)
        for collection_id in request.scope.collections:
            indexed = self._catalog.collections.fingerprint(collection_id)
            require_same_model(collection_id, indexed, self._embedder)
        listed = None
        if request.narrowed:
            listed = self._catalog.filters.chunk_ids(
                request.only, scope=request.scope, most=self._exact_chunks
            )
        return replace(request, query=query, listed=listed)

    def relevances(
        self, query: str, chunk_ids: Sequence[str], *, scope: Scope, named: Collection[str] = ()
    ) -> dict[str, float]:
        """Return the calibrated relevance (0-1) of given chunks to a query.

        A chunk that no collection of the scope has indexed, or of no chosen document, gets 0.
        Chunks that are ``named``, whose section the query names, gain ``LABEL_EVIDENCE``.
        """
        if not chunk_ids:
            return {}
        narrow = scope.documents is not None
        seen = list(self._catalog.chunks.get(chunk_ids, scope=scope)) if narrow else chunk_ids
        stored = self._stored_vectors(seen, scope)
        vector = self._embed(query)
        calibration = self._embedder.calibration
        relevance = dict.fromkeys(chunk_ids, 0.0) | {
            name: calibration.relevance(float(each @ vector)) for name, each in stored.items()
        }
        return _with_labels(relevance, named)

    def unknown(self, words: Sequence[str], language: Language, *, scope: Scope) -> list[str]:
        """Those of the words that no collection has; none where one is of other languages.

        None either where documents are chosen: of those the index knows no words.
        """
        if scope.documents is not None:
            return []
        counts = [self._lexical.frequencies(c, words, language) for c in scope.collections]
        return [word for word in words if counts and not any(own.get(word, 1) for own in counts)]

    def frequencies(self, words: Sequence[str], *, scope: Scope) -> dict[str, int]:
        """Count the chunks of the scope's collections that have each word, in whatever form."""
        spoken = {language_of(each) for each in self._catalog.corpus.languages(scope)}
        counts = [
            self._lexical.frequencies(collection, words, language)
            for collection in scope.collections
            for language in spoken
        ]
        return {word: sum(own.get(word, 0) for own in counts) for word in words}

    def _find(self, request: Request) -> Found:
        """Run the strategies of the mode, keyword search in a thread beside vector search."""
        found = Found()
        keyword = None if request.mode == "vector" else self._pool.submit(self._keyword, request)
        if request.mode != "keyword":
            found.rankings["vector"] = self._nearest(request)
        if request.mode == "hybrid":
            found.chunks = self._named(request)
            found.rankings["label"] = [(identifier, 1.0) for identifier in found.chunks]
        if keyword is not None:
            found.rankings["keyword"] = keyword.result()
        if request.listed is not None:
            found.sift(set(request.listed))
        elif request.narrowed:
            among = self._catalog.filters.among
            found.sift(among(found.ids, request.only, scope=request.scope))
        return found

    def _nearest(self, request: Request) -> list[tuple[str, float]]:
        vector, depth = self._embed(request.query), request.depth
        if request.listed is not None:
            stored = self._stored_vectors(request.listed, request.scope)
            return ordered({name: float(each @ vector) for name, each in stored.items()})
        rankings = (self._vectors.search(each, vector, depth) for each in request.scope.collections)
        return merge(rankings)[:depth]

    def _keyword(self, request: Request) -> list[tuple[str, float]]:
        query, depth, only = request.query, request.depth, request.listed
        rankings = (
            self._lexical.search(each, query, depth, only) for each in request.scope.collections
        )
        return merge(rankings)[:depth]

    def _named(self, request: Request) -> dict[str, Passage]:
        """The chunks of the sections that the query names, in reading order."""
        return {
            chunk.chunk_id: chunk
            for document_id, label in self._resolve_labels(request.query, request.scope)
            for chunk in self._catalog.chunks.of_section(document_id, label, scope=request.scope)
        }

    def _hits(self, request: Request, found: Found) -> list[Hit]:
        """The first ``k`` chunks that scope and options allow, with everything to show.

        The ranking is read on, each time as much again, until that is so many; where freshness
        is weighed, all of it.
        """
        ranking, k = found.fused(request, self._embedder.calibration), request.k
        hits: list[Hit] = []
        chosen: list[Hit] = []
        read, until = 0, len(ranking) if request.options.freshness_weight else k
        while read < len(ranking) and len(chosen) < k:
            hits += self._weighed(ranking[read:until], request, found)
            chosen = select(hits, request.options, found.freshness, found.worded)
            read, until = until, 2 * until
        return found.explained(chosen[:k])

    def _visible(
        self, ranking: Sequence[tuple[str, float]], request: Request, found: Found
    ) -> list[tuple[str, float]]:
        """Those chunks of a ranking that the scope allows; they are read from the catalog."""
        unread = [identifier for identifier, _ in ranking if identifier not in found.chunks]
        found.chunks.update(self._catalog.chunks.get(unread, scope=request.scope))
        return [item for item in ranking if item[0] in found.chunks]

    def _weighed(
        self, ranking: Sequence[tuple[str, float]], request: Request, found: Found
    ) -> list[Hit]:
        """Those of a ranking that the scope allows; ``found`` gets what the options ask of them."""
        known = self._visible(ranking, request, found)
        relevance = self._relevance_of([each for each, _ in known], request, found)
        least = request.options.min_relevance
        far = {name for name, value in relevance.items() if value < least}
        found.worded |= self._worded(far, request, found)
        found.freshness |= self._freshness(known, request, found)
        return [
            Hit(**dict(found.chunks[name]), score=score, relevance=relevance[name], explain={})
            for name, score in known
        ]

    def _freshness(
        self, ranking: Sequence[tuple[str, float]], request: Request, found: Found
    ) -> dict[str, float]:
        if not request.options.freshness_weight:
            return {}
        documents = {each: found.chunks[each].document_id for each, _ in ranking}
        stamps = self._catalog.filters.dates(list(documents.values()), scope=request.scope)
        now, rate = datetime.now(UTC), request.options.freshness_decay_rate
        return {
            identifier: freshness(age_days(stamps.get(document), now), rate)
            for identifier, document in documents.items()
        }

    def _relevance_of(self, ids: Sequence[str], request: Request, found: Found) -> dict[str, float]:
        cosines = dict(found.rankings.get("vector", []))
        calibration = self._embedder.calibration
        relevance = {i: calibration.relevance(cosines[i]) for i in ids if i in cosines}
        others = [identifier for identifier in ids if identifier not in cosines]
        relevance |= self.relevances(request.query, others, scope=request.scope)
        return _with_labels(relevance, [name for name, _ in found.rankings.get("label", [])])

    def _worded(self, ids: set[str], request: Request, found: Found) -> set[str]:
        """Those of the chunks that words have found in which all words of the query stand.

        No bound of relevance drops them: a cosine says little of single words (decision 20).
        """
        words = re.findall(r"\w+", request.query.casefold())
        by_words = [each for each in found.rankings.get("keyword", []) if each[0] in ids]
        passages = [found.chunks[name] for name, _ in self._visible(by_words, request, found)]
        texts = {p.chunk_id: " ".join((*p.heading_path, p.text)).casefold() for p in passages}
        return {name for name, text in texts.items() if all(word in text for word in words)}

    def _stored_vectors(self, ids: Sequence[str], scope: Scope) -> dict[str, Vectors]:
        stored: dict[str, Vectors] = {}
        for collection in scope.collections:
            missing = [identifier for identifier in ids if identifier not in stored]
            if missing:
                stored |= self._vectors.vectors(collection, missing)
        return stored


def _with_labels(relevance: dict[str, float], named: Collection[str]) -> dict[str, float]:
    gained = {name: either(relevance[name], LABEL_EVIDENCE) for name in named if name in relevance}
    return relevance | gained
