"""What the terminal shows: progress on standard error, results as text."""

import shutil
import sys
import time
from typing import TYPE_CHECKING, Any, Self

import click

from services.domain.events import (
    AnswerGiven,
    ClarificationEnded,
    DocumentProgress,
    Event,
    EvidenceDropped,
    EvidenceFound,
    EvidenceRestored,
    IngestProgress,
    ModelCalled,
    PhaseStarted,
    PlanApproved,
    PlanProposed,
    QuestionsAsked,
    ReferenceFollowed,
    RetrievalIteration,
    RunFinished,
    RunStarted,
    TaskFinished,
    TaskStarted,
    TokenUpdate,
    Waiting,
    Warned,
    total_seconds,
)

if TYPE_CHECKING:
    from agent.engine.engine import Engine


WIDTH = 20


def bar(progress: IngestProgress) -> str:
    """``[████····] 3/12 documents, 345 pages, 1234 chunks, 35.2 chunks/s, 2:10 left``."""
    full = round(progress.share * WIDTH)
    failed = f" ({progress.documents_failed} failed)" if progress.documents_failed else ""
    parts = [f"{progress.documents_done}/{progress.documents_total} documents{failed}"]
    if progress.pages:
        parts.append(f"{progress.pages} pages")
    parts += [f"{progress.chunks} chunks", f"{progress.chunks_per_s:.1f} chunks/s"]
    if progress.eta_s is not None:
        parts.append(f"{clock(progress.eta_s)} left")
    return f"[{'█' * full}{'·' * (WIDTH - full)}] {', '.join(parts)}"


def clock(seconds: float) -> str:
    """``0:07``, ``2:10`` or ``1:02:10``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


SHOWN_TIER = 1


class Progress:
    """Writes events as lines; what moves fast overwrites its line in a terminal."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._live = sys.stderr.isatty()
        self._open = False
        self._ended: set[str] = set()
        self._phase = ""
        self._bar = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_line()

    def show(self, event: Event) -> None:
        """Shows one event; kinds without a line are passed over."""
        match event:
            case DocumentProgress():
                self._document(event)
            case IngestProgress():
                self._bar = bar(event)
                self._moving(self._bar)
            case TokenUpdate():
                self._moving(f"    writing {event.part}: …{event.text[-60:]}")
            case PhaseStarted() if event.phase != self._phase:
                self._phase = event.phase
                self._line(f"{event.phase}")
            case _:
                for line in describe(event):
                    self._line(f"  {line}")

    def _document(self, event: DocumentProgress) -> None:
        if event.stage == "graph" and event.total:
            self._moving(f"  {event.document}: reading {event.done}/{event.total} passages")
        if event.stage == "embed" and not self._bar:
            self._moving(f"  {event.document}: embedding {event.done}/{event.total} chunks")
        elif event.stage in ("done", "unchanged", "failed"):
            reason = f": {event.error}" if event.error else ""
            line = f"  {event.document}: {event.stage}{reason}"
            if line not in self._ended:  # the graph is built when the files are done
                self._line(line)
            self._ended.add(line)
            if self._bar:
                self._moving(self._bar)

    def _line(self, text: str) -> None:
        self._end_line()
        seconds = time.monotonic() - self._begin
        click.echo(f"{seconds:6.1f}s {text}", err=True)

    def _moving(self, text: str) -> None:
        """A line that the next one overwrites; silent when nobody watches."""
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            click.echo(f"\r\x1b[2K{' '.join(text.split())[:width]}", nl=False, err=True)
            self._open = True

    def _end_line(self) -> None:
        if self._open:
            click.echo("\r\x1b[2K", nl=False, err=True)
            self._open = False


def describe(event: Event) -> list[str]:
    """An event as lines for people; empty for those that need none."""
    match event:
        case RunStarted():
            return [f"model {event.model}, collections {', '.join(event.collections)}"]
        case RetrievalIteration():
            return [
                f"looked into the corpus, round {event.iteration + 1}: {event.hits} hits, "
                f"{event.new} new, coverage {event.coverage:.2f}, {len(event.gaps)} gaps",
                *(f"  {name}" for name in event.found[:4]),
            ]
        case QuestionsAsked():
            return [f"? {question}" for question in event.questions]
        case AnswerGiven():
            return [f"> {event.text}"]
        case ClarificationEnded():
            gaps = (f"  nothing found answers: {gap}" for gap in event.gaps)
            return [f"clarification ended: {event.reason}", *gaps]
        case PlanProposed():
            return [f"{item.id}. {item.task}" for item in event.items]
        case PlanApproved():
            return ["plan approved", *event.changes]
        case TaskStarted():
            return [f"task {event.task_id}: {event.task}"]
        case EvidenceFound() if event.tier == SHOWN_TIER:
            page = f", p. {event.page}" if event.page else ""
            return [
                f"  [{event.task_id}] {event.section or event.document}{page}, "
                f"tier {event.tier}, {event.relevance:.2f}"
            ]
        case ReferenceFollowed() if event.found:
            return [f"  [{event.task_id}] {event.source} → {event.resolved_to}"]
        case TaskFinished():
            return [f"task {event.task_id} done: {event.evidence} passages, {event.quotes} quotes"]
        case EvidenceDropped():
            return [f"  dropped {event.section or event.document}: {event.reason}"]
        case EvidenceRestored():
            return [f"restored {event.section or event.document}"]
        case ModelCalled() if event.fallback:
            return [f"  model task {event.task} fell back: {event.fallback}"]
        case Warned():
            return [f"warning: {event.message}"]
        case RunFinished():
            return [f"{event.status}{f': {event.error}' if event.error else ''}"]
        case _:
            return []


def ask(engine: "Engine", thread: str, pending: Waiting) -> None:
    """Answers an open question from the keyboard."""
    from services.domain.events import PlanItem

    if pending.interrupt == "clarification":
        for question in pending.questions:
            click.echo(f"? {question}")
        text = click.prompt("Your answer (/end to go on)", default="/end", show_default=False)
        engine.threads.answer(thread, pending.interrupt_id, text)
        return
    for line in _plan(pending):
        click.echo(line)
    if click.confirm("Approve this plan?", default=True):
        engine.threads.approve(thread, pending.interrupt_id)
        return
    click.echo("Write the tasks, one a line; an empty line ends.")
    tasks = list(iter(lambda: click.prompt("", default="", show_default=False), ""))
    items = [PlanItem(id=number, task=task) for number, task in enumerate(tasks, start=1)]
    engine.threads.approve(thread, pending.interrupt_id, items or None)


def waiting_text(thread: str, pending: Waiting) -> str:
    if pending.interrupt == "clarification":
        lines = [*pending.questions, f'Answer with: rabbithole resume {thread} --answer "…"']
    else:
        lines = [*_plan(pending), f"Approve with: rabbithole resume {thread} --approve"]
    return "\n".join(lines)


def run_text(report: dict[str, Any]) -> str:
    """A report as text: answer, sources, what is missing, what it cost; of ``ask`` its turns."""
    if "turns" in report:
        from app.answer_text import turns_text

        return turns_text(report["turns"])
    if "answer" not in report:
        return f"Thread {report['thread_id']}: {report.get('status', '')}, no report."
    sources = [f"  {s['document']}: {', '.join(s['sections'])}" for s in report.get("sources", [])]
    from agent.engine.layout import counted, standings_of
    from app.answer_text import doubts
    from app.texts.report import CLOSEST

    usage = report["usage"]
    seconds = total_seconds(usage["seconds"])
    counts = counted(standings_of(report), report.get("certainty", "answered"), "en")
    return "\n".join(
        [
            *([CLOSEST.en, ""] if report.get("certainty") == "perhaps" else []),
            report["answer"],
            *doubts(report),
            "",
            "Sources:",
            *sources,
            *(f"Warning: {text}" for text in report["warnings"]),
            f"{counts}{' · ' if counts else ''}model "
            f"{usage['model']}, {usage['model_calls']} calls, {usage['fallbacks']} fallbacks · "
            f"{seconds:.0f} s · thread {report['thread_id']}",
        ]
    )


def _plan(pending: Waiting) -> list[str]:
    """The tasks, and what nothing found so far answers."""
    tasks = [f"{item.id}. {item.task}" for item in pending.items]
    return [*tasks, *(f"Nothing found so far answers: {gap}" for gap in pending.gaps)]
