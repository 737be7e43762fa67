"""Typed events: what a run or an ingestion tells whoever watches.

One vocabulary for the terminal, the browser and HTTP. An event is persisted under
(thread, branch, checkpoint, task, n), so that a step that is done again overwrites what it
said before.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, TypeAdapter

from services.domain import Location, Value
from services.domain.answer_events import AgentAction as AgentAction
from services.domain.answer_events import AgentStart as AgentStart
from services.domain.answer_events import AgentStep as AgentStep
from services.domain.answer_events import ConversationLLMStep as ConversationLLMStep
from services.domain.answer_events import ExecutionComplete as ExecutionComplete
from services.domain.answer_events import ExecutionStart as ExecutionStart
from services.domain.answer_events import FinalAnswer as FinalAnswer
from services.domain.answer_events import FoundPassage as FoundPassage
from services.domain.answer_events import KnowledgeRetrievalComplete as KnowledgeRetrievalComplete
from services.domain.answer_events import KnowledgeRetrievalStart as KnowledgeRetrievalStart
from services.domain.answer_events import TokenCount as TokenCount
from services.domain.notices import Notice
from services.domain.plans import PlanCase

Phase = Literal["clarify", "plan", "extract", "validate", "synthesize", "assess", "attribute"]


class RunStarted(Value):
    kind: Literal["run_started"] = "run_started"
    question: str
    model: str
    collections: tuple[str, ...]


class PhaseStarted(Value):
    kind: Literal["phase_started"] = "phase_started"
    phase: Phase


class PhaseFinished(Value):
    kind: Literal["phase_finished"] = "phase_finished"
    phase: Phase
    seconds: float


class RetrievalIteration(Value):
    """One look into the corpus during clarification."""

    kind: Literal["retrieval_iteration"] = "retrieval_iteration"
    iteration: int
    queries: tuple[str, ...]
    hits: int
    new: int
    duplicates: int
    dedup_ratio: float
    coverage: float
    gaps: tuple[str, ...]
    found: tuple[str, ...] = ()


class QuestionsAsked(Value):
    """``matters`` is what hangs on each question, ``assumed`` what the run takes for granted."""

    kind: Literal["questions_asked"] = "questions_asked"
    iteration: int
    questions: tuple[str, ...]
    found: tuple[str, ...]
    assumed: tuple[str, ...] = ()
    matters: tuple[str, ...] = ()


class AnswerGiven(Value):
    """What the person said to the questions of that iteration; ``/end`` ends the conversation."""

    kind: Literal["answer_given"] = "answer_given"
    iteration: int
    text: str


class AssumptionsCorrected(Value):
    """A person corrected what the run had assumed; ``assumed`` is what it assumes now.

    ``at`` says what the run waited for when that was said.
    """

    kind: Literal["assumptions_corrected"] = "assumptions_corrected"
    at: Literal["clarification", "plan"]
    text: str
    assumed: tuple[str, ...]


class ClarificationEnded(Value):
    """``gaps`` are what nothing that was found answers, so far."""

    kind: Literal["clarification_ended"] = "clarification_ended"
    reason: str
    refinements: tuple[str, ...]
    gaps: tuple[str, ...] = ()


class PlanItem(Value):
    """A task of a plan. ``subtasks`` are what it asks, where that is several things.

    The ``id`` ties an edited task to the proposed one; that of a new task is any other.
    """

    id: int
    task: str
    context: str = ""
    subtasks: tuple[str, ...] = ()


class PlanRecalled(Value):
    """Plans of before that helped with the plan for ``question``, best first, as they were."""

    kind: Literal["plan_recalled"] = "plan_recalled"
    question: str
    cases: tuple[PlanCase, ...]


class PlanProposed(Value):
    """``assumed`` is what the plan takes for granted; ``note`` says why it is a short one."""

    kind: Literal["plan_proposed"] = "plan_proposed"
    items: tuple[PlanItem, ...]
    assumed: tuple[str, ...] = ()
    note: Notice | None = None


class PlanApproved(Value):
    """``changes`` tells what the person did to the proposal, one line each."""

    kind: Literal["plan_approved"] = "plan_approved"
    items: tuple[PlanItem, ...]
    changes: tuple[Notice, ...]


class TaskStarted(Value):
    kind: Literal["task_started"] = "task_started"
    task_id: int
    task: str


class EvidenceFound(Location):
    kind: Literal["evidence_found"] = "evidence_found"
    task_id: int
    chunk_id: str
    tier: int
    relevance: float
    source_type: str
    depth: int


class ReferenceFollowed(Value):
    kind: Literal["reference_followed"] = "reference_followed"
    task_id: int
    source: str
    text: str
    found: bool
    resolved_to: str | None
    depth: int


class FindingMade(Value):
    """A claim that a task has read, proven and verified."""

    kind: Literal["finding_made"] = "finding_made"
    task_id: int
    text: str


class QuoteFound(Location):
    """A sentence that a task quotes, and where it stands."""

    quote: str


class TaskFinished(Value):
    kind: Literal["task_finished"] = "task_finished"
    task_id: int
    seconds: float
    evidence: int
    quotes: int
    quoted: tuple[QuoteFound, ...] = ()


class EvidenceDropped(Value):
    kind: Literal["evidence_dropped"] = "evidence_dropped"
    chunk_id: str
    document: str
    section: str
    tier: int
    score: float
    reason: Notice


class EvidenceRestored(Value):
    """A person let evidence count that validation had dropped; judging and writing begin anew."""

    kind: Literal["evidence_restored"] = "evidence_restored"
    chunk_id: str
    document: str
    section: str


class TokenUpdate(Value):
    """Text of a part of the answer so far; at most four a second, finished text persisted.

    In quick answers the last one of a turn has its tokens until then, in all its model calls.
    """

    kind: Literal["token_update"] = "token_update"
    part: str
    text: str
    total_input: int = 0
    total_output: int = 0


class ModelCalled(Value):
    kind: Literal["model_called"] = "model_called"
    task: str
    model_calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    fallback: Notice | None


class Warned(Value):
    kind: Literal["warned"] = "warned"
    message: Notice


class Waiting(Value):
    """The run waits for a person: ``clarification`` or ``plan``, answered by interrupt id.

    ``gaps`` of a plan are what nothing that was found so far answers, ``note`` says why it is a
    short one. ``assumed`` is what the run takes for granted; a person may correct it. ``answers``
    are some that each question may get, and ``matters`` is what hangs on it, in their order.
    """

    kind: Literal["waiting"] = "waiting"
    interrupt_id: str
    interrupt: Literal["clarification", "plan"]
    questions: tuple[str, ...] = ()
    answers: tuple[tuple[str, ...], ...] = ()
    matters: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    items: tuple[PlanItem, ...] = ()
    gaps: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    note: Notice | None = None


class RunFinished(Value):
    """``final`` says of an error that going on with the thread would end in it again.

    ``error_type`` is the error's class, None in events of earlier versions.
    """

    kind: Literal["run_finished"] = "run_finished"
    status: Literal["done", "cancelled", "paused", "failed"]
    error: Notice | None = None
    error_type: str | None = None
    final: bool = False


class DocumentProgress(Value):
    """One file of an ingestion moving through its stages; ``done``/``total`` in chunks."""

    kind: Literal["document_progress"] = "document_progress"
    document: str
    stage: Literal["parse", "chunk", "embed", "index", "graph", "done", "unchanged", "failed"]
    done: int = 0
    total: int = 0
    error: Notice | None = None


class IngestProgress(Value):
    """How far an ingestion is.

    ``documents_done`` counts the failed ones too; pages and chunks are those taken in by it.
    ``share`` (0-1) is by bytes, and so is ``eta_s``, the seconds that remain; None before there
    is anything to judge by.
    """

    kind: Literal["ingest_progress"] = "ingest_progress"
    documents_done: int
    documents_failed: int
    documents_total: int
    pages: int
    chunks: int
    chunks_per_s: float
    share: float
    eta_s: float | None


Event = Annotated[
    RunStarted
    | PhaseStarted
    | PhaseFinished
    | RetrievalIteration
    | QuestionsAsked
    | AnswerGiven
    | AssumptionsCorrected
    | ClarificationEnded
    | PlanRecalled
    | PlanProposed
    | PlanApproved
    | TaskStarted
    | EvidenceFound
    | ReferenceFollowed
    | FindingMade
    | TaskFinished
    | EvidenceDropped
    | EvidenceRestored
    | TokenUpdate
    | ModelCalled
    | Warned
    | Waiting
    | RunFinished
    | DocumentProgress
    | IngestProgress
    | ExecutionStart
    | KnowledgeRetrievalStart
    | KnowledgeRetrievalComplete
    | AgentStart
    | AgentStep
    | ConversationLLMStep
    | FinalAnswer
    | ExecutionComplete,
    Field(discriminator="kind"),
]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)


class EventKey(Value):
    """Identity of an event in the log of its thread."""

    thread_id: str
    branch: str = "main"
    checkpoint: str
    task: str = ""
    n: int


class EventRecord(Value):
    """An event as the log holds it. ``seq`` grows; ``at`` is ISO 8601 in UTC."""

    seq: int
    key: EventKey
    at: str
    event: Event


def span(at: str, seconds: float) -> tuple[float, float]:
    """Start and end, in seconds, of what took so long and was told at its end."""
    end = datetime.fromisoformat(at).timestamp()
    return end - seconds, end


class PhaseTimes(NamedTuple):
    """Seconds of each phase: on the clock, and of all its steps, also of those side by side."""

    wall: Mapping[Any, float]
    work: Mapping[Any, float]


def phase_times(told: Iterable[tuple[str, Event]]) -> PhaseTimes:
    """How long each phase took, to the hundredth, from a log: when what was told.

    The one source of such figures: pages, reports, exports and the terminal show these. What a
    person took to answer is in none of them.
    """
    spans: dict[Phase, list[tuple[float, float]]] = defaultdict(list)
    for at, event in told:
        if isinstance(event, PhaseFinished):
            spans[event.phase].append(span(at, event.seconds))
    return PhaseTimes(
        wall={phase: round(covered(each), 2) for phase, each in spans.items()},
        work={phase: round(sum(b - a for a, b in each), 2) for phase, each in spans.items()},
    )


def total_seconds(seconds: Mapping[Any, float]) -> float:
    """How long a run took, from the seconds of its phases."""
    return round(sum(seconds.values()), 2)


def covered(spans: Sequence[tuple[float, float]]) -> float:
    """Length of the union of intervals (start, end): steps side by side count once."""
    total, reached = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total
