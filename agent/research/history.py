"""The past of threads: their checkpoints, forks, and evidence that a person restores.

A person's verdict on dropped evidence overrules validation: the finished thread branches off at the
checkpoint before its validation, with the evidence marked as restored, and only validation,
synthesis, assessment and attribution run again.
"""

from collections.abc import Mapping, Sequence, Set
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import StateSnapshot

from agent.context import Context
from agent.engine.driver import Graph, config_of
from agent.models import TaskFinding
from agent.prompts import say
from agent.research.state import PHASE_OF, CheckpointInfo, ResearchState, kept_evidence
from agent.sources import origin
from services.domain import Evidence
from services.domain.errors import InvalidInput, NotFound
from services.domain.notices import Notice


async def _snapshots(graph: Graph, thread_id: str) -> list[StateSnapshot]:
    """Return all checkpoints of a thread, newest first."""
    return [snapshot async for snapshot in graph.aget_state_history(config_of(thread_id))]


async def before_validation(graph: Graph, thread_id: str) -> StateSnapshot:
    """Return the last checkpoint before validation.

    Raises:
        NotFound: the thread never reached validation.
    """
    for snapshot in await _snapshots(graph, thread_id):
        if snapshot.next == ("validate_relevance",):
            return snapshot
    raise NotFound("Thread {thread} has no evidence that could be restored.", thread=thread_id)


async def checkpoints(graph: Graph, thread_id: str) -> list[CheckpointInfo]:
    """Return the checkpoints from which a thread can be continued, oldest first."""
    infos = [_describe(snapshot) for snapshot in await _snapshots(graph, thread_id)]
    return [info for info in reversed(infos) if info is not None]


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
    """Return the ids of a checkpoint and those that led to it, newest first.

    Raises:
        NotFound: the thread has no such checkpoint, or it ended there.
    """
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
    """Copy checkpoints, given newest first, into another thread.

    Pending writes are not copied, so that the copy repeats the step and asks its question again.
    """
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
    """Return the update of the state ``before`` validation that lets ``entries`` count again.

    ``after`` is the state at the end of the thread, which has the cost of the last pass.
    """
    state: Any = before.values
    restored = [entry.model_copy(update={"status": "restored"}) for entry in entries]
    language = state["query_anchor"].detected_language
    names = ", ".join(dict.fromkeys(origin(entry, context) for entry in restored))
    return {
        "branch": _next_branch(state),
        "evidence": {entry.chunk_id: entry for entry in restored},
        "findings": _restore_findings(state.get("findings", []), {e.chunk_id for e in restored}),
        "warnings": [
            Notice.of(say(language, "restored", "{passages}"), passages=names).model_dump()
        ],
        "usage": after.values["usage"][len(state.get("usage", [])) :],
    }


def _restore_findings(findings: Sequence[TaskFinding], restored: Set[str]) -> list[TaskFinding]:
    """Return the findings; those that rest on restored passages are marked as restored."""
    return [
        f.model_copy(update={"status": "restored"}) if restored & {*f.chunk_ids} else f
        for f in findings
    ]


def _next_branch(state: ResearchState) -> str:
    """Return ``restore-1``, ``restore-2`` …, so that the events of each pass are kept."""
    _, _, number = state.get("branch", "").rpartition("restore-")
    return f"restore-{int(number) + 1 if number.isdigit() else 1}"
