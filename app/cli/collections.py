"""`rabbithole collections`: what there is, who may read it, files of it, and deleting it."""

import sys
from pathlib import Path
from typing import Any, get_args

import click

from agent.engine.engine import Engine
from app.cli.client import of_engine
from app.cli.common import Shown, any_file, listed, wants_json, yes
from app.terminal import Progress
from services.domain import CollectionInfo
from services.domain.collections import Visibility
from services.library.archive.values import ExportReport, RestoreReport

visible_to = click.Choice(get_args(Visibility))


@click.group()
def collections() -> None:
    """List, create, rename, share, subscribe to, export, restore and delete collections.

    NAME is the name of a collection or its id.
    """


@collections.command("list")
@of_engine(admin=True, looks=True)
def list_(engine: Engine) -> Shown:
    """All collections that you can read."""
    nothing = "No collections yet. Make one: rabbithole ingest PATH... --collection NAME"
    return listed("collections", engine.library.collections(), line, nothing)


@collections.command()
@click.argument("name")
@click.option("--description", default="", show_default=False, help="What is in it.")
@click.option("--visibility", type=visible_to, default="private")
@of_engine(admin=True)
def create(engine: Engine, name: str, description: str, visibility: Any) -> Shown:
    """Create an empty collection."""
    return present(
        engine.library.create_collection(name, description=description, visibility=visibility)
    )


@collections.command("show")
@click.argument("name")
@of_engine(admin=True, looks=True)
def show_(engine: Engine, name: str) -> Shown:
    """One collection: its id, owner, visibility, size and embedding model."""
    return present(engine.library.collection(name))


@collections.command()
@click.argument("name")
@click.argument("new_name", required=False)
@click.option("--description", help="New description.")
@of_engine(admin=True)
def rename(engine: Engine, name: str, new_name: str | None, description: str | None) -> Shown:
    """Give a collection another name, another description, or both."""
    if new_name is None and description is None:
        raise click.UsageError("Give a NEW_NAME, a --description, or both.")
    return present(
        engine.library.change_collection(name, new_name=new_name, description=description)
    )


@collections.command()
@click.argument("name")
@click.option("--visibility", type=visible_to, required=True, help="Who may read it.")
@of_engine(admin=True)
def share(engine: Engine, name: str, visibility: Any) -> Shown:
    """Set who may read a collection.

    private: you; unlisted: whoever has its id; public: everybody; admin: everybody, and only
    admins change it. A collection that becomes private loses its subscribers.
    """
    return present(engine.library.change_collection(name, visibility=visibility))


@collections.command()
@click.argument("name")
@of_engine()
def subscribe(engine: Engine, name: str) -> Shown:
    """Add an unlisted collection of somebody else to your list; NAME is its id."""
    return present(engine.library.subscribe(name))


@collections.command()
@click.argument("name")
@of_engine()
def unsubscribe(engine: Engine, name: str) -> Shown:
    """Cancel a subscription."""
    return present(engine.library.unsubscribe(name))


@collections.command()
@click.argument("name")
@yes
@of_engine(admin=True)
def delete(engine: Engine, name: str, yes: bool) -> Shown:
    """Delete a collection with its indexes and the files that nothing else uses.

    Reports that cite its documents keep them. In a terminal you are asked first.
    """
    info = engine.library.collection(name)
    if sys.stdin.isatty() and not (yes or wants_json()):
        click.confirm(f"Delete {info.name} with {info.documents} documents?", abort=True)
    engine.library.delete_collection(info.collection_id)
    return Shown(
        {"deleted": True, **dict(info)}, lambda: f"{info.name} deleted ({info.documents} documents)"
    )


def present(info: CollectionInfo) -> Shown:
    return Shown(info, lambda: details(info))


def details(info: CollectionInfo) -> str:
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


def line(info: CollectionInfo) -> str:
    return (
        f"{info.name:<24} {info.visibility:<9} {info.owner:<12} "
        f"{info.documents:>5} documents {info.chunks:>7} chunks"
    )


@collections.command()
@click.argument("name")
@click.option(
    "-o", "--output", "file", required=True, type=any_file, help="A file that does not exist yet."
)
@of_engine(admin=True)
def export(engine: Engine, name: str, file: Path) -> Shown:
    """Write a collection to a file: originals, texts, passages, vectors and names."""
    report = engine.library.export_collection(name, file)
    return Shown(report, lambda: exported(report))


@collections.command()
@click.argument("file", type=any_file)
@click.option("--name", help="Name of the collection; default: as before.")
@of_engine(admin=True)
def restore(engine: Engine, file: Path, name: str | None) -> Shown:
    """Restore a collection from an exported file; it becomes yours.

    Nothing is embedded if the embedding model is the same. A file from another home is taken
    from an administrator only (--admin).
    """
    with Progress() as progress:
        report = engine.library.restore_collection(file, name, progress.show)
    return Shown(report, lambda: restored(report))


def exported(report: ExportReport) -> str:
    counts = report.counts
    lines = [
        f"{report.collection}: {counts.documents} documents, {counts.chunks} chunks, "
        f"{counts.vectors} vectors in {report.file} ({report.bytes / 1e6:.1f} MB)"
    ]
    if counts.lost_originals:
        lines.append(
            f"  without {counts.lost_originals} originals that are lost; their texts are in it"
        )
    if report.unfinished:
        lines.append(f"  without {', '.join(report.unfinished)}: ingest them again first")
    return "\n".join(lines)


def restored(report: RestoreReport) -> str:
    how = f"{report.embedded} embedded again" if report.embedded else "nothing embedded again"
    before = report.archived_fingerprint
    other = report.embedded and before not in (None, report.collection.fingerprint)
    why = f" (the file has vectors of {before})" if other else ""
    return (
        f"{report.collection.name} restored: {report.documents} documents, {report.chunks} chunks, "
        f"{how}{why}"
    )
