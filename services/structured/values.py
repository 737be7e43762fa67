"""Values of the structured route."""

from collections.abc import Mapping
from typing import Final, Literal

from pydantic import Field

from services.domain.answer_events import FoundPassage
from services.domain.answers import Certainty
from services.domain.value import Value
from services.language.query.values import DateRange

QuestionType = Literal["factual", "comparison", "enumeration", "temporal", "causal"]
Status = Literal["covered", "partial", "missing"]

STATUS: Final[Mapping[Certainty, Status]] = {
    "answered": "covered",
    "perhaps": "partial",
    "refused": "missing",
}
CREDIT: Final[Mapping[Status, float]] = {"covered": 1.0, "partial": 0.5, "missing": 0.0}

MOST_REQUIRED = 6
MOST_SUB_QUERIES = 6
MOST_TOPICS = 50


class SubQuery(Value):
    query: str
    target_info: str


class Plan(Value, extra="ignore"):
    """What an answer requires, and how to search; each of ``required_info`` has a sub-query."""

    question_type: QuestionType
    required_info: tuple[str, ...] = Field(min_length=1)
    sub_queries: tuple[SubQuery, ...] = Field(min_length=1)
    entity_hints: tuple[str, ...] = ()
    topic_hints: tuple[str, ...] = ()
    dates: DateRange | None = None
    by: Literal["model", "rules"] = "rules"


class JudgedPassage(FoundPassage, extra="ignore"):
    """A passage that bears on a piece of required information; scores are 0-1."""

    score: float = 0.0
    named: bool = False


class RequiredInfo(Value):
    item: str
    status: Status
    evidence: tuple[JudgedPassage, ...] = ()


class SubQuerySearch(SubQuery, extra="ignore"):
    """A sub-query that was searched, with the number of passages that each strategy found.

    ``strategy_weights`` are those of the question's type, ``weights`` those of the strategies that
    found something. ``gap``: it belongs to the second pass.
    """

    weights: dict[str, float] = Field(default_factory=dict)
    strategy_weights: dict[str, float] = Field(default_factory=dict)
    found: dict[str, int]
    gap: bool = False


class EntityCount(Value):
    """An entity and the number of passages with it; ``kind`` is ``graph`` or ``named``."""

    name: str
    kind: str
    passages: int


class Contradiction(Value):
    item: str
    first: str
    second: str
    why: str
