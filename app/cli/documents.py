"""`rabbithole documents`: what is in the collections, filing it, and taking it out."""

from typing import Any

import click

from agent.engine.engine import Engine
from app.cli.client import of_engine
from app.cli.common import Shown
from app.cli.search import NO_DOCUMENTS, Day
from services.domain import MetadataChanges

in_collection = click.option("--collection", help="Name or id; omitted means all you can read.")


@click.group()
def documents() -> None:
    """List, show, file and remove documents.

    DOCUMENT is a file name, an id, or the first 8 or more characters of an id.
    """


@documents.command("list")
@in_collection
@of_engine(admin=True)
def list_(engine: Engine, collection: str | None) -> Shown:
    """The documents of a collection, or of all that you can read."""
    rows = [info.model_dump(mode="json") for info in engine.library.documents(collection)]
    return Shown({"documents": rows}, lambda: table(rows))


@documents.command("show")
@click.argument("document")
@in_collection
@of_engine(admin=True)
def show_(engine: Engine, document: str, collection: str | None) -> Shown:
    """One document with its sections."""
    info, outline = engine.library.outline(document, collection)
    value = {
        **info.model_dump(mode="json"),
        "outline": [section.model_dump(mode="json") for section in outline],
    }
    return Shown(value, lambda: details(value))


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
    value = info.model_dump(mode="json")
    return Shown(value, lambda: f"{info.document}: {filing(value) or 'nothing set'}")


@documents.command()
@click.argument("document")
@click.option("--collection", required=True, help="Name or id of the collection it leaves.")
@of_engine(admin=True)
def remove(engine: Engine, document: str, collection: str) -> Shown:
    """Take a document out of a collection; reports that cite it keep it."""
    info = engine.library.remove_document(collection, document)
    value = {"removed": True, **info.model_dump(mode="json")}
    return Shown(value, lambda: f"{info.document} removed ({info.chunks} chunks)")


def details(row: dict[str, Any]) -> str:
    pages = f"{row['pages']} pages, " if row["pages"] else ""
    filed = filing(row)
    lines = [
        f"{row['document']}  {row['title']}",
        f"  id {row['document_id']}",
        f"  {pages}{row['sections']} sections, {row['chunks']} chunks, {row['language']}",
        f"  {row['status']}, ingested {row['ingested_at'][:16]}",
        *([f"  {filed}"] if filed else []),
    ]
    for section in row["outline"]:
        title = section["heading_path"][-1] if section["heading_path"] else section["title"]
        lines.append(f"{'  ' * (section['level'] + 1)}{title or section['label']}")
    return "\n".join(lines)


def table(rows: list[dict[str, Any]]) -> str:
    lines = (
        f"{row['document_id'][:12]}  {row['status']:<8} {row['chunks']:>6} chunks  "
        + "  ".join(filter(None, [row["document"], row["title"][:50], filing(row)]))
        for row in rows
    )
    return "\n".join(lines) or NO_DOCUMENTS


def filing(row: dict[str, Any]) -> str:
    """Date, author, category and tags of a document on a line, as far as they are known."""
    tags = " ".join(f"#{tag}" for tag in row["tags"])
    return " · ".join(filter(None, [row["date"], row["author"], row["category"], tags]))
