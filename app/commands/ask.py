"""`rabbithole ask`: a quick answer, in seconds, with its proof."""

import sys
from typing import TYPE_CHECKING, Any

import click

from app.commands.common import as_json, as_user, guarded, in_collections, open_client, show
from app.commands.config import with_profile

if TYPE_CHECKING:
    from agent.client import Client


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
@as_user
@as_json
@guarded
def ask(
    question: str,
    collections: tuple[str, ...],
    depth: str,
    k: int | None,
    thread: str | None,
    explain: bool,
    profile: str | None,
    user: str,
    json_: bool,
) -> None:
    """Answer a question in seconds, with a numbered place for every sentence.

    The answer rests on the documents alone; where they hold none it says so.
    """
    from app.answer_text import answer_text

    with open_client(user) as client:
        asked = client.ask(
            question,
            thread_id=thread,
            collections=collections or None,
            depth=depth,
            k=k,
            profile=profile,
        )
        turn = _followed(client, asked.thread_id, asked.turn, asked.after, json_)
    if turn is None:
        return
    show(turn, json_, lambda: answer_text(turn, explain=explain))


def _followed(
    client: "Client", thread: str, turn: int, after: int, json_: bool
) -> dict[str, Any] | None:
    """The answer, None where a question is open; a failed turn ends the command."""
    from app.answer_text import Writing, asked_back

    with Writing(shown=sys.stderr.isatty() and not json_) as writing:
        for record in client.follow(thread, after):
            writing.show(record.event)
    run = client.run(thread)
    if run.pending is not None:
        pending = run.pending
        value = {
            "thread_id": thread,
            "status": run.status,
            "pending": pending.model_dump(mode="json"),
        }
        show(value, json_, lambda: asked_back(thread, pending))
        return None
    answered = client.turns(thread)
    if run.status != "done" or len(answered) < turn:
        reason = run.error or f"The answer was stopped ({run.status})."
        click.echo(f"rabbithole: {reason} Go on with: rabbithole resume {thread}", err=True)
        sys.exit(1)
    return answered[turn - 1]
