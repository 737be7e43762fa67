"""Values kept in checkpoints. The path of this module is as frozen as the node names.

Texts stay in the catalog: entries carry ids and spans, so that a checkpoint stays small.
"""

from typing import Literal

from pydantic import Field

from agent.reading.values import ReadSpan, Replaced, SectionExcerpt
from services.domain import (
    CaseSpan,
    Certainty,
    Citation,
    CitedSentence,
    Language,
    PassageSpan,
    ReferenceType,
    SearchOptions,
    Standing,
    Value,
)
from services.domain import TaskUsage as TaskUsage
from services.domain.events import PlanItem
from services.domain.notices import Notice

TODO_MAX_ITEMS = 15


class Options(Value):
    """What a person chose when asking, for a quick answer as for a research."""

    k: int = Field(default=10, ge=1, le=100)
    documents: tuple[str, ...] = Field(default=(), max_length=100)
    follows: str | None = None
    profile: str | None = None
    min_relevance: float = Field(default=0.0, ge=0.0, le=1.0)
    max_tokens: int | None = Field(default=None, ge=1)
    synthesis_prompt: str = ""
    plan_memory: bool = True


class RunOptions(Options):
    """What a person chose when starting a run.

    ``k`` passages are searched for, ``maxDocs`` if it is not set. ``documents`` are file names or
    ids within the collections: only those are searched, unless empty. ``follows`` is the thread
    that this one goes on from, as one conversation. What ``profile``, or the global parameters
    without one, said at the start: ``min_relevance`` bounds what counts as evidence, ``max_tokens``
    are those of the passages in one prompt, None for what the model can take, ``synthesis_prompt``
    replaces the system prompt of synthesis unless empty, ``plan_memory``: earlier plans help,
    ``max_chunks_per_document`` holds where the run looks over the corpus, not where tasks read
    sections whole. ``recorded`` names the sample whose recorded replies answer for a model.
    """

    clarify: bool = True
    approve_plan: bool = True
    quality_check: bool = True
    max_iterations: int = Field(default=5, ge=1, le=10)
    research_queries: tuple[str, ...] = ()
    recorded: str = Field(default="", pattern="^[a-z-]*$")
    max_chunks_per_document: int = Field(default=0, ge=0)

    @property
    def look(self) -> SearchOptions:
        """How the corpus is looked over before there is a plan."""
        return SearchOptions(
            min_relevance=self.min_relevance, max_chunks_per_document=self.max_chunks_per_document
        )


class QueryAnalysis(Value, extra="ignore"):
    """What the question asks for. ``facets`` are its parts: the questions that it consists of.

    ``assumed_context`` is what the run takes for granted: were it otherwise, it would search
    otherwise.
    """

    original_query: str
    entities: tuple[str, ...]
    scope: str
    facets: tuple[str, ...]
    assumed_context: tuple[str, ...] = ()
    clarification_needed: bool = True
    hitl_refinements: tuple[str, ...] = ()


class QueryAnchor(Value):
    """The question as it was meant. Written once, never changed by later phases."""

    original_query: str
    detected_language: Language
    key_entities: tuple[str, ...]
    scope: str
    hitl_refinements: tuple[str, ...]
    assumed_context: tuple[str, ...] = ()
    created_at: str


class Turn(Value):
    """One message of the clarification conversation."""

    role: Literal["user", "assistant"]
    content: str


class SearchMade(Value):
    """A search of a run: how many passages it found, and how many of these were new.

    ``imagined``: it looked for a passage that the model imagined, which is none of the documents.
    ``round`` counts a task's rounds of reading; from 2 on a search is for what was still missing.
    ``chunk_ids`` are the new passages; of a task's search, those that its findings rest on.
    """

    query: str
    hits: int
    new: int
    imagined: bool = False
    round: int = 1
    chunk_ids: tuple[str, ...] = ()


class RetrievalRecord(Value):
    """One iteration of looking into the corpus; ratios are 0-1."""

    iteration: int
    queries: tuple[str, ...]
    hits: int
    new: int
    duplicates: int
    dedup_ratio: float
    coverage: float = 0.0
    gaps: tuple[str, ...] = ()
    searches: tuple[SearchMade, ...] = ()


class ToDoItem(PlanItem):
    """A research task. ``context`` says what it is to find out, ``searches`` what is searched for
    first."""

    completed: bool = False
    searches: tuple[str, ...] = ()


class PreservedQuote(PassageSpan):
    """A verbatim quote of a task; ``rank`` orders them, ``relevance_reason`` is what it proves."""

    quote: str
    relevance_reason: str
    task_id: int
    rank: int
    score: float
    case: CaseSpan | None = None


class TaskFinding(Value):
    """What a task found: a claim that is proven and verified, or a quote that claims nothing.

    ``id`` is ``2.1`` for the first of task 2. ``tier`` and ``weight`` follow from how its best
    place was found; ``score`` is the relevance of that to the task, 0-1. Validation gives a
    ``grade``, 0-10, and a ``reason``. ``repeats`` is the id of a finding that says the same at the
    better place.
    """

    id: str
    task_id: int
    text: str
    standing: Standing
    citations: tuple[Citation, ...]
    chunk_ids: tuple[str, ...]
    tier: int
    weight: float
    score: float
    status: Literal["kept", "dropped", "restored"] = "kept"
    grade: float | None = None
    reason: Notice | None = None
    repeats: str = ""

    @property
    def counts(self) -> bool:
        """Whether it was not dropped."""
        return self.status != "dropped"


class TaskReading(Value):
    """What was read for a task: ``sections`` are those that its findings rest on."""

    task_id: int
    answered: Literal["yes", "partly", "no"]
    missing: str = ""
    rounds: int = 0
    reads: bool = True
    read: tuple[ReadSpan, ...] = ()
    sections: tuple[SectionExcerpt, ...] = ()
    replaced: tuple[Replaced, ...] = ()
    searches: tuple[SearchMade, ...] = ()
    left_out: tuple[Notice, ...] = ()


class ReferenceRecord(Value):
    """A reference met during extraction and what became of it."""

    task_id: int
    source: str
    text: str
    type: ReferenceType
    target: str
    found: bool
    resolved_to: str | None
    reason: Notice | None
    depth: int
    chunk_ids: tuple[str, ...] = ()


class TaskSummary(Value):
    """What a task found. ``summary`` is prose that passed the support check, or a quote."""

    task_id: int
    task: str
    summary: str
    key_findings: tuple[str, ...]
    references: tuple[str, ...]
    relevance: float
    gaps: tuple[str, ...] = ()


class SectionDraft(Value, extra="ignore"):
    """A section of the report, each sentence with its standing and the form that it is written in.

    ``heading`` is a task of the plan, "" for the answer above all. ``note`` says what the section
    has no sentence for. ``used`` are the ids of the findings that its sentences rest on.
    """

    heading: str
    sentences: tuple[CitedSentence, ...]
    degraded: Notice | None = None
    certainty: Certainty = "answered"
    task_id: int = 0
    forms: tuple[str, ...] = ()
    note: str = ""
    used: tuple[str, ...] = ()


class PartAnswered(Value):
    """How surely a task of the plan is answered; ``chunk_ids`` are what that rests on."""

    text: str
    certainty: Certainty
    chunk_ids: tuple[str, ...] = ()


class QualityAssessment(Value):
    """Four dimensions of 0-100 each; ``total`` is 0-400.

    Where the drafts were written twice (``revised``), these are the scores of the better ones, and
    ``before`` and ``after`` those of both by name.
    """

    factual_accuracy: float
    semantic_validity: float
    structural_integrity: float
    citation_correctness: float
    total: float
    remarks: tuple[Notice, ...] = ()
    revised: bool = False
    revision_helped: bool = False
    before: dict[str, float] = Field(default_factory=dict)
    after: dict[str, float] = Field(default_factory=dict)


class Source(Value):
    """A document that the answer cites."""

    document: str
    document_id: str
    sha256: str
    title: str
    parser_version: str
    sections: tuple[str, ...]
    pages: tuple[int, ...]
    page_labels: tuple[str, ...] = Field((), exclude_if=lambda labels: not labels)


class Finding(Value):
    """The answer to one task, as the report lists it."""

    task: str
    summary: str
    sections: tuple[str, ...]


class ReportTask(Value):
    """A task of the approved plan, what of it was answered, and by which findings."""

    id: int
    task: str
    answered: Literal["yes", "partly", "no"]
    missing: str = ""
    rounds: int = 0
    read: tuple[ReadSpan, ...] = ()
    searches: tuple[SearchMade, ...] = ()
    findings: tuple[TaskFinding, ...] = ()


class Report(Value):
    """What the reader gets. ``answer`` is Markdown made of ``sentences`` under headings.

    ``opening`` stands before them where they claim nothing, or where there are none.
    ``certainty`` is that of the best part, ``notes`` are what the report says of itself.
    """

    answer: str
    opening: str = ""
    notes: tuple[str, ...] = ()
    sentences: tuple[CitedSentence, ...]
    findings: tuple[Finding, ...]
    sources: tuple[Source, ...]
    gaps: tuple[str, ...]
    warnings: tuple[Notice, ...]
    degraded: tuple[Notice, ...]
    certainty: Certainty = "answered"
    standings: dict[Standing, int] = Field(default_factory=dict)
    parts: tuple[PartAnswered, ...] = ()
    tasks: tuple[ReportTask, ...] = ()
    replaced: tuple[Replaced, ...] = ()
    missing: str = ""


class PlanDecision(Value):
    """A person's answer to a proposed plan; None keeps the proposal.

    With a ``correction`` of what the run assumes there is no approval yet: it plans anew.
    """

    items: tuple[PlanItem, ...] | None = None
    correction: str = ""
