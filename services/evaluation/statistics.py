"""What a mean over questions is worth: percentile-bootstrap intervals, paired where compared.

Questions are drawn with replacement (Efron 1979; for retrieval Sakai, SIGIR 2006). A
comparison draws the same questions for both sides, so what makes a question hard for both
does not widen the interval of their difference.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 5_000
SEED = 1
BLOCK = 250
"""Resamples that are in memory at a time."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """A mean with the ends of its 95 % interval."""

    mean: float
    low: float
    high: float


def mean_interval(values: Values) -> Interval:
    """Mean of one number a question, shape (n,) with n at least 1.

    The same values give the same interval: the resamples have a fixed seed.
    """
    if values.ndim != 1 or not len(values):
        raise ValueError(f"values must have the shape (n,) with n > 0, not {values.shape}")
    low, high = np.quantile(resampled_means(values), (0.025, 0.975))
    return Interval(float(values.mean()), float(low), float(high))


def difference_interval(values: Values, others: Values) -> Interval:
    """Mean of ``values - others`` over the same questions, both of shape (n,).

    An interval without 0 says that the two differ by more than the choice of questions.
    """
    if values.shape != others.shape:
        raise ValueError(f"{values.shape} and {others.shape} are not about the same questions")
    return mean_interval(values - others)


def resampled_means(values: Values) -> Values:
    """Means of `RESAMPLES` drawings with replacement, shape (RESAMPLES,)."""
    generator = np.random.default_rng(SEED)
    n = len(values)
    return np.concatenate(
        [
            values[generator.integers(0, n, size=(BLOCK, n), dtype=np.int32)].mean(axis=1)
            for _ in range(RESAMPLES // BLOCK)
        ]
    )
