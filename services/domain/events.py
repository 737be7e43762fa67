"""Typed events of runs and ingestions, the same for the terminal, the browser and HTTP.

An event is stored under (thread, branch, checkpoint, task, n), so that a repeated step overwrites
its earlier events.
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
from services.domain.plan_cases import PlanCase

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
    """One round of searches during clarification."""

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
    """``matters`` says what depends on each question, ``assumed`` is what the run assumes."""

    kind: Literal["questions_asked"] = "questions_asked"
    iteration: int
    questions: tuple[str, ...]
    found: tuple[str, ...]
    assumed: tuple[str, ...] = ()
    matters: tuple[str, ...] = ()


class AnswerGiven(Value):
    """A person's answer to the questions of an iteration; ``/end`` ends the conversation."""

    kind: Literal["answer_given"] = "answer_given"
    iteration: int
    text: str


class AssumptionsCorrected(Value):
    """A person corrected what the run, waiting ``at`` a question, had assumed."""

    kind: Literal["assumptions_corrected"] = "assumptions_corrected"
    at: Literal["clarification", "plan"]
    text: str
    assumed: tuple[str, ...]


class ClarificationEnded(Value):
    """``gaps`` are aspects of the question that no passage answers so far."""

    kind: Literal["clarification_ended"] = "clarification_ended"
    reason: str
    refinements: tuple[str, ...]
    gaps: tuple[str, ...] = ()


class PlanItem(Value):
    """A task of a plan. ``subtasks`` are its questions, if it has several.

    The ``id`` ties an edited task to the proposed one; a new task has another one.
    """

    id: int
    task: str
    context: str = ""
    subtasks: tuple[str, ...] = ()


class PlanRecalled(Value):
    """Earlier plans that helped with the plan for ``question``, best first, as they were."""

    kind: Literal["plan_recalled"] = "plan_recalled"
    question: str
    cases: tuple[PlanCase, ...]


class PlanProposed(Value):
    """``assumed`` is what the plan assumes; ``note`` says why it is short."""

    kind: Literal["plan_proposed"] = "plan_proposed"
    items: tuple[PlanItem, ...]
    assumed: tuple[str, ...] = ()
    note: Notice | None = None


class PlanApproved(Value):
    """``changes`` are those of the person to the proposal, one line each."""

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


class ReadingStarted(Value):
    """A model begins to read ``sections`` for a task; each round of reading has its own."""

    kind: Literal["reading_started"] = "reading_started"
    task_id: int
    sections: tuple[str, ...]


class FindingMade(Value):
    """A proven and verified claim of a task."""

    kind: Literal["finding_made"] = "finding_made"
    task_id: int
    text: str


class QuoteFound(Location):
    """A sentence that a task quotes, with its location."""

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
    """A person restored dropped evidence; validation and writing are repeated."""

    kind: Literal["evidence_restored"] = "evidence_restored"
    chunk_id: str
    document: str
    section: str


class RowRead(Value):
    """The cells of a row were read: their values by column id, and how many have been read now."""

    kind: Literal["row_read"] = "row_read"
    row: str
    name: str
    values: dict[str, str]
    cells_read: int
    cells: int


class TokenUpdate(Value):
    """Text of one part of the answer so far; at most four a second, finished text is stored.

    In quick answers the last one of a turn has the tokens of all its model calls until then.
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

    ``gaps`` of a plan are aspects that no passage answers so far, ``note`` says why it is short.
    ``assumed`` is what the run assumes; a person may correct it. ``answers`` are suggestions for
    each question, and ``matters`` says what depends on it, in their order.
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
    """The end of a run; ``final``: continuing the thread would end in the same error."""

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
    """How far an ingestion is; ``documents_done`` includes failed ones, ``share`` (0-1) is by
    bytes.

    ``eta_s`` are the seconds that remain, None until they can be estimated.
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
    | ReadingStarted
    | FindingMade
    | TaskFinished
    | EvidenceDropped
    | EvidenceRestored
    | RowRead
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


def interval(at: str, seconds: float) -> tuple[float, float]:
    """Return start and end, in seconds, of what took ``seconds`` and ended ``at`` a time."""
    end = datetime.fromisoformat(at).timestamp()
    return end - seconds, end


class PhaseTimes(NamedTuple):
    """Seconds of each phase: wall-clock time, and the sum over its steps."""

    wall: Mapping[Any, float]
    work: Mapping[Any, float]


def phase_times(log: Iterable[tuple[str, Event]]) -> PhaseTimes:
    """Return the seconds of each phase, to the hundredth, without waiting for a person."""
    intervals: dict[Phase, list[tuple[float, float]]] = defaultdict(list)
    for at, event in log:
        if isinstance(event, PhaseFinished):
            intervals[event.phase].append(interval(at, event.seconds))
    return PhaseTimes(
        wall={phase: round(total_length(steps), 2) for phase, steps in intervals.items()},
        work={phase: round(sum(b - a for a, b in steps), 2) for phase, steps in intervals.items()},
    )


def total_seconds(seconds: Mapping[Any, float]) -> float:
    return round(sum(seconds.values()), 2)


def total_length(intervals: Sequence[tuple[float, float]]) -> float:
    """Return the length of the union of intervals (start, end): concurrent steps count once."""
    total, reached = 0.0, float("-inf")
    for start, end in sorted(intervals):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total
