"""Measures of rankings, and the uncertainty of their means.

Intervals are percentile-bootstrap intervals: questions are drawn with replacement (Efron 1979; for
retrieval Sakai, SIGIR 2006), in a comparison the same for both sides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from services.evaluation.datasets import Judgements

RESAMPLES = 5_000
SEED = 1
BLOCK = 250
"""Number of resamples in memory at a time."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """The mean over ``n`` questions with its 95 % interval."""

    n: int
    mean: float
    low: float
    high: float


def mean_interval(values: Values) -> Interval:
    """Return the mean of one value per question, shape (n,) with n at least 1.

    The resamples have a fixed seed, so the same values give the same interval.
    """
    if values.ndim != 1 or not len(values):
        raise ValueError(f"values must have the shape (n,) with n > 0, not {values.shape}")
    low, high = np.quantile(resampled_means(values), (0.025, 0.975))
    return Interval(len(values), float(values.mean()), float(low), float(high))


def average(values: Sequence[float]) -> dict[str, float] | None:
    """Return the `Interval` of a mean as a dictionary, None without questions."""
    return asdict(mean_interval(np.array(values, dtype=np.float64))) if values else None


def resampled_means(values: Values) -> Values:
    """Return the means of `RESAMPLES` draws with replacement, shape (RESAMPLES,)."""
    generator = np.random.default_rng(SEED)
    n = len(values)
    return np.concatenate(
        [
            values[generator.integers(0, n, size=(BLOCK, n), dtype=np.int32)].mean(axis=1)
            for _ in range(RESAMPLES // BLOCK)
        ]
    )


MEASURES: Final = {
    "ndcg@10": "nDCG@10",
    "recall@10": "R@10",
    "recall@50": "R@50",
    "mrr@10": "RR@10",
}
"""Our names and those of ir-measures. nDCG uses the scores as gains, as BEIR does."""


def measure(judgements: Judgements, rankings: Mapping[str, Sequence[str]]) -> dict[str, Values]:
    """Rate the ranking of every judged question; a question without a ranking scores 0.

    Returns for each measure an array of shape (questions,) in the order of ``judgements``.
    """
    import ir_measures  # brings pandas along

    names = {ir_measures.parse_measure(theirs): ours for ours, theirs in MEASURES.items()}
    row = {query: n for n, query in enumerate(judgements)}
    values = {name: np.zeros(len(row)) for name in MEASURES}
    qrels = {query: dict(scores) for query, scores in judgements.items()}
    # The evaluator orders by score and breaks ties by id, so ranks become distinct scores.
    run = {
        query: {record: float(len(records) - rank) for rank, record in enumerate(records)}
        for query, records in rankings.items()
    }
    for result in ir_measures.iter_calc(list(names), qrels, run):
        values[names[result.measure]][row[result.query_id]] = result.value
    return values
