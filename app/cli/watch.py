"""`rabbithole watch`: a collection that stays equal to a folder."""

from pathlib import Path

import click

from agent.engine.engine import Engine
from app.cli.client import of_engine
from app.cli.common import Shown, of_language, show, wants_json
from app.cli.ingest import ingest_summary, take_in
from app.terminal import warn
from services.domain.errors import TryAgain

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
