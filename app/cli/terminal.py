"""Progress on standard error, and questions and plans that a person answers in the terminal."""

import re
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Final, Self

import click
from pydantic import TypeAdapter, ValidationError

from agent.engine.engine import Engine
from agent.research.plan_edits import NEW
from app.cli.common import LONGEST_LINE, print_text, warn
from app.formats import escape_controls, one_line
from services.domain import events
from services.domain.errors import InvalidInput
from services.domain.events import DocumentProgress, Event, IngestProgress, PlanItem, Waiting
from services.locale import field_text

_TASK: Final = re.compile(r"\s*\[(?P<id>\d+)\]\s*(?P<task>.*)")
_SUBTASK: Final = re.compile(r"\s*[-–]\s+(?P<subtask>.*\S)\s*")
_HELP: Final = """\
# One task per line: change, move, delete or add lines, then save and close.
# [1] marks the first proposed task; a new task has no number.
# A line that begins with a dash is a subtask of the task above it and gets its own search.
# To close without approving, leave the plan unchanged or delete all lines.
"""


class _Task(PlanItem):
    """A task in a plan file, where the id may be missing."""

    id: int = NEW


_FILE: Final = TypeAdapter(list[str | _Task])


def _plan_lines(plan: Waiting | events.PlanProposed) -> Iterator[str]:
    for number, item in enumerate(plan.items, start=1):
        yield f"{number}. {item.task}"
        yield from (f"   - {subtask}" for subtask in item.subtasks)
    if plan.note:
        yield str(plan.note)
    yield from _assumed_lines(plan.assumed)


def _assumed_lines(assumed: Sequence[str]) -> Iterator[str]:
    """Yield the assumptions of a run, with the numbers by which to correct them."""
    return (f"Assumed A{number}: {text}" for number, text in enumerate(assumed, start=1))


def question_lines(
    questions: Sequence[str], matters: Sequence[str], answers: Sequence[Sequence[str]] = ()
) -> Iterator[str]:
    """Yield each question with why it matters and possible answers."""
    for question, why, options in zip_longest(questions, matters, answers, fillvalue=""):
        yield f"? {question}"
        if why:
            yield f"  {why}"
        if options:
            yield f"  Possible answers: {'; '.join(options)}"


def edited_plan(items: Sequence[PlanItem]) -> list[PlanItem]:
    """Return the plan as edited in an editor; raise InvalidInput if it is unchanged or empty."""
    before, proposal = "\n".join(_lines(items)), {item.id: item for item in items}
    text = click.edit(f"{_HELP}\n{before}\n", extension=".txt")
    as_written = {item.id: item for item in _read_lines(before, proposal)}
    plan = [
        proposal[item.id] if as_written.get(item.id) == item else item
        for item in _read_lines(text or "", proposal)
    ]
    if not plan:
        raise InvalidInput("The editor returned no plan. The thread is still waiting for one.")
    if plan == list(items):
        raise InvalidInput(
            "The plan is unchanged. The thread is still waiting; approve the plan with --approve."
        )
    return plan


def plan_of_file(file: Path) -> list[PlanItem]:
    """Read a JSON list of tasks, strings or objects; raise InvalidInput if there is none."""
    try:
        tasks = _FILE.validate_json(file.read_bytes())
    except OSError as problem:
        raise InvalidInput(f"{file} cannot be read: {problem.strerror or problem}.") from problem
    except ValidationError as problem:
        indexes = (key for key in problem.errors()[0]["loc"] if isinstance(key, int))
        index = next(indexes, None)
        cause = "not a JSON list" if index is None else f"task {index + 1} is neither of these"
        raise InvalidInput(
            f"{file} is not a plan: {cause}. Write a JSON list of tasks, each a string or "
            '{"task": …, "id": …, "context": …, "subtasks": […]}.'
        ) from problem
    return [
        PlanItem(id=NEW, task=task) if isinstance(task, str) else PlanItem(**dict(task))
        for task in tasks
    ]


def _lines(items: Sequence[PlanItem]) -> Iterator[str]:
    for item in items:
        yield f"[{item.id}] {one_line(item.task)}"
        yield from (f"    - {one_line(subtask)}" for subtask in item.subtasks)


def _read_lines(text: str, proposal: dict[int, PlanItem]) -> list[PlanItem]:
    """Read tasks from lines; a proposed one keeps its other fields."""
    plan: list[PlanItem] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        subtask = _SUBTASK.fullmatch(line)
        if subtask and plan:
            subtasks = (*plan[-1].subtasks, subtask["subtask"])
            plan[-1] = plan[-1].model_copy(update={"subtasks": subtasks})
            continue
        match = _TASK.fullmatch(line)
        task = match["task"] if match else line
        before = proposal.get(int(match["id"])) if match else None
        item = before or PlanItem(id=NEW, task="")
        plan.append(item.model_copy(update={"task": task.strip(), "subtasks": ()}))
    return plan


BAR_WIDTH: Final = 20
SHOWN_TIER: Final = 1
"""Evidence of this tier is printed when it is found."""


def bar(progress: IngestProgress) -> str:
    """Return ``[██··] 3/12 documents, 345 pages, 1234 passages, 35.2 passages/s, 2:10 left``."""
    full = round(progress.share * BAR_WIDTH)
    failed = f" ({progress.documents_failed} failed)" if progress.documents_failed else ""
    facts = [f"{progress.documents_done}/{progress.documents_total} documents{failed}"]
    if progress.pages:
        facts.append(f"{progress.pages} pages")
    facts += [f"{progress.chunks} passages", f"{progress.chunks_per_s:.1f} passages/s"]
    if progress.eta_s is not None:
        facts.append(f"{clock(progress.eta_s)} left")
    return f"[{'█' * full}{'·' * (BAR_WIDTH - full)}] {', '.join(facts)}"


def clock(seconds: float) -> str:
    """Return ``0:07``, ``2:10`` or ``1:02:10``."""
    minutes, secs = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{secs:02d}" if hours else f"{minutes}:{secs:02d}"


class ProgressPrinter:
    """Writes events as lines on standard error; in a terminal, ``live`` text is overwritten.

    All lines stay if they are ``lasting``; otherwise only warnings do.
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
        """Show one event; kinds without a text are skipped."""
        match event:
            case DocumentProgress():
                self._document(event)
            case IngestProgress():
                self._bar = bar(event)
                self._overwrite(self._bar)
            case events.Warned() if not self._lasting:
                self._clear()
                warn(event.message)
            case events.PhaseStarted() if event.phase != self._phase:
                self._phase = event.phase
                self._line(event.phase)
            case _:
                if text := _changing_text(event):
                    self._overwrite(text, all_lines=True)
                for line in describe(event):
                    self._line(f"  {line}")

    def _document(self, event: DocumentProgress) -> None:
        if event.stage == "graph" and event.total:
            self._overwrite(f"  {event.document}: reading {event.done}/{event.total} passages")
        if event.stage == "embed" and not self._bar:
            self._overwrite(f"  {event.document}: embedding {event.done}/{event.total} passages")
        elif event.stage in ("done", "unchanged", "failed"):
            reason = f": {event.error}" if event.error else ""
            line = f"  {event.document}: {event.stage}{reason}"
            if line not in self._ended:  # the graph is built when the files are done
                self._line(line)
            self._ended.add(line)
            if self._bar:
                self._overwrite(self._bar)

    def _line(self, text: str) -> None:
        if self._lasting:
            self._clear()
            click.echo(f"{time.monotonic() - self._begin:6.1f}s {escape_controls(text)}", err=True)

    def _overwrite(self, text: str, *, all_lines: bool = False) -> None:
        """Show text that the next one overwrites, cut to one line or with ``all_lines``."""
        if not self._live:
            return
        self._clear()
        columns, rows = shutil.get_terminal_size()
        text = escape_controls(text)
        lines = text.splitlines() if all_lines else [text[: columns - 1]]
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


def _changing_text(event: Event) -> str:
    match event:
        case events.KnowledgeRetrievalStart():
            return f"searching {event.collection_count} collections …"
        case events.KnowledgeRetrievalComplete():
            return f"{event.results_count} passages found, reading …"
        case events.AgentStart():
            return (
                f"working step by step (usually about {event.usual_s:.0f} s, at most "
                f"{event.most_steps} steps and {event.longest_s:.0f} s) …"
            )
        case events.AgentStep():
            return f"step {event.number}: {event.thought}"
        case events.RowRead():
            return f"{event.cells_read} of {event.cells} read …"
        case events.TokenUpdate():
            return click.unstyle(event.text)
    return ""


def describe(event: Event) -> Iterator[str]:
    """Yield an event as lines for people; none for kinds that need none."""
    match event:
        case events.RunStarted():
            yield f"model {event.model}, collections {', '.join(event.collections)}"
        case events.RetrievalIteration():
            yield (
                f"searched the documents, round {event.iteration + 1}: {event.hits} hits, "
                f"{event.new} new, coverage {event.coverage:.2f}, {len(event.gaps)} gaps"
            )
            yield from (f"  {name}" for name in event.found[:4])
        case events.QuestionsAsked():
            yield from _assumed_lines(event.assumed)
            yield from question_lines(event.questions, event.matters)
        case events.AnswerGiven():
            yield f"> {event.text}"
        case events.AssumptionsCorrected():
            yield f"corrected: {event.text}"
            yield from _assumed_lines(event.assumed)
        case events.ClarificationEnded():
            yield f"clarification ended: {event.reason}"
            yield from (f"  still unanswered: {gap}" for gap in event.gaps)
        case events.PlanRecalled():
            for case in event.cases:
                yield f"similar to plan {case.case_id} for: {case.question}"
        case events.PlanProposed():
            yield from _plan_lines(event)
        case events.PlanApproved():
            yield from ("plan approved", *map(str, event.changes))
        case events.TaskStarted():
            yield f"task {event.task_id}: {event.task}"
        case events.EvidenceFound() if event.tier == SHOWN_TIER:
            page = f", {event.page_name()}" if event.page else ""
            source = f"[{event.task_id}] {event.section or event.document}{page}"
            yield f"  {source}, tier {event.tier}, {event.relevance:.2f}"
        case events.RowRead() if values := "; ".join(filter(None, event.values.values())):
            read = f"{event.cells_read}/{event.cells}"
            yield f"{read} {event.name}: {one_line(values, LONGEST_LINE)}"
        case events.ReadingStarted():
            yield f"  [{event.task_id}] reading: {', '.join(event.sections)}"
        case events.FindingMade():
            yield f"  [{event.task_id}] found: {event.text}"
        case events.ReferenceFollowed() if event.found:
            yield f"  [{event.task_id}] {event.source} → {event.resolved_to}"
        case events.TaskFinished():
            yield f"task {event.task_id} done: {event.evidence} passages, {event.quotes} quotes"
        case events.EvidenceDropped():
            yield f"  dropped {event.section or event.document}: {event.reason}"
        case events.EvidenceRestored():
            yield f"restored {event.section or event.document}"
        case events.ModelCalled() if event.fallback:
            failed = f"the model failed at this step: {field_text('step', event.task, 'en')}"
            yield f"  {failed}; a simpler method was used: {event.fallback}"
        case events.Warned():
            yield f"warning: {event.message}"
        case events.RunFinished():
            yield f"{event.status}{f': {event.error}' if event.error else ''}"


def ask(engine: Engine, thread: str, pending: Waiting) -> None:
    """Let a person answer questions or approve a plan in the terminal."""
    print_text("\n".join(_request_lines(pending)))
    if pending.interrupt == "clarification":
        text = click.prompt("Your answer (/end to skip)", default="/end", show_default=False)
        engine.threads.answer(thread, pending.interrupt_id, text)
        return
    approved = click.confirm("Approve this plan? (n opens it in your editor)", default=True)
    items = None if approved else edited_plan(pending.items)
    engine.threads.approve(thread, pending.interrupt_id, items)


def _request_lines(pending: Waiting) -> Iterator[str]:
    """Yield the questions of a thread, or its plan with the gaps of the evidence so far."""
    if pending.interrupt == "clarification":
        yield from _assumed_lines(pending.assumed)
        yield from question_lines(pending.questions, pending.matters, pending.answers)
    else:
        yield from _plan_lines(pending)
        yield from (f"Still unanswered: {gap}" for gap in pending.gaps)


def waiting_lines(thread: str, pending: Waiting) -> Iterator[str]:
    """Yield what a thread waits for, and the commands that answer it."""
    yield from _request_lines(pending)
    if pending.interrupt == "clarification":
        yield f'Answer with: rabbithole resume {thread} --answer "…"'
    else:
        yield f"Approve with: rabbithole resume {thread} --approve"
        yield f"Change it with: rabbithole resume {thread} --edit, or --plan FILE.json"
    if pending.assumed:
        yield f'Correct an assumption with: rabbithole resume {thread} --correct "A1: …"'
