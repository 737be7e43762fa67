"""``rabbithole config thresholds``: where questions over a collection get more depth."""

from typing import TYPE_CHECKING, Any

import click

from app.commands.common import Shown, of_client

if TYPE_CHECKING:
    from agent.client import Client


@click.command("thresholds")
@click.argument("collection", required=False)
@click.option("--lock", "change", flag_value="lock", help="Hold them as they are now.")
@click.option("--unlock", "change", flag_value="unlock", help="Let votes move them again.")
@click.option("--reset", "change", flag_value="reset", help="Let only later votes count.")
@of_client()
def thresholds(client: "Client", collection: str | None, change: str | None) -> Shown:
    """Show the thresholds of all collections, or of one, and hold or reset them.

    Questions below the first are answered fast, from the second on by the agent. Votes on answers
    move them a little.
    """
    if change is not None and collection is None:
        raise click.UsageError("Name the collection whose thresholds are to change.")
    if change is not None and collection is not None:
        _change(client, collection, change)
    names = [collection] if collection else [each.name for each in client.collections()]
    rows = [_row(client, name) for name in names]
    return Shown({"thresholds": rows}, lambda: _text(rows))


def _change(client: "Client", collection: str, change: str) -> None:
    if change == "reset":
        client.reset_thresholds(collection)
    else:
        client.lock_thresholds(collection, change == "lock")


def _row(client: "Client", collection: str) -> dict[str, Any]:
    return {"collection": collection, **client.thresholds([collection]).model_dump(mode="json")}


def _text(rows: list[dict[str, Any]]) -> str:
    lines = [
        f"{row['collection']:<24} {name:<5} {row[name]['value']:.2f} ({row[name]['why']})"
        for row in rows
        for name in ("fast", "agent")
    ]
    return "\n".join(lines) or "There are no collections yet."
