"""`rabbithole export` and `trace`: write a thread to a file, or replay it without its model."""

import json
import sys
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from agent.engine.engine import Engine
from agent.engine.exports import FORMATS, Format, file_stem
from app.cli import params
from app.cli.common import Result, engine_command, print_json, wants_json
from app.formats import terminal_line
from services.domain.errors import InvalidInput


def check_output(file: Path | None, format_: Format, title: str, force: bool) -> Path | None:
    """Return the file of an export, in a folder named after the title; check it beforehand."""
    if file is not None and file.is_dir():
        file /= f"{file_stem(title)}.{format_.name}"
    if file is not None and file.exists() and not force:
        raise InvalidInput(f"{file} exists. Overwrite it with --force, or choose another file.")
    if file is None and not format_.text and (wants_json() or sys.stdout.isatty()):
        raise InvalidInput(
            f"A terminal cannot show {format_.name}. Give a file with -o, for example "
            f"-o report.{format_.name}, or redirect the output."
        )
    return file


def _write(file: Path, content: bytes) -> None:
    """Write a file completely or not at all, with the permissions of the user's umask."""
    partial = file.with_name(f".{file.name}.{uuid.uuid4().hex[:8]}")
    try:
        partial.write_bytes(content)
        with suppress(OSError):  # some file systems have no permissions
            partial.chmod(0o666 & ~click.get_current_context().find_root().obj)
        partial.replace(file)
    except OSError as problem:
        partial.unlink(missing_ok=True)
        raise InvalidInput(
            f"{file} cannot be written: {problem.strerror}. Choose another file with -o."
        ) from problem


@engine_command()
@click.option(
    "--format", "format_name", required=True, type=click.Choice(list(FORMATS)), help="File format."
)
@click.option("--no-appendix", is_flag=True, help="Leave out checksums, tables and figures.")
@params.output
@params.force
def export(
    engine: Engine, thread: str, format_name: str, no_appendix: bool, file: Path | None, force: bool
) -> Result | None:
    """Write a report or a conversation to a file; bib and ris contain its sources and quotes."""
    title = engine.threads.run(thread).question
    file = check_output(file, FORMATS[format_name], title, force)
    content = engine.threads.export_report(thread, format_name, appendix=not no_appendix)
    return deliver(thread, format_name, content, file)


def deliver(thread: str, format_name: str, content: bytes, file: Path | None) -> Result | None:
    """Write an export to a file or to standard output."""
    value: dict[str, Any] = {"thread_id": thread, "format": format_name, "bytes": len(content)}
    if file is not None:
        _write(file, content)
        return Result(value | {"file": str(file)}, f"{file}: {len(content):,} bytes")
    if wants_json():
        return Result(value | {"file": None, "content": content.decode()}, "")
    sys.stdout.buffer.write(content)
    return None


trace = click.Group(
    "trace", help="Record a run with its model's replies, and replay it without the model."
)


@engine_command(trace, "export")
@click.option(
    "-o", "--output", "file", type=params.any_file, help="File; default: standard output."
)
@params.force
def export_trace(engine: Engine, thread: str, file: Path | None, force: bool) -> Result | None:
    """Write a finished thread: its questions, your answers, the model's replies and the report."""
    check_output(file, FORMATS["json"], thread, force)
    value = engine.threads.trace(thread)
    if file is None:
        print_json(value)
        return None
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    content, replies = text.encode(errors="backslashreplace"), len(value["replies"])
    _write(file, content)
    written = {"thread_id": thread, "file": str(file), "replies": replies}
    return Result(written, f"{file}: {replies} model replies, {len(content):,} bytes")


@engine_command(trace)
@click.argument("file", type=params.any_file)
def replay(engine: Engine, file: Path) -> Result:
    """Run a trace again on your documents.

    Exit status: 1 if the result differs.
    """
    report = engine.threads.replay(file)
    if report.identical:
        return Result(report, "identical: the same evidence and the same answer, byte for byte")
    lines = [f"different: {terminal_line(report.difference or '')}"]
    for word, names in report.corpus:
        if names:
            lines.append(f"documents {word} since: {terminal_line(', '.join(names), 400)}")
    return Result(report, lines, ok=False)
