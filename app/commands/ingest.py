"""`rabbithole ingest`: taking documents into a collection."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.commands.common import Shown, of_client

if TYPE_CHECKING:
    from agent.client import Client
    from services.types import Chunking


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--collection", required=True, help="Created when it does not exist.")
@click.option("--language", default="auto", show_default=True, help="auto, de, en, …")
@click.option(
    "--strategy",
    type=click.Choice(["paragraph", "sentence", "fixed", "semantic"]),
    default="paragraph",
    show_default=True,
    help="How texts are cut into passages.",
)
@click.option(
    "--chunk-size",
    type=int,
    default=1000,
    show_default=True,
    help="Characters of a passage, 200 to 4000.",
)
@click.option(
    "--chunk-overlap",
    type=int,
    help="Characters that neighbours share when cut by length; less than the size.  "
    "[default: 200, at most a fifth of the size]",
)
@click.option(
    "--prune", is_flag=True, help="Take documents out whose files are gone from the folders."
)
@of_client()
def ingest(
    client: "Client",
    paths: tuple[Path, ...],
    collection: str,
    language: str,
    strategy: str,
    chunk_size: int,
    chunk_overlap: int | None,
    prune: bool,
) -> Shown:
    """Take documents into a collection: PDF, DOCX, TXT, MD, or folders of them.

    A file that changed takes the place of its older version; the same file with other
    settings is cut and indexed anew. Documents whose files are gone from a folder are named and
    kept; with --prune nobody finds them any more, but reports that cite them keep them.
    """
    chunking = make_chunking(strategy, chunk_size, chunk_overlap)
    report = take_in(client, paths, collection, language=language, chunking=chunking, prune=prune)
    from app.terminal import ingest_summary

    failed = all(file["status"] == "failed" for file in report["files"])
    return Shown(report, lambda: ingest_summary(report), ok=not failed)


def make_chunking(strategy: str, size: int, overlap: int | None) -> "Chunking":
    """The settings that the options name; values that cannot be are errors of usage."""
    from pydantic import ValidationError

    from services.types import Chunking

    options = {
        "strategy": strategy,
        "size": size,
        "overlap": min(200, size // 5) if overlap is None else overlap,
    }
    try:
        return Chunking.model_validate(options)
    except ValidationError as problem:
        reason = problem.errors()[0]["msg"].removeprefix("Value error, ")
        raise click.UsageError(
            f"{reason[0].upper()}{reason[1:]} (--chunk-size, --chunk-overlap)."
        ) from problem


def take_in(
    client: "Client", paths: tuple[Path, ...], collection: str, **options: Any
) -> dict[str, Any]:
    """Ingests with progress on standard error; the report as JSON."""
    from app.terminal import Progress

    with Progress() as progress:
        report = client.ingest(paths, collection, on_event=progress.show, **options)
    return report.model_dump(mode="json")
