"""The commands ``classify`` and ``verify``: what needs neither a model nor a connection."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from agent.offline import classified, verified
from app.cli.common import (
    Shown,
    any_file,
    as_user,
    at_server,
    in_collections,
    make_settings,
    open_server,
    prints,
)
from app.formats import terminal_line
from services.domain.errors import InvalidInput, RabbitholeError


@click.command()
@click.argument("question")
@in_collections
@as_user
@at_server
@prints
def classify(
    question: str,
    collections: tuple[str, ...] | None,
    user: str,
    server: str | None,
    token: str | None,
) -> Shown:
    """Show the type, the entities and the complexity of a question, without a language model.

    Names that the documents of the home know are not ambiguous.
    """
    if server:
        with open_server(server, token, user=user) as engine:
            value = engine.answers.classify(question, collections)
    else:
        value = classified(question, make_settings(), user=user, collections=collections)
    return Shown(value, lambda: _classified_text(value))


def _classified_text(value: dict[str, Any]) -> str:
    complexity = value["complexity"]
    lines = [
        f"type        {value['type']} ({value['confidence']:.2f})",
        f"language    {value['language']}",
        f"about       {', '.join(value['entities']) or '-'}",
        f"complexity  {complexity['score_rules']:.3f}, {complexity['level']}",
        *(f"            {reason}" for reason in complexity["reasons"]),
    ]
    return "\n".join(lines)


SHOWN = 160


@click.command()
@click.argument("report", type=any_file)
@click.option(
    "--documents",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder with the documents; else that of the report and what this home keeps.",
)
@at_server
@prints
def verify(report: Path, documents: Path | None, server: str | None, token: str | None) -> Shown:
    """Check every citation of a report against its documents, offline and without a model.

    REPORT is the JSON of `export`, `research`, `ask` or `trace export`. Exit status: 0 all holds,
    1 something does not, 2 REPORT cannot be checked.
    """
    try:
        if server:
            value = _verified_there(report, documents, server, token)
        else:
            value = verified(report, documents, make_settings())
    except RabbitholeError as problem:
        click.echo(f"rabbithole: {terminal_line(str(problem))}", err=True)
        sys.exit(2)
    return Shown(value, lambda: _verified_text(value), ok=value["ok"])


def _verified_there(
    report: Path, documents: Path | None, server: str, token: str | None
) -> dict[str, Any]:
    if documents is not None:
        raise InvalidInput("A server checks against its own documents: leave --documents out.")
    try:
        content = json.loads(report.read_bytes())
    except (OSError, ValueError, RecursionError) as problem:
        raise InvalidInput(
            "{file} is no report: {cause}. Name the JSON of an export.", file=report, cause=problem
        ) from problem
    with open_server(server, token) as engine:
        return engine.threads.verify(content)


def _verified_text(value: dict[str, Any]) -> str:
    failed, remarks = value["failed"], value["remarks"]
    proof = f"{value['checked']} citations of {value['sentences']} sentences checked"
    verdict = "all hold" if value["ok"] else f"{len(failed)} failed"
    lines = [
        *(_document(each) for each in value["documents"]),
        *(line for each in failed for line in _failure(each)),
        *(_remark(each) for each in remarks),
        f"{proof}: {verdict}" + (f", {len(remarks)} remarks" if remarks else ""),
    ]
    return "\n".join(lines)


def _document(each: dict[str, Any]) -> str:
    name, mark = terminal_line(each["document"], SHOWN), "found  " if each["found"] else "MISSING"
    remark = f"  ({terminal_line(each['remark'])})" if each["remark"] else ""
    return f"{mark}  {each['sha256'][:12]}  {name}{remark}"


def _failure(each: dict[str, Any]) -> list[str]:
    about = each["sentence"] or (each["citation"] or {}).get("quote") or ""
    lines = [f"FAILED   {terminal_line(about, SHOWN)}"]
    if place := each["citation"]:
        page = "" if place["page"] is None else f", p. {place['page']}"
        named = terminal_line(" ".join((place["document"], place["section"])).strip(), SHOWN)
        lines.append(f"         {named}{page}, {place['start']}-{place['end']}")
    return [*lines, f"         {terminal_line(each['reason'])}"]


def _remark(each: dict[str, Any]) -> str:
    about = f"{terminal_line(each['sentence'], SHOWN)}\n         " if each["sentence"] else ""
    return f"remark   {about}{terminal_line(each['remark'])}"
