"""What must be known to answer a question without a model: each thing that it asks for."""

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


def decomposed(understanding: Understanding) -> Plan:
    """Return the plan of a question: each of its sub-questions is searched for."""
    queries = {item: part for part in understanding.subquestions if (item := _listed(part))}
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
    """What the question is about besides the things that it names."""
    named = {name.casefold() for name in understanding.classification.entities}
    phrases = keyphrases(understanding.question, understanding.language, _HINTS)
    return tuple(phrase for phrase in phrases if phrase.casefold() not in named)


def scope_of(dates: DateRange | None) -> str | None:
    """``2018-01-01 - 2018-12-31``; an open end is ``..``, and None is given where nothing is."""
    if dates is None or (dates.since is None and dates.until is None):
        return None
    return " - ".join(day.isoformat() if day else ".." for day in (dates.since, dates.until))


def question_type(understanding: Understanding) -> QuestionType:
    """The type of a question as the heads read it; one that names a time is asked by time."""
    of_class = understanding.classification.type
    if understanding.dates is not None:
        return "temporal"
    wish = understanding.scan
    return "enumeration" if wish is not None and wish.sure else _BY_CLASS.get(of_class, "factual")


def _listed(part: str) -> str:
    """A part as it is listed, without end marks."""
    plain = " ".join(part.split()).strip(" ,;:?!.")
    return plain[:1].upper() + plain[1:]
