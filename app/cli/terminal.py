"""What the terminal shows: progress on standard error, plans and questions as text."""

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
from agent.research.plan_changes import NEW
from app.formats import escape_controls, one_line, terminal_line
from services.domain import events
from services.domain.errors import InvalidInput
from services.domain.events import DocumentProgress, Event, IngestProgress, PlanItem, Waiting

_TASK: Final = re.compile(r"\s*\[(?P<id>\d+)\]\s*(?P<task>.*)")
_PART: Final = re.compile(r"\s*[-–]\s+(?P<part>.*\S)\s*")
_HELP: Final = """\
# One task a line: change, move, delete or add lines, then save and close.
# [1] says which proposed task a line is; a new task has no number.
# A line that begins with a dash is a part of the task above it, searched for by itself.
# Leave the plan as it is, or empty, to approve nothing.
"""


class _Task(PlanItem):
    """A task as a file of a plan has it."""

    id: int = NEW


_FILE: Final = TypeAdapter(list[str | _Task])


def plan_lines(pending: Waiting) -> list[str]:
    """The tasks with their parts; what is assumed; what nothing found so far answers."""
    return [
        *task_lines(pending.items),
        *([str(pending.note)] if pending.note else []),
        *assumed_lines(pending.assumed),
        *(f"Nothing found so far answers: {gap}" for gap in pending.gaps),
    ]


def task_lines(items: Sequence[PlanItem]) -> list[str]:
    """The tasks of a plan, numbered in their order, each with its parts below it."""
    return [
        line
        for number, item in enumerate(items, start=1)
        for line in (f"{number}. {item.task}", *(f"   - {part}" for part in item.subtasks))
    ]


def assumed_lines(assumed: Sequence[str]) -> list[str]:
    """What the run assumes, each with the number by which it can be corrected."""
    return [f"Assumed A{number}: {text}" for number, text in enumerate(assumed, start=1)]


def question_lines(
    questions: Sequence[str], matters: Sequence[str], answers: Sequence[Sequence[str]] = ()
) -> list[str]:
    """Each question with what hangs on it, and answers that it may get."""
    lines: list[str] = []
    for question, why, some in zip_longest(questions, matters, answers, fillvalue=""):
        lines.append(f"? {question}")
        lines += [f"  {why}"] if why else []
        lines += [f"  Possible answers: {'; '.join(some)}"] if some else []
    return lines


def edited_plan(items: Sequence[PlanItem]) -> list[PlanItem]:
    """The plan as it comes back from the person's editor.

    Raises:
        InvalidInput: nothing was changed or nothing is left.
    """
    before, proposal = "\n".join(_lines(items)), {item.id: item for item in items}
    text = click.edit(f"{_HELP}\n{before}\n", extension=".txt")
    as_written = {item.id: item for item in _read_lines(before, proposal)}
    plan = [
        proposal[item.id] if as_written.get(item.id) == item else item
        for item in _read_lines(text or "", proposal)
    ]
    if not plan:
        raise InvalidInput("No plan came back from the editor; the thread waits as before.")
    if plan == list(items):
        raise InvalidInput(
            "The plan came back unchanged; the thread waits. Approve it as it is with --approve."
        )
    return plan


def plan_of_file(file: Path) -> list[PlanItem]:
    """A plan in JSON: a list of tasks, as strings or as objects.

    Raises:
        InvalidInput: the file cannot be read or is no such list.
    """
    try:
        tasks = _FILE.validate_json(file.read_bytes())
    except OSError as problem:
        raise InvalidInput(f"{file} cannot be read: {problem.strerror or problem}.") from problem
    except ValidationError as problem:
        raise InvalidInput(
            f"{file} is no plan: {_where(problem)}. Write a JSON list of tasks, each a string or "
            '{"task": …, "id": …, "context": …, "subtasks": […]}.'
        ) from problem
    return [
        PlanItem(id=NEW, task=each) if isinstance(each, str) else PlanItem(**dict(each))
        for each in tasks
    ]


def _where(problem: ValidationError) -> str:
    first = problem.errors()[0]
    number = next((each for each in first["loc"] if isinstance(each, int)), None)
    return "no list in JSON" if number is None else f"task {number + 1} is neither of these"


def _lines(items: Sequence[PlanItem]) -> Iterator[str]:
    for item in items:
        yield f"[{item.id}] {one_line(item.task)}"
        yield from (f"    - {one_line(part)}" for part in item.subtasks)


def _read_lines(text: str, proposal: dict[int, PlanItem]) -> list[PlanItem]:
    """The tasks of the lines; what is known of a proposed one stays with it."""
    plan: list[PlanItem] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        part = _PART.fullmatch(line)
        if part and plan:
            parts = (*plan[-1].subtasks, part["part"])
            plan[-1] = plan[-1].model_copy(update={"subtasks": parts})
            continue
        match = _TASK.fullmatch(line)
        task = match["task"] if match else line
        before = proposal.get(int(match["id"])) if match else None
        item = before or PlanItem(id=NEW, task="")
        plan.append(item.model_copy(update={"task": task.strip(), "subtasks": ()}))
    return plan


WIDTH = 20


def warn(message: object) -> None:
    """One line on standard error that steers no terminal."""
    click.echo(f"rabbithole: {terminal_line(str(message))}", err=True)


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
            click.echo(f"{time.monotonic() - self._begin:6.1f}s {escape_controls(text)}", err=True)

    def _moving(self, text: str, *, whole: bool = False) -> None:
        """Text that the next one overwrites, of a line or ``whole``; silent if nobody watches."""
        if not self._live:
            return
        self._clear()
        columns, rows = shutil.get_terminal_size()
        text = escape_controls(text)
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
        click.echo(escape_controls("\n".join(_asked(pending))))
        text = click.prompt("Your answer (/end to go on)", default="/end", show_default=False)
        engine.threads.answer(thread, pending.interrupt_id, text)
        return
    click.echo(escape_controls("\n".join(plan_lines(pending))))
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
