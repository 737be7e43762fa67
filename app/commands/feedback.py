"""`rabbithole feedback`: whether an answer helped."""

from typing import TYPE_CHECKING, Any

import click

from app.commands.common import Shown, of_client

if TYPE_CHECKING:
    from agent.client import Client


@click.command()
@click.argument("thread")
@click.argument("vote", type=click.Choice(["up", "down"]))
@click.argument("text", default="")
@click.option("--turn", type=click.IntRange(1), help="Which answer; the last one if not given.")
@of_client()
def feedback(client: "Client", thread: str, vote: str, text: str, turn: int | None) -> Shown:
    """Say whether an answer helped, in a word if you like.

    Votes move the scores at which questions over these collections get more depth, a little, and
    only where there are enough of them.
    """
    given = client.vote(thread, vote == "up", text, turn=turn)
    value = {**given.model_dump(mode="json"), "thresholds": _thresholds(client, thread)}
    return Shown(value, lambda: _text(value))


def _thresholds(client: "Client", thread: str) -> dict[str, Any]:
    collections = client.run(thread).collections
    return client.thresholds(collections).model_dump(mode="json")


def _text(value: dict[str, Any]) -> str:
    lines = [f"Answer {value['turn']} of {value['thread_id']}: {'up' if value['up'] else 'down'}"]
    for name, each in value["thresholds"].items():
        lines.append(f"threshold {name} {each['value']:.2f} ({each['why']})")
    return "\n".join(lines)
