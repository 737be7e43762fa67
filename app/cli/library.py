"""`rabbithole collections` and `documents`."""

import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, get_args

import click

from agent.engine.engine import Engine
from agent.engine.library import Outline
from app.cli import params
from app.cli.ask import NO_DOCUMENTS
from app.cli.common import Result, engine_command, listing, wants_json
from app.cli.terminal import ProgressPrinter
from services.domain import Citation, CollectionInfo, DocumentInfo, MetadataChanges
from services.domain.collections import Visibility
from services.domain.value import page_number

visibilities = click.Choice(get_args(Visibility))
in_collection = click.option("--collection", help="Name or id; default: all that you can read.")


collections = click.Group(
    "collections",
    help="""Manage collections: list, create, rename, share, subscribe, export, restore, delete.

    NAME is the name of a collection or its id.
    """,
)


@engine_command(collections, "list", admin=True, read_only=True)
def list_collections(engine: Engine) -> Result:
    """List the collections that you can read."""
    nothing = "No collections yet. Create one: rabbithole ingest PATH... --collection NAME"
    return listing("collections", engine.library.collections(), _collection_line, nothing)


@engine_command(collections, admin=True)
@click.option("--description", default="", show_default=False, help="What the collection contains.")
@click.option("--visibility", type=visibilities, default="private", help="Who can read it.")
def create(engine: Engine, name: str, description: str, visibility: Any) -> Result:
    """Create an empty collection."""
    return _collection_result(
        engine.library.create_collection(name, description=description, visibility=visibility)
    )


@engine_command(collections, "show", admin=True, read_only=True)
def show_collection(engine: Engine, name: str) -> Result:
    """Show the id, owner, visibility, size and embedding model of a collection."""
    return _collection_result(engine.library.collection(name))


@engine_command(collections, admin=True)
@click.argument("new_name", required=False)
@click.option("--description", help="New description.")
def rename(engine: Engine, name: str, new_name: str | None, description: str | None) -> Result:
    """Change the name or the description of a collection, or both."""
    if new_name is None and description is None:
        raise click.UsageError("Give a NEW_NAME, a --description, or both.")
    return _collection_result(
        engine.library.change_collection(name, new_name=new_name, description=description)
    )


@engine_command(collections, admin=True)
@click.option("--visibility", type=visibilities, required=True, help="Who can read it.")
def share(engine: Engine, name: str, visibility: Any) -> Result:
    """Set who can read a collection.

    private: only you; unlisted: anyone who has its id; public: everybody; admin: everybody, but
    only administrators can change it. A collection that becomes private loses its subscribers.
    """
    return _collection_result(engine.library.change_collection(name, visibility=visibility))


@engine_command(collections)
@click.argument("name", metavar="ID")
def subscribe(engine: Engine, name: str) -> Result:
    """Add another person's unlisted collection, given by its ID, to your list."""
    return _collection_result(engine.library.subscribe(name))


@engine_command(collections)
def unsubscribe(engine: Engine, name: str) -> Result:
    """Cancel a subscription."""
    return _collection_result(engine.library.unsubscribe(name))


@engine_command(collections, admin=True)
@params.yes
def delete(engine: Engine, name: str, yes: bool) -> Result:
    """Delete a collection with its indexes and the files that no other collection uses.

    Reports that cite its documents still show their quotes. In a terminal, the command asks first.
    """
    info = engine.library.collection(name)
    if sys.stdin.isatty() and not (yes or wants_json()):
        click.confirm(f"Delete {info.name} with {info.documents} documents?", abort=True)
    engine.library.delete_collection(info.collection_id)
    text = f"{info.name} deleted ({info.documents} documents)"
    return Result({"deleted": True, **dict(info)}, text)


def _collection_result(info: CollectionInfo) -> Result:
    lines = [
        f"{info.name}  ({info.visibility}, owner {info.owner})",
        f"  id {info.collection_id}",
        f"  {info.documents} documents, {info.chunks} chunks",
    ]
    if info.fingerprint:
        lines.append(f"  embedded by {info.fingerprint}")
    if info.description:
        lines.append(f"  {info.description}")
    return Result(info, lines)


def _collection_line(info: CollectionInfo) -> str:
    return (
        f"{info.name:<24} {info.visibility:<9} {info.owner:<12} "
        f"{info.documents:>5} documents {info.chunks:>7} chunks"
    )


@engine_command(collections, admin=True)
@click.option(
    "-o",
    "--output",
    "file",
    required=True,
    type=params.any_file,
    help="File to write; it must be new.",
)
def export(engine: Engine, name: str, file: Path) -> Result:
    """Export a collection to a file: originals, texts, passages, vectors and metadata."""
    report = engine.library.export_collection(name, file)
    counts = report.counts
    lines = [
        f"{report.collection}: {counts.documents} documents, {counts.chunks} chunks, "
        f"{counts.vectors} vectors in {report.file} ({report.bytes / 1e6:.1f} MB)"
    ]
    if counts.lost_originals:
        lines.append(f"  {counts.lost_originals} originals are lost; the file has their texts only")
    if report.unfinished:
        lines.append(f"  without {', '.join(report.unfinished)}: ingest them and export again")
    return Result(report, lines)


@engine_command(collections, admin=True)
@click.argument("file", type=params.any_file)
@click.option("--name", help="Name of the collection; default: the name in the file.")
def restore(engine: Engine, file: Path, name: str | None) -> Result:
    """Restore a collection from an exported file; it becomes yours.

    Nothing is embedded again if the embedding model is the same. Only an administrator (--admin)
    can restore a file from another installation.
    """
    with ProgressPrinter() as progress:
        report = engine.library.restore_collection(file, name, progress.show)
    embedded = f"{report.embedded} embedded again" if report.embedded else "nothing embedded again"
    before = report.archived_fingerprint
    differs = report.embedded and before not in (None, report.collection.fingerprint)
    why = f" (the file has vectors of {before})" if differs else ""
    text = (
        f"{report.collection.name} restored: {report.documents} documents, {report.chunks} chunks, "
        f"{embedded}{why}"
    )
    return Result(report, text)


documents = click.Group(
    "documents",
    help="""Manage documents: list, show, edit, remove, bin.

    DOCUMENT is a file name, an id, or the first 8 or more characters of an id.
    """,
)


@engine_command(documents, "list", admin=True, read_only=True)
@in_collection
def list_documents(engine: Engine, collection: str | None) -> Result:
    """List the documents of a collection, or of all collections that you can read."""
    return listing("documents", engine.library.documents(collection), _document_line, NO_DOCUMENTS)


@engine_command(documents, "show", admin=True, read_only=True)
@in_collection
def show_document(engine: Engine, document: str, collection: str | None) -> Result:
    """Show a document: summary, sections, unread parts, and the documents that it changes.

    Parts that were read with uncertainty are listed too. A document changes others by amending or
    replacing them.
    """
    outline = engine.library.outline(document, collection)
    fields = outline.model_dump(include={"summary", "outline", "relations", "warnings"})
    return Result({**dict(outline.document), **fields}, _outline_lines(outline))


@engine_command(documents, admin=True)
@click.option("--collection", required=True, help="Name or id of its collection.")
@click.option("--tag", "tags", multiple=True, help="May be repeated; other tags are removed.")
@click.option("--category", help='New category; "" removes it.')
@click.option("--author", help='New author; "" removes it.')
@click.option("--date", type=params.DayParameter(may_be_empty=True), help="Date of the document.")
def edit(
    engine: Engine, document: str, collection: str, tags: tuple[str, ...], **options: Any
) -> Result:
    """Set the tags, category, author or date of a document in a collection.

    Fields without an option do not change; an empty value clears a field: --author "". The
    values are kept when the file, or a newer version of it, is ingested again.
    """
    changes = MetadataChanges(tags=tags or None, **options)
    info = engine.library.edit_document(collection, document, changes)
    return Result(info, f"{info.document}: {_metadata_text(info) or 'nothing set'}")


@engine_command(documents, admin=True)
@click.option("--collection", required=True, help="Name or id of the collection.")
def remove(engine: Engine, document: str, collection: str) -> Result:
    """Move a document from a collection to its bin; reports that cite it still show the quotes."""
    info = engine.library.remove_document(collection, document)
    text = f"{info.document} removed ({info.chunks} chunks)"
    return Result({"removed": True, **dict(info)}, text)


@engine_command(documents, "bin", admin=True)
@click.option("--collection", required=True, help="Name or id of the collection.")
@click.option("--restore", metavar="DOCUMENT", help="Restore this document, by name or id.")
@click.option("--empty", is_flag=True, help="Delete everything in the bin.")
def bin_(engine: Engine, collection: str, restore: str | None, empty: bool) -> Result:
    """List, restore or delete documents removed in the last 30 days.

    The bin does not contain older versions of a document.
    """
    library = engine.library
    if restore and empty:
        raise click.UsageError("Use --restore or --empty, not both.")
    if restore:
        info = library.restore_document(collection, restore)
        text = f"{info.document} restored ({info.chunks} chunks)"
        return Result({"restored": True, **dict(info)}, text)
    documents = library.empty_bin(collection) if empty else library.bin(collection)
    lines = [
        f"{document.document_id[:12]}  {document.removed_at[:16]}  {document.removed_by}  "
        f"{document.document}"
        for document in documents
    ]
    lines = [f"{len(documents)} documents deleted"] if empty else lines or ["The bin is empty."]
    return Result({"emptied": empty, "documents": documents}, lines)


def _outline_lines(outline: Outline) -> Iterator[str]:
    info = outline.document
    pages = f"{info.pages} pages, " if info.pages else ""
    yield f"{info.document}  {info.title}"
    yield f"  id {info.document_id}"
    yield f"  {pages}{info.sections} sections, {info.chunks} chunks, {info.language}"
    yield f"  {info.status}, ingested {info.ingested_at[:16]}"
    if metadata := _metadata_text(info):
        yield f"  {metadata}"
    yield from (f"  {relation.notice}" for relation in outline.relations)
    yield from (f"  Warning: {warning}" for warning in outline.warnings)
    if summary := outline.summary:
        yield ""
        for sentence in summary.sentences:
            sources = dict.fromkeys(map(_source, sentence.citations))
            yield f"{sentence.text} ({'; '.join(sources)})"
        if not summary.sentences:
            yield "Nothing could be proven, so there is no summary."
        yield from (f"? {question}" for question in summary.questions)
        yield f"Read: {summary.sections_read} of {summary.sections} sections, by {summary.model}\n"
    for section, page in zip_longest(outline.outline, outline.pages):
        title = section.heading_path[-1] if section.heading_path else section.title
        where = "" if page is None else f", p. {page}"
        yield f"{'  ' * (section.level + 1)}{title or section.label}{where}"


def _source(cited: Citation) -> str:
    page = "" if cited.page is None else page_number(cited.page, cited.page_label)
    return ", ".join(filter(None, [cited.section_title, page and f"p. {page}"]))


def _document_line(info: DocumentInfo) -> str:
    names = "  ".join(filter(None, [info.document, info.title[:50], _metadata_text(info)]))
    return f"{info.document_id[:12]}  {info.status:<8} {info.chunks:>6} chunks  {names}"


def _metadata_text(info: DocumentInfo) -> str:
    day = info.date.isoformat() if info.date else None
    tags = " ".join(f"#{tag}" for tag in info.tags)
    return " · ".join(filter(None, [day, info.author, info.category, tags]))
