"""`rabbithole runs`: threads of research and quick answers, their past, and forks of them."""

import sys
from collections.abc import Sequence
from typing import Any

import click

from agent.engine.engine import Engine
from agent.research.checkpoint_info import CheckpointInfo
from app.answer_text import run_text
from app.cli.client import of_engine, waiting
from app.cli.common import Shown, fail, listed, wants_json, yes
from app.terminal import Progress, ask, waiting_text
from services.domain.events import Event, RunFinished
from services.domain.runs import RunInfo
from services.locale import rendered


def watch(engine: Engine, thread: str, after: int = 0) -> Shown:
    """Follows a run; in a terminal its questions are answered on the spot."""
    interactive = sys.stdin.isatty() and not wants_json()
    last = None
    while True:
        with Progress() as progress:
            for record in engine.threads.follow(thread, after):
                after, last = record.seq, record.event
                progress.show(record.event)
        run = engine.threads.run(thread)
        if run.pending is None or not interactive:
            break
        ask(engine, thread, run.pending)
    if run.status == "failed":
        fail(how_to_go_on(str(run.error), thread, last))
    if run.status in ("paused", "interrupted"):
        fail(how_to_go_on(f"It was stopped ({run.status}).", thread, last))
    if run.pending is not None:
        pending = run.pending
        return Shown(waiting(run), lambda: waiting_text(thread, pending))
    report = rendered(engine.threads.report(thread)) or {"thread_id": thread, "status": run.status}
    return Shown(report, lambda: run_text(report))


def how_to_go_on(error: str, thread: str, last: Event | None) -> str:
    """Why a thread ended, and how it goes on, unless it would end so again."""
    if isinstance(last, RunFinished) and last.final:
        return error
    return f"{error.rstrip('.')}. Go on with: rabbithole resume {thread}"


@click.group()
def runs() -> None:
    """List, show, pause, cancel, fork, restore evidence of, rename and delete threads."""


@runs.command("list")
@of_engine(looks=True)
def list_(engine: Engine) -> Shown:
    """All threads, newest first."""
    nothing = "No threads yet. Start one: rabbithole research QUESTION, or rabbithole ask QUESTION"
    return listed("runs", engine.threads.runs(), run_line, nothing)


@runs.command("show")
@click.argument("thread")
@of_engine(looks=True)
def show_run(engine: Engine, thread: str) -> Shown:
    """A thread's state and its report, if it has one."""
    run, report = engine.threads.run(thread), rendered(engine.threads.report(thread))
    value = {**dict(run), "report": report}
    return Shown(value, lambda: run_line(run) + (f"\n\n{run_text(report)}" if report else ""))


@runs.command("pause")
@click.argument("thread")
@of_engine()
def pause(engine: Engine, thread: str) -> Shown:
    """Stop a thread; it can be resumed."""
    engine.threads.pause(thread)
    return Shown({"thread_id": thread, "status": "paused"}, lambda: f"{thread} paused")


@runs.command("cancel")
@click.argument("thread")
@of_engine()
def cancel(engine: Engine, thread: str) -> Shown:
    """End a thread, with a report of what was found so far."""
    engine.threads.cancel(thread)
    return Shown({"thread_id": thread, "status": "cancelled"}, lambda: f"{thread} cancelled")


@runs.command("fork")
@click.argument("thread")
@click.option(
    "--checkpoint", metavar="ID", help="Continue from here; without it, checkpoints are listed."
)
@of_engine()
def fork(engine: Engine, thread: str, checkpoint: str | None) -> Shown:
    """Continue a thread from a checkpoint in a new thread; the old one stays as it is."""
    if checkpoint is not None:
        new = engine.threads.fork(thread, checkpoint)
        click.echo(f"rabbithole: {new} continues {thread}", err=True)
        return watch(engine, new)
    places = engine.threads.checkpoints(thread)
    value = {"thread_id": thread, "checkpoints": places}
    return Shown(value, lambda: checkpoint_table(thread, places))


@runs.command("restore")
@click.argument("thread")
@click.argument("evidence", metavar="[EVIDENCE_ID]...", nargs=-1)
@of_engine()
def restore(engine: Engine, thread: str, evidence: tuple[str, ...]) -> Shown:
    """Let dropped evidence count again; without ids, what was dropped is listed.

    It is judged again and the answer is rewritten; nothing is searched again.
    """
    if evidence:
        after = engine.threads.last_event(thread)
        engine.threads.restore_evidence(thread, evidence)
        return watch(engine, thread, after)
    engine.threads.run(thread)
    rows = (rendered(engine.threads.report(thread)) or {}).get("dropped", [])
    return Shown({"thread_id": thread, "dropped": rows}, lambda: dropped_table(thread, rows))


@runs.command("rename")
@click.argument("thread")
@click.argument("title")
@of_engine()
def rename(engine: Engine, thread: str, title: str) -> Shown:
    """Give a thread a title; an empty one restores its question."""
    engine.threads.rename(thread, title)
    run = engine.threads.run(thread)
    name = run.title or run.question
    value = {"thread_id": thread, "title": run.title}
    return Shown(value, lambda: f"{thread} is called {name!r} now")


@runs.command("delete")
@click.argument("thread")
@yes
@of_engine()
def delete(engine: Engine, thread: str, yes: bool) -> Shown:
    """Delete a thread with its events, checkpoints, answers and report."""
    run = engine.threads.run(thread)
    name = run.title or run.question
    if not yes:
        click.confirm(f"Delete {thread} ({name[:70]}) and its report?", abort=True, err=True)
    engine.threads.delete(thread)
    return Shown({"thread_id": thread, "deleted": True}, lambda: f"{thread} deleted")


def run_line(run: RunInfo) -> str:
    return (
        f"{run.thread_id}  {run.kind:<8}  {run.status:<11} {run.created_at[:16]}  "
        f"{(run.title or run.question)[:70]}"
    )


def checkpoint_table(thread: str, listed: Sequence[CheckpointInfo]) -> str:
    if not listed:
        return f"Thread {thread} has no checkpoint to continue from."
    lines = [
        f"{each.id}  {each.at[:19]}  {each.phase:<10} before {each.next}: {each.summary}"
        for each in listed
    ]
    return "\n".join([*lines, f"Continue one: rabbithole runs fork {thread} --checkpoint ID"])


def dropped_table(thread: str, rows: list[dict[str, Any]]) -> str:
    if not rows:
        return f"Thread {thread} has no dropped evidence."
    lines = [
        f"{row['chunk_id']}  {row['score']:.2f}  {row['document']} {row['section']}: "
        f"{row['text']}\n    dropped: {row['reason']}"
        for row in sorted(rows, key=lambda row: -row["score"])
    ]
    return "\n".join([*lines, f"Restore one: rabbithole runs restore {thread} EVIDENCE_ID"])
