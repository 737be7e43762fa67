"""`rabbithole documents`: what is in the collections, filing it, and taking it out."""

from collections.abc import Sequence

import click

from agent.engine.engine import Engine
from app.cli.client import of_engine
from app.cli.common import Shown, listed
from app.cli.search import NO_DOCUMENTS, Day
from services.domain import DocumentInfo, MetadataChanges, SectionSpan

in_collection = click.option("--collection", help="Name or id; omitted means all you can read.")


@click.group()
def documents() -> None:
    """List, show, tag and remove documents.

    DOCUMENT is a file name, an id, or the first 8 or more characters of an id.
    """


@documents.command("list")
@in_collection
@of_engine(admin=True, looks=True)
def list_(engine: Engine, collection: str | None) -> Shown:
    """The documents of a collection, or of all that you can read."""
    return listed("documents", engine.library.documents(collection), line, NO_DOCUMENTS)


@documents.command("show")
@click.argument("document")
@in_collection
@of_engine(admin=True, looks=True)
def show_(engine: Engine, document: str, collection: str | None) -> Shown:
    """One document with its sections."""
    info, outline = engine.library.outline(document, collection)
    return Shown({**dict(info), "outline": outline}, lambda: details(info, outline))


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


def details(info: DocumentInfo, outline: Sequence[SectionSpan]) -> str:
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


def line(info: DocumentInfo) -> str:
    names = "  ".join(filter(None, [info.document, info.title[:50], filing(info)]))
    return f"{info.document_id[:12]}  {info.status:<8} {info.chunks:>6} chunks  {names}"


def filing(info: DocumentInfo) -> str:
    """Date, author, category and tags of a document on a line, as far as they are known."""
    day = info.date.isoformat() if info.date else None
    tags = " ".join(f"#{tag}" for tag in info.tags)
    return " · ".join(filter(None, [day, info.author, info.category, tags]))
