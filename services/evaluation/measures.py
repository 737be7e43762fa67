"""Quality of rankings by the package ir-measures, one number a question and measure."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from services.evaluation.beir import Judgements
from services.evaluation.statistics import Values

MEASURES: Final = {
    "ndcg@10": "nDCG@10",
    "recall@10": "R@10",
    "recall@50": "R@50",
    "mrr@10": "RR@10",
}
"""Our names and those of ir-measures. nDCG takes the scores as gains, as BEIR does."""


def measure(judgements: Judgements, rankings: Mapping[str, Sequence[str]]) -> dict[str, Values]:
    """Rate the ranking of every judged question.

    Args:
        judgements: for each question the scores of its records.
        rankings: for each question the ids found, best first; without one all measures are 0.

    Returns:
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
