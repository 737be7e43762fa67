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
from app.cli.common import (
    Result,
    engine_command,
    fail,
    in_collections,
    in_documents,
    listing,
    wants_json,
    warn,
    yes,
)
from app.cli.exports import check_output, deliver, with_force, with_output
from app.cli.research import run_line
from app.cli.terminal import Progress, clock
from services.domain.errors import InvalidInput, NotFound
from services.domain.grids import Cell, Column, Estimate, Form, GridRow, GridTable, SweepResult
from services.domain.runs import RunInfo

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


@click.group()
def grid() -> None:
    """Ask many documents the same questions: create, run, show, edit, accept, correct, export."""


@engine_command(grid)
@in_collections
@click.option(
    "--rows",
    default="documents",
    metavar="documents|sections|SWEEP",
    help="What each row is: a document, a section, or an item of a sweep (thread or question).",
)
@with_columns
@in_documents
@with_budget
def create(
    engine: Engine, name: str, rows: str, columns: Sequence[tuple[str, Form]], **options: Any
) -> Result:
    """Create a grid; nothing is read yet."""
    if any(name == (run.title or run.question) for run in engine.grids.all()):
        raise InvalidInput(f"You already have a grid named {name!r}. Choose another name.")
    if rows not in ("documents", "sections"):
        options |= {"rows": "sweep", "sweep": find(engine, rows).thread_id}
    else:
        options["rows"] = rows
    thread = engine.grids.create(name, columns_of(columns), **options)
    value = {"thread_id": thread, "name": name, "columns": columns_of(columns)}
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
        row, column = cell_of(engine.grids.table(thread), *again)
        start = partial(engine.grids.read_again, thread, row.id, column.id)
        return read(engine, thread, start)
    return read_grid(engine, thread)


def read_grid(engine: Engine, thread: str) -> Result:
    """Say what reading takes, read what is missing, and return what there is then."""
    warn(estimate_text(engine.grids.estimate(thread)))
    return read(engine, thread, partial(engine.grids.run, thread))


def estimate_text(estimate: Estimate, unit: str = "cells") -> str:
    """Return what is to be read, and what it takes."""
    left = f"{estimate.cells_left} of {estimate.cells} {unit} to read"
    if not estimate.reads:
        return f"{left}: no model has passed the reading test, so only the closest quotes are shown"
    takes = "" if estimate.seconds is None else f", {clock(estimate.seconds)}"
    return f"{left}: about {estimate.calls} model calls, {estimate.tokens:,} tokens{takes}"


def read(engine: Engine, thread: str, start: Callable[[], None]) -> Result:
    """Start to read a grid or a sweep, and return what it says at its end."""
    after = engine.threads.last_event(thread)
    start()
    try:
        with Progress(live=not wants_json()) as progress:
            for record in engine.threads.follow(thread, after):
                progress.show(record.event)
    except KeyboardInterrupt:
        engine.grids.stop(thread)
    run = engine.threads.run(thread)
    if run.status != "done":
        why = f"{str(run.error).rstrip('.')}. " if run.error else ""
        counts = counts_text(value_of(engine, run))
        fail(f"{why}{counts} Continue with: rabbithole grid run {thread}")
    return result_of(engine, run)


def value_of(engine: Engine, run: RunInfo) -> GridTable | SweepResult:
    """Return a grid, or what a sweep has found."""
    grids = engine.grids
    return grids.result(run.thread_id) if run.kind == "sweep" else grids.table(run.thread_id)


def counts_text(value: GridTable | SweepResult) -> str:
    """Return how much has been read."""
    if isinstance(value, SweepResult):
        return f"{value.sections_read} of {value.sections} sections were read."
    return f"{value.cells_read} of {len(value.cells)} cells were read."


def result_of(engine: Engine, run: RunInfo) -> Result:
    """Return a grid or a sweep, with its rows as text."""
    text = "" if wants_json() else engine.grids.export(run.thread_id, "txt").decode().rstrip()
    return Result(value_of(engine, run), text)


@engine_command(grid, read_only=True)
@click.option("--cell", type=(str, str), metavar="ROW COLUMN", help="Show this cell's proof.")
def show(engine: Engine, name: str, cell: tuple[str, str] | None) -> Result:
    """Show a grid or a sweep, or the proof of a cell: ROW and COLUMN by number or name."""
    run = find(engine, name)
    if cell is None:
        return result_of(engine, run)
    return _proof(engine, run.thread_id, *cell_of(engine.grids.table(run.thread_id), *cell))


def cell_of(table: GridTable, row: str, column: str) -> tuple[GridRow, Column]:
    """Return row and column by their numbers, counted from 1, or by their names."""
    rows = [r for n, r in enumerate(table.rows, start=1) if row in (str(n), r.id, r.name)]
    columns = [c for c in table.columns if column in (str(c.id), c.question)]
    if not rows or not columns:
        lacking = f"row {row!r}" if not rows else f"column {column!r}"
        raise NotFound(
            f"{table.name!r} has no {lacking}. Rows: {', '.join(r.name for r in table.rows[:20])}. "
            f"Columns: {', '.join(f'{c.id} {c.question}' for c in table.columns)}."
        )
    return rows[0], columns[0]


def proof_lines(cell: Cell) -> list[str]:
    """Return value and state of a cell, with the claims and quotes behind them."""
    state = STATES[cell.state]
    if cell.state == "absent" and cell.reading:
        state += f" in {cell.reading.sections_read} of {cell.reading.sections} sections"
    lines = [f"{cell.value} ({state})".strip()]
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
    return lines


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
    engine: Engine,
    name: str,
    columns: Sequence[tuple[str, Form]],
    remove: Sequence[int],
    max_calls: int | None,
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
    return Result({"thread_id": thread, "columns": changed}, "\n".join(lines))


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
    row_of, column_of = cell_of(engine.grids.table(thread), row, column)
    engine.grids.review(thread, row_of.id, column_of.id, value)
    return _proof(engine, thread, row_of, column_of)


def _proof(engine: Engine, thread: str, row: GridRow, column: Column) -> Result:
    cell = engine.grids.cell(thread, row.id, column.id)
    return Result(cell, "\n".join([f"{row.name}: {column.question}", *proof_lines(cell)]))


@engine_command(grid)
@click.option("--format", "format_name", required=True, type=click.Choice(list(GRID_FORMATS)))
@with_output
@with_force
def export(
    engine: Engine, name: str, format_name: str, file: Path | None, force: bool
) -> Result | None:
    """Export a grid or a sweep to a file, with its proofs and how much was read."""
    run = find(engine, name)
    file = check_output(file, GRID_FORMATS[format_name], run.title or run.question, force)
    content = engine.grids.export(run.thread_id, format_name)
    return deliver(run.thread_id, format_name, content, file)


@engine_command()
@in_collections
@in_documents
@click.option(
    "--counts",
    default="",
    metavar="TEXT",
    help="What counts and what does not; default: the model decides and shows its decision.",
)
@with_budget
@yes
def sweep(engine: Engine, question: str, yes: bool, **options: Any) -> Result:
    """Ask one question of every section, and list all answers.

    The output ends with the number of sections read, even if nothing was found:
    "212 of 212 sections were read".
    """
    thread = engine.grids.sweep(question, **options)
    estimate = engine.grids.estimate(thread)
    warn(estimate_text(estimate, "sections"))
    if estimate.counts:
        warn(f"What counts: {estimate.counts}")
    later = f"Start with: rabbithole grid run {thread}"
    if not yes and wants_json():
        return Result({"thread_id": thread, "estimate": estimate}, later)
    if not yes and not click.confirm("Start reading?", err=True):
        fail(f"Nothing was read. {later}")
    return read(engine, thread, partial(engine.grids.run, thread))
