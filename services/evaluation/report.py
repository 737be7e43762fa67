"""The result of a retrieval evaluation, as values and as the JSON of the command."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from services.evaluation.statistics import Interval, Values, difference_interval, mean_interval
from services.types import IngestReport, SearchMode

DIGITS = 4


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
        return {
            **{name: round(float(values.mean()), DIGITS) for name, values in self.values.items()},
            **milliseconds(self.seconds),
            "intervals": {
                name: _ends(mean_interval(values)) for name, values in self.values.items()
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
                "seconds": round(self.ingestion.seconds, 2),
                "parse_s": round(self.ingestion.parse_s, 2),
                "embed_s": round(self.ingestion.embed_s, 2),
                "index_s": round(self.ingestion.index_s, 2),
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


def _ends(interval: Interval) -> list[float]:
    return [round(interval.low, DIGITS), round(interval.high, DIGITS)]
