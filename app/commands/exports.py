"""`rabbithole export`: the report or the conversation of a thread as a file."""

import sys
from pathlib import Path
from typing import Any

import click

from agent.exports import FORMATS
from app.commands.common import as_json, as_user, guarded, open_client, show
from app.commands.output import check_free, to_file, write


@click.command()
@click.argument("thread")
@click.option(
    "--format", "format_name", required=True, type=click.Choice(list(FORMATS)), help="What to make."
)
@to_file
@as_user
@as_json
@guarded
def export(
    thread: str, format_name: str, file: Path | None, force: bool, user: str, json_: bool
) -> None:
    """Write a report or a conversation to a file; bib and ris hold its sources with the quotes."""
    check_free(file, force)
    if file is None:
        _check_standard_output(format_name, json_)
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


def _check_standard_output(format_name: str, json_: bool) -> None:
    """What can be known to be wrong before anything is made."""
    from services.errors import InvalidInput

    if not FORMATS[format_name].text and (json_ or sys.stdout.isatty()):
        raise InvalidInput(
            f"{format_name} is no text for a terminal: name a file with -o, for example "
            f"-o report.{format_name}, or redirect the output."
        )
