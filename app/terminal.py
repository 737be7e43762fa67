"""What the terminal shows: progress on standard error, results as text."""

import shutil
import sys
import time
from typing import Self

import click

from agent.engine.engine import Engine
from app.formats import in_terminal, steering_nothing
from app.plan_text import assumed_lines, edited_plan, plan_lines, question_lines, task_lines
from services.domain import events
from services.domain.events import DocumentProgress, Event, IngestProgress, Waiting

WIDTH = 20


def warn(message: object) -> None:
    """One line on standard error that steers no terminal."""
    click.echo(f"rabbithole: {in_terminal(str(message))}", err=True)


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
    """Writes events as lines on standard error; what moves fast is overwritten in a terminal.

    Args:
        lasting: whether what has happened stays there; else warnings alone do.
        live: whether what moves is shown, where there is a terminal.
    """

    def __init__(self, *, lasting: bool = True, live: bool = True) -> None:
        self._begin = time.monotonic()
        self._lasting = lasting
        self._live = live and sys.stderr.isatty()
        self._moving_lines = 0
        self._ended: set[str] = set()
        self._phase = ""
        self._bar = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._clear()

    def show(self, event: Event) -> None:
        """Shows one event; kinds without a line are passed over."""
        match event:
            case DocumentProgress():
                self._document(event)
            case IngestProgress():
                self._bar = bar(event)
                self._moving(self._bar)
            case events.Warned() if not self._lasting:
                self._clear()
                warn(event.message)
            case events.PhaseStarted() if event.phase != self._phase:
                self._phase = event.phase
                self._line(event.phase)
            case _:
                if passing := in_passing(event):
                    self._moving(passing, whole=True)
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
        if self._lasting:
            self._clear()
            click.echo(f"{time.monotonic() - self._begin:6.1f}s {steering_nothing(text)}", err=True)

    def _moving(self, text: str, *, whole: bool = False) -> None:
        """Text that the next one overwrites, of a line or ``whole``; silent if nobody watches."""
        if not self._live:
            return
        self._clear()
        columns, rows = shutil.get_terminal_size()
        text = steering_nothing(text)
        lines = text.splitlines() if whole else [text[: columns - 1]]
        wrapped = [
            line[start : start + columns - 1]
            for line in lines
            for start in range(0, max(1, len(line)), columns - 1)
        ][1 - rows :]
        click.echo("\r\x1b[2K" + "\n".join(wrapped), nl=False, err=True)
        self._moving_lines = len(wrapped)

    def _clear(self) -> None:
        if self._moving_lines:
            above = "\x1b[1A\x1b[2K" * (self._moving_lines - 1)
            click.echo(f"\r\x1b[2K{above}", nl=False, err=True)
            self._moving_lines = 0


def in_passing(event: Event) -> str:
    """What is to be seen until the next event of its kind; empty for most."""
    match event:
        case events.KnowledgeRetrievalStart():
            return f"searching {event.collection_count} collections …"
        case events.KnowledgeRetrievalComplete():
            return f"{event.results_count} passages found, reading …"
        case events.AgentStart():
            return (
                f"thinking in steps, usually about {event.usual_s:.0f} s, at most "
                f"{event.most_steps} steps and {event.longest_s:.0f} s …"
            )
        case events.AgentStep():
            return f"step {event.number}: {event.thought}"
        case events.TokenUpdate():
            return click.unstyle(event.text)
    return ""


def describe(event: Event) -> list[str]:
    """An event as lines for people; empty for those that need none."""
    match event:
        case events.RunStarted():
            return [f"model {event.model}, collections {', '.join(event.collections)}"]
        case events.RetrievalIteration():
            return [
                f"looked into the corpus, round {event.iteration + 1}: {event.hits} hits, "
                f"{event.new} new, coverage {event.coverage:.2f}, {len(event.gaps)} gaps",
                *(f"  {name}" for name in event.found[:4]),
            ]
        case events.QuestionsAsked():
            asked = question_lines(event.questions, event.matters)
            return [*assumed_lines(event.assumed), *asked]
        case events.AnswerGiven():
            return [f"> {event.text}"]
        case events.AssumptionsCorrected():
            return [f"corrected: {event.text}", *assumed_lines(event.assumed)]
        case events.ClarificationEnded():
            gaps = (f"  nothing found answers: {gap}" for gap in event.gaps)
            return [f"clarification ended: {event.reason}", *gaps]
        case events.PlanRecalled():
            return [f"as in the plan {case.case_id} for: {case.question}" for case in event.cases]
        case events.PlanProposed():
            note = [str(event.note)] if event.note else []
            return [*task_lines(event.items), *note, *assumed_lines(event.assumed)]
        case events.PlanApproved():
            return ["plan approved", *map(str, event.changes)]
        case events.TaskStarted():
            return [f"task {event.task_id}: {event.task}"]
        case events.EvidenceFound() if event.tier == SHOWN_TIER:
            page = f", p. {event.page}" if event.page else ""
            return [
                f"  [{event.task_id}] {event.section or event.document}{page}, "
                f"tier {event.tier}, {event.relevance:.2f}"
            ]
        case events.FindingMade():
            return [f"  [{event.task_id}] found: {event.text}"]
        case events.ReferenceFollowed() if event.found:
            return [f"  [{event.task_id}] {event.source} → {event.resolved_to}"]
        case events.TaskFinished():
            return [f"task {event.task_id} done: {event.evidence} passages, {event.quotes} quotes"]
        case events.EvidenceDropped():
            return [f"  dropped {event.section or event.document}: {event.reason}"]
        case events.EvidenceRestored():
            return [f"restored {event.section or event.document}"]
        case events.ModelCalled() if event.fallback:
            return [f"  model task {event.task} fell back: {event.fallback}"]
        case events.Warned():
            return [f"warning: {event.message}"]
        case events.RunFinished():
            return [f"{event.status}{f': {event.error}' if event.error else ''}"]
        case _:
            return []


def ask(engine: Engine, thread: str, pending: Waiting) -> None:
    """Answers an open question from the keyboard."""
    if pending.interrupt == "clarification":
        click.echo(steering_nothing("\n".join(_asked(pending))))
        text = click.prompt("Your answer (/end to go on)", default="/end", show_default=False)
        engine.threads.answer(thread, pending.interrupt_id, text)
        return
    click.echo(steering_nothing("\n".join(plan_lines(pending))))
    as_it_is = click.confirm("Approve this plan? (n opens it in your editor)", default=True)
    items = None if as_it_is else edited_plan(pending.items)
    engine.threads.approve(thread, pending.interrupt_id, items)


def _asked(pending: Waiting) -> list[str]:
    """What is assumed, and the questions with what hangs on each."""
    asked = question_lines(pending.questions, pending.matters, pending.answers)
    return [*assumed_lines(pending.assumed), *asked]


def waiting_text(thread: str, pending: Waiting) -> str:
    if pending.interrupt == "clarification":
        lines = _asked(pending)
        lines.append(f'Answer with: rabbithole resume {thread} --answer "…"')
    else:
        lines = [*plan_lines(pending), f"Approve with: rabbithole resume {thread} --approve"]
        lines.append(f"Change it with: rabbithole resume {thread} --edit, or --plan FILE.json")
    if pending.assumed:
        lines.append(f'Correct an assumption: rabbithole resume {thread} --correct "A1: …"')
    return "\n".join(lines)
