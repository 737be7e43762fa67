"""`rabbithole doctor`, `jobs`, `backup`, `restore` and `move`: the home's state and copies."""

from pathlib import Path

import click

from agent.engine.engine import Engine
from app.cli.client import of_engine
from app.cli.common import Shown, any_file, listed, make_settings, prints
from app.cli.terminal import Progress
from app.formats import one_line
from services.build import Services
from services.domain import CollectionHealth
from services.domain.model_checks import ModelReading
from services.domain.runs import IngestionInfo
from services.library.backup import Backup, write_backup


@click.command()
@click.option("--collection", help="Name or id; omitted means all that you may change.")
@click.option(
    "--repair",
    is_flag=True,
    help="Index what is missing, forget what is stale, finish what was killed.",
)
@click.option("--models", is_flag=True, help="Test instead whether the language model reads.")
@click.option("--again", is_flag=True, help="With --models: test it again.")
@of_engine(admin=True, changes="repair")
def doctor(
    engine: Engine, collection: str | None, repair: bool, models: bool, again: bool
) -> Shown:
    """Compare vectors, keywords and kept files of your collections with the catalog.

    Also says whether other users of this machine can enter the home. Exits with 1 when something
    is missing (with --repair: still missing afterwards), with --models when the model could not be
    tested. RABBITHOLE_READS=yes lets it read whatever its result; RABBITHOLE_READS=no
    limits answers to quotes.
    """
    if again and not models:
        raise click.UsageError("--again goes with --models.")
    if models:
        return _reading(engine.settings.examine_model(again=again))
    with Progress() as progress:
        checked = engine.library.check(collection, repair=repair, on_event=progress.show)
    states, steps, home = checked.collections, checked.steps, checked.home
    healthy = all(state.healthy for state in states) and (repair or steps is None)
    rows = [{**dict(state), "healthy": state.healthy} for state in states]
    value = {"healthy": healthy, "repaired": repair, "collections": rows}
    value |= {"steps": steps, "home": home}
    if not (healthy or repair):
        click.echo("rabbithole: repair with: rabbithole doctor --repair", err=True)
    lines = [*map(health_line, states)] or ["No collections that you may change."]
    lines += [f"steps of threads: {steps}"] if steps else []
    lines.append(f"home: {home or 'closed to other users'}")
    return Shown(value, lambda: "\n".join(lines), ok=healthy)


def _reading(found: ModelReading | None) -> Shown:
    """Whether a model reads, with what it replied where that is known."""
    if found is None:
        return Shown({"model": None}, lambda: "Rabbithole runs without a language model.")
    results = {True: "passed", False: "failed", None: "not examined"}
    told = "it reads" if found.reads else "quotes only"
    said = f" (RABBITHOLE_READS={found.setting})" if found.setting != "auto" else ""
    lines = [f"{found.model}: {results[found.passed]}; {told}{said}"]
    for each in found.items:
        lines.append(f"  {'wrong' if each.problem else 'right'} ({each.kind}): {each.question}")
        lines.append(f"    {one_line(each.reply, limit=160) or '(no reply of use)'}")
        lines += [f"    {each.problem}"] if each.problem else []
    if found.problem is not None:
        lines.append(f"The last examination came to no result: {found.problem}")
    return Shown(found, lambda: "\n".join(lines), ok=found.problem is None)


def health_line(state: CollectionHealth) -> str:
    counts = {
        "chunks without vector": state.missing_vectors,
        "chunks without keywords": state.missing_keywords,
        "chunks that do not find themselves": state.lost,
        "stale vectors": state.stale_vectors,
        "stale keywords": state.stale_keywords,
    }
    found = [f"{count} {what}" for what, count in counts.items() if count]
    found += [f"unfinished: {', '.join(state.unfinished)}"] if state.unfinished else []
    if state.lost_originals:
        names = ", ".join(state.lost_originals)
        found.append(f"originals lost or unreadable, ingest them again: {names}")
    found += [str(state.problem)] if state.problem else []
    return f"{state.collection}: {state.chunks} chunks, {'; '.join(found) or 'all in order'}"


@click.group()
def jobs() -> None:
    """List ingestions."""


@jobs.command("list")
@of_engine(admin=True, looks=True)
def list_(engine: Engine) -> Shown:
    """Your last 20 ingestions, newest first; an administrator sees everybody's."""
    nothing = "No ingestions yet. Start one: rabbithole ingest PATH... --collection NAME"
    return listed("jobs", engine.library.ingestions(), job_line, nothing)


def job_line(job: IngestionInfo) -> str:
    files = f"{job.files_done + job.files_failed}/{job.files_total} files"
    failed = f", {job.files_failed} failed" if job.files_failed else ""
    error = f"  {job.error}" if job.error else ""
    return (
        f"{job.job_id:>5}  {job.status:<11} {job.started_at[:16]}  {files}{failed}, "
        f"{job.pages} pages, {job.chunks} chunks  {job.collection}{error}"
    )


@click.command()
@click.argument("file", type=any_file)
@prints
def backup(file: Path) -> Shown:
    """Write everything to FILE: documents, collections of all users, threads, settings.

    Others may go on working meanwhile. FILE must not exist yet; whoever has it can read it all.
    """
    written = write_backup(make_settings(), file)
    value = {
        **written.model_dump(mode="json", exclude={"members"}),
        "file": str(file),
        "bytes": file.stat().st_size,
    }
    return Shown(value, lambda: f"{said(written)} in {file} ({value['bytes'] / 1e6:.1f} MB)")


@click.command()
@click.argument("file", type=any_file)
@prints
def restore(file: Path) -> Shown:
    """Restore a backup into an empty home.

    Its indexes are rebuilt without embedding anything again. Exits with 1 when something is missing
    afterwards. If it is interrupted while indexing, `rabbithole doctor --repair --admin` finishes
    it; until then every search says so.
    """
    from agent.engine.moving import restore

    settings = make_settings()
    with Progress() as progress:
        restored, states = restore(Services(settings), file, progress.show)
    unhealthy = [state.collection for state in states if not state.healthy]
    value = {
        **restored.model_dump(mode="json", exclude={"members"}),
        "home": str(settings.home),
        "unhealthy": unhealthy,
    }
    if unhealthy:
        click.echo(
            f"rabbithole: not all in order: {', '.join(unhealthy)}. See: rabbithole doctor --admin",
            err=True,
        )
    return Shown(value, lambda: f"{said(restored)} in {settings.home}", ok=not unhealthy)


def said(backup: Backup) -> str:
    lost = backup.lost_originals
    without = f" ({lost} lost files are not in it, their texts are)" if lost else ""
    return (
        f"{backup.documents} documents in {backup.collections} collections, "
        f"{backup.threads} threads{without}"
    )


@click.command()
@click.option("--to", "url", required=True, help="postgresql+psycopg://… or sqlite:////PATH")
@prints
def move(url: str) -> Shown:
    """Copy catalog and threads to another, empty database, and compare all of it.

    Nothing else may work in the home. Documents and indexes stay where they are; files that were
    in use until now are renamed and kept. Where the indexes are to be elsewhere too
    (RABBITHOLE_VECTORS, RABBITHOLE_LEXICAL), `rabbithole doctor --repair --admin` makes them there.
    """
    from agent.engine.moving import move  # langgraph is slow to import

    moved = move(make_settings(), url)
    kept = "".join(f"\nKept, and no longer used: {file}" for file in moved.set_aside)
    text = (
        f"{sum(moved.rows.values())} rows, and {moved.steps} steps of {moved.threads} threads, are "
        f"there and the same.{kept}\nFrom now on: RABBITHOLE_DATABASE={moved.to}\n"
        "With RABBITHOLE_VECTORS or RABBITHOLE_LEXICAL changed: rabbithole doctor --repair --admin"
    )
    return Shown(moved.model_dump(mode="json"), lambda: text)
