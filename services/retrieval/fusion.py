"""Merging ranked lists of chunk ids: pure functions of values.

A ranking is a sequence of ``(id, score)``, best first. Every function returns such a ranking;
equal scores are ordered by id, so the result never depends on the order of the input.
"""

from collections.abc import Iterable, Mapping, Sequence

from services.retrieval.scoring import Calibration, clamp

Ranking = Sequence[tuple[str, float]]

RRF_K = 60
"""Constant of reciprocal rank fusion as its authors chose it."""

KEYWORD_WIDTHS = 4.0
"""What the highest keyword score weighs, in steps from the cosine of an unrelated passage to that
of an answer. Between 3 and 6 the question sets of docs/retrieval.md change by less than .004."""


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
    a passage is from unrelated ones. Neither is stretched to the best that was found, as min-max
    and reciprocal ranks do: where no chunk has the words of the question (it is asked in another
    language), keyword search has little to say and says little. docs/retrieval.md compares.

    A chunk that one strategy did not find counts there like the last one that it found, at most:
    keyword search that found fewer than ``depth`` chunks found all that have a word in common.

    Args:
        vector: cosines.
        keyword: shares of the highest score, 0-1.
        calibration: of the embedding model that made the cosines.
        depth: chunks that each strategy was asked for.

    Returns:
        Scores at most 1, comparable across queries; below 0 only for the most distant chunks.
    """
    cosines, shares = dict(vector), dict(keyword)
    furthest = min(cosines.values(), default=calibration.floor)
    least = min(shares.values(), default=0.0) if len(keyword) >= depth else 0.0
    weight = keyword_weight(calibration)
    highest = highest_evidence(calibration)
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


def keyword_weight(calibration: Calibration) -> float:
    """What the highest keyword score weighs, as a difference of cosines."""
    return KEYWORD_WIDTHS * (calibration.high - calibration.low)


def highest_evidence(calibration: Calibration) -> float:
    """How far evidence reaches above none, as a difference of cosines; a score is a share of it."""
    return 1.0 - calibration.floor + keyword_weight(calibration)


def named_first(ranking: Ranking, named: Iterable[str]) -> list[tuple[str, float]]:
    """The ranking with certain chunks, found or not, before all others; scores lie in 0-1."""
    first = set(named)
    before = dict.fromkeys(first, 0.5) | {
        name: (1 + clamp(score)) / 2 for name, score in ranking if name in first
    }
    after = [(name, clamp(score) / 2) for name, score in ranking if name not in first]
    return [*ordered(before), *after]


def reciprocal_rank(
    rankings: Mapping[str, Ranking], weights: Mapping[str, float], k: int = RRF_K
) -> list[tuple[str, float]]:
    """Reciprocal rank fusion: the sum of ``weight / (k + rank)`` over the strategies.

    A strategy that is not named weighs 1. Uses ranks only, so the scores may be on any scale
    (Cormack, Clarke and Büttcher, SIGIR 2009). Scores lie between 0 and ``sum(weights) / (k + 1)``.
    """
    fused: dict[str, float] = {}
    for strategy, ranking in rankings.items():
        weight = weights.get(strategy, 1.0)
        for rank, (identifier, _) in enumerate(ranking, start=1):
            fused[identifier] = fused.get(identifier, 0.0) + weight / (k + rank)
    return ordered(fused)


def ordered(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    """The scores as a ranking, best first, ties by id."""
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
