"""Threads of grids and sweeps: start, go on, stop, and what a run leaves."""

import asyncio
from collections.abc import Mapping
from typing import Any

from agent.engine.driver import Threads, closing_key
from agent.engine.events import EventLog
from agent.examination import model_reads
from agent.grid.contradictions import find_contradictions
from agent.grid.estimate import estimate
from agent.grid.graph import GridState, build_grid_graph
from agent.step import Step
from services.domain import Principal
from services.domain.errors import InvalidInput
from services.domain.grids import Contradiction, Estimate
from services.domain.runs import RunInfo


class GridThreads(Threads):
    """All grids and sweeps of this process.

    A run reads the cells that lack a reading, so to go on is to run again: a killed or stopped
    thread reads what is left.
    """

    _build = staticmethod(build_grid_graph)

    @staticmethod
    def _case(*_: object) -> None:
        return None

    async def start(self, principal: Principal, run: RunInfo) -> None:
        """Read what has not been read yet; return as soon as that is under way."""
        self.drive(run, principal, _entry(run))

    async def resume(
        self, principal: Principal, run: RunInfo, interrupt_id: str | None = None
    ) -> None:
        """Read what has not been read yet."""
        await self.start(principal, run)

    async def estimate(self, principal: Principal, run: RunInfo) -> Estimate:
        """Write down the rows as they are now, and estimate what is still to be read."""
        step = await self._step(run, principal)
        reads = await model_reads(step)
        return await asyncio.to_thread(estimate, _entry(run), step.context, reads=reads)

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
