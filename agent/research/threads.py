"""Research threads: start, resume by interrupt id, stop, restore evidence, fork."""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any

from langgraph.graph import END
from langgraph.types import StateSnapshot

from agent.context import Context
from agent.earlier_plans import research_case
from agent.engine.driver import ENDED, Threads, closing_key, config_of
from agent.models import RunOptions
from agent.research import history
from agent.research.graph import build_research_graph
from agent.research.report import as_json
from agent.research.state import CheckpointInfo, ResearchState
from services.domain import Evidence, Principal
from services.domain.errors import InvalidInput
from services.domain.events import EventKey, EvidenceRestored, RunStarted
from services.domain.notices import Notice
from services.domain.runs import RunInfo
from services.models.factory import NO_MODEL

CANCELLED = Notice.of("The run was cancelled: the report is based on what had been found by then.")


class ResearchThreads(Threads):
    """All research threads of this process; every step of them is a checkpoint."""

    build = staticmethod(build_research_graph)
    _case = staticmethod(research_case)

    def _report(self, run: RunInfo, state: Mapping[str, Any], model: str) -> dict[str, Any]:
        report = as_json(run, state, model, self._catalog.runs.phase_times(run.thread_id))
        if model != NO_MODEL and not state.get("reads", True):
            report["usage"]["reads"] = "no"
        return report

    async def start(self, principal: Principal, run: RunInfo) -> None:
        """Start a thread that the catalog has; return as soon as it runs."""

        async def record_start(context: Context) -> None:
            model = context.tasks.model
            event = RunStarted(
                question=run.question,
                model=model.name if model else "none",
                collections=run.collections,
            )
            context.record(closing_key(run, "start"), event)

        options = RunOptions.model_validate(run.options)
        state = ResearchState(query=run.question, options=options)
        self.drive(run, principal, state, prepare=record_start)

    async def resume(
        self, principal: Principal, run: RunInfo, interrupt_id: str | None = None
    ) -> None:
        """Continue with the stored answer to an open question, or where the thread stopped.

        A failed step is repeated. A thread that stopped after its last step only stores its report.
        """
        self.require_open(run, interrupt_id)
        snapshot = await self.snapshot(run.thread_id)
        if snapshot.interrupts:
            if not self.waits_again(run, snapshot):
                self.drive(run, principal, await self.answered(run, interrupt_id))
        elif not snapshot.values:
            await self.start(principal, run)
        elif snapshot.next or run.status not in ("done", "cancelled"):
            self.drive(run, principal, None)
        else:
            raise InvalidInput(
                "Thread {thread} has already ended; open it to see its report.",
                thread=run.thread_id,
            )

    async def stop(self, principal: Principal, run: RunInfo, cancel: bool) -> None:
        """Stop a thread between or within steps; cancelling reports what there is."""
        if not await self.halted(run.thread_id) and run.status in ENDED:
            raise InvalidInput("Thread {thread} has already ended.", thread=run.thread_id)
        if cancel:
            await self._report_so_far(run, principal)
        self.end(run, "cancelled" if cancel else "paused")

    async def _report_so_far(self, run: RunInfo, principal: Principal) -> None:
        """Write a report from the evidence so far, without model calls; none without a plan.

        Finished steps have left pending writes at the checkpoint, which are applied before
        validation goes on.
        """
        state = (await self.snapshot(run.thread_id)).values
        if "todo_list" not in state or state.get("final_report"):
            return
        update = {
            "cancelled": True,
            "warnings": [] if state.get("cancelled") else [CANCELLED.model_dump()],
        }

        async def apply_pending(_: Context) -> None:
            config = config_of(run.thread_id)
            await self._graph.aupdate_state(config, None, as_node=END)
            await self._graph.aupdate_state(config, update, as_node="execute_task")

        await self.conclude(run, principal, apply_pending)

    async def restore_evidence(
        self, principal: Principal, run: RunInfo, chunk_ids: tuple[str, ...]
    ) -> None:
        """Let dropped evidence count again, validate and write anew; return when it runs.

        The old report stays until there is a new one.
        """
        after = await self.snapshot(run.thread_id)
        if after.next or not after.values.get("final_report"):
            raise InvalidInput(
                "Thread {thread} has no finished report yet. Let it finish, then restore the "
                "evidence.",
                thread=run.thread_id,
            )
        self._catalog.scope_of(principal, run)
        entries = history.dropped_evidence(after.values, chunk_ids)
        branch = partial(self._branch_off, run, after, entries)
        self.drive(run, principal, None, prepare=branch)

    async def _branch_off(
        self, run: RunInfo, after: StateSnapshot, entries: list[Evidence], context: Context
    ) -> None:
        """Branch off before validation, with the evidence marked as restored."""
        before = await history.before_validation(self._graph, run.thread_id)
        update = await asyncio.to_thread(history.restore, before, after, entries, context)
        config = await self._graph.aupdate_state(before.config, update, as_node="execute_task")
        checkpoint = config["configurable"]["checkpoint_id"]
        for n, entry in enumerate(entries, start=1):
            key = EventKey(
                thread_id=run.thread_id, branch=update["branch"], checkpoint=checkpoint, n=n
            )
            event = EvidenceRestored(
                chunk_id=entry.chunk_id, document=entry.document, section=entry.section
            )
            context.record(key, event)

    async def checkpoints(self, principal: Principal, run: RunInfo) -> list[CheckpointInfo]:
        """Return the checkpoints at which a thread can be forked, oldest first."""
        await self.snapshot(run.thread_id)
        return await history.checkpoints(self._graph, run.thread_id)

    async def fork(
        self, principal: Principal, run: RunInfo, checkpoint_id: str, new_thread_id: str
    ) -> None:
        """Make a thread of a checkpoint and run it; return when it runs."""
        await self.snapshot(run.thread_id)
        self._catalog.scope_of(principal, run)
        line = await history.ancestry(self._graph, run.thread_id, checkpoint_id)
        await history.copy(self._graph, run.thread_id, new_thread_id, line)
        new = self._catalog.runs.fork(run, new_thread_id, checkpoint_id, principal)
        self._catalog.events.copy(run.thread_id, new.thread_id, ["start", *line[1:]])
        self.drive(new, principal, None)
