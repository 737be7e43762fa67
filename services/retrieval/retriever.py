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
from services.retrieval.embedders import Calibration, Embedder, Vectors
from services.retrieval.embedders.base import EmbedQuery, cache_queries, require_same_model
from services.retrieval.embedding import project_query
from services.retrieval.indexes import LexicalIndex, VectorIndex
from services.retrieval.scoring import (
    Ranking,
    age_days,
    evidence_sum,
    freshness,
    merge,
    named_first,
    noisy_or,
    rank_by_score,
    select,
)
from services.retrieval.terms import language_of

EXACT_CHUNKS = 500
"""Chunks that are scored one by one, in about 16 ms, where a filter leaves no more; otherwise the
filter is applied to the results.
"""
LABEL_EVIDENCE = 0.5  # added to the relevance of a chunk whose section the query names
ResolveLabels = Callable[[str, Scope], Sequence[tuple[str, str]]]
DEPTH = 100
"""Chunks that each strategy fetches at least, before fusion cuts to the requested number."""
OVER_FETCH = 10  # chunks fetched for each requested one, as options leave some out
FILTERED_DEPTH = 1000  # least chunks fetched where a filter is applied to them
DEFAULT_OPTIONS, EVERYWHERE = SearchOptions(), SearchFilter()


@dataclass(frozen=True)
class Request:
    """A search; ``listed`` are the chunks that the filter ``only`` allows, if few."""

    query: str
    scope: Scope
    k: int
    mode: SearchMode
    options: SearchOptions = DEFAULT_OPTIONS
    only: SearchFilter = EVERYWHERE
    listed: Sequence[str] | None = None

    @property
    def narrowed(self) -> bool:
        """Whether some chunks of the collections are excluded."""
        return not self.only.neutral or self.scope.documents is not None

    @property
    def depth(self) -> int:
        if self.listed is not None:
            return len(self.listed)
        return max(FILTERED_DEPTH if self.narrowed else DEPTH, OVER_FETCH * self.k)


@dataclass
class ScoredSearch:
    """Rankings by strategy; chunks, freshness and exemptions by chunk id."""

    rankings: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    chunks: dict[str, Passage] = field(default_factory=dict)
    freshness: dict[str, float] = field(default_factory=dict)
    exempt: set[str] = field(default_factory=set)

    @property
    def ids(self) -> list[str]:
        return sorted({name for ranking in self.rankings.values() for name, _ in ranking})

    def restrict(self, allowed: Collection[str]) -> None:
        for name, ranking in self.rankings.items():
            self.rankings[name] = [entry for entry in ranking if entry[0] in allowed]

    def fuse(self, request: Request, calibration: Calibration) -> list[tuple[str, float]]:
        vector, keyword = self.rankings.get("vector", []), self.rankings.get("keyword", [])
        ranking = evidence_sum(vector, keyword, calibration, depth=request.depth)
        if not (named := self.rankings.get("label")):
            return ranking
        scores = dict(ranking)
        best = sorted(named, key=lambda entry: -scores.get(entry[0], 0.0))
        return named_first(ranking, [name for name, _ in best[: (request.k + 1) // 2]])

    def explain(self, hits: Sequence[Hit]) -> list[Hit]:
        """Add to the hits rank and raw score by each strategy that found them, and by freshness."""
        scores: dict[str, dict[str, StrategyScore]] = {hit.chunk_id: {} for hit in hits}
        for strategy, ranking in self.rankings.items():
            for rank, (name, score) in enumerate(ranking, start=1):
                if name in scores:
                    scores[name][strategy] = StrategyScore(rank=rank, score=score)
        ages = sorted(set(self.freshness.values()), reverse=True)
        for name in scores.keys() & self.freshness.keys():
            fresh = self.freshness[name]
            scores[name]["freshness"] = StrategyScore(rank=ages.index(fresh) + 1, score=fresh)
        return [hit.model_copy(update={"explain": scores[hit.chunk_id]}) for hit in hits]


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
    ) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._vectors = vectors
        self._lexical = lexical
        self._resolve_labels = resolve_labels
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
        """Return the ``k`` best chunks of the scope, best first.

        ``score`` adds up the evidence of the strategies (``scoring.evidence_sum``), or blends
        relevance and freshness where that has a weight; ``relevance`` is the calibrated cosine
        (0-1); ``explain`` has rank and raw score by strategy: ``vector``, ``keyword``, ``label``
        (the query names the section; these come first, up to half of ``k``), ``freshness``.

        Args:
            only: where to search. If it leaves up to ``EXACT_CHUNKS`` chunks, each of them is
                scored; otherwise it filters ``FILTERED_DEPTH`` results of each strategy, and if
                fewer than ``k`` remain, each chunk that it leaves is scored.

        Raises:
            InvalidInput: the query is blank, or ``k`` below 1.
            EmbeddingMismatch: a collection was indexed with another embedding model.
        """
        request = self._validate(Request(query, scope, k, mode, options, only))
        if not scope.collections:
            return []
        result = self._run(request)
        if request.narrowed and request.listed is None and len(result.ids) < k:
            request = replace(request, listed=self._catalog.filters.chunk_ids(only, scope=scope))
            result = self._run(request)
        return self._hits(request, result)

    def _validate(self, request: Request) -> Request:
        query = " ".join(request.query.split())
        if not query:
            raise InvalidInput("The query is empty. Say what to search for.")
        if request.k < 1:
            raise InvalidInput("k is {k}, but it must be at least 1.", k=request.k)
        for collection_id in request.scope.collections:
            indexed = self._catalog.collections.fingerprint(collection_id)
            require_same_model(collection_id, indexed, self._embedder)
        listed = None
        if request.narrowed:
            listed = self._catalog.filters.chunk_ids(
                request.only, scope=request.scope, most=EXACT_CHUNKS
            )
        return replace(request, query=query, listed=listed)

    def relevances(
        self, query: str, chunk_ids: Sequence[str], *, scope: Scope, named: Collection[str] = ()
    ) -> dict[str, float]:
        """Return the calibrated relevance (0-1) of chunks, raised for ``named`` ones."""
        if not chunk_ids:
            return {}
        narrow = scope.documents is not None
        allowed = list(self._catalog.chunks.get(chunk_ids, scope=scope)) if narrow else chunk_ids
        query_vector, calibration = self._embed(query), self._embedder.calibration
        relevance = dict.fromkeys(chunk_ids, 0.0) | {
            name: calibration.relevance(float(vector @ query_vector))
            for name, vector in self._stored_vectors(allowed, scope).items()
        }
        return _add_label_evidence(relevance, named)

    def unknown(self, words: Sequence[str], language: Language, *, scope: Scope) -> list[str]:
        """Return the words that occur in no collection; none if one has only other languages.

        Nor are any returned if documents are chosen: the index cannot count words of single ones.
        """
        if scope.documents is not None:
            return []
        counts = [self._lexical.frequencies(name, words, language) for name in scope.collections]
        return [word for word in words if counts and not any(c.get(word, 1) for c in counts)]

    def frequencies(self, words: Sequence[str], *, scope: Scope) -> dict[str, int]:
        """Count the chunks of the scope's collections that have each word, in whatever form."""
        languages = {language_of(code) for code in self._catalog.corpus.languages(scope)}
        counts = [
            self._lexical.frequencies(collection, words, language)
            for collection in scope.collections
            for language in languages
        ]
        return {word: sum(count.get(word, 0) for count in counts) for word in words}

    def _run(self, request: Request) -> ScoredSearch:
        result = ScoredSearch()
        keyword = None if request.mode == "vector" else self._pool.submit(self._keyword, request)
        if request.mode != "keyword":
            result.rankings["vector"] = self._nearest(request)
        if request.mode == "hybrid":
            result.chunks = self._named(request)
            result.rankings["label"] = [(name, 1.0) for name in result.chunks]
        if keyword is not None:
            result.rankings["keyword"] = keyword.result()
        if request.listed is not None:
            result.restrict(set(request.listed))
        elif request.narrowed:
            among = self._catalog.filters.among
            result.restrict(among(result.ids, request.only, scope=request.scope))
        return result

    def _nearest(self, request: Request) -> list[tuple[str, float]]:
        query, scope, depth = self._embed(request.query), request.scope, request.depth
        if request.listed is not None:
            stored = self._stored_vectors(request.listed, scope)
            return rank_by_score({name: float(vector @ query) for name, vector in stored.items()})
        rankings = (self._vectors.search(name, query, depth) for name in scope.collections)
        return merge(rankings)[:depth]

    def _keyword(self, request: Request) -> list[tuple[str, float]]:
        query, depth, only = request.query, request.depth, request.listed
        collections = request.scope.collections
        rankings = (self._lexical.search(name, query, depth, only) for name in collections)
        return merge(rankings)[:depth]

    def _named(self, request: Request) -> dict[str, Passage]:
        return {
            chunk.chunk_id: chunk
            for document_id, label in self._resolve_labels(request.query, request.scope)
            for chunk in self._catalog.chunks.of_section(document_id, label, scope=request.scope)
        }

    def _hits(self, request: Request, result: ScoredSearch) -> list[Hit]:
        """Return the first ``k`` chunks that scope and options allow, with everything to show.

        The ranking is read in stretches until there are enough; for freshness, all of it is read.
        """
        ranking, k = result.fuse(request, self._embedder.calibration), request.k
        candidates: list[Hit] = []
        selected: list[Hit] = []
        start, end = 0, len(ranking) if request.options.freshness_weight else k
        while start < len(ranking) and len(selected) < k:
            candidates += self._candidates(ranking[start:end], request, result)
            selected = select(candidates, request.options, result.freshness, result.exempt)
            start, end = end, 2 * end
        return result.explain(selected[:k])

    def _readable(
        self, ranking: Ranking, request: Request, result: ScoredSearch
    ) -> list[tuple[str, float]]:
        unread = [name for name, _ in ranking if name not in result.chunks]
        result.chunks.update(self._catalog.chunks.get(unread, scope=request.scope))
        return [entry for entry in ranking if entry[0] in result.chunks]

    def _candidates(self, ranking: Ranking, request: Request, result: ScoredSearch) -> list[Hit]:
        readable = self._readable(ranking, request, result)
        relevance = self._relevance([name for name, _ in readable], request, result)
        least = request.options.min_relevance
        far = {name for name, value in relevance.items() if value < least}
        result.exempt |= self._with_all_words(far, request, result)
        result.freshness |= self._freshness(readable, request, result)
        return [
            Hit(**dict(result.chunks[name]), score=score, relevance=relevance[name], explain={})
            for name, score in readable
        ]

    def _freshness(
        self, ranking: Ranking, request: Request, result: ScoredSearch
    ) -> dict[str, float]:
        if not request.options.freshness_weight:
            return {}
        documents = {name: result.chunks[name].document_id for name, _ in ranking}
        dates = self._catalog.filters.dates(list(documents.values()), scope=request.scope)
        now, rate = datetime.now(UTC), request.options.freshness_decay_rate
        return {
            name: freshness(age_days(dates.get(document), now), rate)
            for name, document in documents.items()
        }

    def _relevance(
        self, ids: Sequence[str], request: Request, result: ScoredSearch
    ) -> dict[str, float]:
        cosines = dict(result.rankings.get("vector", []))
        calibration = self._embedder.calibration
        relevance = {i: calibration.relevance(cosines[i]) for i in ids if i in cosines}
        others = [name for name in ids if name not in cosines]
        relevance |= self.relevances(request.query, others, scope=request.scope)
        return _add_label_evidence(relevance, [n for n, _ in result.rankings.get("label", [])])

    def _with_all_words(self, ids: set[str], request: Request, result: ScoredSearch) -> set[str]:
        """Return those of the chunks, found by keywords, that contain all words (decision 20)."""
        words = re.findall(r"\w+", request.query.casefold())
        by_keyword = [entry for entry in result.rankings.get("keyword", []) if entry[0] in ids]
        passages = [result.chunks[name] for name, _ in self._readable(by_keyword, request, result)]
        texts = {p.chunk_id: " ".join((*p.heading_path, p.text)).casefold() for p in passages}
        return {name for name, text in texts.items() if all(word in text for word in words)}

    def _stored_vectors(self, ids: Sequence[str], scope: Scope) -> dict[str, Vectors]:
        stored: dict[str, Vectors] = {}
        for collection in scope.collections:
            if missing := [name for name in ids if name not in stored]:
                stored |= self._vectors.vectors(collection, missing)
        return stored


def _add_label_evidence(relevance: dict[str, float], named: Collection[str]) -> dict[str, float]:
    gained = {
        name: noisy_or(relevance[name], LABEL_EVIDENCE) for name in named if name in relevance
    }
    return relevance | gained
