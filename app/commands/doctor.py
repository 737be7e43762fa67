"""`rabbithole doctor`: do the indexes agree with the catalog?"""

from typing import TYPE_CHECKING

import click

from app.commands.common import Shown, of_client

if TYPE_CHECKING:
    from agent.client import Client
    from services.types import CollectionHealth


@click.command()
@click.option("--collection", help="Name or id; omitted means all that you may change.")
@click.option("--repair", is_flag=True, help="Index what is missing, forget what is stale.")
@of_client(admin=True)
def doctor(client: "Client", collection: str | None, repair: bool) -> Shown:
    """Compare vectors, keywords and kept files of your collections with the catalog.

    Exits with 1 when something is missing (with --repair: still missing afterwards).
    """
    from app.terminal import Progress

    with Progress() as progress:
        states = client.check_indexes(collection, repair=repair, on_event=progress.show)
    healthy = all(state.healthy for state in states)
    rows = [{**state.model_dump(mode="json"), "healthy": state.healthy} for state in states]
    value = {"healthy": healthy, "repaired": repair, "collections": rows}
    if not (healthy or repair):
        click.echo("rabbithole: repair with: rabbithole doctor --repair", err=True)
    nothing = "No collections that you may change."
    return Shown(value, lambda: "\n".join(map(line, states)) or nothing, ok=healthy)


def line(state: "CollectionHealth") -> str:
    counts = {
        "chunks without vector": state.missing_vectors,
        "chunks without keywords": state.missing_keywords,
        "chunks that do not find themselves": state.lost,
        "stale vectors": state.stale_vectors,
        "stale keywords": state.stale_keywords,
    }
    found = [f"{count} {what}" for what, count in counts.items() if count]
    found += [f"unfinished: {', '.join(state.unfinished)}"] if state.unfinished else []
    if state.lost_originals:
        found.append(f"originals lost, ingest them again: {', '.join(state.lost_originals)}")
    found += [state.problem] if state.problem else []
    return f"{state.collection}: {state.chunks} chunks, {'; '.join(found) or 'all in order'}"
