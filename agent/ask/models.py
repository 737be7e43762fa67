"""Values of quick answers that are kept in checkpoints. The path of this module is frozen."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field, JsonValue

from agent.models import Options, Source
from agent.reading.values import ReadSpan, Replaced
from services.domain import (
    CacheStatistics,
    Certainty,
    Citation,
    CitedSentence,
    PassageSpan,
    Standing,
    Value,
)
from services.domain.answer_events import AgentStep
from services.domain.notices import Notice
from services.graph.values import Step
from services.language.query.values import Classification, ComplexityScore
from services.structured.values import (
    Contradiction,
    EntityCount,
    QuestionType,
    RequiredInfo,
    SubQuerySearch,
)

Depth = Literal["fast", "enhanced", "structured", "agent"]
AskedDepth = Literal["auto"] | Depth
RouteKind = Literal["catalog", "scan", "search"]
Line = tuple[str, CitedSentence]
"""The heading above a sentence of the answer, "" for none, and the sentence."""


class AskOptions(Options, extra="ignore"):
    """The choices of a person for a turn; stored ones may be of earlier versions. ``k`` is that of
    the fast route, ``answer_cache`` what profile or parameters say."""

    depth: AskedDepth = "auto"
    answer_cache: bool = False


class PastTurn(Value, extra="ignore"):
    """What later turns need of one: a complete question, and the passages that its answer cites."""

    question: str
    names: tuple[str, ...]
    answer: str
    passages: tuple[str, ...] = ()


class Rewriting(Value):
    """A question made complete. ``because`` is None where it was complete as asked."""

    question: str
    language: str
    because: str | None = None
    by: Literal["model", "rules", "person"] | None = None


class Complexity(ComplexityScore):
    """The score that decides the route, with its factors; that of the rules is the same."""

    score_rules: float


class Route(Value):
    """How a question is answered, and why. ``by_score`` is the depth that its score called for,
    ``deeper`` are depths to choose instead where it was not taken."""

    way: RouteKind
    depth: Depth
    by_score: Literal["fast", "enhanced", "agent"]
    reason: Notice
    deeper: tuple[Depth, ...] = ()


class GraphPath(Value):
    """A passage that the knowledge graph added, and the path to it."""

    chunk_id: str
    document: str
    section: str
    path: str
    steps: tuple[Step, ...]


class GraphUse(Value):
    """What the knowledge graph did for an answer. ``weight`` is its share after the search.

    ``weight_before`` is its share by the type of the question, ``vector_confidence`` how near the
    search came, ``confidence`` how surely the graph knew what is asked about. ``asked`` False: only
    the references of the best passages were followed, or, if ``loading``, the graph was not in
    memory yet. ``after_all``: it was to be left out, but the search found little.
    """

    weight: float
    asked: bool
    loading: bool = False
    confidence: float = 0.0
    entities: tuple[str, ...] = ()
    ways: tuple[GraphPath, ...] = ()
    weight_before: float = 0.0
    vector_confidence: float = 0.0
    after_all: bool = False


class RetrievalSummary(Value, extra="ignore"):
    """The outcome of the search, for refusals and for ``--explain``; shares are 0-1.

    ``relevance`` is that of the nearest passage, ``coverage`` the best share of the question's
    words, rare ones counting more; ``named``: the question names a section that was found.
    ``nearest`` are the best sections, ``nearest_at`` is where. ``graph`` is None where none was
    built.
    """

    searches: tuple[str, ...]
    results: int
    relevance: float
    coverage: float
    named: bool
    from_cache: bool
    cache: CacheStatistics
    nearest: tuple[str, ...] = ()
    nearest_at: tuple[PassageSpan, ...] = ()
    graph: GraphUse | None = None


class NumberedCitation(Citation):
    """A citation under the number that the answer's text shows in brackets."""

    number: int
    place: str


class Coverage(Value):
    """How much of what may be searched the answer rests on; ``whole`` False: a search sampled it.

    ``matched`` of ``total`` units hold the term itself, ``occurrences`` times in all; other forms
    of it and compounds are counted apart.
    """

    whole: bool
    unit: str | None = None
    matched: int | None = None
    total: int | None = None
    occurrences: int | None = None
    inflections: int | None = None
    compounds: int | None = None
    statement: str | None = None
    warning: str | None = None


class AnswerBody(Value):
    """Checked sentences between an opening and a closing of our own.

    ``listed``: the answer names their places alone, each with its note. Where a model ``reads``,
    ``read`` is what it was shown in so many ``rounds``, ``missing`` what of the question that does
    not say, and ``replaced`` what of it a later document changes.
    """

    sentences: tuple[CitedSentence, ...] = ()
    opening: str = ""
    closing: str = ""
    listed: bool = False
    notes: tuple[str, ...] = ()
    certainty: Certainty = "answered"
    degraded: tuple[Notice, ...] = ()
    reads: bool = False
    rounds: int = 0
    read: tuple[ReadSpan, ...] = ()
    missing: str = ""
    replaced: tuple[Replaced, ...] = ()


class Reply(AnswerBody, extra="ignore"):
    """The reply to a question; ``headings`` has the one above each sentence, or is empty."""

    headings: tuple[str, ...] = ()
    coverage: Coverage | None = None

    @property
    def refused(self) -> bool:
        return self.certainty == "refused"

    def followed_by(self, lines: Sequence[Line]) -> "Reply":
        """Return the reply with more sentences, each under its heading."""
        headings = self.headings or ("",) * len(self.sentences)
        update = {
            "sentences": (*self.sentences, *(sentence for _, sentence in lines)),
            "headings": (*headings, *(heading for heading, _ in lines)),
        }
        return self.model_copy(update=update)


class AgentTrace(Value):
    """What the agent route did; nothing on the other routes."""

    steps: int = 0
    parallel_steps: int = 0
    backtracked: bool = False
    reflection_concluded: bool = False
    forced_conclusion: bool = False


class Answer(AnswerBody, Route):
    """A turn as ``ask`` prints it. ``answer`` is the whole text; ``sweep_sections`` is how many
    sections a sweep would read, 0 where the question does not ask for all that there is."""

    turn: int
    question: str
    question_rewritten: str | None
    rewritten_because: str | None
    answer: str
    language: str
    complexity: Complexity
    classification: Classification
    subquestions: tuple[str, ...]
    citations: tuple[NumberedCitation, ...]
    sources: tuple[Source, ...]
    standings: dict[Standing, int] = Field(default_factory=dict)
    refused: bool
    coverage: Coverage
    sweep_sections: int = 0
    from_cache: bool
    agent: AgentTrace
    agent_steps: tuple[AgentStep, ...] = ()
    found: RetrievalSummary | None
    warnings: tuple[Notice, ...]
    usage: dict[str, JsonValue]


class Structure(Value):
    """What the structured route adds to an answer.

    ``temporal_scope`` are the days that the question names, ``temporal_coverage`` those of what was
    found. ``coverage_map`` has the passages that answer each piece, ``gaps`` the pieces without.
    """

    question_type: QuestionType
    entity_hints: tuple[str, ...] = ()
    topic_hints: tuple[str, ...] = ()
    temporal_scope: str | None = None
    required_info: tuple[RequiredInfo, ...]
    sub_queries: tuple[SubQuerySearch, ...]
    coverage_map: dict[str, tuple[str, ...]]
    entities: tuple[EntityCount, ...]
    gaps: tuple[str, ...]
    contradictions: tuple[Contradiction, ...] = ()
    confidence: float = Field(ge=0.0, le=1.0)
    temporal_coverage: str | None


class StructuredAnswer(Structure, Answer):
    """An answer of the structured route; ``timings_ms`` has each phase and the total."""

    timings_ms: dict[str, float]
