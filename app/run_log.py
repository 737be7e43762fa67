"""Event logs of researches, quick answers and jobs, folded into what a page shows."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeVar, get_args

from agent.engine.engine import Engine
from agent.engine.jobs import JobState
from services.domain import events
from services.domain.events import EventKey, EventRecord, Phase
from services.domain.notices import Notice
from services.domain.runs import RunInfo

END_COMMAND = "/end"
PAGE = 500

PHASES: tuple[Phase, ...] = get_args(Phase)
State = TypeVar("State", RunInfo, JobState)


def read_new_events(
    poll: Callable[[int], tuple[State, list[EventRecord]]], after: int
) -> tuple[State, list[EventRecord]]:
    """Return the current state and all new events: one query unless it returns a full page."""
    state, page = poll(after)
    records = list(page)
    while len(page) >= PAGE:
        state, page = poll(page[-1].seq)
        records += page
    return state, records


@dataclass
class TaskLog:
    """The progress of one task of the plan; ``reading`` are the sections read now or last."""

    task_id: int
    task: str
    reading: tuple[str, ...] = ()
    references: list[events.ReferenceFollowed] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    finished: events.TaskFinished | None = None


@dataclass
class PhaseLog:
    """A phase that has begun; ``spans`` are the times (epoch seconds) in which it worked."""

    phase: Phase
    spans: list[tuple[float, float]] = field(default_factory=list)
    last_start: str = ""
    tokens: int = 0

    @property
    def seconds(self) -> float:
        """Seconds in which at least one node of the phase worked."""
        return round(events.total_length(self.spans), 2)

    def elapsed(self, now: float) -> float:
        """Return the seconds so far of a phase that still works; ``now`` is in epoch seconds."""
        since, _ = events.interval(self.last_start, 0.0)
        return events.total_length([*self.spans, (since, max(since, now))])


@dataclass
class ClarificationTurn:
    """A message of the clarification; the assistant only asks questions."""

    role: Literal["user", "assistant"]
    lines: tuple[str, ...]


@dataclass
class RunLog:
    """Everything that the event log of a research tells, in its order."""

    phases: dict[Phase, PhaseLog] = field(default_factory=dict)
    current: Phase | None = None
    rounds: list[events.RetrievalIteration] = field(default_factory=list)
    questions: list[events.QuestionsAsked] = field(default_factory=list)
    answers: dict[int, events.AnswerGiven] = field(default_factory=dict)
    corrections: list[str] = field(default_factory=list)
    clarified: events.ClarificationEnded | None = None
    proposed: events.PlanProposed | None = None
    approved: events.PlanApproved | None = None
    tasks: dict[int, TaskLog] = field(default_factory=dict)
    dropped: dict[str, events.EvidenceDropped] = field(default_factory=dict)
    drafts: dict[str, str] = field(default_factory=dict)
    model_calls: int = 0
    tokens: int = 0
    last_at: str | None = None

    def phase(self, name: Phase) -> PhaseLog:
        return self.phases.setdefault(name, PhaseLog(name))

    def task(self, number: int) -> TaskLog:
        return self.tasks.setdefault(number, TaskLog(number, ""))

    @property
    def tasks_done(self) -> tuple[int, int]:
        """Return how many tasks are done, and how many the plan has."""
        planned = len(self.approved.items) if self.approved else 0
        done = sum(task.finished is not None for task in self.tasks.values())
        return done, max(planned, len(self.tasks))

    def seconds_left(self, now: float) -> float | None:
        """Estimate the seconds from ``now`` (epoch seconds) until all tasks are done.

        Tasks share the model and count by how many were done, a long one more; None before one is.
        """
        done, planned = self.tasks_done
        if not done or "extract" not in self.phases:
            return None
        work = self.phases["extract"]
        elapsed = work.elapsed(now)
        per_task = max(work.seconds / done, elapsed / min(done + 1, planned))
        return max(0.0, per_task * planned - elapsed)

    def conversation(self, question: str) -> list[ClarificationTurn]:
        """Return the clarification so far, without the command that ends it."""
        turns = [ClarificationTurn("user", (question,))]
        for event in self.questions:
            turns.append(ClarificationTurn("assistant", event.questions))
            answer = self.answers.get(event.iteration)
            if answer and (text := answer.text.removesuffix(END_COMMAND).strip()):
                turns.append(ClarificationTurn("user", (text,)))
        turns += (ClarificationTurn("user", (text,)) for text in self.corrections)
        return turns


class LogReader:
    """Reads the log of a thread; a later read fetches only new events."""

    def __init__(self, thread_id: str) -> None:
        self.thread_id = thread_id
        self._last = 0
        self._records: dict[EventKey, EventRecord] = {}
        self._log = RunLog()

    @property
    def records(self) -> list[EventRecord]:
        """The events read so far, in order."""
        return list(self._records.values())

    def read(self, engine: Engine) -> tuple[RunInfo, RunLog]:
        """Return the run as it is now, and its log."""
        run, records = read_new_events(partial(engine.threads.poll, self.thread_id), self._last)
        for record in records:
            # A repeated step replaces its earlier events.
            self._records.pop(record.key, None)
            self._records[record.key] = record
            self._last = record.seq
        if records:
            self._log = fold(self._records.values())
        return run, self._log


def fold(records: Iterable[EventRecord]) -> RunLog:
    """Fold events, oldest first, into the log of a run."""
    log = RunLog()
    for record in records:
        _apply(log, record)
        log.last_at = record.at
    return log


def _apply(log: RunLog, record: EventRecord) -> None:
    match record.event:
        case events.PhaseStarted() as event:
            log.phase(event.phase).last_start = record.at
            log.current = event.phase
        case events.PhaseFinished() as event:
            log.phase(event.phase).spans.append(events.interval(record.at, event.seconds))
        case events.RetrievalIteration() as event:
            log.rounds.append(event)
        case events.QuestionsAsked() as event:
            log.questions.append(event)
        case events.AnswerGiven() as event:
            log.answers[event.iteration] = event
        case events.AssumptionsCorrected(at="plan") as event:
            log.corrections.append(event.text)
        case events.ClarificationEnded() as event:
            log.clarified = event
        case events.PlanProposed() as event:
            log.proposed = event
        case events.PlanApproved() as event:
            log.approved = event
        case events.TaskStarted() as event:
            log.task(event.task_id).task = event.task
        case events.TaskFinished() as event:
            log.task(event.task_id).finished = event
        case events.ReadingStarted() as event:
            log.task(event.task_id).reading = event.sections
        case events.FindingMade() as event:
            log.task(event.task_id).findings.append(event.text)
        case events.ReferenceFollowed() as event:
            log.task(event.task_id).references.append(event)
        case events.EvidenceDropped() as event:
            log.dropped[event.chunk_id] = event
        case events.EvidenceRestored():
            # Validation and all later phases run again and report their results again.
            log.dropped.clear()
            log.drafts.clear()
        case events.TokenUpdate() as event:
            log.drafts[event.part] = event.text
        case events.ModelCalled() as event:
            tokens = event.prompt_tokens + event.completion_tokens
            log.model_calls += event.model_calls
            log.tokens += tokens
            if log.current is not None:
                log.phase(log.current).tokens += tokens


@dataclass
class TurnLog:
    """The progress of a turn: its search, its agent with steps by number, or why it waits."""

    waiting: Notice | None = None
    query: str | None = None
    retrieved: events.KnowledgeRetrievalComplete | None = None
    text: str = ""
    agent: events.AgentStart | None = None
    steps: dict[int, events.AgentStep] = field(default_factory=dict)


def fold_turn(records: Iterable[EventRecord]) -> TurnLog:
    """Fold events, oldest first, into the log of the last turn."""
    log = TurnLog()
    for record in records:
        match record.event:
            case events.Warned() as event:
                log.waiting = event.message
            case events.ExecutionStart():
                log = TurnLog()
            case events.KnowledgeRetrievalStart() as event:
                log.query = event.query
            case events.KnowledgeRetrievalComplete() as event:
                log.retrieved = event
            case events.AgentStart() as event:
                log.agent = event
            case events.AgentStep() as event:
                log.steps[event.number] = event
            case events.TokenUpdate() as event:
                log.text = event.text
    return log


@dataclass
class JobLog:
    """The progress of a job: its newest event for each file, by name, and for all files."""

    files: dict[str, events.DocumentProgress] = field(default_factory=dict)
    total: events.IngestProgress | None = None
    last_at: str | None = None
    last_seq: int = 0

    def read(self, engine: Engine, number: int) -> JobState:
        """Read the new events and return the job as it is now."""
        job, records = read_new_events(partial(engine.poll_job, number), self.last_seq)
        for record in records:
            self.last_at, self.last_seq = record.at, record.seq
            match record.event:
                case events.DocumentProgress() as progress:
                    self.files[progress.document] = progress
                case events.IngestProgress() as progress:
                    self.total = progress
        return job

    def count(self, *stages: str) -> int:
        """Return how many files are in one of these stages."""
        return sum(progress.stage in stages for progress in self.files.values())
