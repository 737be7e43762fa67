"""Without a model that reads: the words that come closest, which claim nothing."""

from collections.abc import Sequence
from typing import Final

from agent.context import Context
from agent.grid.models import GridOptions
from agent.grid.rows import FIRST_HITS
from agent.ranking import RankedSentence, distinct, rank_passages
from services.domain import EvidenceSentence, SearchFilter
from services.domain.grids import CellReading, CellState, Column, Finding, GridRow, SweepGroup

HITS: Final = 10
MOST_LISTED: Final = 20
"""Places of a sweep."""


def closest_readings(
    row: GridRow, columns: Sequence[Column], options: GridOptions, context: Context
) -> dict[int, CellReading]:
    """Return the closest quote of a row to the question of each column."""
    only = SearchFilter(documents=(row.document_id,)) if row.text_id else SearchFilter()
    readings: dict[int, CellReading] = {}
    for column in columns:
        subject = "" if row.text_id else f"{row.name}: "
        ranked = _ranked(f"{subject}{column.question}", only, HITS, options, context)
        inside = [s for _, s in ranked if not row.text_id or row.start <= s.start < row.end]
        findings = tuple(map(_quoted, inside[:1]))
        state: CellState = "closest" if findings else "absent"
        readings[column.id] = CellReading(state=state, findings=findings)
    return readings


def closest_groups(question: str, options: GridOptions, context: Context) -> list[SweepGroup]:
    """Return the places of a scope that come closest to a question, best first."""
    ranked = _ranked(question, SearchFilter(), FIRST_HITS, options, context)
    quotes = [_quoted(sentence) for _, sentence in distinct(ranked)[:MOST_LISTED]]
    return [SweepGroup(value=q.value, text=q.value, findings=(q,)) for q in quotes]


def _ranked(
    question: str, only: SearchFilter, k: int, options: GridOptions, context: Context
) -> list[RankedSentence]:
    hits = context.retriever.search(question, scope=context.scope, k=k, only=only)
    passages = ((hit.relevance, hit) for hit in hits)
    return rank_passages(question, passages, options.language, context)


def _quoted(sentence: EvidenceSentence) -> Finding:
    quote = " ".join(sentence.quote.split())
    citation = sentence.bare()
    return Finding(value=quote, normal=quote.casefold(), claim="", citations=(citation,))
