"""The state of a research thread, how parallel writes to it are joined, and its checkpoints."""

from collections.abc import Mapping, Sequence
from operator import add
from typing import Annotated, Final, TypedDict, TypeVar

from pydantic import JsonValue, computed_field

from agent.models import (
    PartAnswered,
    PreservedQuote,
    QualityAssessment,
    QueryAnalysis,
    QueryAnchor,
    ReferenceRecord,
    Report,
    RetrievalRecord,
    RunOptions,
    SectionDraft,
    TaskFinding,
    TaskReading,
    TaskSummary,
    TaskUsage,
    ToDoItem,
    Turn,
)
from services.domain import Evidence, Value
from services.domain.events import Phase

ByTask = TypeVar(
    "ByTask", bound=PreservedQuote | ReferenceRecord | TaskSummary | TaskFinding | TaskReading
)
PHASE_OF: Final[dict[str, Phase]] = {
    "hitl_init": "clarify",
    "hitl_generate_queries": "clarify",
    "hitl_retrieve_chunks": "clarify",
    "hitl_analyze_retrieval": "clarify",
    "hitl_generate_questions": "clarify",
    "hitl_await_response": "clarify",
    "hitl_process_response": "clarify",
    "hitl_finalize": "clarify",
    "generate_todo": "plan",
    "hitl_approve_todo": "plan",
    "execute_task": "extract",
    "validate_relevance": "validate",
    "synthesize": "synthesize",
    "quality_check": "assess",
    "attribute_sources": "attribute",
}
"""The phase to which a node of the graph belongs."""


def join_evidence(old: Mapping[str, Evidence], new: Mapping[str, Evidence]) -> dict[str, Evidence]:
    """Join evidence by chunk id, whatever the order in which tasks finish.

    A verdict of validation replaces what was there; otherwise the better tier wins, then the higher
    score, then the lower task id.
    """
    joined = dict(old)
    for chunk_id, entry in new.items():
        earlier = joined.get(chunk_id)
        if earlier is None or entry.relevance is not None or _rank(entry) < _rank(earlier):
            joined[chunk_id] = entry
    return joined


def _rank(entry: Evidence) -> tuple[int, float, int]:
    return entry.tier, -entry.score, entry.task_id or 0


def join_by_task(old: Sequence[ByTask], new: Sequence[ByTask]) -> list[ByTask]:
    """Replace what a task wrote before by what it writes now; ordered by task."""
    redone = {entry.task_id for entry in new}
    others = [entry for entry in old if entry.task_id not in redone]
    return sorted([*others, *new], key=lambda entry: entry.task_id)


class ResearchState(TypedDict, total=False):
    """Fields of a research thread, to whose names checkpoints refer.

    ``branch`` names the line of checkpoints, so that the log keeps the events of each.
    ``cancelled``: a person stopped the search, so the evidence is incomplete. ``first_drafts`` are
    those before a revision. ``hitl_matters`` says of each question to the person what depends on
    its answer.
    """

    query: str
    branch: str
    cancelled: bool
    options: RunOptions
    detected_language: str
    query_analysis: QueryAnalysis

    hitl_active: bool
    hitl_iteration: int
    hitl_conversation_history: Annotated[list[Turn], add]
    hitl_questions: list[str]
    hitl_answers: list[list[str]]
    hitl_found: list[str]
    hitl_matters: list[str]
    hitl_refinements: list[str]
    hitl_termination_reason: str | None

    iteration_queries: list[list[str]]
    knowledge_gaps: list[str]
    retrieval_history: list[RetrievalRecord]
    query_retrieval: list[str]

    query_anchor: QueryAnchor

    todo_proposal: list[ToDoItem]
    todo_list: list[ToDoItem]
    plan_changes: list[JsonValue]

    evidence: Annotated[dict[str, Evidence], join_evidence]
    findings: Annotated[list[TaskFinding], join_by_task]
    readings: Annotated[list[TaskReading], join_by_task]
    task_summaries: Annotated[list[TaskSummary], join_by_task]
    preserved_quotes: Annotated[list[PreservedQuote], join_by_task]
    references: Annotated[list[ReferenceRecord], join_by_task]

    reads: bool
    drafts: list[SectionDraft]
    first_drafts: list[SectionDraft]
    parts: list[PartAnswered]
    revisions: int
    quality_assessment: QualityAssessment | None
    final_report: Report | None

    usage: Annotated[list[TaskUsage], add]
    warnings: Annotated[list[JsonValue], add]


class TaskInput(TypedDict):
    """What ``execute_task`` is sent: its task, and all tasks, which share the rounds."""

    task: ToDoItem
    todo_list: list[ToDoItem]
    query_anchor: QueryAnchor
    query_retrieval: list[str]
    options: RunOptions
    reads: bool


def input_of(task: ToDoItem, state: ResearchState) -> TaskInput:
    return TaskInput(
        task=task,
        todo_list=state["todo_list"],
        query_anchor=state["query_anchor"],
        query_retrieval=state.get("query_retrieval", []),
        options=state["options"],
        reads=state.get("reads", False),
    )


def kept_evidence(state: ResearchState) -> list[Evidence]:
    """Return the evidence that counts, best first."""
    entries = [entry for entry in state.get("evidence", {}).values() if entry.status != "dropped"]
    return sorted(entries, key=lambda e: (e.tier, -(e.relevance or e.score), e.chunk_id))


class CheckpointInfo(Value, extra="ignore"):
    """A checkpoint: what comes ``next`` there, and what there was by then.

    ``at`` is ISO 8601 in UTC; ``rounds`` counts looks into the corpus, ``evidence`` passages
    that count.
    """

    id: str
    phase: Phase
    next: str
    at: str
    rounds: int = 0
    tasks: int = 0
    evidence: int = 0
    drafted: bool = False

    @computed_field  # type: ignore[prop-decorator]
    @property
    def summary(self) -> str:
        """``2 looks into the documents, 4 tasks planned, 31 passages``."""
        counts = (
            (self.rounds, "look into the documents", "looks into the documents"),
            (self.tasks, "task planned", "tasks planned"),
            (self.evidence, "passage", "passages"),
        )
        texts = [f"{count} {one if count == 1 else many}" for count, one, many in counts if count]
        return ", ".join([*texts, *(["answer drafted"] if self.drafted else [])]) or "nothing yet"
