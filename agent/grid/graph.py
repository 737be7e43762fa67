"""The graph of grids and sweeps: list the rows, read those that lack cells, put together."""

import asyncio
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from operator import add
from typing import Annotated, Any, Final, Literal, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

from agent.context import Context
from agent.grid.cells import MOST_QUESTIONS, RowReader, calls_for, closest_groups, closest_readings
from agent.grid.models import GridOptions
from agent.grid.rows import keys_of, list_rows, reader_id
from agent.grid.sweep import SectionReader, find_contradictions, group_findings, what_counts
from agent.reading.sections import packed
from agent.reading_test.tester import model_reads
from agent.step import Step, Update, in_graph, sum_by_key
from services.domain import SearchFilter
from services.domain.events import RowRead
from services.domain.grids import SWEPT, CellReading, Column, GridRow
from services.domain.notices import Notice

ROWS_OF_STEP: Final = 32
"""Rows of a grid that are read between two checkpoints."""
SECTIONS_OF_STEP: Final = 400
"""Sections that a sweep may read between two checkpoints."""
HANDED_OUT: Final = 16
"""Times as many of them if all workers of a shared home read them."""
CHARACTERS_OF_CALL: Final = 20_000
"""Characters of the sections that are sent to be read together; they may need several calls."""


class GridState(TypedDict, total=False):
    """The state of a run; rows, cells and what was read are in the catalog.

    ``spec`` are the options as JSON, ``after`` is the position of the last row that was sent to be
    read, ``chunks`` are the ids of rows that are read next, by what is read together; if they are
    ``handed_out``, all workers of a shared home read them. ``spent`` counts calls and tokens of all
    runs of the thread, ``before`` are the calls of earlier ones, and ``warned`` are their warnings.
    """

    thread_id: str
    kind: Literal["grid", "sweep"]
    question: str
    spec: dict[str, Any]
    reads: bool
    after: int
    chunks: list[list[str]]
    handed_out: bool
    spent: Annotated[dict[str, float], sum_by_key]
    before: float
    warned: int
    stopped: dict[str, Any] | None
    groups: list[dict[str, Any]]
    contradictions: list[dict[str, Any]]
    warnings: Annotated[list[dict[str, Any]], add]


class GridStep(Step):
    """A step of a grid or a sweep: what model calls cost is summed up over all runs."""

    def outcome(self) -> Update:
        spent = {
            "calls": float(sum(usage.model_calls for usage in self.usage)),
            "tokens": float(sum(u.prompt_tokens + u.completion_tokens for u in self.usage)),
            "seconds": sum(usage.seconds for usage in self.usage),
        }
        return {"spent": spent, "warnings": [w.model_dump(mode="json") for w in self.warnings]}


def build_grid_graph(
    checkpointer: BaseCheckpointSaver[str] | None = None,
) -> CompiledStateGraph[GridState, Context, GridState, GridState]:
    """List the rows, read them some at a time, and put together what they say."""
    graph = StateGraph(GridState, context_schema=Context)
    for node in (set_rows, choose_rows, read_rows, put_together):
        graph.add_node(in_graph(node.__name__, node, GridStep))
    graph.add_edge(START, "set_rows")
    graph.add_edge("set_rows", "choose_rows")
    graph.add_conditional_edges("choose_rows", send_rows, ["read_rows", "put_together"])
    graph.add_edge("read_rows", "choose_rows")
    graph.add_edge("put_together", END)
    return graph.compile(checkpointer=checkpointer)


def send_rows(state: GridState) -> list[Send] | Literal["put_together"]:
    """Send each chunk of rows to an execution of its own, or all to the one that hands them out."""
    shared = {name: state[name] for name in ("thread_id", "kind", "question", "spec", "reads")}
    chunks = state["chunks"]
    groups = [chunks] if chunks and state["handed_out"] else [[chunk] for chunk in chunks]
    return [Send("read_rows", {**shared, "chunks": group}) for group in groups] or "put_together"


def _options(state: GridState) -> GridOptions:
    return GridOptions.model_validate(state["spec"])


def columns_in(state: GridState) -> Sequence[Column]:
    """Return the columns of a thread; the only one of a sweep is its question."""
    if state["kind"] == "sweep":
        return [Column(id=SWEPT, question=state["question"], form="list")]
    return _options(state).columns


async def set_rows(state: GridState, step: Step) -> Update:
    """Write down rows and cells; what was read before under the same keys is there at once."""
    reads = await model_reads(step)
    state = {**state, "spec": await full_spec(state, step, reads=reads)}
    await asyncio.to_thread(write_rows, state, step.context, reads=reads)
    progress = step.context.progress
    counts = step.context.catalog.grids.counts
    progress.read, progress.cells = await asyncio.to_thread(counts, state["thread_id"])
    return {
        "spec": state["spec"],
        "reads": reads,
        "handed_out": step.context.hand_out is not None,
        "after": -1,
        "chunks": [],
        "before": state.get("spent", {}).get("calls", 0.0),
        "warned": len(state.get("warnings", [])),
        "stopped": None,
    }


async def full_spec(state: GridState, step: Step, *, reads: bool) -> dict[str, Any]:
    """Return the options of a thread, for a sweep with what counts, and keep them."""
    options = _options(state)
    if state["kind"] != "sweep" or not reads or options.counts:
        return state["spec"]
    counts = await what_counts(state["question"], options, step)
    spec = {**state["spec"], "counts": counts}
    if counts:
        await asyncio.to_thread(step.context.catalog.runs.update, state["thread_id"], options=spec)
    return spec


def write_rows(state: GridState, context: Context, *, reads: bool) -> None:
    """Replace the rows of a thread in the catalog by those that there are now."""
    options = _options(state)
    rows = list_rows(options, state["kind"], state["question"], context)
    reader = reader_id(context, reads=reads)
    columns = columns_in(state)
    keys = [keys_of(row, columns, options, reader, context) for row in rows]
    context.catalog.grids.set_rows(state["thread_id"], rows, columns, keys)


async def choose_rows(state: GridState, step: Step) -> Update:
    """Choose the next rows that lack cells, unless the budget is spent or the model is gone."""
    options, thread_id = _options(state), state["thread_id"]
    if state["kind"] == "sweep" and not state["reads"]:
        return {"chunks": []}
    if gone := step.context.tasks.gone or step.context.progress.gone:
        stopped = Notice.of(
            "The model failed, so reading stopped: {reason}. Run it again to read the rest.",
            reason=gone,
        )
        return {"chunks": [], "stopped": stopped.model_dump(mode="json")}
    most = SECTIONS_OF_STEP if state["kind"] == "sweep" else ROWS_OF_STEP
    most *= HANDED_OUT if state["handed_out"] else 1
    unread = await asyncio.to_thread(
        step.context.catalog.grids.unread, thread_id, state["after"], most
    )
    rows = await asyncio.to_thread(
        step.context.catalog.grids.rows, thread_id, [row_id for _, row_id in unread]
    )
    chunks = _chunks(rows) if state["kind"] == "sweep" else [[row] for row in rows]
    if options.max_calls is not None and state["reads"] and chunks:
        left = options.max_calls - (state["spent"]["calls"] - state["before"])
        chunks = _affordable(chunks, left, state, step)
        if not chunks:
            spent = Notice.of(
                "The limit of {calls} model calls has been reached.", calls=options.max_calls
            )
            return {"chunks": [], "stopped": spent.model_dump(mode="json")}
    ids = [[row.id for row in chunk] for chunk in chunks]
    sent = {row_id for chunk in ids for row_id in chunk}
    unsent = (position for position, row_id in unread if row_id not in sent)
    after = min(unsent, default=unread[-1][0] + 1 if unread else 0) - 1
    return {"chunks": ids, "after": after}


def _affordable(
    chunks: list[list[GridRow]], left: float, state: GridState, step: Step
) -> list[list[GridRow]]:
    """Return the first chunks, as many as the calls that are left suffice for."""
    room, columns = room_of(chunks[0][0], state, step), len(columns_in(state))
    costs = accumulate(calls_for(chunk, columns, room) for chunk in chunks)
    return chunks[: bisect_right(list(costs), left)]


def room_of(row: GridRow, state: GridState, step: Step) -> int:
    """Return the tokens of sections that are read at a time for a row."""
    options = _options(state)
    if state["kind"] == "sweep":
        return SectionReader(state["question"], options, step).room
    return RowReader(options, step).room(row, options.columns[:MOST_QUESTIONS])


def _chunks(rows: Sequence[GridRow]) -> list[list[GridRow]]:
    """Group sections by document, so that none has a say in what is found in others."""
    by_document: dict[str, list[GridRow]] = {}
    for row in rows:
        by_document.setdefault(row.document_id, []).append(row)
    return [
        chunk
        for of_document in by_document.values()
        for chunk in packed(of_document, lambda row: row.end - row.start, CHARACTERS_OF_CALL)
    ]


async def read_rows(state: GridState, step: Step) -> Update:
    """Read the cells that some rows lack, here or in all workers of a shared home."""
    hand_out = step.context.hand_out
    await (read_chunks if hand_out is None else hand_out)(state, step)
    return {}


async def read_chunks(state: Mapping[str, Any], step: Step) -> None:
    """Read the chunks of a state side by side; what was read of each is kept at once."""
    reading = (_read_chunk(rows, state, step) for rows in state["chunks"])
    for outcome in await asyncio.gather(*reading, return_exceptions=True):
        if outcome is not None:
            raise outcome


async def _read_chunk(row_ids: Sequence[str], state: Mapping[str, Any], step: Step) -> None:
    options, grids = GridOptions.model_validate(state["spec"]), step.context.catalog.grids
    unread = await asyncio.to_thread(grids.unread_cells, state["thread_id"], row_ids)
    readings: dict[str, dict[int, CellReading]]
    if state["kind"] == "sweep":
        reader = SectionReader(state["question"], options, step)
        of_rows = await reader.read([row for row, _ in unread])
        readings = {row_id: {SWEPT: reading} for row_id, reading in of_rows.items()}
    else:
        reads = bool(state["reads"])
        readings = {
            row.id: await _read_row(row, keys, options, step, reads) for row, keys in unread
        }
    await _keep(unread, readings, step)


async def _read_row(
    row: GridRow, unread: Mapping[int, str], options: GridOptions, step: Step, reads: bool
) -> dict[int, CellReading]:
    columns = [column for column in options.columns if column.id in unread]
    if reads:
        return await RowReader(options, step).read(row, columns)
    return await asyncio.to_thread(closest_readings, row, columns, options, step.context)


async def _keep(
    unread: Sequence[tuple[GridRow, Mapping[int, str]]],
    readings: Mapping[str, Mapping[int, CellReading]],
    step: Step,
) -> None:
    """Store what was read of rows in one transaction, and report it."""
    read = [(row, keys, readings[row.id]) for row, keys in unread if readings.get(row.id)]
    gone = await asyncio.to_thread(_gone, (row for row, _, _ in read), step.context)
    for name in sorted({row.name for row, _, _ in read if row.document_id in gone}):
        step.warn(
            Notice.of(
                "{name} was removed while it was being read. Its cells have not been read.",
                name=name,
            )
        )
    read = [(row, keys, of_row) for row, keys, of_row in read if row.document_id not in gone]
    stored = [
        (keys[column], row.text_id, reading)
        for row, keys, of_row in read
        for column, reading in of_row.items()
    ]
    await asyncio.to_thread(step.context.catalog.grids.put, stored)
    for row, _, of_row in read:
        values = {str(column): reading.value for column, reading in of_row.items()}
        report_row(RowRead(row=row.id, name=row.name, values=values, cells_read=0, cells=0), step)


def _gone(rows: Iterable[GridRow], context: Context) -> set[str]:
    """Return the documents of rows that have left the scope: their text may have been missing."""
    ids = {row.document_id for row in rows if row.text_id}
    if not ids:
        return ids
    documents = context.catalog.corpus.documents(context.scope, SearchFilter(documents=tuple(ids)))
    return ids - {document.document_id for document in documents}


def report_row(event: RowRead, step: Step) -> None:
    """Report that a row was read, with the number of cells that have been read now."""
    progress = step.context.progress
    progress.read += len(event.values)
    counts = {"cells_read": progress.read, "cells": progress.cells}
    step.emit(event.model_copy(update=counts))


async def put_together(state: GridState, step: Step) -> Update:
    """Group what a sweep found, and find contradictions."""
    if state["kind"] == "grid":
        return {}
    options, question = _options(state), state["question"]
    if not state["reads"]:
        groups = await asyncio.to_thread(closest_groups, question, options, step.context)
        return {"groups": [group.model_dump(mode="json") for group in groups]}
    readings = await asyncio.to_thread(step.context.catalog.grids.readings, state["thread_id"])
    findings = [finding for _, reading in readings for finding in reading.findings]
    groups = await group_findings(findings, question, options, step)
    best = [group.findings[0] for group in groups]
    contradictions = await find_contradictions(best, options.language, step)
    return {
        "groups": [group.model_dump(mode="json") for group in groups],
        "contradictions": [pair.model_dump(mode="json") for pair in contradictions],
    }
