"""`rabbithole documents`: what is in the collections, and taking it out."""

from typing import Any

import click

from app.commands.common import as_admin, as_json, as_user, guarded, open_client, show

in_collection = click.option("--collection", help="Name or id; omitted means all you can read.")


@click.group()
def documents() -> None:
    """List, show and remove documents.

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
    ]
    for section in row["outline"]:
        title = section["heading_path"][-1] if section["heading_path"] else section["title"]
        lines.append(f"{'  ' * (section['level'] + 1)}{title or section['label']}")
    return "\n".join(lines)


def table(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return "No documents yet. Add some: rabbithole ingest PATH... --collection NAME"
    return "\n".join(
        f"{row['document_id'][:12]}  {row['status']:<8} {row['chunks']:>6} chunks  "
        f"{row['document']}  {row['title'][:50]}"
        for row in rows
    )
