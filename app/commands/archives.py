"""`rabbithole collections export` and `restore`: a collection in one file."""

from pathlib import Path
from typing import Any

import click

from app.commands.common import as_admin, as_json, as_user, guarded, open_client, show


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
@as_user
@as_admin
@as_json
@guarded
def export(name: str, file: Path, user: str, admin: bool, json_: bool) -> None:
    """Write a collection to a file: originals, texts, passages, vectors and names."""
    with open_client(user, admin=admin) as client:
        report = client.export_collection(name, file).model_dump(mode="json")
    show(report, json_, lambda: exported(report))


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--name", help="Call the collection so; else as it was called.")
@as_user
@as_admin
@as_json
@guarded
def restore(file: Path, name: str | None, user: str, admin: bool, json_: bool) -> None:
    """Make a collection of an exported file; it is yours.

    Nothing is embedded if the embedding model is the same. A file from another home is taken
    from an administrator only (--admin).
    """
    from app.terminal import Progress

    with open_client(user, admin=admin) as client, Progress() as progress:
        report = client.restore_collection(file, name, progress.show).model_dump(mode="json")
    show(report, json_, lambda: restored(report))


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
