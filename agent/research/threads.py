"""Research threads: start, resume by interrupt id, stop, restore evidence, fork.

A person's verdict on dropped evidence overrules validation: the finished thread branches off at the
checkpoint before its validation, with the evidence marked as restored, and only validation,
synthesis, assessment and attribution run again.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END
from langgraph.types import StateSnapshot

from agent.context import Context
from agent.earlier_plans import research_case
from agent.engine.driver import ENDED, Graph, Threads, closing_key, config_of
from agent.models import RunOptions
from agent.prompts import say
from agent.research.graph import build_research_graph
from agent.research.report import as_json
from agent.research.state import PHASE_OF, CheckpointInfo, ResearchState, kept_evidence
from agent.sources import origin
from services.domain import Evidence, Principal
from services.domain.errors import InvalidInput, NotFound
from services.domain.events import EventKey, EvidenceRestored, RunStarted
from services.domain.notices import Notice
from services.domain.runs import RunInfo
from services.models.factory import NO_MODEL


async def _snapshots(graph: Graph, thread_id: str) -> list[StateSnapshot]:
    return [snapshot async for snapshot in graph.aget_state_history(config_of(thread_id))]


def _describe(snapshot: StateSnapshot) -> CheckpointInfo | None:
    """Return a checkpoint as people see it; None where nothing comes next, or nothing had begun."""
    following = snapshot.next[0] if snapshot.next else None
    if following not in PHASE_OF:
        return None
    state: Any = snapshot.values
    return CheckpointInfo(
        id=_checkpoint_id(snapshot),
        phase=PHASE_OF[following],
        next=following,
        at=snapshot.created_at or "",
        rounds=len(state.get("retrieval_history", [])),
        tasks=len(state.get("todo_list", [])),
        evidence=len(kept_evidence(state)),
        drafted=bool(state.get("drafts")),
    )


def _checkpoint_id(snapshot: StateSnapshot) -> str:
    return str(snapshot.config["configurable"]["checkpoint_id"])


async def ancestry(graph: Graph, thread_id: str, checkpoint_id: str) -> list[str]:
    """Return the ids of a checkpoint and those that led to it, newest first; raise `NotFound` if
    the thread does not have it or ended there."""
    history = await _snapshots(graph, thread_id)
    snapshots = {_checkpoint_id(snapshot): snapshot for snapshot in history}
    if checkpoint_id not in snapshots or _describe(snapshots[checkpoint_id]) is None:
        raise NotFound(
            "Thread {thread} has no checkpoint {checkpoint!r} to continue from. `rabbithole runs "
            "fork {thread}` lists its checkpoints.",
            thread=thread_id,
            checkpoint=checkpoint_id,
        )
    line: list[str] = []
    step: str | None = checkpoint_id
    while step in snapshots:
        line.append(step)
        parent = snapshots[step].parent_config
        step = None if parent is None else parent["configurable"].get("checkpoint_id")
    return line


async def copy(graph: Graph, source: str, target: str, line: list[str]) -> None:
    """Copy checkpoints, newest first, without pending writes: the copy asks its question again."""
    saver = graph.checkpointer  # unlike the bare saver it reads the values of this graph
    if not isinstance(saver, BaseCheckpointSaver):
        raise TypeError("threads are kept in checkpoints")
    parent: str | None = None
    for current in reversed(line):
        saved = await saver.aget_tuple(_config(source, current))
        if saved is None:
            raise NotFound(
                "The checkpoint {checkpoint!r} of thread {thread} has disappeared.",
                checkpoint=current,
                thread=source,
            )
        versions = saved.checkpoint["channel_versions"]  # some savers store values apart
        await saver.aput(_config(target, parent), saved.checkpoint, saved.metadata, versions)
        parent = current


def _config(thread_id: str, checkpoint: str | None) -> Any:
    config = {"thread_id": thread_id, "checkpoint_ns": ""}
    return {"configurable": config | ({"checkpoint_id": checkpoint} if checkpoint else {})}


def dropped_evidence(state: Mapping[str, Any], chunk_ids: Sequence[str]) -> list[Evidence]:
    """Return the dropped evidence among some chunks, each once.

    Raises:
        InvalidInput: nothing is named, or it counts already.
        NotFound: a chunk is no evidence of this thread.
    """
    if not chunk_ids:
        raise InvalidInput("Choose at least one piece of dropped evidence to restore.")
    evidence = state.get("evidence", {})
    for chunk_id in chunk_ids:
        if chunk_id not in evidence:
            raise NotFound(
                "{chunk!r} does not belong to the evidence of this thread. Choose from the "
                "evidence that its report lists as dropped.",
                chunk=chunk_id,
            )
    entries = [evidence[chunk_id] for chunk_id in dict.fromkeys(chunk_ids)]
    dropped = [entry for entry in entries if entry.status == "dropped"]
    if not dropped:
        raise InvalidInput("This evidence is already included; reload the report to see it.")
    return dropped


def restore(
    before: StateSnapshot, after: StateSnapshot, entries: Sequence[Evidence], context: Context
) -> dict[str, Any]:
    """Return the update of the state ``before`` validation that lets ``entries`` count again; the
    state ``after`` the end has the cost of the last pass."""
    state: Any = before.values
    restored = [entry.model_copy(update={"status": "restored"}) for entry in entries]
    language = state["query_anchor"].detected_language
    names = ", ".join(dict.fromkeys(origin(entry, context) for entry in restored))
    ids = {entry.chunk_id for entry in restored}
    _, _, number = state.get("branch", "").rpartition("restore-")  # events of each pass are kept
    return {
        "branch": f"restore-{int(number) + 1 if number.isdigit() else 1}",
        "evidence": {entry.chunk_id: entry for entry in restored},
        "findings": [
            f.model_copy(update={"status": "restored"}) if ids & {*f.chunk_ids} else f
            for f in state.get("findings", [])
        ],
        "warnings": [
            Notice.of(say(language, "restored", "{passages}"), passages=names).model_dump()
        ],
        "usage": after.values["usage"][len(state.get("usage", [])) :],
    }


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

        Finished steps have left pending writes at the checkpoint, which are applied first.
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
        """Let dropped evidence count again; the old report stays until there is a new one."""
        after = await self.snapshot(run.thread_id)
        if after.next or not after.values.get("final_report"):
            raise InvalidInput(
                "Thread {thread} has no finished report yet. Let it finish, then restore the "
                "evidence.",
                thread=run.thread_id,
            )
        self._catalog.scope_of(principal, run)
        entries = dropped_evidence(after.values, chunk_ids)
        branch = partial(self._branch_off, run, after, entries)
        self.drive(run, principal, None, prepare=branch)

    async def _branch_off(
        self, run: RunInfo, after: StateSnapshot, entries: list[Evidence], context: Context
    ) -> None:
        snapshots = await _snapshots(self._graph, run.thread_id)
        before = next((s for s in snapshots if s.next == ("validate_relevance",)), None)
        if before is None:
            raise NotFound(
                "Thread {thread} has no evidence that could be restored.", thread=run.thread_id
            )
        update = await asyncio.to_thread(restore, before, after, entries, context)
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
        infos = [_describe(snapshot) for snapshot in await _snapshots(self._graph, run.thread_id)]
        return [info for info in reversed(infos) if info is not None]

    async def fork(
        self, principal: Principal, run: RunInfo, checkpoint_id: str, new_thread_id: str
    ) -> None:
        """Make a thread of a checkpoint and run it; return when it runs."""
        await self.snapshot(run.thread_id)
        self._catalog.scope_of(principal, run)
        line = await ancestry(self._graph, run.thread_id, checkpoint_id)
        await copy(self._graph, run.thread_id, new_thread_id, line)
        new = self._catalog.runs.fork(run, new_thread_id, checkpoint_id, principal)
        self._catalog.events.copy(run.thread_id, new.thread_id, ["start", *line[1:]])
        self.drive(new, principal, None)
