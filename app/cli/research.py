"""`rabbithole research`, `resume`, `runs` and `review`: from a question to a signed report."""

import sys
from collections.abc import Iterator
from functools import partial
from typing import Any, cast

import click
from pydantic_core import to_jsonable_python

from agent.engine.engine import Engine
from agent.models import RunOptions
from app.cli import params
from app.cli.answer_text import run_text
from app.cli.common import LONGEST_LINE, Result, engine_command, fail, listing, wants_json, warn
from app.cli.terminal import ProgressPrinter, ask, edited_plan, plan_of_file, waiting_lines
from app.formats import one_line
from services.domain.answers import Decision
from services.domain.errors import InvalidInput
from services.domain.events import Event, RunFinished, Waiting
from services.domain.runs import RunInfo
from services.locale import rendered

REPLY_OPTIONS = {
    "clarification": ("answer", "correct"),
    "plan": ("approve", "edit", "plan", "correct"),
}
"""The options of `resume` by what a thread waits for."""
Json = dict[str, Any]
_short = partial(one_line, limit=LONGEST_LINE)


@engine_command()
@params.collections
@params.documents
@params.k_hits
@click.option("--yes", is_flag=True, help="Approve the plan as proposed.")
@click.option("--no-clarify", is_flag=True, help="Search the documents, but ask no questions.")
@click.option("--no-quality-check", is_flag=True, help="Skip scoring and revision.")
@click.option(
    "--query",
    "research_queries",
    multiple=True,
    metavar="TEXT",
    help="Search for this and skip clarification; may be repeated.",
)
@click.option("--thread", help="Use this thread id; an existing thread is continued.")
@params.profile
def research(
    engine: Engine,
    question: str,
    collections: tuple[str, ...] | None,
    thread: str | None,
    yes: bool,
    no_clarify: bool,
    no_quality_check: bool,
    **options: Any,
) -> Result:
    """Research a question and write a report; pauses for your input."""
    if thread is not None and (run := engine.threads.named(thread)) is not None:
        engine.threads.resume(run.thread_id)
        return follow(engine, run.thread_id)
    options = {name: value for name, value in options.items() if value is not None}
    options |= {"clarify": not no_clarify, "approve_plan": not yes}
    run_options = RunOptions(quality_check=not no_quality_check, **options)
    start = partial(engine.threads.start, question, collections=collections, thread_id=thread)
    return follow(engine, start(options=run_options))


@engine_command()
@click.option("--answer", help="Answer the questions; /end skips to the plan.")
@click.option(
    "--correct",
    metavar="TEXT",
    help='Correct an assumption: "A1: …"; the run then makes a new plan.',
)
@click.option("--approve", is_flag=True, help="Approve the plan as proposed.")
@click.option(
    "--plan",
    type=params.existing_file,
    metavar="FILE.json",
    help="Approve this plan instead: a JSON list of tasks.",
)
@click.option("--edit", is_flag=True, help="Edit the plan in $VISUAL or $EDITOR and approve it.")
def resume(engine: Engine, thread: str, **replies: Any) -> Result:
    """Continue a thread: answer its questions, approve its plan, or resume where it stopped."""
    pending = engine.threads.run(thread).pending
    after = engine.threads.last_event(thread)
    options = [name for name, value in replies.items() if value not in (None, False)]
    if len(options) > 1:
        raise click.UsageError(f"Use one of --{' and --'.join(options)} at a time.")
    if pending is not None and options:
        _reply(engine, thread, pending, options[0], replies[options[0]])
    elif options:
        raise InvalidInput(
            f"Thread {thread} is not asking anything now. Resume it without options."
        )
    elif pending is None:
        engine.threads.resume(thread)
    return follow(engine, thread, after)


def _reply(engine: Engine, thread: str, pending: Waiting, option: str, value: Any) -> None:
    allowed = REPLY_OPTIONS[pending.interrupt]
    if option not in allowed:
        names = ", ".join(f"--{name}" for name in allowed)
        raise InvalidInput(f"Thread {thread} is at the {pending.interrupt} step: use {names}.")
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


def follow(engine: Engine, thread: str, after: int = 0) -> Result:
    """Follow a run to its report; in a terminal, a person answers its questions."""
    interactive = sys.stdin.isatty() and not wants_json()
    event = None
    while True:
        with ProgressPrinter() as progress:
            for record in engine.threads.follow(thread, after):
                after, event = record.seq, record.event
                progress.show(event)
        run = engine.threads.run(thread)
        if run.pending is None or not interactive:
            break
        ask(engine, thread, run.pending)
    if run.status in ("failed", "paused", "interrupted"):
        error = run.error if run.status == "failed" else f"It was stopped ({run.status})."
        fail(how_to_continue(str(error), thread, event))
    if run.pending is not None:
        return Result(waiting_json(run), waiting_lines(thread, run.pending))
    report = _report_of(engine, run) or {"thread_id": thread, "status": run.status}
    return Result(report, run_text(report))


def _report_of(engine: Engine, run: RunInfo) -> Json | None:
    """Return the report of a thread; `rabbithole grid show` shows a grid or a sweep."""
    has_report = run.kind not in ("grid", "sweep")
    return cast(Json, rendered(engine.threads.report(run.thread_id))) if has_report else None


def waiting_json(run: RunInfo) -> Json:
    return {"thread_id": run.thread_id, "status": run.status, "pending": run.pending}


def how_to_continue(error: str, thread: str, last: Event | None) -> str:
    """Return why a thread ended, and how to continue it unless it would end the same way again."""
    if isinstance(last, RunFinished) and last.final:
        return error
    return f"{error.rstrip('.')}. Continue with: rabbithole resume {thread}"


runs = click.Group(
    "runs",
    help="Manage threads: list, show, pause, cancel, fork, rename, delete, restore evidence.",
)


@engine_command(runs, "list", read_only=True)
def list_(engine: Engine) -> Result:
    """List all threads, newest first."""
    nothing = "No threads yet. Start one: rabbithole research QUESTION, or rabbithole ask QUESTION"
    return listing("runs", engine.threads.runs(), run_line, nothing)


@engine_command(runs, "show", read_only=True)
def show_run(engine: Engine, thread: str) -> Result:
    """Show the state of a thread, and its report if it has one."""
    run = engine.threads.run(thread)
    report = _report_of(engine, run)
    value = {**dict(run), "report": report}
    return Result(value, run_line(run) + (f"\n\n{run_text(report)}" if report else ""))


@engine_command(runs, "pause")
def pause(engine: Engine, thread: str) -> Result:
    """Pause a thread; `resume` continues it."""
    engine.threads.pause(thread)
    return Result({"thread_id": thread, "status": "paused"}, f"{thread} paused")


@engine_command(runs, "cancel")
def cancel(engine: Engine, thread: str) -> Result:
    """Cancel a thread; research still reports what was found so far."""
    engine.threads.cancel(thread)
    return Result({"thread_id": thread, "status": "cancelled"}, f"{thread} cancelled")


@engine_command(runs, "fork")
@click.option(
    "--checkpoint", metavar="ID", help="Checkpoint to continue from; default: list the checkpoints."
)
def fork(engine: Engine, thread: str, checkpoint: str | None) -> Result:
    """Continue a thread from a checkpoint in a new thread; the old one does not change."""
    if checkpoint is not None:
        new = engine.threads.fork(thread, checkpoint)
        warn(f"{new} continues {thread}")
        return follow(engine, new)
    checkpoints = engine.threads.checkpoints(thread)
    value = {"thread_id": thread, "checkpoints": checkpoints}
    lines = [
        f"{point.id}  {point.at[:19]}  {point.phase:<10} before {point.next}: {point.summary}"
        for point in checkpoints
    ]
    lines += [f"Continue from one: rabbithole runs fork {thread} --checkpoint ID"] if lines else []
    return Result(value, lines or [f"Thread {thread} has no checkpoint to continue from."])


@engine_command(runs, "restore")
@click.argument("evidence", metavar="[EVIDENCE_ID]...", nargs=-1)
def restore(engine: Engine, thread: str, evidence: tuple[str, ...]) -> Result:
    """Restore dropped evidence; without ids, list what was dropped.

    The evidence is checked again and the answer rewritten, without a new search.
    """
    if evidence:
        after = engine.threads.last_event(thread)
        engine.threads.restore_evidence(thread, evidence)
        return follow(engine, thread, after)
    engine.threads.run(thread)
    rows = (rendered(engine.threads.report(thread)) or {}).get("dropped", [])
    lines = [
        f"{row['chunk_id']}  {row['score']:.2f}  {row['document']} {row['section']}: "
        f"{row['text']}\n    dropped: {row['reason']}"
        for row in sorted(rows, key=lambda row: -row["score"])
    ]
    lines += [f"Restore one: rabbithole runs restore {thread} EVIDENCE_ID"] if lines else []
    nothing = f"Thread {thread} has no dropped evidence."
    return Result({"thread_id": thread, "dropped": rows}, lines or [nothing])


@engine_command(runs, "rename")
def rename(engine: Engine, thread: str, title: str) -> Result:
    """Give a thread a title; an empty title shows the question again."""
    engine.threads.rename(thread, title)
    run = engine.threads.run(thread)
    value = {"thread_id": thread, "title": run.title}
    return Result(value, f"{thread} is now called {run.title or run.question!r}")


@engine_command(runs, "delete")
@params.yes
def delete(engine: Engine, thread: str, yes: bool) -> Result:
    """Delete a thread with its events, checkpoints, answers and report."""
    run = engine.threads.run(thread)
    name = run.title or run.question
    if not yes:
        click.confirm(f"Delete {thread} ({name[:70]}) and its report?", abort=True, err=True)
    engine.threads.delete(thread)
    return Result({"thread_id": thread, "deleted": True}, f"{thread} deleted")


def run_line(run: RunInfo) -> str:
    return (
        f"{run.thread_id}  {run.kind:<8}  {run.status:<11} {run.created_at[:16]}  "
        f"{(run.title or run.question)[:70]}"
    )


@engine_command()
@click.option("--turn", default=1, help="Number of the answer in a conversation.")
@click.option("--accept", type=int, metavar="N", help="Accept sentence N as it is.")
@click.option("--quote", type=int, metavar="N", help="Replace sentence N with its quote.")
@click.option("--edit", type=(int, str), metavar="N TEXT", help="Replace sentence N with TEXT.")
@click.option("--remove", type=int, metavar="N", help="Remove sentence N.")
@click.option("--reopen", type=int, metavar="N", help="Undo the decision on sentence N.")
@click.option("--note", type=(int, str), metavar="N TEXT", help="Add a note to sentence N.")
@click.option(
    "--sign", is_flag=True, help="Sign the answer once you have decided on every sentence."
)
def review(
    engine: Engine,
    thread: str,
    turn: int,
    edit: tuple[int, str] | None,
    note: tuple[int, str] | None,
    reopen: int | None,
    sign: bool,
    **decisions: int | None,
) -> Result:
    """Review the sentences of an answer, and sign it.

    Without options, list the doubtful sentences and those already reviewed, with their numbers.
    """
    in_order = {"open": reopen, **decisions, "edit": edit, "note": note}
    for decision, value in in_order.items():
        if value is not None:
            number, text = value if isinstance(value, tuple) else (value, "")
            engine.reviews.decide(thread, number, cast(Decision, decision), text, turn)
    if sign:
        engine.reviews.sign(thread, turn)
    listed = to_jsonable_python(engine.reviews.listed(thread, turn))
    return Result(listed, _review_lines(listed))


def _review_lines(listed: Json) -> Iterator[str]:
    for sentence in listed["sentences"]:
        yield f"{sentence['n']:>3} {sentence['standing']:<12} {_short(sentence['text'])}"
        if sentence["reason"]:
            yield f"    {_short(sentence['reason'])}"
        if done := sentence["review"]:
            yield f"    -> {done['decision']} by {done['user']}, {done['at'][:10]}"
    for note in listed["notes"]:
        yield f"{note['sentence']:>3} note by {note['user']}: {_short(note['text'])}"
    signed = listed["signed"]
    end = f"signed by {signed['user']}, {signed['at'][:10]}" if signed else "not signed"
    yield f"{len(listed['open'])} left to review, {end}"
