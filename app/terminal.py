"""What the terminal shows: progress on standard error, results as text."""

import shutil
import sys
import time
from typing import TYPE_CHECKING, Any, Self

import click

from app.progress_bar import bar
from services.events import (
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
    from agent.client import Client

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


def ask(client: "Client", thread: str, pending: Waiting) -> None:
    """Answers an open question from the keyboard."""
    from services.events import PlanItem

    if pending.interrupt == "clarification":
        for question in pending.questions:
            click.echo(f"? {question}")
        text = click.prompt("Your answer (/end to go on)", default="/end", show_default=False)
        client.answer(thread, pending.interrupt_id, text)
        return
    for line in _plan(pending):
        click.echo(line)
    if click.confirm("Approve this plan?", default=True):
        client.approve(thread, pending.interrupt_id)
        return
    click.echo("Write the tasks, one a line; an empty line ends.")
    tasks = list(iter(lambda: click.prompt("", default="", show_default=False), ""))
    items = [PlanItem(id=number, task=task) for number, task in enumerate(tasks, start=1)]
    client.approve(thread, pending.interrupt_id, items or None)


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
    from agent.layout import counted, standings_of
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


def ingest_summary(report: dict[str, Any]) -> str:
    counts = {
        status: sum(file["status"] == status for file in report["files"])
        for status in ("added", "updated", "unchanged", "failed")
    }
    failures = [f"  {f['path']}: {f['error']}" for f in report["files"] if f["status"] == "failed"]
    done = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    cost = f"{report['chunks']} chunks in {report['seconds']:.1f} s"
    damaged = [
        f"  {file['path']}: taken in without its damaged pages {', '.join(map(str, pages))}; "
        "export or download it again for the whole text"
        for file in report["files"]
        if (pages := file["unread_pages"])
    ]
    lines = [f"{done} in {report['collection']}; {cost}", *failures, *damaged]
    lines += [f"  {warning}" for warning in report["warnings"]]
    return "\n".join([*lines, *_others(report), *_gone(report["removed_from_disk"])])


def _others(report: dict[str, Any]) -> list[str]:
    """Files of the folders that nothing can read, by ending."""
    counts = report["other_formats"].items()
    said = ", ".join(f"{count} {ending or 'without ending'}" for ending, count in counts)
    return [f"left out, not PDF, DOCX, TXT or MD: {said}"] if said else []


def _gone(removed: list[dict[str, Any]]) -> list[str]:
    """Documents whose files are gone, and what became of them."""
    pruned = [file for file in removed if file["pruned"]]
    kept = [file for file in removed if not file["pruned"]]
    lines = []
    if pruned:
        lines.append(f"taken out, since the file is no longer on disk ({len(pruned)}):")
        lines += [f"  {file['path']}" for file in pruned]
    if kept:
        lines.append(f"kept, though the file is no longer on disk ({len(kept)}; see --prune):")
        lines += [f"  {file['path']}" for file in kept]
    return lines


NO_DOCUMENTS = "No documents yet. Add some: rabbithole ingest PATH... --collection NAME"


def hit_list(hits: list[dict[str, Any]], *, searched: bool = True) -> str:
    """Hits for people; ``searched`` tells whether there was a collection to search."""
    if not hits:
        return "Nothing found." if searched else f"Nothing found. {NO_DOCUMENTS}"
    lines = []
    for number, hit in enumerate(hits, start=1):
        place = f"{hit['document']} {hit['section']}"
        page = f", p. {hit['page']}" if hit["page"] else ""
        why = ", ".join(f"{name} #{s['rank']}" for name, s in hit["explain"].items())
        lines.append(f"{number}. {place}{page}  {hit['relevance']:.2f} ({why})")
        lines.append(f"   {' '.join(hit['text'].split())[:160]}")
    return "\n".join(lines)


def run_table(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return "No threads yet. Start one: rabbithole research QUESTION, or rabbithole ask QUESTION"
    return "\n".join(
        f"{row['thread_id']}  {row['kind']:<8}  {row['status']:<11} {row['created_at'][:16]}  "
        f"{(row['title'] or row['question'])[:70]}"
        for row in rows
    )


def checkpoint_table(thread: str, rows: list[dict[str, Any]]) -> str:
    if not rows:
        return f"Thread {thread} has no checkpoint to continue from."
    lines = [
        f"{row['id']}  {row['at'][:19]}  {row['phase']:<10} before {row['next']}: {row['summary']}"
        for row in rows
    ]
    return "\n".join([*lines, f"Continue one: rabbithole runs fork {thread} --checkpoint ID"])


def dropped_table(thread: str, rows: list[dict[str, Any]]) -> str:
    if not rows:
        return f"Thread {thread} has no dropped evidence."
    lines = [
        f"{row['chunk_id']}  {row['score']:.2f}  {row['document']} {row['section']}: "
        f"{row['reason']}"
        for row in sorted(rows, key=lambda row: -row["score"])
    ]
    return "\n".join([*lines, f"Restore one: rabbithole runs restore {thread} EVIDENCE_ID"])


def _plan(pending: Waiting) -> list[str]:
    """The tasks, and what nothing found so far answers."""
    tasks = [f"{item.id}. {item.task}" for item in pending.items]
    return [*tasks, *(f"Nothing found so far answers: {gap}" for gap in pending.gaps)]
