"""`rabbithole collections export` and `restore`: a collection in one file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.commands.common import Shown, of_client

if TYPE_CHECKING:
    from agent.client import Client


@click.command()
@click.argument("name")
@click.option(
    "-o",
    "--output",
    "file",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="A file that does not exist yet.",
)
@of_client(admin=True)
def export(client: "Client", name: str, file: Path) -> Shown:
    """Write a collection to a file: originals, texts, passages, vectors and names."""
    report = client.export_collection(name, file).model_dump(mode="json")
    return Shown(report, lambda: exported(report))


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--name", help="Call the collection so; else as it was called.")
@of_client(admin=True)
def restore(client: "Client", file: Path, name: str | None) -> Shown:
    """Make a collection of an exported file; it is yours.

    Nothing is embedded if the embedding model is the same. A file from another home is taken
    from an administrator only (--admin).
    """
    from app.terminal import Progress

    with Progress() as progress:
        report = client.restore_collection(file, name, progress.show).model_dump(mode="json")
    return Shown(report, lambda: restored(report))


def exported(report: dict[str, Any]) -> str:
    counts = report["counts"]
    lines = [
        f"{report['collection']}: {counts['documents']} documents, {counts['chunks']} chunks, "
        f"{counts['vectors']} vectors in {report['file']} ({report['bytes'] / 1e6:.1f} MB)"
    ]
    if counts["lost_originals"]:
        lines.append(
            f"  without {counts['lost_originals']} originals that are lost; their texts are in it"
        )
    if report["unfinished"]:
        lines.append(f"  without {', '.join(report['unfinished'])}: ingest them again first")
    return "\n".join(lines)


def restored(report: dict[str, Any]) -> str:
    info, embedded = report["collection"], report["embedded"]
    how = f"{embedded} embedded anew" if embedded else "nothing embedded anew"
    before, now = report["archived_fingerprint"], info["fingerprint"]
    why = f" (the file has vectors of {before})" if embedded and before not in (None, now) else ""
    return (
        f"{info['name']} restored: {report['documents']} documents, {report['chunks']} chunks, "
        f"{how}{why}"
    )
