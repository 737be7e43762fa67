"""`rabbithole backup` and `restore`: the whole home in one file."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.commands.common import Shown, make_settings, open_client, prints

if TYPE_CHECKING:
    from services.backup import Backup


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@prints
def backup(file: Path) -> Shown:
    """Write everything to FILE: documents, collections of all users, threads, settings.

    Others may go on working meanwhile. FILE must not exist yet; whoever has it can read it all.
    """
    from services.backup import write_backup

    written = write_backup(make_settings(), file)
    value = {
        **written.model_dump(mode="json", exclude={"members"}),
        "file": str(file),
        "bytes": file.stat().st_size,
    }
    return Shown(value, lambda: f"{said(written)} in {file} ({value['bytes'] / 1e6:.1f} MB)")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@prints
def restore(file: Path) -> Shown:
    """Make an empty home of a backup, and its indexes anew; embeds nothing twice.

    Exits with 1 when something is missing afterwards. Cut short while it indexes, it is
    finished by `rabbithole doctor --repair --admin`.
    """
    from app.terminal import Progress
    from services.backup import restore_backup

    settings = make_settings()
    restored = restore_backup(settings, file)
    with open_client("local", settings, admin=True) as client, Progress() as progress:
        states = client.check_indexes(repair=True, on_event=progress.show)
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


def said(backup: "Backup") -> str:
    lost = backup.lost_originals
    without = f" ({lost} lost files are not in it, their texts are)" if lost else ""
    return (
        f"{backup.documents} documents in {backup.collections} collections, "
        f"{backup.threads} threads{without}"
    )
