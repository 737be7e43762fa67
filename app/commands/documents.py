"""`rabbithole documents`: what is in the collections, filing it, and taking it out."""

from typing import Any

import click

from app.commands.common import as_admin, as_json, as_user, guarded, open_client, show
from app.commands.filters import Day

in_collection = click.option("--collection", help="Name or id; omitted means all you can read.")


@click.group()
def documents() -> None:
    """List, show, file and remove documents.

    DOCUMENT is a file name, an id, or the first 8 or more characters of an id.
    """


@documents.command("list")
@in_collection
@as_user
@as_admin
@as_json
@guarded
def list_(collection: str | None, user: str, admin: bool, json_: bool) -> None:
    """The documents of a collection, or of all that you can read."""
    with open_client(user, admin=admin) as client:
        rows = [info.model_dump(mode="json") for info in client.documents(collection)]
    show({"documents": rows}, json_, lambda: table(rows))


@documents.command("show")
@click.argument("document")
@in_collection
@as_user
@as_admin
@as_json
@guarded
def show_(document: str, collection: str | None, user: str, admin: bool, json_: bool) -> None:
    """One document with its sections."""
    with open_client(user, admin=admin) as client:
        info, outline = client.outline(document, collection)
    value = {
        **info.model_dump(mode="json"),
        "outline": [section.model_dump(mode="json") for section in outline],
    }
    show(value, json_, lambda: details(value))


@documents.command()
@click.argument("document")
@click.option("--collection", required=True, help="Name or id of the collection that holds it.")
@click.option("--tag", "tags", multiple=True, help="Repeat for several; others are taken off.")
@click.option("--category")
@click.option("--author")
@click.option("--date", "day", type=Day(may_be_empty=True), help="The day the document is from.")
@as_user
@as_admin
@as_json
@guarded
def edit(
    document: str,
    collection: str,
    tags: tuple[str, ...],
    category: str | None,
    author: str | None,
    day: str | None,
    user: str,
    admin: bool,
    json_: bool,
) -> None:
    """Set tags, category, author or date of a document in a collection.

    What is not named stays; an empty value empties it: --author "". What is set here stays when
    the file is ingested again, or a newer version of it.
    """
    from services.types import MetadataChanges

    changes = MetadataChanges(tags=tags or None, category=category, author=author, date=day)
    with open_client(user, admin=admin) as client:
        info = client.edit_document(collection, document, changes)
    value = info.model_dump(mode="json")
    show(value, json_, lambda: f"{info.document}: {filing(value) or 'nothing set'}")


@documents.command()
@click.argument("document")
@click.option("--collection", required=True, help="Name or id of the collection it leaves.")
@as_user
@as_admin
@as_json
@guarded
def remove(document: str, collection: str, user: str, admin: bool, json_: bool) -> None:
    """Take a document out of a collection; reports that cite it keep it."""
    with open_client(user, admin=admin) as client:
        info = client.remove_document(collection, document)
    value = {"removed": True, **info.model_dump(mode="json")}
    show(value, json_, lambda: f"{info.document} removed ({info.chunks} chunks)")


def details(row: dict[str, Any]) -> str:
    pages = f"{row['pages']} pages, " if row["pages"] else ""
    lines = [
        f"{row['document']}  {row['title']}",
        f"  id {row['document_id']}",
        f"  {pages}{row['sections']} sections, {row['chunks']} chunks, {row['language']}",
        f"  {row['status']}, ingested {row['ingested_at'][:16]}",
        *([f"  {filing(row)}"] if filing(row) else []),
    ]
    for section in row["outline"]:
        title = section["heading_path"][-1] if section["heading_path"] else section["title"]
        lines.append(f"{'  ' * (section['level'] + 1)}{title or section['label']}")
    return "\n".join(lines)


def table(rows: list[dict[str, Any]]) -> str:
    if not rows:
        from app.terminal import NO_DOCUMENTS

        return NO_DOCUMENTS
    return "\n".join(
        f"{row['document_id'][:12]}  {row['status']:<8} {row['chunks']:>6} chunks  "
        + "  ".join(filter(None, [row["document"], row["title"][:50], filing(row)]))
        for row in rows
    )


def filing(row: dict[str, Any]) -> str:
    """Date, author, category and tags of a document on a line, as far as they are known."""
    tags = " ".join(f"#{tag}" for tag in row["tags"])
    return " · ".join(filter(None, [row["date"], row["author"], row["category"], tags]))
