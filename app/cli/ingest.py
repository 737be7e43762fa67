"""`rabbithole ingest`, `watch` and `demo`: documents into a collection."""

import locale
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, cast, get_args

import click
from pydantic import ValidationError

from agent.engine.engine import Engine
from agent.offline import recorded_by
from app.cli.client import of_engine, open_engine
from app.cli.common import Shown, make_settings, of_language, prints, show, wants_json
from app.cli.research import researched
from app.cli.terminal import Progress, warn
from services.domain import Chunking, ChunkStrategy, IngestEngine
from services.domain.errors import InvalidInput, TryAgain
from services.locale import rendered
from services.settings import Settings


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


class Sample(NamedTuple):
    """Documents of the samples, the collection that they go to, and a question to them."""

    collection: str
    documents: tuple[Path, ...]
    question: str


GERMAN: Final = Path("strahlenschutz")
ENGLISH: Final = Path("typing-peps")
SAMPLES: Final = {
    "de": Sample(
        "strahlenschutz",
        (GERMAN / "StrlSchG.pdf",),
        "Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren, "
        "und welche Ausnahmen kann die Behörde zulassen?",
    ),
    "en": Sample(
        "typing-peps",
        (ENGLISH / "pep-0589.txt", ENGLISH / "pep-0655.txt", ENGLISH / "pep-0692.txt"),
        "How can a TypedDict say which keys may be missing, and what follows for **kwargs that "
        "are annotated with it?",
    ),
}


@click.command()
@click.option(
    "--language",
    type=click.Choice(sorted(SAMPLES)),
    help="A German law, or English specifications; by the locale if not given.",
)
@click.option("--recorded", is_flag=True, help="Replay a research recorded with a capable model.")
@prints
def demo(language: str | None, recorded: bool) -> Shown:
    """Ingest a sample and research one question, with the model that is there or a recorded one."""
    settings = make_settings()
    spoken = language or spoken_here()
    file = recording_of(settings, spoken)
    if recorded:
        model, day = recorded_by(file)
        warn(f"a recorded research: {model} answered on {day}, all else runs now.")
        changes = {"llm": f"recorded:{file}", "reads": "yes", "deterministic": True}
        settings = settings.model_copy(update=changes)
    elif settings.llm is None:
        settings = settings.model_copy(update={"llm": "embedded"})
    with open_engine("local", settings) as engine:
        done = shown(engine, settings, SAMPLES[spoken])
    if as_json(done).get("usage", {}).get("reads") == "no":
        warn(
            "the model in use does not read, so these are quotes. What a capable model makes of "
            f"it: rabbithole demo --recorded --language {spoken}"
        )
    return done


def as_json(done: Shown) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], done.value)


def shown(engine: Engine, settings: Settings, sample: Sample) -> Shown:
    """Takes a sample in and researches its question."""
    files = tuple(settings.samples / each for each in sample.documents)
    report = take_in(engine, files, sample.collection)
    if problem := next((each["error"] for each in report["files"] if each["error"]), None):
        raise InvalidInput(
            f"The sample cannot be read: {problem} Reinstall Rabbithole, or name the "
            "folder of its samples in RABBITHOLE_SAMPLES."
        )
    options = {"clarify": False, "approve_plan": False, "plan_memory": False}
    return researched(engine, sample.question, (sample.collection,), None, options)


def recording_of(settings: Settings, language: str) -> Path:
    """Where the recorded research of a sample lies."""
    return settings.samples / SAMPLES[language].documents[0].parent / "recorded.json"


def spoken_here() -> str:
    """The language of the samples that fits the locale."""
    return "de" if (locale.getlocale()[0] or "").startswith("de") else "en"
