"""Measures of rankings, what their means are worth, and the report of a retrieval evaluation.

Intervals are percentile-bootstrap intervals: questions are drawn with replacement (Efron 1979;
for retrieval Sakai, SIGIR 2006). A comparison draws the same questions for both sides, so what
makes a question hard for both does not widen the interval of their difference.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from services.domain import IngestReport, SearchMode
from services.evaluation.beir import Judgements

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


MEASURES: Final = {
    "ndcg@10": "nDCG@10",
    "recall@10": "R@10",
    "recall@50": "R@50",
    "mrr@10": "RR@10",
}
"""Our names and those of ir-measures. nDCG takes the scores as gains, as BEIR does."""


def measure(judgements: Judgements, rankings: Mapping[str, Sequence[str]]) -> dict[str, Values]:
    """Rate the ranking of every judged question; of one without a ranking all measures are 0.

    For each measure an array of shape (questions,) in the order of ``judgements``.
    """
    import ir_measures

    names = {ir_measures.parse_measure(theirs): ours for ours, theirs in MEASURES.items()}
    place = {query: n for n, query in enumerate(judgements)}
    values = {name: np.zeros(len(place)) for name in MEASURES}
    qrels = {query: dict(scores) for query, scores in judgements.items()}
    # The evaluator orders by score; equal ones it would order by id.
    run = {
        query: {record: float(len(found) - rank) for rank, record in enumerate(found)}
        for query, found in rankings.items()
    }
    for each in ir_measures.iter_calc(list(names), qrels, run):
        values[names[each.measure]][place[each.query_id]] = each.value
    return values


DIGITS = 4
INGESTION_TIMES = ("seconds", "parse_s", "embed_s", "index_s")


@dataclass(frozen=True)
class ModeResult:
    """One mode over all questions.

    ``values`` holds for each measure one number a question, ``seconds`` the time of each search,
    both of shape (questions,).
    """

    mode: SearchMode
    values: dict[str, Values]
    seconds: Values

    def as_json(self) -> dict[str, Any]:
        intervals = {name: mean_interval(values) for name, values in self.values.items()}
        return {
            **{name: round(float(values.mean()), DIGITS) for name, values in self.values.items()},
            **milliseconds(self.seconds),
            "intervals": {
                name: [round(interval.low, DIGITS), round(interval.high, DIGITS)]
                for name, interval in intervals.items()
            },
        }


@dataclass(frozen=True)
class RetrievalReport:
    """What was measured on a question set; the first mode is the one others are compared to."""

    dataset: str
    documents: int
    questions: int
    results: Sequence[ModeResult]
    ingestion: IngestReport
    embedded: int
    query_seconds: Values

    def as_json(self) -> dict[str, Any]:
        """The shape of ``eval retrieval --json``.

        Quality is 0-1 and rounded to four digits, times are in the units of their names.
        ``differences`` compares the first mode with each other one, question by question.
        """
        return {
            "dataset": self.dataset,
            "documents": self.documents,
            "chunks": self.ingestion.chunks,
            "queries": self.questions,
            "modes": {result.mode: result.as_json() for result in self.results},
            "differences": self._differences(),
            "query_embedding": milliseconds(self.query_seconds),
            "ingest": {
                **{name: round(getattr(self.ingestion, name), 2) for name in INGESTION_TIMES},
                "embedded": self.embedded,
            },
        }

    def _differences(self) -> dict[str, Any]:
        first, *others = self.results
        return {
            f"{first.mode}-{other.mode}": {
                name: {
                    key: round(value, DIGITS)
                    for key, value in asdict(
                        difference_interval(values, other.values[name])
                    ).items()
                }
                for name, values in first.values.items()
            }
            for other in others
        }


def milliseconds(seconds: Values) -> dict[str, float]:
    """Median and 95th percentile of times, in milliseconds."""
    p50, p95 = np.quantile(seconds, (0.5, 0.95)) * 1000
    return {"ms_p50": round(float(p50), 2), "ms_p95": round(float(p95), 2)}
