"""`rabbithole grid` and `sweep`: the same questions to many documents, one to every section."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any, cast, get_args

import click

from agent.engine.engine import Engine
from agent.engine.exports import GRID_FORMATS
from agent.engine.grids import columns_of
from app.cli import params
from app.cli.common import Result, engine_command, fail, listing, wants_json, warn
from app.cli.exports import check_output, deliver
from app.cli.research import run_line
from app.cli.terminal import ProgressPrinter, clock
from services.domain.errors import InvalidInput, NotFound
from services.domain.grids import (
    Column,
    Estimate,
    Form,
    GridRow,
    GridTable,
    RowKind,
    SweepResult,
)
from services.domain.runs import RunInfo

Questions = Sequence[tuple[str, Form]]
STATES = {
    "verified": "verified",
    "to_check": "to check",
    "absent": "nothing found",
    "closest": "closest quotes; no model has read them",
    None: "not read yet",
}


class ColumnType(click.ParamType):
    """A question, with its value type after ``::``."""

    name = f"QUESTION[::{'|'.join(get_args(Form))}]"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, Form]:
        question, _, form = value.rpartition("::") if "::" in value else (value, "", "text")
        if form not in get_args(Form):
            self.fail(
                f"{form!r} is not a form. Use one of {', '.join(get_args(Form))}.", param, ctx
            )
        if not question.strip():
            self.fail("the question is empty.", param, ctx)
        return question.strip(), cast(Form, form)


with_columns = click.option(
    "--column", "columns", multiple=True, type=ColumnType(), help="A question; may be repeated."
)
with_budget = click.option(
    "--max-calls", type=click.IntRange(1), help="Maximum model calls of a run."
)


grid = click.Group(
    "grid",
    help="Ask many documents the same questions: create, run, show, edit, accept, correct, export.",
)


@engine_command(grid)
@params.collections
@click.option(
    "--rows",
    default="documents",
    metavar="documents|sections|SWEEP",
    help="What each row is: a document, a section, or an item of a sweep (thread or question).",
)
@with_columns
@params.documents
@with_budget
def create(engine: Engine, name: str, rows: str, columns: Questions, **options: Any) -> Result:
    """Create a grid; nothing is read yet."""
    if any(name == (run.title or run.question) for run in engine.grids.all()):
        raise InvalidInput(f"You already have a grid named {name!r}. Choose another name.")
    if rows not in ("documents", "sections"):
        rows, options["sweep"] = "sweep", find(engine, rows).thread_id
    new = columns_of(columns)
    thread = engine.grids.create(name, new, rows=cast(RowKind, rows), **options)
    value = {"thread_id": thread, "name": name, "columns": new}
    return Result(value, f"{thread} created. Read it with: rabbithole grid run {quote(name)}")


def find(engine: Engine, name: str) -> RunInfo:
    """Return the grid or sweep of this thread id or name."""
    runs = engine.grids.all()
    named = [run for run in runs if run.thread_id == name]
    named = named or [run for run in runs if name in (run.title, run.question)]
    if not named:
        raise NotFound(f"There is no grid or sweep {name!r}. `rabbithole grid list` shows all.")
    if len(named) > 1:
        threads = ", ".join(run.thread_id for run in named)
        raise InvalidInput(f"{len(named)} grids are named {name!r}. Use a thread id: {threads}.")
    return named[0]


@engine_command(grid)
@click.option("--again", type=(str, str), metavar="ROW COLUMN", help="Read this cell again, too.")
def run(engine: Engine, name: str, again: tuple[str, str] | None) -> Result:
    """Read the unread cells of a grid, or the unread sections of a sweep."""
    thread = find(engine, name).thread_id
    if again is not None:
        row, column = _cell_of(engine, thread, *again)
        return _read(engine, thread, partial(engine.grids.read_again, thread, row.id, column.id))
    return read_grid(engine, thread)


def read_grid(engine: Engine, thread: str) -> Result:
    """Say what reading takes, read what is missing, and return what there is then."""
    _warn_of_cost(engine.grids.estimate(thread), "cells")
    return _read(engine, thread, partial(engine.grids.run, thread))


def _warn_of_cost(estimate: Estimate, unit: str) -> None:
    left = f"{estimate.cells_left} of {estimate.cells} {unit} to read"
    takes = "" if estimate.seconds is None else f", {clock(estimate.seconds)}"
    cost = f"about {estimate.calls} model calls, {estimate.tokens:,} tokens{takes}"
    if not estimate.reads:
        cost = "no model has passed the reading test, so only the closest quotes are shown"
    warn(f"{left}: {cost}")


def _read(engine: Engine, thread: str, start: Callable[[], None]) -> Result:
    after = engine.threads.last_event(thread)
    start()
    try:
        with ProgressPrinter(live=not wants_json()) as progress:
            for record in engine.threads.follow(thread, after):
                progress.show(record.event)
    except KeyboardInterrupt:
        engine.grids.stop(thread)
    run = engine.threads.run(thread)
    if run.status != "done":
        why = f"{str(run.error).rstrip('.')}. " if run.error else ""
        read = _stored(engine, run)
        counts = (
            f"{read.sections_read} of {read.sections} sections"
            if isinstance(read, SweepResult)
            else f"{read.cells_read} of {len(read.cells)} cells"
        )
        fail(f"{why}{counts} were read. Continue with: rabbithole grid run {thread}")
    return _outcome(engine, run)


def _stored(engine: Engine, run: RunInfo) -> SweepResult | GridTable:
    """Return what has been read of a sweep or a grid."""
    if run.kind == "sweep":
        return engine.grids.result(run.thread_id)
    return engine.grids.table(run.thread_id)


def _outcome(engine: Engine, run: RunInfo) -> Result:
    text = "" if wants_json() else engine.grids.export(run.thread_id, "txt").decode().rstrip()
    return Result(_stored(engine, run), text)


@engine_command(grid, read_only=True)
@click.option("--cell", type=(str, str), metavar="ROW COLUMN", help="Show this cell's proof.")
def show(engine: Engine, name: str, cell: tuple[str, str] | None) -> Result:
    """Show a grid or a sweep, or the proof of a cell: ROW and COLUMN by number or name."""
    run = find(engine, name)
    if cell is None:
        return _outcome(engine, run)
    return _proof(engine, run.thread_id, *_cell_of(engine, run.thread_id, *cell))


def _cell_of(engine: Engine, thread: str, row: str, column: str) -> tuple[GridRow, Column]:
    """Return row and column by their numbers, counted from 1, or by their names."""
    table = engine.grids.table(thread)
    rows = [r for n, r in enumerate(table.rows, start=1) if row in (str(n), r.id, r.name)]
    columns = [c for c in table.columns if column in (str(c.id), c.question)]
    if not rows or not columns:
        lacking = f"row {row!r}" if not rows else f"column {column!r}"
        raise NotFound(
            f"{table.name!r} has no {lacking}. Rows: {', '.join(r.name for r in table.rows[:20])}. "
            f"Columns: {', '.join(f'{c.id} {c.question}' for c in table.columns)}."
        )
    return rows[0], columns[0]


def _proof(engine: Engine, thread: str, row: GridRow, column: Column) -> Result:
    cell = engine.grids.cell(thread, row.id, column.id)
    state = STATES[cell.state]
    if cell.state == "absent" and cell.reading:
        state += f" in {cell.reading.sections_read} of {cell.reading.sections} sections"
    lines = [f"{row.name}: {column.question}", f"{cell.value} ({state})".strip()]
    for finding in cell.reading.findings if cell.reading else ():
        lines += [finding.claim] if finding.claim else []
        lines += [f"  Not proven: {finding.doubt}"] if finding.doubt else []
        for citation in finding.citations:
            source = f"{citation.document} {citation.section}".rstrip()
            source = ", ".join(filter(None, (source, citation.page_name())))
            lines.append(f"  {source}: “{' '.join(citation.full_quote.split())}”")
    if review := cell.review:
        decision = f"corrected to {review.value!r}" if review.corrected else "accepted"
        lines.append(f"  {decision} by {review.by}, {review.at[:10]}")
    return Result(cell, lines)


@engine_command(grid, "list", read_only=True)
def list_(engine: Engine) -> Result:
    """List all grids and sweeps, newest first."""
    nothing = "No grids yet. Create one: rabbithole grid create NAME --column QUESTION"
    return listing("grids", engine.grids.all(), run_line, nothing)


@engine_command(grid)
@with_columns
@click.option("--remove", multiple=True, type=int, metavar="N", help="Remove column N.")
@with_budget
def edit(
    engine: Engine, name: str, columns: Questions, remove: Sequence[int], max_calls: int | None
) -> Result:
    """Add and remove columns; the next run reads the new columns."""
    thread = find(engine, name).thread_id
    old = engine.grids.table(thread).columns
    numbers = [column.id for column in old]
    if unknown := set(remove).difference(numbers):
        raise NotFound(f"{name!r} has no column {min(unknown)}. Its columns: {numbers}.")
    first = max(numbers, default=0) + 1
    new = [Column(id=n, question=q, form=form) for n, (q, form) in enumerate(columns, first)]
    changed = [*(column for column in old if column.id not in remove), *new]
    changes: dict[str, Any] = {"columns": changed} if columns or remove else {}
    changes |= {"max_calls": max_calls} if max_calls else {}
    engine.grids.change(thread, **changes)
    lines = (f"{column.id}. {column.question} ({column.form})" for column in changed)
    return Result({"thread_id": thread, "columns": changed}, lines)


@engine_command(grid)
def accept(engine: Engine, name: str, row: str, column: str) -> Result:
    """Accept the value of a cell as it is."""
    return _review(engine, name, row, column)


@engine_command(grid)
def correct(engine: Engine, name: str, row: str, column: str, value: str) -> Result:
    """Correct the value of a cell."""
    return _review(engine, name, row, column, value)


def _review(engine: Engine, name: str, row: str, column: str, value: str | None = None) -> Result:
    thread = find(engine, name).thread_id
    cell = _cell_of(engine, thread, row, column)
    engine.grids.review(thread, cell[0].id, cell[1].id, value)
    return _proof(engine, thread, *cell)


@engine_command(grid)
@click.option("--format", "format_name", required=True, type=click.Choice(list(GRID_FORMATS)))
@params.output
@params.force
def export(
    engine: Engine, name: str, format_name: str, file: Path | None, force: bool
) -> Result | None:
    """Export a grid or a sweep to a file, with its proofs and how much was read."""
    run = find(engine, name)
    file = check_output(file, GRID_FORMATS[format_name], run.title or run.question, force)
    content = engine.grids.export(run.thread_id, format_name)
    return deliver(run.thread_id, format_name, content, file)


@engine_command()
@params.collections
@params.documents
@click.option(
    "--counts",
    default="",
    metavar="TEXT",
    help="What counts and what does not; default: the model decides and shows its decision.",
)
@with_budget
@params.yes
def sweep(engine: Engine, question: str, yes: bool, **options: Any) -> Result:
    """Ask one question of every section, and list all answers.

    The output ends with the number of sections read, even if nothing was found:
    "212 of 212 sections were read".
    """
    thread = engine.grids.sweep(question, **options)
    estimate = engine.grids.estimate(thread)
    _warn_of_cost(estimate, "sections")
    if estimate.counts:
        warn(f"What counts: {estimate.counts}")
    later = f"Start with: rabbithole grid run {thread}"
    if not yes and wants_json():
        return Result({"thread_id": thread, "estimate": estimate}, later)
    if not yes and not click.confirm("Start reading?", err=True):
        fail(f"Nothing was read. {later}")
    return _read(engine, thread, partial(engine.grids.run, thread))
