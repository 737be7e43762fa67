"""Scores made comparable, rankings merged, and what of them is kept: pure functions.

A ranking is a sequence of ``(id, score)``, best first. Every function returns such a ranking;
equal scores are ordered by id, so the result never depends on the order of the input.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import UTC, datetime
from math import exp, log, prod

from services.domain import Hit, SearchOptions
from services.retrieval.embedders import Calibration as Calibration

UNDATED_FRESHNESS = 0.5
"""Freshness of a document without a date: neither favoured nor pushed to the end."""

SECONDS_A_DAY = 86_400

BM25_K1 = 1.2
BM25_B = 0.75
"""Term saturation and share of length that tantivy's BM25 is built with."""


def clamp(value: float) -> float:
    """The value, moved into 0-1."""
    return min(1.0, max(0.0, value))


def either(*evidence: float) -> float:
    """Chance (0-1) that at least one of several independent pieces of evidence holds.

    The noisy-or ``1 - Π(1 - e)``: it grows with every argument and is 0 only when all are
    (Pearl, Probabilistic Reasoning in Intelligent Systems, 1988, section 4.3).
    """
    return clamp(1.0 - prod(1.0 - clamp(value) for value in evidence))


def idf(documents: int, containing: int) -> float:
    """Inverse document frequency as Lucene and tantivy compute it; never negative."""
    containing = min(containing, documents)
    return log(1.0 + (documents - containing + 0.5) / (containing + 0.5))


def bm25_ceiling(weighted_idfs: Sequence[float]) -> float:
    """Score that no chunk can exceed for a query: ``(k1 + 1) · Σ weight · idf``.

    BM25 multiplies the idf of a term by ``(k1 + 1) · tf / (tf + norm)``, which stays below
    ``k1 + 1`` however often the term occurs and however short the chunk is.
    """
    return (BM25_K1 + 1.0) * sum(weighted_idfs)


def age_days(stamp: str | None, now: datetime) -> float | None:
    """Days between an ISO 8601 time and ``now``; None where there is no such time.

    A time without a zone is meant as UTC; one in the future is 0 days old.
    """
    try:
        then = datetime.fromisoformat(stamp or "")
    except ValueError:
        return None
    dated = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (now - dated).total_seconds() / SECONDS_A_DAY)


def freshness(days: float | None, decay_rate: float) -> float:
    """How much a document's age leaves of its worth, ``exp(-decay_rate * days)``, 0-1.

    ``decay_rate`` is at least 0 and counts by day: 0.005 leaves half after 139 days. None, for
    a document without a date, is ``UNDATED_FRESHNESS``.
    """
    return UNDATED_FRESHNESS if days is None else exp(-decay_rate * max(0.0, days))


def blend(similarity: float, fresh: float, weight: float) -> float:
    """``(1 - weight) * similarity + weight * fresh``; 0-1 when all three are."""
    return (1.0 - weight) * similarity + weight * fresh


Ranking = Sequence[tuple[str, float]]

RRF_K = 60
"""Constant of reciprocal rank fusion as its authors chose it."""

KEYWORD_WIDTHS = 4.0
"""What the highest keyword score weighs, in steps from the cosine of an unrelated passage to that
of an answer. Between 3 and 6 the question sets of docs/search.md change by less than .004."""


def merge(rankings: Iterable[Ranking]) -> list[tuple[str, float]]:
    """One ranking out of several whose scores are comparable; the best score of an id counts."""
    best: dict[str, float] = {}
    for ranking in rankings:
        for identifier, score in ranking:
            best[identifier] = max(score, best.get(identifier, score))
    return ordered(best)


def evidence_sum(
    vector: Ranking, keyword: Ranking, calibration: Calibration, *, depth: int
) -> list[tuple[str, float]]:
    """Both strategies' evidence for a chunk added up, on scales that every query shares.

    A keyword score is the share of what the query could reach, a calibrated cosine says how far
    a passage is from unrelated ones; neither is stretched to the best that was found, as min-max
    and reciprocal ranks do (docs/search.md compares). A chunk that one strategy did not find
    counts there like the last one that it found, at most: keyword search that found fewer than
    ``depth`` chunks found all that have a word in common. Scores are at most 1.
    """
    cosines, shares = dict(vector), dict(keyword)
    furthest = min(cosines.values(), default=calibration.floor)
    least = min(shares.values(), default=0.0) if len(keyword) >= depth else 0.0
    weight = KEYWORD_WIDTHS * (calibration.high - calibration.low)
    highest = 1.0 - calibration.floor + weight
    return ordered(
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
    """The ranking with certain chunks, found or not, before all others; scores lie in 0-1."""
    first = set(named)
    before = dict.fromkeys(first, 0.5) | {
        name: (1 + clamp(score)) / 2 for name, score in ranking if name in first
    }
    after = [(name, clamp(score) / 2) for name, score in ranking if name not in first]
    return [*ordered(before), *after]


def reciprocal_rank(
    rankings: Mapping[str, Ranking], weights: Mapping[str, float]
) -> list[tuple[str, float]]:
    """Reciprocal rank fusion: the sum of ``weight / (RRF_K + rank)`` over the strategies.

    A strategy that is not named weighs 1. Uses ranks only, so the scores may be on any scale
    (Cormack, Clarke and Büttcher, SIGIR 2009). Scores lie in 0 to ``sum(weights) / (RRF_K + 1)``.
    """
    fused: dict[str, float] = defaultdict(float)
    for strategy, ranking in rankings.items():
        for rank, (identifier, _) in enumerate(ranking, start=1):
            fused[identifier] += weights.get(strategy, 1.0) / (RRF_K + rank)
    return ordered(fused)


def ordered(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    """The scores as a ranking, best first, ties by id."""
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def select(
    hits: Sequence[Hit],
    options: SearchOptions,
    fresh: Mapping[str, float],
    worded: Set[str] = frozenset(),
) -> list[Hit]:
    """The hits that the options keep, best first.

    Without a freshness weight the order and the scores stay. With one, both follow the blend of
    relevance and freshness: fused scores only compare the chunks of one search with each other,
    and so cannot be weighed against an age. The cap on a document comes last, so that the best
    of each document stay.

    Args:
        fresh: the freshness (0-1) of each chunk, where it is weighed.
        worded: chunks that no relevance is too little for.
    """
    least = options.min_relevance
    near = [hit for hit in hits if hit.chunk_id in worded or hit.relevance >= least]
    if weight := options.freshness_weight:
        blended = {hit.chunk_id: blend(hit.relevance, fresh[hit.chunk_id], weight) for hit in near}
        near = [hit.model_copy(update={"score": blended[hit.chunk_id]}) for hit in near]
        near.sort(key=lambda hit: (-hit.score, hit.chunk_id))
    kept, of_document = [], Counter[str]()
    most = options.max_chunks_per_document or len(near)
    for hit in near:
        of_document[hit.document_id] += 1
        if of_document[hit.document_id] <= most:
            kept.append(hit)
    return kept
