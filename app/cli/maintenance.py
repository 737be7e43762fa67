"""`rabbithole doctor`, `jobs`, `backup`, `restore` and `move`: check and copy all data."""

from pathlib import Path
from typing import Any

import click

from agent.engine.engine import Engine
from app.cli import params
from app.cli.common import (
    LONGEST_LINE,
    Result,
    command,
    engine_command,
    listing,
    make_settings,
    warn,
)
from app.cli.terminal import ProgressPrinter
from app.formats import one_line
from services.build import Services
from services.domain import CollectionHealth
from services.domain.model_checks import ModelReading
from services.domain.runs import IngestionInfo
from services.library.backup import Backup, write_backup


@engine_command(admin=True, read_only=True)
@click.option("--collection", help="Name or id; default: all that you can change.")
@click.option(
    "--repair",
    is_flag=True,
    help="Index what is missing, remove stale entries, finish interrupted work.",
)
@click.option(
    "--models", is_flag=True, help="Instead, test whether the language model can write answers."
)
@click.option("--again", is_flag=True, help="With --models: test it again.")
def doctor(
    engine: Engine, collection: str | None, repair: bool, models: bool, again: bool
) -> Result:
    """Check the indexes and stored files of your collections against the catalog.

    It also says whether other users of this machine can open your data folder.

    RABBITHOLE_READS=yes lets a model write answers even if it failed the test;
    RABBITHOLE_READS=no limits answers to quotes.
    Exit status: 1 if something is missing (with --repair: still missing afterwards), or with
    --models if the model could not be tested.
    """
    if again and not models:
        raise click.UsageError("--again can only be used with --models.")
    if models:
        return _reading_result(engine.settings.take_reading_test(again=again))
    with ProgressPrinter() as progress:
        checked = engine.library.check(collection, repair=repair, on_event=progress.show)
    states, steps, home = checked.collections, checked.steps, checked.home
    healthy = all(state.healthy for state in states) and (repair or steps is None)
    rows = [{**dict(state), "healthy": state.healthy} for state in states]
    value = {"healthy": healthy, "repaired": repair, "collections": rows}
    value |= {"steps": steps, "home": home}
    if not (healthy or repair):
        warn("repair with: rabbithole doctor --repair")
    lines = [*map(_health_line, states)] or ["There are no collections that you can change."]
    lines += [f"checkpoints of threads: {steps}"] if steps else []
    lines.append(f"data folder: {home or 'closed to other users'}")
    return Result(value, lines, ok=healthy)


def _reading_result(reading: ModelReading | None) -> Result:
    if reading is None:
        return Result({"model": None}, "Rabbithole runs without a language model.")
    results = {True: "passed the test", False: "failed the test", None: "not tested"}
    verdict = "it writes answers" if reading.reads else "quotes only"
    setting = f" (RABBITHOLE_READS={reading.setting})" if reading.setting != "auto" else ""
    lines = [f"{reading.model}: {results[reading.passed]}; {verdict}{setting}"]
    for task in reading.items:
        lines.append(f"  {'wrong' if task.problem else 'right'} ({task.kind}): {task.question}")
        lines.append(f"    {one_line(task.reply, limit=LONGEST_LINE) or '(no usable reply)'}")
        lines += [f"    {task.problem}"] if task.problem else []
    if reading.problem is not None:
        lines.append(f"The last test failed to run: {reading.problem}")
    return Result(reading, lines, ok=reading.problem is None)


def _health_line(state: CollectionHealth) -> str:
    counts = {
        "passages without vector": state.missing_vectors,
        "passages without keywords": state.missing_keywords,
        "passages that a search for their text does not find": state.lost,
        "stale vectors": state.stale_vectors,
        "stale keywords": state.stale_keywords,
    }
    problems = [f"{count} {what}" for what, count in counts.items() if count]
    problems += [f"unfinished: {', '.join(state.unfinished)}"] if state.unfinished else []
    if state.lost_originals:
        names = ", ".join(state.lost_originals)
        problems.append(f"originals missing or unreadable (ingest them again): {names}")
    problems += [str(state.problem)] if state.problem else []
    return f"{state.collection}: {state.chunks} passages, {'; '.join(problems) or 'no problems'}"


jobs = click.Group("jobs", help="List ingestions.")


@engine_command(jobs, "list", admin=True, read_only=True)
def list_(engine: Engine) -> Result:
    """List your last 20 ingestions, newest first; an administrator sees everybody's."""
    nothing = "No ingestions yet. Start one: rabbithole ingest PATH... --collection NAME"
    return listing("jobs", engine.library.ingestions(), _job_line, nothing)


def _job_line(job: IngestionInfo) -> str:
    files = f"{job.files_done + job.files_failed}/{job.files_total} files"
    failed = f", {job.files_failed} failed" if job.files_failed else ""
    error = f"  {job.error}" if job.error else ""
    return (
        f"{job.job_id:>5}  {job.status:<11} {job.started_at[:16]}  {files}{failed}, "
        f"{job.pages} pages, {job.chunks} chunks  {job.collection}{error}"
    )


@command()
@click.argument("file", type=params.any_file)
def backup(file: Path) -> Result:
    """Back up the data of all users to FILE: documents, collections, threads and settings.

    Other users can keep working meanwhile. FILE must not exist yet; anyone who has it can read
    everything in it.
    """
    written = write_backup(make_settings(), file)
    value, text = _contents(written)
    value |= {"file": str(file), "bytes": file.stat().st_size}
    return Result(value, f"{text} in {file} ({value['bytes'] / 1e6:.1f} MB)")


@command()
@click.argument("file", type=params.any_file)
def restore(file: Path) -> Result:
    """Restore a backup into an empty data folder.

    The indexes are rebuilt without embedding anything again. If it is interrupted while
    indexing, `rabbithole doctor --repair --admin` finishes it; until then, every search warns that
    it is incomplete. Exit status: 1 if something is missing afterwards.
    """
    from agent.engine.moving import restore

    settings = make_settings()
    with ProgressPrinter() as progress:
        restored, states = restore(Services(settings), file, progress.show)
    unhealthy = [state.collection for state in states if not state.healthy]
    value, text = _contents(restored)
    value |= {"home": str(settings.home), "unhealthy": unhealthy}
    if unhealthy:
        warn(f"collections with problems: {', '.join(unhealthy)}. See: rabbithole doctor --admin")
    return Result(value, f"{text} in {settings.home}", ok=not unhealthy)


def _contents(backup: Backup) -> tuple[dict[str, Any], str]:
    lost = backup.lost_originals
    without = f" (originals missing, with their text kept: {lost})" if lost else ""
    text = (
        f"{backup.documents} documents in {backup.collections} collections, "
        f"{backup.threads} threads{without}"
    )
    return backup.model_dump(mode="json", exclude={"members"}), text


@command()
@click.option("--to", "url", required=True, help="postgresql+psycopg://… or sqlite:////PATH")
def move(url: str) -> Result:
    """Copy the catalog and threads to another, empty database, and verify the copy.

    No other process may use the data folder. Documents and indexes are not moved; the old database
    files are renamed and kept. To move the indexes too, set RABBITHOLE_VECTORS and
    RABBITHOLE_LEXICAL, then run `rabbithole doctor --repair --admin` to rebuild them there.
    """
    from agent.engine.moving import move  # langgraph is slow to import

    moved = move(make_settings(), url)
    lines = [
        f"Copied and compared: {sum(moved.rows.values())} rows, and {moved.steps} checkpoints of "
        f"{moved.threads} threads.",
        *(f"Kept, but no longer used: {file}" for file in moved.set_aside),
        f"From now on: RABBITHOLE_DATABASE={moved.to}",
        "If RABBITHOLE_VECTORS or RABBITHOLE_LEXICAL changed: rabbithole doctor --repair --admin",
    ]
    return Result(moved, lines)
