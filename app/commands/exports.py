"""`rabbithole export`: the report or the conversation of a thread as a file."""

import sys
import uuid
from pathlib import Path
from typing import Any

import click

from agent.exports import FORMATS
from app.commands.common import as_json, as_user, guarded, open_client, show


@click.command()
@click.argument("thread")
@click.option(
    "--format", "format_name", required=True, type=click.Choice(list(FORMATS)), help="What to make."
)
@click.option(
    "-o",
    "--output",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where to; without it to standard output.",
)
@click.option("--force", is_flag=True, help="Overwrite the file if there is one.")
@as_user
@as_json
@guarded
def export(
    thread: str, format_name: str, file: Path | None, force: bool, user: str, json_: bool
) -> None:
    """Write a report or a conversation to a file; bib and ris hold its sources with the quotes."""
    _check_target(format_name, file, force, json_)
    with open_client(user) as client:
        content = client.export_report(thread, format_name)
    if file is not None:
        write(file, content)
    elif not json_:
        sys.stdout.buffer.write(content)
        return
    value: dict[str, Any] = {
        "thread_id": thread,
        "format": format_name,
        "file": None if file is None else str(file),
        "bytes": len(content),
    }
    if file is None:
        value["content"] = content.decode()
    show(value, json_, lambda: f"{file}: {len(content):,} bytes")


def _check_target(format_name: str, file: Path | None, force: bool, json_: bool) -> None:
    """What can be known to be wrong before anything is made."""
    from services.errors import InvalidInput

    if file is not None:
        if file.exists() and not force:
            raise InvalidInput(f"{file} exists. Overwrite it with --force, or name another file.")
    elif not FORMATS[format_name].text and (json_ or sys.stdout.isatty()):
        raise InvalidInput(
            f"{format_name} is no text for a terminal: name a file with -o, for example "
            f"-o report.{format_name}, or redirect the output."
        )


def write(file: Path, content: bytes) -> None:
    """Writes the whole file or none of it.

    Raises:
        InvalidInput: it cannot be written there.
    """
    from services.errors import InvalidInput

    partial = file.with_name(f".{file.name}.{uuid.uuid4().hex[:8]}")
    try:
        partial.write_bytes(content)
        partial.replace(file)
    except OSError as problem:
        partial.unlink(missing_ok=True)
        raise InvalidInput(
            f"{file} cannot be written: {problem.strerror}. Name another file with -o."
        ) from problem
