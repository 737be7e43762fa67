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
"""What the judge says of a piece of required information, as the coverage map calls it."""
CREDIT: Final[Mapping[Status, float]] = {"covered": 1.0, "partial": 0.5, "missing": 0.0}

MOST_REQUIRED = 6
MOST_SUB_QUERIES = 6
MOST_TOPICS = 50


class SubQuery(Value):
    """A search for one piece of required information; ``target_info`` is that piece."""

    query: str
    target_info: str


class Plan(Value, extra="ignore"):
    """What must be known to answer a question, and how to look for it.

    Every ``target_info`` is one of ``required_info``, and each of these has a sub-query.
    """

    question_type: QuestionType
    required_info: tuple[str, ...] = Field(min_length=1)
    sub_queries: tuple[SubQuery, ...] = Field(min_length=1)
    entity_hints: tuple[str, ...] = ()
    topic_hints: tuple[str, ...] = ()
    dates: DateRange | None = None
    by: Literal["model", "rules"] = "rules"


class JudgedPassage(FoundPassage, extra="ignore"):
    """A passage that speaks to a piece of required information.

    ``relevance`` is its calibrated nearness, ``score`` how surely its best sentence answers, both
    0-1. ``named``: a sub-query names its section.
    """

    score: float = 0.0
    named: bool = False


class RequiredInfo(Value):
    """A piece of required information and what was found for it, best first."""

    item: str
    status: Status
    evidence: tuple[JudgedPassage, ...] = ()


class SubQuerySearch(SubQuery):
    """A sub-query as it was searched: with what weights, how much each strategy found.

    ``strategy_weights`` are those of its plan, ``weights`` those of the strategies there were.
    ``gap`` tells that it belongs to the second pass, for what the first left open.
    """

    weights: dict[str, float]
    found: dict[str, int]
    gap: bool = False
    strategy_weights: dict[str, float] = Field(default_factory=dict)


class EntityCount(Value):
    """Something that question and evidence speak of, and how many passages do.

    ``kind`` is that of the graph's node, or ``named`` for what only the question's words tell.
    """

    name: str
    kind: str
    passages: int


class Contradiction(Value):
    """Two sentences of different places that cannot both hold."""

    item: str
    first: str
    second: str
    why: str


class Judgement(Value, extra="ignore"):
    """How much of what is required the evidence has. ``gaps`` are pieces that it lacks.

    ``queries`` are what to look for, at most three.
    """

    confidence: float = Field(ge=0.0, le=1.0)
    gaps: tuple[str, ...] = ()
    queries: tuple[SubQuery, ...] = ()


class Pass(Value):
    """What searching brought so far, by chunk ids.

    ``ranking`` is that of all sub-queries together, ``by_item`` the best of those for each piece of
    required information, ``named`` what lies in sections that these name. ``entities`` are (name,
    kind of node) as the graph linked them. ``graph_loading``: a large graph was not there yet.
    """

    ranking: tuple[tuple[str, float], ...]
    by_item: dict[str, tuple[str, ...]]
    named: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    searches: tuple[SubQuerySearch, ...]
    entities: tuple[tuple[str, str], ...] = ()
    graph_loading: bool = False


class Scored(Value):
    """A sentence of a passage, and how surely it answers a piece of required information, 0-1."""

    chunk_id: str
    start: int
    end: int
    score: float


class Assessment(Value, extra="ignore"):
    """What the evidence is worth.

    ``ranked`` has the judged sentences of each piece of required information, best first.
    """

    required: tuple[RequiredInfo, ...] = Field(min_length=1)
    ranked: dict[str, tuple[Scored, ...]] = Field(default_factory=dict)
    entities: tuple[EntityCount, ...] = ()
    temporal_coverage: str | None = None

    @property
    def gaps(self) -> tuple[str, ...]:
        """What was asked for and not found."""
        return tuple(each.item for each in self.required if each.status == "missing")

    @property
    def open(self) -> tuple[str, ...]:
        """What is not wholly covered."""
        return tuple(each.item for each in self.required if each.status != "covered")

    @property
    def coverage(self) -> float:
        """Share of the required information that is covered, 0-1; what is partly counts half."""
        return round(sum(CREDIT[each.status] for each in self.required) / len(self.required), 4)
