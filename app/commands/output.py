"""Where a command writes its result: a file that is whole or not there, else standard output."""

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

Function = Callable[..., Any]


def to_file(command: Function) -> Function:
    """The options ``-o FILE`` (as ``file``, None without it) and ``--force``."""
    output = click.option(
        "-o",
        "--output",
        "file",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Where to; without it to standard output.",
    )
    force = click.option("--force", is_flag=True, help="Overwrite the file if there is one.")
    return output(force(command))


def check_free(file: Path | None, force: bool) -> None:
    """Raises InvalidInput where a file is in the way; before anything is made."""
    from services.errors import InvalidInput

    if file is not None and file.exists() and not force:
        raise InvalidInput(f"{file} exists. Overwrite it with --force, or name another file.")


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
