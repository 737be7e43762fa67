"""Decomposition of a question without a model: each thing that it asks for."""

from collections.abc import Mapping
from typing import Final

from services.language.query.values import DateRange, QueryType, Understanding
from services.language.text.keyphrases import keyphrases
from services.structured.values import MOST_REQUIRED, Plan, QuestionType, SubQuery

_HINTS: Final = 12
_BY_CLASS: Final[Mapping[QueryType, QuestionType]] = {
    "analytical": "causal",
    "comparative": "comparison",
    "exploratory": "enumeration",
}


def decompose_by_rules(understanding: Understanding) -> Plan:
    """Return the plan of a question: a sub-query for each of its sub-questions."""
    queries = {item: query for query in understanding.subquestions if (item := _as_item(query))}
    queries = queries or {understanding.question: understanding.question}
    required = tuple(queries)[:MOST_REQUIRED]
    return Plan(
        question_type=question_type(understanding),
        required_info=required,
        sub_queries=tuple(SubQuery(query=queries[item], target_info=item) for item in required),
        entity_hints=understanding.classification.entities[:_HINTS],
        topic_hints=_topics(understanding),
        dates=understanding.dates,
    )


def _topics(understanding: Understanding) -> tuple[str, ...]:
    """Return the key phrases of the question without the entities that it names."""
    named = {name.casefold() for name in understanding.classification.entities}
    phrases = keyphrases(understanding.question, understanding.language, _HINTS)
    return tuple(phrase for phrase in phrases if phrase.casefold() not in named)


def format_dates(dates: DateRange | None) -> str | None:
    """Return ``2018-01-01 - 2018-12-31``, with ``..`` for an open end; None without any date."""
    if dates is None or (dates.since is None and dates.until is None):
        return None
    return " - ".join(day.isoformat() if day else ".." for day in (dates.since, dates.until))


def question_type(understanding: Understanding) -> QuestionType:
    """Return the type of a question by its class; one that names a time is temporal."""
    if understanding.dates is not None:
        return "temporal"
    scan = understanding.scan
    if scan is not None and scan.sure:
        return "enumeration"
    return _BY_CLASS.get(understanding.classification.type, "factual")


def _as_item(subquestion: str) -> str:
    """Return a sub-question as an item of a list, capitalised and without end marks."""
    plain = " ".join(subquestion.split()).strip(" ,;:?!.")
    return plain[:1].upper() + plain[1:]
