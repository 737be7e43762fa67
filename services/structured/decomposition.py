"""What must be known to answer a question without a model: each thing that it asks for."""

from typing import Final

from services.query.values import DateRange, Understanding
from services.structured.question_types import question_type
from services.structured.values import MOST_REQUIRED, Plan, SubQuery

_HINTS: Final = 12


def decomposed(known: Understanding) -> Plan:
    """The plan of a question: its parts, or both sides of a comparison, each searched for."""
    parts = zip(known.subquestions, known.searches, strict=True)
    queries = {item: query for part, query in parts if (item := _shown(part))}
    queries = queries or {known.question: known.question}
    required = tuple(queries)[:MOST_REQUIRED]
    return Plan(
        question_type=question_type(known),
        required_info=required,
        sub_queries=tuple(SubQuery(query=queries[item], target_info=item) for item in required),
        entity_hints=known.classification.entities[:_HINTS],
        temporal_scope=_scope(known.dates),
        dates=known.dates,
    )


def _shown(part: str) -> str:
    """A part as it is listed, without end marks."""
    plain = " ".join(part.split()).strip(" ,;:?!.")
    return plain[:1].upper() + plain[1:]


def _scope(dates: DateRange | None) -> str | None:
    """``2018-01-01 - 2020-12-31``; an open side is left out."""
    if dates is None or (dates.since is None and dates.until is None):
        return None
    return f"{dates.since or ''} - {dates.until or ''}".strip()
