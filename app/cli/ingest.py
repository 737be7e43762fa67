"""`rabbithole ingest`, `watch` and `demo`: documents into a collection."""

from pathlib import Path
from typing import Any, cast, get_args

import click
from pydantic import ValidationError

from agent.engine.engine import Engine
from app.cli.client import of_engine
from app.cli.common import Shown, of_language, show, wants_json
from app.cli.terminal import Progress, warn
from services.domain import Chunking, ChunkStrategy, IngestEngine
from services.domain.errors import TryAgain
from services.locale import rendered


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="PATH...")
@click.option("--collection", required=True, help="Created when it does not exist.")
@of_language
@click.option(
    "--strategy",
    type=click.Choice(get_args(ChunkStrategy)),
    default="paragraph",
    help="How to split texts into passages.",
)
@click.option("--chunk-size", type=int, default=1000, help="Characters of a passage, 200 to 4000.")
@click.option(
    "--chunk-overlap",
    type=int,
    help="Characters that neighbours share when cut by length; less than the size.  "
    "[default: 200, at most a fifth of the size]",
)
@click.option("--prune", is_flag=True, help="Remove documents whose file is gone from the folders.")
@click.option(
    "--engine",
    "hands",
    type=click.Choice(get_args(IngestEngine)),
    default="local",
    help="Run in one process, or with Ray on every core of this machine or a cluster.",
)
@of_engine()
def ingest(
    engine: Engine,
    sources: tuple[str, ...],
    collection: str,
    strategy: str,
    chunk_size: int,
    chunk_overlap: int | None,
    hands: str,
    **options: Any,
) -> Shown:
    """Take documents into a collection: PDF, Office, HTML, EPUB, e-mails, text, or folders.

    A changed file replaces its older version; the same file with other settings is split and
    indexed again. Documents whose file is gone from a folder are listed and kept; --prune removes
    them, but reports that cite them keep them.
    """
    chunking = make_chunking(strategy, chunk_size, chunk_overlap)
    options |= {"chunking": chunking, "engine": hands}
    report = take_in(engine, tuple(map(Path, sources)), collection, **options)
    nothing_in = report["failed"] == len(report["files"])
    return Shown(report, lambda: ingest_summary(report), ok=not nothing_in)


def make_chunking(strategy: str, size: int, overlap: int | None) -> Chunking:
    """The settings that the options name; values that cannot be are errors of usage."""
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
    engine: Engine, paths: tuple[Path, ...], collection: str, /, **options: Any
) -> dict[str, Any]:
    """Ingests with progress on standard error; the report as JSON, with how many files failed."""
    with Progress() as progress:
        report = engine.library.ingest(paths, collection, on_event=progress.show, **options)
    failed = sum(file.status == "failed" for file in report.files)
    return cast(dict[str, Any], rendered(report.model_dump(mode="json"))) | {"failed": failed}


def ingest_summary(report: dict[str, Any]) -> str:
    counts = {
        status: sum(file["status"] == status for file in report["files"])
        for status in ("added", "updated", "unchanged", "failed")
    }
    failures = [f"  {f['path']}: {f['error']}" for f in report["files"] if f["status"] == "failed"]
    done = ", ".join(f"{count} {status}" for status, count in counts.items() if count) or "no file"
    cost = f"{report['chunks']} chunks in {report['seconds']:.1f} s"
    missing = [f"  {f['path']}: {why}" for f in report["files"] for why in f["warnings"]]
    lines = [f"{done} in {report['collection']}; {cost}", *failures, *missing]
    lines += [f"  {warning}" for warning in report["warnings"]]
    lines += [*_others(report), *_gone(report["removed_from_disk"])]
    if failures:
        lines.append(f"files failed: {len(failures)} of {len(report['files'])}")
    return "\n".join(lines)


def _others(report: dict[str, Any]) -> list[str]:
    """Files of the folders that nothing can read, by ending."""
    counts = report["other_formats"].items()
    said = ", ".join(f"{count} {ending or 'without ending'}" for ending, count in counts)
    return [f"left out, not among the formats that are read: {said}"] if said else []


def _gone(removed: list[dict[str, Any]]) -> list[str]:
    """Documents whose files are gone, and what became of them."""
    pruned = [file for file in removed if file["pruned"]]
    kept = [file for file in removed if not file["pruned"]]
    lines = []
    if pruned:
        lines.append(f"taken out, since the file is no longer on disk ({len(pruned)}):")
        lines += [f"  {file['path']}" for file in pruned]
    if kept:
        lines.append(f"kept, though the file is no longer on disk ({len(kept)}; see --prune):")
        lines += [f"  {file['path']}" for file in kept]
    return lines


DEBOUNCE_MS = 1600


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--collection", required=True, help="Created when it does not exist.")
@of_language
@click.option("--once", is_flag=True, help="Synchronise once and exit.")
@of_engine()
def watch(engine: Engine, folder: Path, collection: str, language: str, once: bool) -> Shown | None:
    """Keep a collection in sync with a folder, until Ctrl+C.

    New and changed files are ingested; documents whose file is gone from the folder are removed,
    as with `ingest --prune`. Documents from elsewhere stay. With --json an object is printed for
    every round.
    """

    def follow() -> Shown:
        report = take_in(engine, (folder,), collection, language=language, prune=True)
        failed = any(file["status"] == "failed" for file in report["files"])
        return Shown(report, lambda: ingest_summary(report), ok=not failed)

    if once:
        return follow()
    import watchfiles

    equal, told = False, ""
    # The watcher is there before the first round, so that no change between the two is missed.
    for changes in watchfiles.watch(
        folder,
        debounce=DEBOUNCE_MS,
        rust_timeout=500,
        yield_on_timeout=True,
        raise_interrupt=False,
    ):
        equal = equal and not changes
        if equal:
            continue
        try:
            show(follow(), wants_json())
            equal = True
        except TryAgain as problem:  # at the next look
            if str(problem) != told:
                told = str(problem)
                warn(told)
    return None
