"""The part of a client that deals with the past of threads: restore, fork, trace, delete."""

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from services.domain.runs import RunCost

from agent.engine.connection import Connected
from agent.engine.jobs import (
    DeleteThread,
    ForkThread,
    ListCheckpoints,
    ReplayTrace,
    RestoreEvidence,
)
from agent.research.checkpoint_info import CheckpointInfo


class HistoryClient(Connected):
    """What needs the catalog alone happens here, in any process; the rest through commands."""

    def run_costs(self) -> dict[str, RunCost]:
        """What each of the threads took until now, by thread id, in one query."""
        return self._catalog.runs.costs(self._principal)

    def restore_evidence(self, thread_id: str, chunk_ids: Sequence[str]) -> None:
        """Lets dropped evidence of a finished thread count: it is judged and written anew.

        Nothing is searched or extracted again. The report before stays until there is the new
        one; ``follow`` tells when.

        Raises:
            InvalidInput: the thread has no finished report, or the evidence counts already.
            NotFound: a chunk is no evidence of the thread.
        """
        self._do(RestoreEvidence(thread_id=thread_id, chunk_ids=tuple(chunk_ids)))

    def checkpoints(self, thread_id: str) -> list[CheckpointInfo]:
        """Where a thread can be forked, oldest first."""
        found = self._do(ListCheckpoints(thread_id=thread_id))["checkpoints"]
        return [CheckpointInfo.model_validate(info) for info in found]

    def fork(self, thread_id: str, checkpoint_id: str) -> str:
        """A new thread that continues from a checkpoint; its id, when it is under way.

        Raises:
            NotFound: the thread has no such checkpoint.
        """
        new = uuid.uuid4().hex[:12]
        command = ForkThread(thread_id=thread_id, checkpoint_id=checkpoint_id, new_thread_id=new)
        return str(self._do(command)["thread_id"])

    def rename_run(self, thread_id: str, title: str) -> None:
        """Gives a thread a name of its own; an empty one gives it back its question.

        Raises:
            InvalidInput: the title is too long.
        """
        self._catalog.runs.rename(self._principal, thread_id, title)

    def delete_run(self, thread_id: str) -> None:
        """Deletes a thread with its events, checkpoints, answers and report.

        Raises:
            InvalidInput: the thread is running.
        """
        self._do(DeleteThread(thread_id=thread_id))

    def trace(self, thread_id: str) -> dict[str, Any]:
        """A finished thread with all that replaying it needs besides the documents.

        Raises:
            NotFound: there is no such thread among one's own.
            InvalidInput: it has no report yet.
        """
        from agent.engine.tracing.trace import make_trace

        return make_trace(self._services, self._principal, thread_id).model_dump(mode="json")

    def replay(self, file: Path) -> dict[str, Any]:
        """Runs a trace again with the recorded replies; what differs, if anything does.

        Raises:
            InvalidInput: the file is no trace, or its run cannot be replayed.
            NotFound: a collection of the run is gone.
        """
        return self._do(ReplayTrace(file=str(file.absolute())))
