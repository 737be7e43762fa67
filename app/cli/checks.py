"""`rabbithole classify` and `verify`: need no model or connection, and do not load the engine."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from agent.offline import classified, verified
from app.cli import params
from app.cli.common import (
    AS_USER,
    AT_SERVER,
    LONGEST_LINE,
    Result,
    command,
    make_settings,
    open_server,
    page_suffix,
    warn,
)
from app.formats import terminal_line
from services.domain.errors import InvalidInput, RabbitholeError


@command(params=[AS_USER, *AT_SERVER])
@params.collections
def classify(
    question: str,
    collections: tuple[str, ...] | None,
    user: str,
    server: str | None,
    token: str | None,
) -> Result:
    """Show the type, the entities and the complexity of a question, without a language model.

    A name that occurs in your documents is not treated as ambiguous.
    """
    if server:
        with open_server(server, token, user=user) as engine:
            value = engine.answers.classify(question, collections)
    else:
        value = classified(question, make_settings(), user=user, collections=collections)
    complexity = value["complexity"]
    lines = [
        f"type        {value['type']} ({value['confidence']:.2f})",
        f"language    {value['language']}",
        f"about       {', '.join(value['entities']) or '-'}",
        f"complexity  {complexity['score_rules']:.3f}, {complexity['level']}",
        *(f"            {reason}" for reason in complexity["reasons"]),
    ]
    return Result(value, lines)


@command(params=AT_SERVER)
@click.argument("report", type=params.any_file)
@click.option(
    "--documents",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder with the documents; default: the folder of the report, and your collections.",
)
def verify(report: Path, documents: Path | None, server: str | None, token: str | None) -> Result:
    """Check every citation of a report against its documents, offline and without a model.

    REPORT is the JSON of `export`, `research`, `ask` or `trace export`. Exit status: 0 if all
    citations are correct, 1 if any is wrong, 2 if REPORT cannot be checked.
    """
    try:
        if server:
            value = _verify_at_server(report, documents, server, token)
        else:
            value = verified(report, documents, make_settings())
    except RabbitholeError as problem:
        warn(problem)
        sys.exit(2)
    return Result(value, _verification_lines(value), ok=value["ok"])


def _verify_at_server(
    report: Path, documents: Path | None, server: str, token: str | None
) -> dict[str, Any]:
    if documents is not None:
        raise InvalidInput("The server checks against its own documents: leave out --documents.")
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


def _verification_lines(value: dict[str, Any]) -> Iterator[str]:
    for document in value["documents"]:
        name = terminal_line(document["document"], LONGEST_LINE)
        mark = "found  " if document["found"] else "MISSING"
        remark = f"  ({terminal_line(document['remark'])})" if document["remark"] else ""
        yield f"{mark}  {document['sha256'][:12]}  {name}{remark}"
    for failure in value["failed"]:
        citation = failure["citation"]
        text = failure["sentence"] or (citation or {}).get("quote") or ""
        yield f"FAILED   {terminal_line(text, LONGEST_LINE)}"
        if citation:
            name = f"{citation['document']} {citation['section']}".strip()
            span = f"{citation['start']}-{citation['end']}"
            yield f"         {terminal_line(name, LONGEST_LINE)}{page_suffix(citation)}, {span}"
        yield f"         {terminal_line(failure['reason'])}"
    for remark in value["remarks"]:
        sentence = terminal_line(remark["sentence"] or "", LONGEST_LINE)
        start = f"{sentence}\n         " if sentence else ""
        yield f"remark   {start}{terminal_line(remark['remark'])}"
    proof = f"{value['checked']} citations of {value['sentences']} sentences checked"
    verdict = "all correct" if value["ok"] else f"{len(value['failed'])} wrong"
    remarks = f", {len(value['remarks'])} remarks" if value["remarks"] else ""
    yield f"{proof}: {verdict}{remarks}"
