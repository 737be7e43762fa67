"""`rabbithole collections` and `documents`: what there is, who may read it, and what is in it."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import click

from agent.engine.engine import Engine
from app.cli.ask import NO_DOCUMENTS, Day
from app.cli.client import of_engine
from app.cli.common import Shown, any_file, listed, wants_json, yes
from app.cli.terminal import Progress
from services.domain import CollectionInfo, DocumentInfo, MetadataChanges, SectionSpan
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
def list_collections(engine: Engine) -> Shown:
    """All collections that you can read."""
    nothing = "No collections yet. Make one: rabbithole ingest PATH... --collection NAME"
    return listed("collections", engine.library.collections(), collection_line, nothing)


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
def show_collection(engine: Engine, name: str) -> Shown:
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
    return Shown(info, lambda: collection_details(info))


def collection_details(info: CollectionInfo) -> str:
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


def collection_line(info: CollectionInfo) -> str:
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


in_collection = click.option("--collection", help="Name or id; omitted means all you can read.")


@click.group()
def documents() -> None:
    """List, show, tag and remove documents.

    DOCUMENT is a file name, an id, or the first 8 or more characters of an id.
    """


@documents.command("list")
@in_collection
@of_engine(admin=True, looks=True)
def list_documents(engine: Engine, collection: str | None) -> Shown:
    """The documents of a collection, or of all that you can read."""
    return listed("documents", engine.library.documents(collection), document_line, NO_DOCUMENTS)


@documents.command("show")
@click.argument("document")
@in_collection
@of_engine(admin=True, looks=True)
def show_document(engine: Engine, document: str, collection: str | None) -> Shown:
    """One document with its sections."""
    info, outline = engine.library.outline(document, collection)
    return Shown({**dict(info), "outline": outline}, lambda: document_details(info, outline))


@documents.command()
@click.argument("document")
@click.option("--collection", required=True, help="Name or id of the collection that holds it.")
@click.option("--tag", "tags", multiple=True, help="Repeat for several; others are taken off.")
@click.option("--category")
@click.option("--author")
@click.option("--date", "day", type=Day(may_be_empty=True), help="The day the document is from.")
@of_engine(admin=True)
def edit(
    engine: Engine,
    document: str,
    collection: str,
    tags: tuple[str, ...],
    category: str | None,
    author: str | None,
    day: str | None,
) -> Shown:
    """Set tags, category, author or date of a document in a collection.

    What is not named stays; an empty value empties it: --author "". What is set here stays when
    the file is ingested again, or a newer version of it.
    """
    changes = MetadataChanges(tags=tags or None, category=category, author=author, date=day)
    info = engine.library.edit_document(collection, document, changes)
    return Shown(info, lambda: f"{info.document}: {filing(info) or 'nothing set'}")


@documents.command()
@click.argument("document")
@click.option("--collection", required=True, help="Name or id of the collection it leaves.")
@of_engine(admin=True)
def remove(engine: Engine, document: str, collection: str) -> Shown:
    """Move a document from a collection to its bin; reports that cite it keep it."""
    info = engine.library.remove_document(collection, document)
    text = f"{info.document} removed ({info.chunks} chunks)"
    return Shown({"removed": True, **dict(info)}, lambda: text)


@documents.command("bin")
@click.option("--collection", required=True, help="Name or id of the collection.")
@click.option("--restore", metavar="DOCUMENT", help="Put this one back, by name or id.")
@click.option("--empty", is_flag=True, help="Delete everything in the bin.")
@of_engine(admin=True)
def bin_(engine: Engine, collection: str, restore: str | None, empty: bool) -> Shown:
    """List, restore or delete what was removed from a collection in the last 30 days.

    Older versions of a document are not kept there.
    """
    library = engine.library
    if restore and empty:
        raise click.UsageError("Name --restore or --empty, not both.")
    if restore:
        info = library.restore_document(collection, restore)
        return Shown(
            {"restored": True, **dict(info)},
            lambda: f"{info.document} is back ({info.chunks} chunks)",
        )
    found = library.empty_bin(collection) if empty else library.bin(collection)
    lines = [
        f"{each.document_id[:12]}  {each.removed_at[:16]}  {each.removed_by}  {each.document}"
        for each in found
    ]
    if empty:
        lines = [f"{len(found)} given up"]
    return Shown(
        {"emptied": empty, "documents": found}, lambda: "\n".join(lines) or "nothing there"
    )


def document_details(info: DocumentInfo, outline: Sequence[SectionSpan]) -> str:
    pages = f"{info.pages} pages, " if info.pages else ""
    filed = filing(info)
    lines = [
        f"{info.document}  {info.title}",
        f"  id {info.document_id}",
        f"  {pages}{info.sections} sections, {info.chunks} chunks, {info.language}",
        f"  {info.status}, ingested {info.ingested_at[:16]}",
        *([f"  {filed}"] if filed else []),
    ]
    for section in outline:
        title = section.heading_path[-1] if section.heading_path else section.title
        lines.append(f"{'  ' * (section.level + 1)}{title or section.label}")
    return "\n".join(lines)


def document_line(info: DocumentInfo) -> str:
    names = "  ".join(filter(None, [info.document, info.title[:50], filing(info)]))
    return f"{info.document_id[:12]}  {info.status:<8} {info.chunks:>6} chunks  {names}"


def filing(info: DocumentInfo) -> str:
    """Date, author, category and tags of a document on a line, as far as they are known."""
    day = info.date.isoformat() if info.date else None
    tags = " ".join(f"#{tag}" for tag in info.tags)
    return " · ".join(filter(None, [day, info.author, info.category, tags]))
