"""`rabbithole research` and `resume`: a question to a report."""

from typing import Any

import click

from agent.engine.engine import Engine
from agent.models import RunOptions
from app.cli.client import of_engine
from app.cli.common import (
    Shown,
    existing_file,
    in_collections,
    in_documents,
    k_hits,
    with_profile,
)
from app.cli.runs import watch
from app.plan_text import edited_plan, plan_of_file
from services.domain.errors import InvalidInput
from services.domain.events import Waiting

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
