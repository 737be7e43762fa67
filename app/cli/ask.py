"""`rabbithole ask` and `feedback`: a quick answer, in seconds, with its proof."""

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from app.cli.common import Shown, in_collections, of_engine, waiting
from app.cli.config import with_profile
from services.locale import rendered

if TYPE_CHECKING:
    from agent.engine.engine import Engine


@click.command()
@click.argument("question")
@in_collections
@click.option(
    "--depth",
    type=click.Choice(["auto", "fast", "enhanced", "structured", "agent"]),
    default="auto",
    show_default=True,
    help="How much work the answer may take.",
)
@click.option("-k", type=click.IntRange(1, 100), help="Passages to search for.")
@click.option("--thread", help="Ask on in this conversation, or give a new one this id.")
@click.option("--explain", is_flag=True, help="Say why it was answered this way.")
@with_profile
@of_engine(pass_json=True)
def ask(
    engine: "Engine",
    question: str,
    collections: tuple[str, ...],
    depth: str,
    k: int | None,
    thread: str | None,
    explain: bool,
    profile: str | None,
    json_: bool,
) -> Shown:
    """Answer a question in seconds, with a numbered place for every sentence.

    The answer rests on the documents alone; where they hold none it says so.
    """
    from agent.engine.reports import read_answer
    from app.answer_text import answer_text, asked_back
    from app.terminal import Progress

    where = collections or None
    asked = engine.answers.ask(
        question, thread_id=thread, collections=where, depth=depth, k=k, profile=profile
    )
    with Progress(lasting=False, live=not json_) as progress:
        for record in engine.threads.follow(asked.thread_id, asked.after):
            progress.show(record.event)
    run = engine.threads.run(asked.thread_id)
    if run.pending is not None:
        pending = run.pending
        return Shown(waiting(run, pending), lambda: asked_back(asked.thread_id, pending))
    answered = engine.answers.turns(asked.thread_id)
    if run.status != "done" or len(answered) < asked.turn:
        reason = run.error or f"The answer was stopped ({run.status})."
        how = f"Go on with: rabbithole resume {asked.thread_id}"
        click.echo(f"rabbithole: {reason} {how}", err=True)
        sys.exit(1)
    turn = answered[asked.turn - 1]
    text = partial(answer_text, read_answer(turn), asked.thread_id, explain=explain)
    return Shown(rendered(turn), text)


@click.command()
@click.argument("thread")
@click.argument("vote", type=click.Choice(["up", "down"]))
@click.argument("text", default="")
@click.option("--turn", type=click.IntRange(1), help="Which answer; the last one if not given.")
@of_engine()
def feedback(engine: "Engine", thread: str, vote: str, text: str, turn: int | None) -> Shown:
    """Say whether an answer helped, in a word if you like.

    Votes move the scores at which questions over these collections get more depth, a little, and
    only where there are enough of them.
    """
    given = engine.answers.vote(thread, vote == "up", text, turn=turn)
    value = {**given.model_dump(mode="json"), "thresholds": _thresholds(engine, thread)}
    return Shown(value, lambda: _feedback_text(value))


def _thresholds(engine: "Engine", thread: str) -> dict[str, Any]:
    collections = engine.threads.run(thread).collections
    return engine.answers.thresholds(collections).model_dump(mode="json")


def _feedback_text(value: dict[str, Any]) -> str:
    lines = [f"Answer {value['turn']} of {value['thread_id']}: {'up' if value['up'] else 'down'}"]
    for name, each in value["thresholds"].items():
        lines.append(f"threshold {name} {each['value']:.2f} ({each['why']})")
    return "\n".join(lines)
