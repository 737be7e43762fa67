"""`rabbithole export` and `trace`: a thread as a file, and replaying it without its model."""

import json
import sys
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from agent.engine.engine import Engine
from agent.engine.exports import FORMATS, file_stem
from agent.engine.jobs import ReplayReport
from app.cli.client import of_engine
from app.cli.common import Shown, any_file, wants_json
from app.formats import escape_controls, terminal_line
from services.domain.errors import InvalidInput

overwriting = click.option("--force", is_flag=True, help="Overwrite the file if there is one.")


def check_free(file: Path | None, force: bool) -> None:
    """Raises InvalidInput where a file is in the way; before anything is made."""
    if file is not None and file.exists() and not force:
        raise InvalidInput(f"{file} exists. Overwrite it with --force, or name another file.")


def write(file: Path, content: bytes) -> None:
    """Writes the whole file or none of it; others may read it as the user's umask says.

    Raises:
        InvalidInput: it cannot be written there.
    """
    partial = file.with_name(f".{file.name}.{uuid.uuid4().hex[:8]}")
    try:
        partial.write_bytes(content)
        with suppress(OSError):  # a disk that keeps no permissions
            partial.chmod(0o666 & ~click.get_current_context().find_root().obj)
        partial.replace(file)
    except OSError as problem:
        partial.unlink(missing_ok=True)
        raise InvalidInput(
            f"{file} cannot be written: {problem.strerror}. Name another file with -o."
        ) from problem


@click.command()
@click.argument("thread")
@click.option(
    "--format", "format_name", required=True, type=click.Choice(list(FORMATS)), help="What to make."
)
@click.option("--no-appendix", is_flag=True, help="Without checksums, tables and figures.")
@click.option(
    "-o",
    "--output",
    "file",
    type=click.Path(path_type=Path),
    help="Where to; in a folder it is named after the question. Without it to standard output.",
)
@overwriting
@of_engine()
def export(
    engine: Engine, thread: str, format_name: str, no_appendix: bool, file: Path | None, force: bool
) -> Shown | None:
    """Write a report or a conversation to a file; bib and ris hold its sources with the quotes."""
    if file is not None and file.is_dir():
        file /= f"{file_stem(engine.threads.run(thread).question)}.{format_name}"
    check_free(file, force)
    if file is None and not FORMATS[format_name].text and (wants_json() or sys.stdout.isatty()):
        raise InvalidInput(
            f"{format_name} is no text for a terminal: name a file with -o, for example "
            f"-o report.{format_name}, or redirect the output."
        )
    content = engine.threads.export_report(thread, format_name, appendix=not no_appendix)
    value: dict[str, Any] = {"thread_id": thread, "format": format_name, "bytes": len(content)}
    if file is not None:
        write(file, content)
        return Shown(value | {"file": str(file)}, lambda: f"{file}: {len(content):,} bytes")
    if wants_json():
        return Shown(value | {"file": None, "content": content.decode()}, str)
    sys.stdout.buffer.write(content)
    return None


@click.group()
def trace() -> None:
    """Record a run with the replies of its model, and replay it without the model."""


@trace.command("export")
@click.argument("thread")
@click.option(
    "-o", "--output", "file", type=any_file, help="Where to; without it to standard output."
)
@overwriting
@of_engine()
def export_trace(engine: Engine, thread: str, file: Path | None, force: bool) -> Shown | None:
    """Record a finished thread: questions, answers of people and model, and the report."""
    check_free(file, force)
    value = engine.threads.trace(thread)
    if file is None:
        click.echo(escape_controls(json.dumps(value, ensure_ascii=False)))
        return None
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    content, replies = text.encode(errors="backslashreplace"), len(value["replies"])
    write(file, content)
    told = {"thread_id": thread, "file": str(file), "replies": replies}
    return Shown(told, lambda: f"{file}: {replies} model replies, {len(content):,} bytes")


@trace.command()
@click.argument("file", type=any_file)
@of_engine()
def replay(engine: Engine, file: Path) -> Shown:
    """Run a trace again over this home's documents; exit status 0 if nothing differs, else 1."""
    report = engine.threads.replay(file)
    value = report.model_dump(mode="json")
    return Shown(value, lambda: _difference(report), ok=report.identical)


def _difference(report: ReplayReport) -> str:
    if report.identical:
        return "identical: the same evidence and the same answer, byte for byte"
    lines = [f"different: {terminal_line(report.difference or '')}"]
    for word, names in report.corpus:
        if names:
            lines.append(f"documents {word} since: {terminal_line(', '.join(names), 400)}")
    return "\n".join(lines)
