"""`rabbithole collections`: what there is, who may read it, and deleting it."""

import sys
from typing import TYPE_CHECKING, Any

import click

from app.commands import archives
from app.commands.common import as_admin, as_json, as_user, guarded, open_client, show

if TYPE_CHECKING:
    from services.types import CollectionInfo

VISIBILITIES = ["private", "unlisted", "public", "admin"]
visible_to = click.Choice(VISIBILITIES)


@click.group()
def collections() -> None:
    """List, create, rename, share, subscribe to, export, restore and delete collections.

    NAME is the name of a collection or its id.
    """


@collections.command("list")
@as_user
@as_admin
@as_json
@guarded
def list_(user: str, admin: bool, json_: bool) -> None:
    """All collections that you can read."""
    with open_client(user, admin=admin) as client:
        rows = [info.model_dump(mode="json") for info in client.collections()]
    show({"collections": rows}, json_, lambda: table(rows))


@collections.command()
@click.argument("name")
@click.option("--description", default="", help="What is in it.")
@click.option("--visibility", type=visible_to, default="private", show_default=True)
@as_user
@as_admin
@as_json
@guarded
def create(
    name: str, description: str, visibility: Any, user: str, admin: bool, json_: bool
) -> None:
    """Create an empty collection."""
    with open_client(user, admin=admin) as client:
        info = client.create_collection(name, description=description, visibility=visibility)
    present(info, json_)


@collections.command("show")
@click.argument("name")
@as_user
@as_admin
@as_json
@guarded
def show_(name: str, user: str, admin: bool, json_: bool) -> None:
    """One collection: its id, owner, visibility, size and embedding model."""
    with open_client(user, admin=admin) as client:
        info = client.collection(name)
    present(info, json_)


@collections.command()
@click.argument("name")
@click.argument("new_name", required=False)
@click.option("--description", help="Describe it anew.")
@as_user
@as_admin
@as_json
@guarded
def rename(
    name: str, new_name: str | None, description: str | None, user: str, admin: bool, json_: bool
) -> None:
    """Give a collection another name, another description, or both."""
    if new_name is None and description is None:
        raise click.UsageError("Give a NEW_NAME, a --description, or both.")
    with open_client(user, admin=admin) as client:
        info = client.rename_collection(name, new_name, description=description)
    present(info, json_)


@collections.command()
@click.argument("name")
@click.option("--visibility", type=visible_to, required=True, help="Who may read it.")
@as_user
@as_admin
@as_json
@guarded
def share(name: str, visibility: Any, user: str, admin: bool, json_: bool) -> None:
    """Say who may read a collection.

    private: you; unlisted: whoever has its id; public: everybody; admin: everybody, and only
    admins change it. A collection that becomes private loses its subscribers.
    """
    with open_client(user, admin=admin) as client:
        info = client.share_collection(name, visibility)
    present(info, json_)


@collections.command()
@click.argument("name")
@as_user
@as_json
@guarded
def subscribe(name: str, user: str, json_: bool) -> None:
    """Let an unlisted collection of somebody else show up; NAME is its id."""
    with open_client(user) as client:
        info = client.subscribe(name)
    present(info, json_)


@collections.command()
@click.argument("name")
@as_user
@as_json
@guarded
def unsubscribe(name: str, user: str, json_: bool) -> None:
    """Take a subscription back."""
    with open_client(user) as client:
        info = client.unsubscribe(name)
    present(info, json_)


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


def present(info: "CollectionInfo", json_: bool) -> None:
    show(info.model_dump(mode="json"), json_, lambda: details(info))


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
