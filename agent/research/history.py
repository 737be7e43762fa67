"""The past of threads: their checkpoints, and copies of them that become threads of their own."""

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import StateSnapshot

from agent.engine.driver import Graph, config_of
from agent.research.checkpoint_info import PHASE_OF, CheckpointInfo
from agent.research.state import kept_evidence
from services.domain.errors import NotFound


async def snapshots(graph: Graph, thread_id: str) -> list[StateSnapshot]:
    """Every checkpoint of a thread, newest first."""
    return [snapshot async for snapshot in graph.aget_state_history(config_of(thread_id))]


async def before_validation(graph: Graph, thread_id: str) -> StateSnapshot:
    """The last checkpoint from which validation goes on.

    Raises:
        NotFound: the thread never got there.
    """
    for snapshot in await snapshots(graph, thread_id):
        if snapshot.next == ("validate_relevance",):
            return snapshot
    raise NotFound(
        "Thread {thread} has gathered no evidence that could be restored.", thread=thread_id
    )


async def checkpoints(graph: Graph, thread_id: str) -> list[CheckpointInfo]:
    """Where a thread can be continued from, oldest first."""
    past = [describe(snapshot) for snapshot in await snapshots(graph, thread_id)]
    return [info for info in reversed(past) if info is not None]


def describe(snapshot: StateSnapshot) -> CheckpointInfo | None:
    """A checkpoint as people see it; None where nothing comes next, or nothing had begun."""
    following = snapshot.next[0] if snapshot.next else None
    if following not in PHASE_OF:
        return None
    state: Any = snapshot.values
    facts: dict[str, Any] = {
        "rounds": len(state.get("retrieval_history", [])),
        "tasks": len(state.get("todo_list", [])),
        "evidence": len(kept_evidence(state)),
        "drafted": bool(state.get("drafts")),
    }
    return CheckpointInfo(
        id=checkpoint_id(snapshot),
        phase=PHASE_OF[following],
        next=following,
        at=snapshot.created_at or "",
        summary=_summary(facts),
        **facts,
    )


def _summary(facts: dict[str, Any]) -> str:
    """``2 looks into the documents, 4 tasks, 31 passages``."""
    parts = [
        _counted(facts["rounds"], "look into the documents", "looks into the documents"),
        _counted(facts["tasks"], "task planned", "tasks planned"),
        _counted(facts["evidence"], "passage", "passages"),
        "answer drafted" if facts["drafted"] else "",
    ]
    return ", ".join(part for part in parts if part) or "nothing yet"


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}" if count else ""


def checkpoint_id(snapshot: StateSnapshot) -> str:
    return str(snapshot.config["configurable"]["checkpoint_id"])


async def ancestry(graph: Graph, thread_id: str, wanted: str) -> list[str]:
    """Ids of the checkpoints that led to one, itself first.

    Raises:
        NotFound: the thread has no such checkpoint, or it ended there.
    """
    known = {checkpoint_id(snapshot): snapshot for snapshot in await snapshots(graph, thread_id)}
    if wanted not in known or describe(known[wanted]) is None:
        raise NotFound(
            "Thread {thread} cannot be continued from a checkpoint {checkpoint!r}. "
            "`rabbithole runs fork {thread}` lists those it has.",
            thread=thread_id,
            checkpoint=wanted,
        )
    line: list[str] = []
    step: str | None = wanted
    while step in known:
        line.append(step)
        parent = known[step].parent_config
        step = None if parent is None else parent["configurable"].get("checkpoint_id")
    return line


async def copy(graph: Graph, source: str, target: str, line: list[str]) -> None:
    """Copies checkpoints, given newest first, into another thread.

    What a step had left beside its checkpoint stays behind, so that the copy does the step, and
    asks its question, anew.
    """
    saver = graph.checkpointer  # reads the values of this graph, other than the bare saver
    if not isinstance(saver, BaseCheckpointSaver):
        raise TypeError("threads are kept in checkpoints")
    for parent, current in zip([None, *reversed(line)], reversed(line), strict=False):
        found = await saver.aget_tuple(_place(source, current))
        if found is None:
            raise NotFound(
                "The checkpoint {checkpoint!r} of thread {thread} has disappeared.",
                checkpoint=current,
                thread=source,
            )
        await saver.aput(_place(target, parent), found.checkpoint, found.metadata, {})


def _place(thread_id: str, checkpoint: str | None) -> Any:
    place = {"thread_id": thread_id, "checkpoint_ns": ""}
    return {"configurable": place | ({"checkpoint_id": checkpoint} if checkpoint else {})}
