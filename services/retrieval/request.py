"""A search while it is under way: what is wanted, and what the strategies have found."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from services.domain import (
    Hit,
    Passage,
    Scope,
    SearchFilter,
    SearchMode,
    SearchOptions,
    StrategyScore,
)
from services.retrieval.scoring import Calibration, evidence_sum, named_first

DEPTH = 100
"""Chunks that each strategy fetches at least, before fusion cuts to what was asked for."""

OVER_FETCH = 10
"""Chunks that each strategy fetches for each one asked for; options will leave some of them out."""

SIFTED = 1000
"""Chunks that each strategy fetches at least where they are sifted by a filter."""

ALL_ALIKE, EVERYWHERE = SearchOptions(), SearchFilter()


@dataclass(frozen=True)
class Request:
    """A checked search. ``listed`` are the chunks that the filter ``only`` allows, if listed."""

    query: str
    scope: Scope
    k: int
    mode: SearchMode
    options: SearchOptions = ALL_ALIKE
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
