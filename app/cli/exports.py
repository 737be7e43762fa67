"""`rabbithole export`, `trace` and `verify`: write a thread to a file, replay and check it."""

import json
import sys
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from agent.engine.engine import Engine
from agent.engine.exports import FORMATS, Format, file_stem
from agent.engine.jobs import ReplayReport
from agent.offline import verified
from app.cli.common import (
    LONGEST_LINE,
    Result,
    any_file,
    make_settings,
    open_server,
    page_suffix,
    print_json,
    prints_result,
    wants_json,
    warn,
    with_engine,
    with_server,
)
from app.formats import terminal_line
from services.domain.errors import InvalidInput, RabbitholeError

with_output = click.option(
    "-o",
    "--output",
    "file",
    type=click.Path(path_type=Path),
    help="File, or a folder for a file named after the question; default: standard output.",
)
with_force = click.option("--force", is_flag=True, help="Overwrite an existing file.")


def _check_free(file: Path | None, force: bool) -> None:
    """Raise InvalidInput if the file exists, before the content is made."""
    if file is not None and file.exists() and not force:
        raise InvalidInput(f"{file} exists. Overwrite it with --force, or choose another file.")


def _write(file: Path, content: bytes) -> None:
    """Write a file completely or not at all, with the permissions of the user's umask.

    Raises:
        InvalidInput: it cannot be written there.
    """
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


@click.command()
@click.argument("thread")
@click.option(
    "--format", "format_name", required=True, type=click.Choice(list(FORMATS)), help="File format."
)
@click.option("--no-appendix", is_flag=True, help="Leave out checksums, tables and figures.")
@with_output
@with_force
@with_engine()
def export(
    engine: Engine, thread: str, format_name: str, no_appendix: bool, file: Path | None, force: bool
) -> Result | None:
    """Write a report or a conversation to a file; bib and ris contain its sources and quotes."""
    if file is not None and file.is_dir():
        file /= f"{file_stem(engine.threads.run(thread).question)}.{format_name}"
    check_output(file, FORMATS[format_name], force)
    content = engine.threads.export_report(thread, format_name, appendix=not no_appendix)
    return deliver(thread, format_name, content, file)


def check_output(file: Path | None, format_: Format, force: bool) -> None:
    """Raise InvalidInput if the output can take no file of a format, before that is made."""
    _check_free(file, force)
    if file is None and not format_.text and (wants_json() or sys.stdout.isatty()):
        raise InvalidInput(
            f"A terminal cannot show {format_.name}. Give a file with -o, for example "
            f"-o report.{format_.name}, or redirect the output."
        )


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


@click.group()
def trace() -> None:
    """Record a run with its model's replies, and replay it without the model."""


@trace.command("export")
@click.argument("thread")
@click.option("-o", "--output", "file", type=any_file, help="File; default: standard output.")
@with_force
@with_engine()
def export_trace(engine: Engine, thread: str, file: Path | None, force: bool) -> Result | None:
    """Write a finished thread: its questions, your answers, the model's replies and the report."""
    _check_free(file, force)
    value = engine.threads.trace(thread)
    if file is None:
        print_json(value)
        return None
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    content, replies = text.encode(errors="backslashreplace"), len(value["replies"])
    _write(file, content)
    written = {"thread_id": thread, "file": str(file), "replies": replies}
    return Result(written, f"{file}: {replies} model replies, {len(content):,} bytes")


@trace.command()
@click.argument("file", type=any_file)
@with_engine()
def replay(engine: Engine, file: Path) -> Result:
    """Run a trace again on your documents; exit with 1 if the result differs."""
    report = engine.threads.replay(file)
    return Result(report, _difference_text(report), ok=report.identical)


def _difference_text(report: ReplayReport) -> str:
    if report.identical:
        return "identical: the same evidence and the same answer, byte for byte"
    lines = [f"different: {terminal_line(report.difference or '')}"]
    for word, names in report.corpus:
        if names:
            lines.append(f"documents {word} since: {terminal_line(', '.join(names), 400)}")
    return "\n".join(lines)


@click.command()
@click.argument("report", type=any_file)
@click.option(
    "--documents",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder with the documents; default: the folder of the report, and your documents.",
)
@with_server
@prints_result
def verify(report: Path, documents: Path | None, server: str | None, token: str | None) -> Result:
    """Check every citation of a report against its documents, offline and without a model.

    REPORT is the JSON of `export`, `research`, `ask` or `trace export`. Exit status: 0 if all
    citations are right, 1 if one is wrong, 2 if REPORT cannot be checked.
    """
    try:
        if server:
            value = _verify_at_server(report, documents, server, token)
        else:
            value = verified(report, documents, make_settings())
    except RabbitholeError as problem:
        warn(problem)
        sys.exit(2)
    return Result(value, _verification_text(value), ok=value["ok"])


def _verify_at_server(
    report: Path, documents: Path | None, server: str, token: str | None
) -> dict[str, Any]:
    if documents is not None:
        raise InvalidInput("A server checks against its own documents: leave --documents out.")
    try:
        content = json.loads(report.read_bytes())
    except (OSError, ValueError, RecursionError) as problem:
        raise InvalidInput(
            "{file} is not a report: {cause}. Give the JSON of an export.",
            file=report,
            cause=problem,
        ) from problem
    with open_server(server, token) as engine:
        return engine.threads.verify(content)


def _verification_text(value: dict[str, Any]) -> str:
    failed, remarks = value["failed"], value["remarks"]
    proof = f"{value['checked']} citations of {value['sentences']} sentences checked"
    verdict = "all right" if value["ok"] else f"{len(failed)} wrong"
    lines = [
        *map(_document_line, value["documents"]),
        *(line for failure in failed for line in _failure_lines(failure)),
        *map(_remark_line, remarks),
        f"{proof}: {verdict}" + (f", {len(remarks)} remarks" if remarks else ""),
    ]
    return "\n".join(lines)


def _document_line(document: dict[str, Any]) -> str:
    name = terminal_line(document["document"], LONGEST_LINE)
    mark = "found  " if document["found"] else "MISSING"
    remark = f"  ({terminal_line(document['remark'])})" if document["remark"] else ""
    return f"{mark}  {document['sha256'][:12]}  {name}{remark}"


def _failure_lines(failure: dict[str, Any]) -> list[str]:
    citation = failure["citation"]
    text = failure["sentence"] or (citation or {}).get("quote") or ""
    lines = [f"FAILED   {terminal_line(text, LONGEST_LINE)}"]
    if citation:
        page = page_suffix(citation)
        name = f"{citation['document']} {citation['section']}".strip()
        span = f"{citation['start']}-{citation['end']}"
        lines.append(f"         {terminal_line(name, LONGEST_LINE)}{page}, {span}")
    return [*lines, f"         {terminal_line(failure['reason'])}"]


def _remark_line(remark: dict[str, Any]) -> str:
    sentence = terminal_line(remark["sentence"] or "", LONGEST_LINE)
    start = f"{sentence}\n         " if sentence else ""
    return f"remark   {start}{terminal_line(remark['remark'])}"
