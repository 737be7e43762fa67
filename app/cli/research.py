"""`rabbithole demo`, `research` and `resume`: a question to a report."""

from pathlib import Path
from typing import Any

import click

from agent.engine.engine import Engine
from agent.models import RunOptions
from app.cli.client import of_engine, open_engine
from app.cli.common import Shown, in_collections, k_hits, make_settings, prints, with_profile
from app.cli.ingest import take_in
from app.cli.runs import watch
from services.domain.errors import InvalidInput

DEMO_COLLECTION = "strahlenschutz"
DEMO_DOCUMENT = Path("strahlenschutz") / "StrlSchG.pdf"
DEMO_QUESTION = (
    "Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren, "
    "und welche Ausnahmen kann die Behörde zulassen?"
)


@click.command()
@prints
def demo() -> Shown:
    """Ingest the sample law and research one German question."""
    settings = make_settings()
    if settings.llm is None:
        settings = settings.model_copy(update={"llm": "embedded"})
    with open_engine("local", settings) as engine:
        take_in(engine, (settings.samples / DEMO_DOCUMENT,), DEMO_COLLECTION, language="de")
        options = {"clarify": False, "approve_plan": False}
        return _research(engine, DEMO_QUESTION, (DEMO_COLLECTION,), None, options)


@click.command()
@click.argument("question")
@in_collections
@k_hits
@click.option("--yes", is_flag=True, help="Approve the plan as proposed.")
@click.option("--no-clarify", is_flag=True, help="Look into the corpus, but ask nothing.")
@click.option("--no-quality-check", is_flag=True, help="Skip scoring and revision.")
@click.option("--thread", help="Use this thread id; an existing thread is continued.")
@with_profile
@of_engine()
def research(
    engine: Engine,
    question: str,
    collections: tuple[str, ...],
    k: int,
    yes: bool,
    no_clarify: bool,
    no_quality_check: bool,
    thread: str | None,
    profile: str | None,
) -> Shown:
    """Research a question to a report; stops where a person is asked."""
    options = {
        "clarify": not no_clarify,
        "approve_plan": not yes,
        "quality_check": not no_quality_check,
        "k": k,
        "profile": profile,
    }
    return _research(engine, question, collections, thread, options)


def _research(
    engine: Engine,
    question: str,
    collections: tuple[str, ...],
    thread: str | None,
    options: dict[str, Any],
) -> Shown:
    if thread is not None and any(run.thread_id == thread for run in engine.threads.runs()):
        engine.threads.resume(thread)
    else:
        thread = engine.threads.start(
            question,
            collections=collections or None,
            options=RunOptions(**options),
            thread_id=thread,
        )
    return watch(engine, thread)


@click.command()
@click.argument("thread")
@click.option("--answer", help="Answer to the open question; /end goes on to the plan.")
@click.option("--approve", is_flag=True, help="Approve the plan as proposed.")
@of_engine()
def resume(engine: Engine, thread: str, answer: str | None, approve: bool) -> Shown:
    """Continue a thread: answer its question, approve its plan, or go on where it stopped."""
    pending = engine.threads.run(thread).pending
    after = engine.threads.last_event(thread)
    if pending is None:
        if answer is not None or approve:
            raise InvalidInput(f"Thread {thread} asks nothing now. Resume it without options.")
        engine.threads.resume(thread)
    elif pending.interrupt == "clarification" and answer is not None:
        engine.threads.answer(thread, pending.interrupt_id, answer)
    elif pending.interrupt == "plan" and approve:
        engine.threads.approve(thread, pending.interrupt_id)
    elif answer is not None or approve:
        wanted = "--answer" if pending.interrupt == "clarification" else "--approve"
        raise InvalidInput(f"Thread {thread} waits for a {pending.interrupt}: use {wanted}.")
    return watch(engine, thread, after)
