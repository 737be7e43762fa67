"""`rabbithole collections`: what there is, who may read it, and deleting it."""

import sys
from typing import TYPE_CHECKING, Any

import click

from app.commands import archives
from app.commands.common import (
    Shown,
    as_admin,
    as_json,
    as_user,
    guarded,
    of_client,
    open_client,
    show,
)

if TYPE_CHECKING:
    from agent.client import Client
    from services.types import CollectionInfo

VISIBILITIES = ["private", "unlisted", "public", "admin"]
visible_to = click.Choice(VISIBILITIES)


@click.group()
def collections() -> None:
    """List, create, rename, share, subscribe to, export, restore and delete collections.

    NAME is the name of a collection or its id.
    """


@collections.command("list")
@of_client(admin=True)
def list_(client: "Client") -> Shown:
    """All collections that you can read."""
    rows = [info.model_dump(mode="json") for info in client.collections()]
    return Shown({"collections": rows}, lambda: table(rows))


@collections.command()
@click.argument("name")
@click.option("--description", default="", help="What is in it.")
@click.option("--visibility", type=visible_to, default="private", show_default=True)
@of_client(admin=True)
def create(client: "Client", name: str, description: str, visibility: Any) -> Shown:
    """Create an empty collection."""
    return present(client.create_collection(name, description=description, visibility=visibility))


@collections.command("show")
@click.argument("name")
@of_client(admin=True)
def show_(client: "Client", name: str) -> Shown:
    """One collection: its id, owner, visibility, size and embedding model."""
    return present(client.collection(name))


@collections.command()
@click.argument("name")
@click.argument("new_name", required=False)
@click.option("--description", help="Describe it anew.")
@of_client(admin=True)
def rename(client: "Client", name: str, new_name: str | None, description: str | None) -> Shown:
    """Give a collection another name, another description, or both."""
    if new_name is None and description is None:
        raise click.UsageError("Give a NEW_NAME, a --description, or both.")
    return present(client.rename_collection(name, new_name, description=description))


@collections.command()
@click.argument("name")
@click.option("--visibility", type=visible_to, required=True, help="Who may read it.")
@of_client(admin=True)
def share(client: "Client", name: str, visibility: Any) -> Shown:
    """Say who may read a collection.

    private: you; unlisted: whoever has its id; public: everybody; admin: everybody, and only
    admins change it. A collection that becomes private loses its subscribers.
    """
    return present(client.share_collection(name, visibility))


@collections.command()
@click.argument("name")
@of_client()
def subscribe(client: "Client", name: str) -> Shown:
    """Let an unlisted collection of somebody else show up; NAME is its id."""
    return present(client.subscribe(name))


@collections.command()
@click.argument("name")
@of_client()
def unsubscribe(client: "Client", name: str) -> Shown:
    """Take a subscription back."""
    return present(client.unsubscribe(name))


@collections.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_user
@as_admin
@as_json
@guarded
def delete(name: str, yes: bool, user: str, admin: bool, json_: bool) -> None:
    """Delete a collection with its indexes and the files that nothing else uses.

    Reports that cite its documents keep them. In a terminal you are asked first.
    """
    with open_client(user, admin=admin) as client:
        info = client.collection(name)
        if sys.stdin.isatty() and not (yes or json_):
            click.confirm(f"Delete {info.name} with {info.documents} documents?", abort=True)
        client.delete_collection(info.collection_id)
    value = {"deleted": True, **info.model_dump(mode="json")}
    show(value, json_, lambda: f"{info.name} deleted ({info.documents} documents)")


collections.add_command(archives.export)
collections.add_command(archives.restore)


def present(info: "CollectionInfo") -> Shown:
    return Shown(info.model_dump(mode="json"), lambda: details(info))


def details(info: "CollectionInfo") -> str:
    lines = [
        f"{info.name}  ({info.visibility}, owner {info.owner})",
        f"  id {info.collection_id}",
        f"  {info.documents} documents, {info.chunks} chunks",
    ]
    if info.fingerprint:
        lines.append(f"  embedded by {info.fingerprint}")
    if info.description:
        lines.append(f"  {info.description}")
    return "\n".join(lines)


def table(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return "No collections yet. Make one: rabbithole ingest PATH... --collection NAME"
    return "\n".join(
        f"{row['name']:<24} {row['visibility']:<9} {row['owner']:<12} "
        f"{row['documents']:>5} documents {row['chunks']:>7} chunks"
        for row in rows
    )
