"""Threads of grids and sweeps: start, go on, stop, estimate, and what a run leaves.

In a home of several workers all of them read rows: in pieces, each a job of the queue.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Coroutine, Mapping
from contextlib import suppress
from dataclasses import replace
from math import ceil
from typing import Any, Final

from agent.context import Context
from agent.engine.driver import ENDED, Threads, closing_key
from agent.engine.events import EventLog
from agent.engine.jobs import UNAWAITED, ReadRows, RowsRead, error_of, job_of
from agent.grid.cells import CALLS_PER_BATCH, MOST_QUESTIONS, ROOM, calls_for, tokens_of
from agent.grid.graph import (
    GridState,
    build_grid_graph,
    columns_in,
    full_spec,
    read_chunks,
    report_row,
    room_of,
    write_rows,
)
from agent.grid.sweep import find_contradictions
from agent.reading_test.tester import model_reads
from agent.step import Step
from services.catalog.database import batches
from services.catalog.queue import JobQueue
from services.catalog.values import QueuedJob
from services.domain import Principal
from services.domain.errors import Interrupted, InvalidInput
from services.domain.events import Event, RowRead
from services.domain.grids import Contradiction, Estimate, GridRow
from services.domain.runs import RunInfo
from services.models.base import ChatModel

WRITTEN_TOKENS: Final = 400
"""Tokens that a model writes in a call."""
PROMPT_TOKENS: Final = 700
"""Tokens of a prompt without passages."""
LOOK_S: Final = 0.2
CHECK_S: Final = 1.0
"""Seconds between two checks whether anybody waits for a piece."""


class GridRows:
    """Hands the rows of a thread out to all workers, and collects what they tell."""

    def __init__(self, queue: JobQueue, principal: Principal, thread_id: str) -> None:
        self._queue, self._principal, self._thread_id = queue, principal, thread_id

    async def settle(self, _: object) -> None:
        """Wait for the pieces that an earlier driver handed out, so that none is read twice."""
        jobs = await asyncio.to_thread(self._queue.unfinished, None, [ReadRows.kind])
        await self._collect({j.id for j in jobs if j.payload["grid"] == self._thread_id}, None)

    async def hand_out(self, state: Mapping[str, Any], step: Step) -> None:
        """Have the chunks of a state read in pieces that a model takes at once; raises their
        errors.
        """
        model = step.context.tasks.model
        pieces = batches(state["chunks"], model.slots if model else 1)
        jobs = [ReadRows(grid=self._thread_id, state={**state, "chunks": p}) for p in pieces]
        payloads = [job.model_dump(mode="json") for job in jobs]
        submit = self._queue.submit_all
        numbers = await asyncio.to_thread(submit, self._principal, ReadRows.kind, payloads)
        try:
            await self._collect(numbers, step)
        except BaseException:
            await asyncio.to_thread(self._queue.withdraw, numbers)
            raise

    async def _collect(self, numbers: Collection[int], step: Step | None) -> None:
        """Wait until jobs have ended; pass on to a step what they tell."""
        waiting = set(numbers)
        while waiting:
            for ended in await asyncio.to_thread(self._queue.collect, waiting):
                waiting.discard(ended.id)
                if step is not None:
                    _pass_on(ended, step)
            if waiting:
                await asyncio.sleep(LOOK_S)


def _pass_on(ended: QueuedJob, step: Step) -> None:
    """Report what a piece has read; raises its error."""
    if ended.status == "failed":
        raise error_of(ended)
    result: RowsRead = job_of(ended).result_of(ended.result)
    for event in result.events:
        if isinstance(event, RowRead):
            report_row(event, step)
        else:
            step.emit(event)
    step.usage += result.usage
    step.warnings += result.warnings
    step.context.progress.gone = result.gone or step.context.progress.gone


async def while_open(work: Coroutine[Any, Any, None], is_open: Callable[[], bool]) -> None:
    """Do work as long as its job is open; raises Interrupted if it no longer is."""
    task = asyncio.create_task(work)
    try:
        while not (await asyncio.wait([task], timeout=CHECK_S))[0]:
            if not await asyncio.to_thread(is_open):
                raise Interrupted(UNAWAITED)
        await task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


class GridThreads(Threads):
    """All grids and sweeps of this process.

    A run reads the cells that lack a reading, so to go on is to run again: a killed or stopped
    thread reads what is left.
    """

    most_steps = 10**6
    _last_piece: tuple[object, Context] | None = None
    build = staticmethod(build_grid_graph)

    async def resume(
        self, principal: Principal, run: RunInfo, interrupt_id: str | None = None
    ) -> None:
        """Read what has not been read yet; return as soon as that is under way."""
        prepare = None if self._heartbeat is None else self._pieces(principal, run).settle
        self.drive(run, principal, _entry(run), prepare=prepare)

    @property
    def driven(self) -> int:
        """The number of threads that are driven here and do not only wait for other jobs."""
        return super().driven if self._heartbeat is None else 0

    def _pieces(self, principal: Principal, run: RunInfo) -> GridRows:
        return GridRows(self._catalog.queue, principal, run.thread_id)

    async def _context(
        self, run: RunInfo, principal: Principal, log: EventLog, *, with_model: bool = True
    ) -> Context:
        context = await super()._context(run, principal, log, with_model=with_model)
        if self._heartbeat is None:
            return context
        return replace(context, hand_out=self._pieces(principal, run).hand_out)

    async def read_piece(
        self,
        principal: Principal,
        run: RunInfo,
        state: Mapping[str, Any],
        is_open: Callable[[], bool],
    ) -> RowsRead:
        """Read rows for the driver of a thread; raises Interrupted once it no longer waits."""
        events: list[Event] = []
        context = await self._context_of_pieces(run, principal)
        context = replace(context, record=lambda _, event: events.append(event))
        step = Step(context, closing_key(run, "piece"))
        await while_open(read_chunks(state, step), is_open)
        return RowsRead(
            events=tuple(events),
            usage=tuple(step.usage),
            warnings=tuple(step.warnings),
            gone=context.tasks.gone,
        )

    async def _context_of_pieces(self, run: RunInfo, principal: Principal) -> Context:
        """Return that of the last piece if nothing has changed: to make one takes long."""
        catalog, model = self._catalog, await self._services.chat_model()
        scope = await asyncio.to_thread(catalog.scope_of, principal, run)
        versions = await asyncio.to_thread(catalog.collections.versions, scope)
        key = (run.thread_id, principal, scope, versions, id(model))
        last, context = self._last_piece or (None, None)
        if context is None or last != key or context.tasks.gone:
            context = await super()._context(run, principal, EventLog(catalog.events))
            self._last_piece = key, context
        return context

    async def estimate(self, principal: Principal, run: RunInfo) -> Estimate:
        """Write down the rows as they are now, and estimate what is still to be read."""
        step = await self._step(run, principal)
        reads = await model_reads(step)
        state = _entry(run)
        state["spec"] = await full_spec(state, step, reads=reads)
        return await asyncio.to_thread(estimate, state, step, reads=reads)

    async def compare(self, principal: Principal, run: RunInfo, column: int) -> list[Contradiction]:
        readings = await asyncio.to_thread(self._catalog.grids.readings, run.thread_id, column)
        findings = [finding for _, reading in readings for finding in reading.findings]
        step = await self._step(run, principal)
        return await find_contradictions(findings, str(run.options["language"]), step)

    async def _step(self, run: RunInfo, principal: Principal) -> Step:
        """Return a step outside of a run, whose events nobody follows."""
        context = await self._context(run, principal, EventLog(self._catalog.events))
        return Step(context, closing_key(run, "aside"))

    async def stop(self, principal: Principal, run: RunInfo, cancel: bool) -> None:
        """Stop reading; what has been read stays."""
        if not await self.halted(run.thread_id) and run.status in ENDED:
            raise InvalidInput("Thread {thread} has already ended.", thread=run.thread_id)
        self.end(run, "cancelled" if cancel else "paused")

    def _report(self, run: RunInfo, state: Mapping[str, Any], model: str) -> dict[str, Any]:
        read, total = self._catalog.grids.counts(run.thread_id)
        return {
            "thread_id": run.thread_id,
            "question": run.question,
            "language": run.options.get("language", "en"),
            "answer": "",
            "model": model,
            "reads": state["reads"],
            "cells_read": read,
            "cells": total,
            "stopped": state["stopped"],
            "groups": state.get("groups", []),
            "contradictions": state.get("contradictions", []),
            "usage": {name: round(value, 3) for name, value in state["spent"].items()},
            "warnings": state.get("warnings", [])[state["warned"] :],
        }


def _entry(run: RunInfo) -> GridState:
    return {
        "thread_id": run.thread_id,
        "kind": "sweep" if run.kind == "sweep" else "grid",
        "question": run.question,
        "spec": run.options,
        "groups": [],
        "contradictions": [],
    }


def estimate(state: GridState, step: Step, *, reads: bool) -> Estimate:
    """Write down the rows as they are now; return what reading the rest of them takes."""
    context, thread_id = step.context, state["thread_id"]
    write_rows(state, context, reads=reads)
    grids = context.catalog.grids
    read, total = grids.counts(thread_id)
    unread = [row_id for _, row_id in grids.unread(thread_id, -1, total)]
    rows = grids.rows(thread_id, unread)
    model = context.tasks.model
    if model is None or not reads:
        return Estimate(
            cells=total, cells_left=total - read, calls=0, tokens=0, seconds=None, reads=False
        )
    together: defaultdict[str, list[GridRow]] = defaultdict(list)
    for row in rows:
        together[row.document_id if state["kind"] == "sweep" else row.id].append(row)
    room = room_of(rows[0], state, step) if rows else ROOM
    columns = len(columns_in(state))
    calls = sum(calls_for(of_rows, columns, room) for of_rows in together.values())
    times = CALLS_PER_BATCH * ceil(columns / MOST_QUESTIONS)
    sent = times * sum(tokens_of(row, room) for row in rows) + calls * PROMPT_TOKENS
    return Estimate(
        cells=total,
        cells_left=total - read,
        calls=calls,
        tokens=sent,
        seconds=_seconds(model, calls, sent),
        reads=True,
        counts=str(state["spec"].get("counts", "")),
    )


def _seconds(model: ChatModel, calls: int, tokens: int) -> float:
    reading = tokens / max(model.prompt_tokens_per_s, 1.0)
    writing = calls * WRITTEN_TOKENS / max(model.output_tokens_per_s, 1.0)
    return round((reading + writing) / max(model.slots, 1), 1)
