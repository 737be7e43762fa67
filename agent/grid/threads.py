"""Threads of grids and sweeps: start, go on, stop, and what a run leaves."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from agent.context import Context
from agent.engine.driver import Threads, closing_key
from agent.engine.events import EventLog
from agent.engine.jobs import RowsRead
from agent.examination import model_reads
from agent.grid.contradictions import find_contradictions
from agent.grid.estimate import estimate
from agent.grid.graph import GridState, build_grid_graph, full_spec, read_chunks
from agent.grid.pieces import Pieces, while_open
from agent.step import Step
from services.domain import Principal
from services.domain.errors import InvalidInput
from services.domain.events import Event
from services.domain.grids import Contradiction, Estimate
from services.domain.runs import RunInfo


class GridThreads(Threads):
    """All grids and sweeps of this process.

    A run reads the cells that lack a reading, so to go on is to run again: a killed or stopped
    thread reads what is left.
    """

    most_steps = 10**6
    _last_piece: tuple[object, Context] | None = None
    _build = staticmethod(build_grid_graph)

    @staticmethod
    def _case(*_: object) -> None:
        return None

    async def start(self, principal: Principal, run: RunInfo) -> None:
        """Read what has not been read yet; return as soon as that is under way."""
        prepare = None if self._heartbeat is None else self._pieces(principal, run).settle
        self.drive(run, principal, _entry(run), prepare=prepare)

    async def resume(
        self, principal: Principal, run: RunInfo, interrupt_id: str | None = None
    ) -> None:
        """Read what has not been read yet."""
        await self.start(principal, run)

    @property
    def driven(self) -> int:
        """The number of threads that are driven here and do not only wait for other jobs."""
        return super().driven if self._heartbeat is None else 0

    def _pieces(self, principal: Principal, run: RunInfo) -> Pieces:
        return Pieces(self._catalog.queue, principal, run.thread_id)

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
        """Read rows for the driver of a thread, as long as it waits for them.

        Raises:
            Interrupted: it does not wait any more.
        """
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
        if context is None or last != key or context.tasks.gave_up:
            context = await super()._context(run, principal, EventLog(catalog.events))
            self._last_piece = key, context
        return context

    async def estimate(self, principal: Principal, run: RunInfo) -> Estimate:
        """Write down the rows as they are now, and estimate what is still to be read."""
        step = await self._step(run, principal)
        reads = await model_reads(step)
        state = _entry(run)
        state["spec"] = await full_spec(state, step, reads=reads)
        return await asyncio.to_thread(estimate, state, step.context, reads=reads)

    async def compare(self, principal: Principal, run: RunInfo, column: int) -> list[Contradiction]:
        """Return the contradictions among what was read for a column."""
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
        if not await self.halted(run.thread_id):
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
