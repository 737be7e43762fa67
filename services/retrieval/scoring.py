"""Comparable scores, fusion of rankings and selection of hits: pure functions.

A ranking is a sequence of ``(id, score)``, best first; equal scores are ordered by id.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import UTC, datetime
from math import exp, log, prod

from services.domain import Hit, SearchOptions
from services.retrieval.embedders import Calibration

UNDATED_FRESHNESS = 0.5
SECONDS_A_DAY = 86_400
BM25_K1 = 1.2
BM25_B = 0.75
"""Term saturation and share of length that tantivy's BM25 is built with."""


def clamp(value: float) -> float:
    return min(1.0, max(0.0, value))


def noisy_or(*evidence: float) -> float:
    """Return the probability that at least one of several independent pieces of evidence holds.

    The noisy-or ``1 - Π(1 - e)`` (Pearl, Probabilistic Reasoning in Intelligent Systems, 1988,
    section 4.3).
    """
    return clamp(1.0 - prod(1.0 - clamp(value) for value in evidence))


def idf(documents: int, containing: int) -> float:
    """Return the inverse document frequency of Lucene and tantivy; never negative."""
    containing = min(containing, documents)
    return log(1.0 + (documents - containing + 0.5) / (containing + 0.5))


def bm25_ceiling(weighted_idfs: Sequence[float]) -> float:
    """Return the score that no chunk can exceed for a query: ``(k1 + 1) · Σ weight · idf``."""
    return (BM25_K1 + 1.0) * sum(weighted_idfs)


def age_days(stamp: str | None, now: datetime) -> float | None:
    """Return the days from an ISO 8601 time (UTC without a zone) to ``now``; None if it is none."""
    try:
        then = datetime.fromisoformat(stamp or "")
    except ValueError:
        return None
    zoned = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (now - zoned).total_seconds() / SECONDS_A_DAY)


def freshness(days: float | None, decay_rate: float) -> float:
    """Return ``exp(-decay_rate * days)``, 0-1; ``UNDATED_FRESHNESS`` without a date."""
    return UNDATED_FRESHNESS if days is None else exp(-decay_rate * max(0.0, days))


def blend(similarity: float, fresh: float, weight: float) -> float:
    return (1.0 - weight) * similarity + weight * fresh


Ranking = Sequence[tuple[str, float]]
RRF_K = 60
KEYWORD_WIDTHS = 4.0
"""The weight of the highest keyword score, in steps from the cosine of an unrelated passage to that
of an answer. Between 3 and 6 the question sets of docs/search.md change by less than .004."""


def merge(rankings: Iterable[Ranking]) -> list[tuple[str, float]]:
    """Merge rankings whose scores are comparable; the best score of an id counts."""
    best: dict[str, float] = {}
    for ranking in rankings:
        for identifier, score in ranking:
            best[identifier] = max(score, best.get(identifier, score))
    return rank_by_score(best)


def evidence_sum(
    vector: Ranking, keyword: Ranking, calibration: Calibration, *, depth: int
) -> list[tuple[str, float]]:
    """Add up the evidence of both strategies for each chunk, on scales that all queries share.

    Neither scale is stretched to the best hit, as min-max and reciprocal ranks do (docs/search.md
    compares). A chunk that a strategy did not find scores there like its last hit; a keyword search
    with fewer than ``depth`` hits found all, so others score 0 there. Scores are at most 1.
    """
    cosines, shares = dict(vector), dict(keyword)
    furthest = min(cosines.values(), default=calibration.floor)
    least = min(shares.values(), default=0.0) if len(keyword) >= depth else 0.0
    weight = KEYWORD_WIDTHS * (calibration.high - calibration.low)
    highest = 1.0 - calibration.floor + weight
    return rank_by_score(
        {
            identifier: (
                cosines.get(identifier, furthest)
                - calibration.floor
                + weight * shares.get(identifier, least)
            )
            / highest
            for identifier in cosines.keys() | shares.keys()
        }
    )


def named_first(ranking: Ranking, named: Iterable[str]) -> list[tuple[str, float]]:
    """Return the ranking with the ``named`` chunks, found or not, first; scores lie in 0-1."""
    first = set(named)
    before = dict.fromkeys(first, 0.5) | {
        name: (1 + clamp(score)) / 2 for name, score in ranking if name in first
    }
    after = [(name, clamp(score) / 2) for name, score in ranking if name not in first]
    return [*rank_by_score(before), *after]


def reciprocal_rank(
    rankings: Mapping[str, Ranking], weights: Mapping[str, float]
) -> list[tuple[str, float]]:
    """Sum ``weight / (RRF_K + rank)`` (Cormack, Clarke and Büttcher, SIGIR 2009)."""
    fused: dict[str, float] = defaultdict(float)
    for strategy, ranking in rankings.items():
        for rank, (identifier, _) in enumerate(ranking, start=1):
            fused[identifier] += weights.get(strategy, 1.0) / (RRF_K + rank)
    return rank_by_score(fused)


def rank_by_score(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def select(
    hits: Sequence[Hit],
    options: SearchOptions,
    fresh: Mapping[str, float],
    exempt: Set[str] = frozenset(),
) -> list[Hit]:
    """Return the hits that satisfy the options, best first; ``exempt`` ones are always near enough.

    With a freshness weight, order and scores follow the blend of relevance and freshness
    (``fresh``, 0-1): fused scores only compare the chunks of one search. The cap per document comes
    last.
    """
    least = options.min_relevance
    near = [hit for hit in hits if hit.chunk_id in exempt or hit.relevance >= least]
    if weight := options.freshness_weight:
        blended = {hit.chunk_id: blend(hit.relevance, fresh[hit.chunk_id], weight) for hit in near}
        near = [hit.model_copy(update={"score": blended[hit.chunk_id]}) for hit in near]
        near.sort(key=lambda hit: (-hit.score, hit.chunk_id))
    selected, counts = [], Counter[str]()
    cap = options.max_chunks_per_document or len(near)
    for hit in near:
        counts[hit.document_id] += 1
        if counts[hit.document_id] <= cap:
            selected.append(hit)
    return selected
