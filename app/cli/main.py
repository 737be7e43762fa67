"""The ``rabbithole`` command. Heavy imports wait until a command needs them."""

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli import collections, documents, maintenance, runs
from app.cli.ask import ask, feedback
from app.cli.checks import classify, verify
from app.cli.common import (
    Shown,
    as_admin,
    guarded,
    in_collections,
    k_hits,
    make_settings,
    of_engine,
    open_engine,
    prints,
)
from app.cli.config import config, with_profile
from app.cli.evaluate import evaluate
from app.cli.exports import export, trace
from app.cli.graph import graph
from app.cli.ingest import ingest, take_in
from app.cli.maintenance import backup, restore
from app.cli.runs import watch
from app.cli.search import search

if TYPE_CHECKING:
    from agent.engine.engine import Engine

MODELS = """\b
Models are named in the environment:
  RABBITHOLE_LLM            ollama:MODEL, openai:MODEL, gguf:PATH, embedded, none
  RABBITHOLE_EMBEDDING      bundled, ollama:MODEL, or a model of sentence-transformers by
                            name or folder
  RABBITHOLE_CROSS_ENCODER  such a model, for: rabbithole config set reranking cross-encoder
  RABBITHOLE_OLLAMA_URL     where Ollama is, unless at http://127.0.0.1:11434
A collection keeps the embedding model that indexed it.
"""
"""What the help says of the environment."""
DEMO_COLLECTION = "strahlenschutz"
DEMO_DOCUMENT = Path("strahlenschutz") / "StrlSchG.pdf"
DEMO_QUESTION = (
    "Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren, "
    "und welche Ausnahmen kann die Behörde zulassen?"
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog=MODELS)
@click.version_option(package_name="rabbithole")
def main() -> None:
    """Answers from your own documents, with proof for every sentence."""


@main.command()
@partial(prints, pass_json=True)
def demo(json_: bool) -> Shown:
    """Ingest the sample law and research one German question."""
    settings = make_settings()
    if settings.llm is None:
        settings = settings.model_copy(update={"llm": "embedded"})
    with open_engine("local", settings) as engine:
        take_in(engine, (settings.samples / DEMO_DOCUMENT,), DEMO_COLLECTION, language="de")
        options = {"clarify": False, "approve_plan": False}
        return _research(engine, DEMO_QUESTION, (DEMO_COLLECTION,), None, options, json_)


@main.command()
@click.argument("question")
@in_collections
@k_hits
@click.option("--yes", is_flag=True, help="Approve the plan as proposed.")
@click.option("--no-clarify", is_flag=True, help="Look into the corpus, but ask nothing.")
@click.option("--no-quality-check", is_flag=True, help="Skip scoring and revision.")
@click.option("--thread", help="Use this thread id; an existing thread is continued.")
@with_profile
@of_engine(pass_json=True)
def research(
    engine: "Engine",
    question: str,
    collections: tuple[str, ...],
    k: int,
    yes: bool,
    no_clarify: bool,
    no_quality_check: bool,
    thread: str | None,
    profile: str | None,
    json_: bool,
) -> Shown:
    """Research a question to a report; stops where a person is asked."""
    options = {
        "clarify": not no_clarify,
        "approve_plan": not yes,
        "quality_check": not no_quality_check,
        "k": k,
        "profile": profile,
    }
    return _research(engine, question, collections, thread, options, json_)


def _research(
    engine: "Engine",
    question: str,
    collections: tuple[str, ...],
    thread: str | None,
    options: dict[str, Any],
    json_: bool,
) -> Shown:
    from agent.models import RunOptions

    if thread is not None and any(run.thread_id == thread for run in engine.threads.runs()):
        engine.threads.resume(thread)
    else:
        thread = engine.threads.start(
            question,
            collections=collections or None,
            options=RunOptions(**options),
            thread_id=thread,
        )
    return watch(engine, thread, json_)


@main.command()
@click.argument("thread")
@click.option("--answer", help="Answer to the open question; /end goes on to the plan.")
@click.option("--approve", is_flag=True, help="Approve the plan as proposed.")
@of_engine(pass_json=True)
def resume(engine: "Engine", thread: str, answer: str | None, approve: bool, json_: bool) -> Shown:
    """Continue a thread: answer its question, approve its plan, or go on where it stopped."""
    from services.domain.errors import InvalidInput

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
    return watch(engine, thread, json_, after)


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8501, show_default=True, type=click.IntRange(1, 65535))
@click.option("--user", help="Act as this user; RABBITHOLE_USER, else local.")
@as_admin
@guarded
def serve(host: str, port: int, user: str | None, admin: bool) -> None:
    """Open the app in the browser."""
    os.environ.update(identity(user, admin=admin))
    make_settings()
    script = Path(__file__).parent.with_name("streamlit_app.py")
    root = script.parent.parent
    os.chdir(root)  # Streamlit would read the .streamlit of whatever lies where one is.
    arguments = ["--server.address", host, "--server.port", str(port), "--server.headless", "true"]
    command = [sys.executable, "-m", "app.server", "run", str(script), *arguments]
    click.echo(f"Rabbithole on http://{host}:{port} (end with Ctrl+C)", err=True)
    os.execv(sys.executable, command)


def identity(user: str | None, *, admin: bool) -> dict[str, str]:
    """Who sits at the browser, as the settings of the server name it."""
    named = {} if user is None else {"RABBITHOLE_USER": user}
    return {**named, "RABBITHOLE_ROLE": "admin"} if admin else named


for group in (
    ask,
    backup,
    classify,
    collections.collections,
    config,
    maintenance.doctor,
    documents.documents,
    evaluate,
    export,
    feedback,
    graph,
    ingest,
    maintenance.jobs,
    restore,
    runs.runs,
    search,
    trace,
    verify,
):
    main.add_command(group)

if __name__ == "__main__":
    main()
