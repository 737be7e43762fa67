"""`rabbithole ingest`, `watch` and `demo`: add documents to a collection."""

import locale
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast, get_args

import click
from pydantic import ValidationError

from agent.engine.engine import Engine
from agent.engine.grids import columns_of
from agent.models import RunOptions
from agent.offline import recorded_by
from app.cli import params
from app.cli.common import (
    Result,
    command,
    engine_command,
    make_settings,
    open_engine,
    print_result,
    wants_json,
    warn,
)
from app.cli.grid import read_grid
from app.cli.research import follow
from app.cli.terminal import ProgressPrinter
from app.samples import COLUMNS, CONTRACTS, REPLAY, SAMPLES, Sample, own_collection
from services.domain import Chunking, ChunkStrategy, IngestEngine
from services.domain.errors import InvalidInput, TryAgain
from services.locale import rendered
from services.settings import Settings

QUIET_MS = 1600
"""Milliseconds without another change before changes of a folder are ingested."""
RESTLESS_S = 60.0
"""Seconds after which they are ingested though the folder is never quiet."""


@engine_command()
@click.argument("sources", nargs=-1, required=True, metavar="PATH...")
@click.option("--collection", required=True, help="Name or id; created if it does not exist.")
@params.language
@click.option(
    "--strategy",
    type=click.Choice(get_args(ChunkStrategy)),
    default="paragraph",
    help="How to split texts into passages.",
)
@click.option(
    "--chunk-size", type=int, default=1000, help="Length of a passage in characters, 200 to 4000."
)
@click.option(
    "--chunk-overlap",
    type=int,
    help="Characters that neighbouring passages share if they are split by length.  "
    "[default: 200, at most a fifth of the size]",
)
@click.option("--prune", is_flag=True, help="Remove documents whose file no longer exists.")
@click.option(
    "--engine",
    "engine_name",
    type=click.Choice(get_args(IngestEngine)),
    default="local",
    help="Run in one process, or use Ray on all cores of this machine or of a cluster.",
)
def ingest(
    engine: Engine,
    sources: tuple[str, ...],
    collection: str,
    strategy: ChunkStrategy,
    chunk_size: int,
    chunk_overlap: int | None,
    engine_name: str,
    **options: Any,
) -> Result:
    """Add documents to a collection: PDF, Office, HTML, EPUB, e-mails, text, or folders.

    A changed file replaces its older version; the same file with other settings is split and
    indexed again. Documents whose file is no longer in a folder are listed and kept. --prune
    removes them; reports that cite them keep their quotes.
    """
    overlap = min(200, chunk_size // 5) if chunk_overlap is None else chunk_overlap
    try:
        chunking = Chunking(strategy=strategy, size=chunk_size, overlap=overlap)
    except ValidationError as problem:
        reason = problem.errors()[0]["msg"].removeprefix("Value error, ")
        reason = f"{reason[0].upper()}{reason[1:]} (--chunk-size, --chunk-overlap)."
        raise click.UsageError(reason) from problem
    options |= {"chunking": chunking, "engine": engine_name}
    report = take_in(engine, tuple(map(Path, sources)), collection, **options)
    return Result(report, _summary(report), ok=report["failed"] < len(report["files"]))


def take_in(
    engine: Engine, paths: tuple[Path, ...], collection: str, /, **options: Any
) -> dict[str, Any]:
    """Ingest with progress on standard error; return the report with the number of failed files."""
    with ProgressPrinter() as progress:
        report = engine.library.ingest(paths, collection, on_event=progress.show, **options)
    failed = sum(file.status == "failed" for file in report.files)
    return cast(dict[str, Any], rendered(report.model_dump(mode="json"))) | {"failed": failed}


def _summary(report: dict[str, Any]) -> Iterator[str]:
    files = report["files"]
    counts = Counter(file["status"] for file in files)
    statuses = ("added", "updated", "unchanged", "failed")
    done = ", ".join(f"{counts[status]} {status}" for status in statuses if counts[status])
    cost = f"{report['chunks']} passages in {report['seconds']:.1f} s"
    yield f"{done or 'no files'} in {report['collection']}; {cost}"
    yield from (f"  {f['path']}: {f['error']}" for f in files if f["status"] == "failed")
    yield from (f"  {f['path']}: {warning}" for f in files for warning in f["warnings"])
    yield from (f"  {warning}" for warning in report["warnings"])
    formats = report["other_formats"].items()
    if formats:
        endings = (f"{count} {ending or 'without extension'}" for ending, count in formats)
        yield f"left out because the format is not supported: {', '.join(endings)}"
    for pruned, verb, hint in (
        (True, "removed because", ""),
        (False, "kept although", "; see --prune"),
    ):
        gone = [file for file in report["removed_from_disk"] if file["pruned"] is pruned]
        if gone:
            yield f"{verb} the file is no longer on disk ({len(gone)}{hint}):"
        yield from (f"  {file['path']}" for file in gone)
    if report["failed"]:
        yield f"files failed: {report['failed']} of {len(files)}"


@engine_command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--collection", required=True, help="Name or id; created if it does not exist.")
@params.language
@click.option("--once", is_flag=True, help="Synchronise once and exit.")
def watch(
    engine: Engine, folder: Path, collection: str, language: str, once: bool
) -> Result | None:
    """Keep a collection in sync with a folder, until Ctrl+C.

    New and changed files are ingested. Documents whose file is no longer in the folder are removed,
    as with `ingest --prune`. Documents that did not come from the folder are kept. With --json, it
    prints an object for every round.
    """

    def synchronise() -> Result:
        report = take_in(engine, (folder,), collection, language=language, prune=True)
        return Result(report, _summary(report), ok=not report["failed"])

    if once:
        return synchronise()
    import watchfiles

    in_sync, last_warning, changed_at = False, "", time.monotonic()
    # The watcher starts before the first round, so that no change in between is missed.
    for changes in watchfiles.watch(
        folder, rust_timeout=QUIET_MS, yield_on_timeout=True, raise_interrupt=False
    ):
        now = time.monotonic()
        if changes and in_sync:
            in_sync, changed_at = False, now
        if in_sync or (changes and now < changed_at + RESTLESS_S):  # files may be half copied
            continue
        try:
            print_result(synchronise(), wants_json())
            in_sync = True
        except TryAgain as problem:  # in the next round
            if str(problem) != last_warning:
                last_warning = str(problem)
                warn(last_warning)
    return None


@command()
@click.option(
    "--language",
    type=click.Choice(sorted(SAMPLES)),
    help="de: a German law; en: English specifications; default: depends on the locale.",
)
@click.option("--grid", is_flag=True, help="Ask four questions of twelve contracts instead.")
@click.option("--recorded", is_flag=True, help="Replay a run recorded with a capable model.")
def demo(language: str | None, grid: bool, recorded: bool) -> Result:
    """Ingest a sample and research one question, with your model or with recorded replies."""
    if grid and recorded:
        raise click.UsageError("The grid was not recorded. Leave out --recorded.")
    settings = make_settings()
    if language is None:
        language = "de" if (locale.getlocale()[0] or "").startswith("de") else "en"
    if recorded:
        model, day = recorded_by(settings, SAMPLES[language].folder)
        warn(f"using replies of {model} recorded on {day}; search and checks run for real.")
        settings = settings.model_copy(update={"llm": "none"})
    elif not _has_model(settings):
        warn(
            "no language model was found, so you see quotes only. For a report by a capable "
            "model: rabbithole demo --recorded"
        )
        settings = settings.model_copy(update={"llm": "none"})
    with open_engine("local", settings) as engine:
        if grid:
            return _grid_of_contracts(engine, settings)
        result = research_sample(engine, settings, SAMPLES[language], recorded=recorded)
    report = cast(dict[str, Any], result.value)
    if report.get("usage", {}).get("reads") == "no":
        warn(
            "this model has not passed the reading test, so the report has quotes only. For a "
            f"report by a capable model: rabbithole demo --recorded --language {language}"
        )
    return result


def _has_model(settings: Settings) -> bool:
    with open_engine("local", settings, take_up="never") as engine:
        return engine.settings.has_model()


def _grid_of_contracts(engine: Engine, settings: Settings) -> Result:
    name = take_in_sample(engine, settings, CONTRACTS)
    named = [run.thread_id for run in engine.grids.all() if run.question == name]
    columns = columns_of(COLUMNS["en"])
    thread = named[0] if named else engine.grids.create(name, columns, collections=[name])
    return read_grid(engine, thread)


def research_sample(
    engine: Engine, settings: Settings, sample: Sample, *, recorded: bool = False
) -> Result:
    """Ingest a sample and research its question, with ``recorded`` replies or the model."""
    name = take_in_sample(engine, settings, sample)
    options = RunOptions(**REPLAY, recorded=sample.folder if recorded else "")
    thread = engine.threads.start(sample.question, collections=(name,), options=options)
    return follow(engine, thread)


def take_in_sample(engine: Engine, settings: Settings, sample: Sample) -> str:
    """Ingest a sample; return its collection's name; raises InvalidInput if it cannot be read."""
    files = tuple(settings.samples / document for document in sample.documents)
    name, _complete = own_collection(sample, engine, settings.samples)
    report = take_in(engine, files, name)
    if problem := next((file["error"] for file in report["files"] if file["error"]), None):
        raise InvalidInput(
            f"The sample cannot be read: {problem} Reinstall Rabbithole, or set "
            "RABBITHOLE_SAMPLES to the folder of its samples."
        )
    return name
