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
"""Coverage of a piece of required information by the certainty of its answer."""
CREDIT: Final[Mapping[Status, float]] = {"covered": 1.0, "partial": 0.5, "missing": 0.0}

MOST_REQUIRED = 6
MOST_SUB_QUERIES = 6
MOST_TOPICS = 50


class SubQuery(Value):
    """A search for one piece of required information; ``target_info`` is that piece."""

    query: str
    target_info: str


class Plan(Value, extra="ignore"):
    """The information that an answer requires, and how to search for it.

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
    """A passage that bears on a piece of required information.

    ``relevance`` is calibrated, ``score`` the certainty that its best sentence answers, both 0-1.
    ``named``: a sub-query names its section.
    """

    score: float = 0.0
    named: bool = False


class RequiredInfo(Value):
    """A piece of required information and its evidence, best first."""

    item: str
    status: Status
    evidence: tuple[JudgedPassage, ...] = ()


class SubQuerySearch(SubQuery):
    """A sub-query that was searched: the weights, and how many passages each strategy found.

    ``strategy_weights`` are those of its plan, ``weights`` those of the available strategies.
    ``gap``: it belongs to the second pass, which fills the gaps of the first.
    """

    weights: dict[str, float]
    found: dict[str, int]
    gap: bool = False
    strategy_weights: dict[str, float] = Field(default_factory=dict)


class EntityCount(Value):
    """An entity of question and evidence, and the number of passages that mention it.

    ``kind`` is that of the graph's node, or ``named`` if only the question names it.
    """

    name: str
    kind: str
    passages: int


class Contradiction(Value):
    """Two sentences of different sections that cannot both hold."""

    item: str
    first: str
    second: str
    why: str


class Judgement(Value, extra="ignore"):
    """A critique of the evidence: ``gaps`` are required pieces that it lacks.

    ``queries`` are at most three searches to fill them.
    """

    confidence: float = Field(ge=0.0, le=1.0)
    gaps: tuple[str, ...] = ()
    queries: tuple[SubQuery, ...] = ()


class Pass(Value):
    """The results of the searches so far, by chunk ids.

    ``ranking`` is that of all sub-queries together, ``by_item`` has the best chunks for each piece
    of required information, ``named`` those in sections that its sub-queries name. ``entities``
    are (name, kind of node) as the graph linked them. ``graph_loading``: a large graph was not
    loaded yet.
    """

    ranking: tuple[tuple[str, float], ...]
    by_item: dict[str, tuple[str, ...]]
    named: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    searches: tuple[SubQuerySearch, ...]
    entities: tuple[tuple[str, str], ...] = ()
    graph_loading: bool = False


class Scored(Value):
    """A sentence of a passage, and the certainty (0-1) that it answers a required piece."""

    chunk_id: str
    start: int
    end: int
    score: float


class Assessment(Value, extra="ignore"):
    """The assessment of the evidence.

    ``ranked`` has the judged sentences of each piece of required information, best first.
    """

    required: tuple[RequiredInfo, ...] = Field(min_length=1)
    ranked: dict[str, tuple[Scored, ...]] = Field(default_factory=dict)
    entities: tuple[EntityCount, ...] = ()
    temporal_coverage: str | None = None

    @property
    def gaps(self) -> tuple[str, ...]:
        """The required pieces without evidence."""
        return tuple(info.item for info in self.required if info.status == "missing")

    @property
    def open(self) -> tuple[str, ...]:
        """The required pieces that are missing or partly covered."""
        return tuple(info.item for info in self.required if info.status != "covered")

    @property
    def coverage(self) -> float:
        """The covered share of the required information, 0-1; partly covered pieces count half."""
        return round(sum(CREDIT[info.status] for info in self.required) / len(self.required), 4)
