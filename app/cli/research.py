"""`rabbithole research`, `resume`, `runs` and `review`: from a question to a signed report."""

import sys
from collections.abc import Sequence
from typing import Any

import click
from pydantic_core import to_jsonable_python

from agent.engine.engine import Engine
from agent.models import RunOptions
from agent.research.checkpoint_info import CheckpointInfo
from app.cli.answer_text import run_text
from app.cli.client import of_engine, waiting
from app.cli.common import (
    Shown,
    existing_file,
    fail,
    in_collections,
    in_documents,
    k_hits,
    listed,
    wants_json,
    with_profile,
    yes,
)
from app.cli.terminal import Progress, ask, edited_plan, plan_of_file, waiting_text
from app.formats import one_line
from services.domain.errors import InvalidInput
from services.domain.events import Event, RunFinished, Waiting
from services.domain.runs import RunInfo
from services.locale import rendered

ANSWERS = {"clarification": ("answer", "correct"), "plan": ("approve", "edit", "plan", "correct")}
"""The options of `resume` for what a thread waits for."""


@click.command()
@click.argument("question")
@in_collections
@in_documents
@k_hits
@click.option("--yes", is_flag=True, help="Approve the plan as proposed.")
@click.option("--no-clarify", is_flag=True, help="Look into the corpus, but ask nothing.")
@click.option("--no-quality-check", is_flag=True, help="Skip scoring and revision.")
@click.option(
    "--query",
    "research_queries",
    multiple=True,
    metavar="TEXT",
    help="Plan a search for this, without clarification; give it once for each.",
)
@click.option("--thread", help="Use this thread id; an existing thread is continued.")
@with_profile
@of_engine()
def research(
    engine: Engine,
    question: str,
    collections: tuple[str, ...] | None,
    thread: str | None,
    yes: bool,
    no_clarify: bool,
    no_quality_check: bool,
    **options: Any,
) -> Shown:
    """Research a question to a report; pauses for your input."""
    options |= {"clarify": not no_clarify, "approve_plan": not yes}
    options["quality_check"] = not no_quality_check
    return researched(engine, question, collections, thread, options)


def researched(
    engine: Engine,
    question: str,
    collections: tuple[str, ...] | None,
    thread: str | None,
    options: dict[str, Any],
) -> Shown:
    """The report of a question, or what its thread waits for; a known thread goes on."""
    if thread is not None and (known := engine.threads.named(thread)) is not None:
        engine.threads.resume(thread := known.thread_id)
    else:
        thread = engine.threads.start(
            question,
            collections=collections,
            options=RunOptions(**options),
            thread_id=thread,
        )
    return watch(engine, thread)


@click.command()
@click.argument("thread")
@click.option("--answer", help="Answer to the open question; /end goes on to the plan.")
@click.option(
    "--correct", metavar="TEXT", help='Correct what the run assumes: "A1: …"; it plans again.'
)
@click.option("--approve", is_flag=True, help="Approve the plan as proposed.")
@click.option(
    "--plan",
    type=existing_file,
    metavar="FILE.json",
    help="Approve this plan instead: a JSON list of tasks.",
)
@click.option("--edit", is_flag=True, help="Edit the plan in $VISUAL or $EDITOR and approve that.")
@of_engine()
def resume(engine: Engine, thread: str, **said: Any) -> Shown:
    """Continue a thread: answer its question, approve its plan, or go on where it stopped."""
    pending = engine.threads.run(thread).pending
    after = engine.threads.last_event(thread)
    options = [name for name, value in said.items() if value not in (None, False)]
    if len(options) > 1:
        raise click.UsageError(f"Use one of --{' and --'.join(options)} at a time.")
    if pending is not None and options:
        _reply(engine, thread, pending, options[0], said[options[0]])
    elif options:
        raise InvalidInput(f"Thread {thread} asks nothing now. Resume it without options.")
    elif pending is None:
        engine.threads.resume(thread)
    return watch(engine, thread, after)


def _reply(engine: Engine, thread: str, pending: Waiting, option: str, value: Any) -> None:
    """Gives a thread what it waits for; refuses what it does not."""
    waits_for = pending.interrupt
    if option not in ANSWERS[waits_for]:
        wanted = ", ".join(f"--{each}" for each in ANSWERS[waits_for])
        raise InvalidInput(f"Thread {thread} waits for a {waits_for}: use {wanted}.")
    threads, key = engine.threads, pending.interrupt_id
    match option:
        case "answer":
            threads.answer(thread, key, value)
        case "correct":
            threads.correct(thread, key, value)
        case "plan":
            threads.approve(thread, key, plan_of_file(value))
        case "edit":
            threads.approve(thread, key, edited_plan(pending.items))
        case _:
            threads.approve(thread, key)


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


SHOWN = 160


@click.command()
@click.argument("thread")
@click.option("--turn", default=1, help="Which answer of a conversation.")
@click.option("--accept", type=int, metavar="N", help="Accept sentence N as it is.")
@click.option("--quote", type=int, metavar="N", help="Replace it by its quote.")
@click.option("--edit", type=(int, str), metavar="N TEXT", help="Replace it by these words.")
@click.option("--remove", type=int, metavar="N", help="Take it out.")
@click.option("--reopen", type=int, metavar="N", help="Undo the decision.")
@click.option("--note", type=(int, str), metavar="N TEXT", help="Add a note to any sentence.")
@click.option("--sign", is_flag=True, help="Sign the answer off, once all is decided.")
@of_engine()
def review(
    engine: Engine,
    thread: str,
    turn: int,
    edit: tuple[int, str] | None,
    note: tuple[int, str] | None,
    sign: bool,
    **decided: int | None,
) -> Shown:
    """Review the doubtful sentences of an answer, and sign it off.

    Without options they are listed by number.
    """
    numbers = {"open": decided.pop("reopen"), **decided}
    for name, number in numbers.items():
        if number is not None:
            engine.reviews.decide(thread, number, name, turn=turn)  # type: ignore[arg-type]
    if edit is not None:
        engine.reviews.decide(thread, edit[0], "edit", edit[1], turn)
    if note is not None:
        engine.reviews.decide(thread, note[0], "note", note[1], turn)
    if sign:
        engine.reviews.sign(thread, turn)
    value = to_jsonable_python(engine.reviews.listed(thread, turn))
    return Shown(value, lambda: _review_text(value))


def _review_text(value: dict[str, Any]) -> str:
    lines = []
    for each in value["sentences"]:
        lines.append(f"{each['n']:>3} {each['standing']:<12} {one_line(each['text'], SHOWN)}")
        if each["reason"]:
            lines.append(f"    {one_line(each['reason'], SHOWN)}")
        if done := each["review"]:
            lines.append(f"    -> {done['decision']} by {done['user']}, {done['at'][:10]}")
    for note in value["notes"]:
        lines.append(
            f"{note['sentence']:>3} note by {note['user']}: {one_line(note['text'], SHOWN)}"
        )
    signed = value["signed"]
    end = f"signed by {signed['user']}, {signed['at'][:10]}" if signed else "not signed"
    return "\n".join([*lines, f"{len(value['open'])} to decide, {end}"])
