"""`rabbithole ask` and `feedback`: a quick answer, in seconds, with its proof."""

from functools import partial
from typing import Any

import click

from agent.engine.engine import Engine
from agent.engine.reports import read_answer
from app.answer_text import answer_text, asked_back
from app.cli.client import of_engine, waiting
from app.cli.common import (
    DEPTHS,
    Shown,
    fail,
    in_collections,
    in_documents,
    k_passages,
    wants_json,
    with_profile,
)
from app.cli.runs import how_to_go_on
from app.terminal import Progress
from services.locale import rendered


@click.command()
@click.argument("question")
@in_collections
@in_documents
@click.option(
    "--depth", type=click.Choice(DEPTHS), default="auto", help="How much work the answer may take."
)
@k_passages
@click.option("--thread", help="Continue this conversation, or start one with this id.")
@click.option("--explain", is_flag=True, help="Explain why it was answered this way.")
@with_profile
@of_engine(looks=True)
def ask(
    engine: Engine,
    question: str,
    thread: str | None,
    explain: bool,
    **options: Any,
) -> Shown:
    """Answer a question in seconds, with a numbered source for every sentence.

    Answers come from the documents alone; where they hold none, it says so.
    """
    asked = engine.answers.ask(question, thread_id=thread, **options)
    last = None
    with Progress(lasting=False, live=not wants_json()) as progress:
        for record in engine.threads.follow(asked.thread_id, asked.after):
            last = record.event
            progress.show(last)
    run = engine.threads.run(asked.thread_id)
    if run.pending is not None:
        pending = run.pending
        return Shown(waiting(run), lambda: asked_back(asked.thread_id, pending))
    answered = engine.answers.turns(asked.thread_id)
    if run.status != "done" or len(answered) < asked.turn:
        reason = run.error or f"The answer was stopped ({run.status})."
        fail(how_to_go_on(str(reason), asked.thread_id, last))
    turn = answered[asked.turn - 1]
    text = partial(answer_text, read_answer(turn), asked.thread_id, explain=explain)
    return Shown(rendered(turn), text)


@click.command()
@click.argument("thread")
@click.argument("vote", type=click.Choice(["up", "down"]))
@click.argument("text", default="")
@click.option("--turn", type=click.IntRange(1), help="Which answer; the last one if not given.")
@of_engine()
def feedback(engine: Engine, thread: str, vote: str, text: str, turn: int | None) -> Shown:
    """Rate an answer, with an optional comment.

    Enough votes move the thresholds at which questions to these collections get more depth, a
    little.
    """
    given = engine.answers.vote(thread, vote == "up", text, turn=turn)
    thresholds = engine.answers.thresholds(engine.threads.run(thread).collections)
    lines = [f"Answer {given.turn} of {thread}: {'up' if given.up else 'down'}"]
    lines += [f"threshold {name} {each.value:.2f} ({each.why})" for name, each in thresholds]
    return Shown({**dict(given), "thresholds": thresholds}, lambda: "\n".join(lines))
