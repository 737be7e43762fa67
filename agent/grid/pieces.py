"""Rows that all workers of a shared home read: pieces of a thread, each a job of the queue."""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping
from contextlib import suppress
from typing import Any, Final

from agent.engine.jobs import ReadRows, RowsRead, job_of
from agent.grid.graph import report_row
from agent.step import Step
from services.catalog.database import batches
from services.catalog.queue import JobQueue
from services.catalog.values import QueuedJob
from services.domain import Principal, errors
from services.domain.errors import Interrupted, RabbitholeError
from services.domain.events import RowRead

LOOK_S: Final = 0.2
CHECK_S: Final = 1.0
"""Seconds between two checks whether anybody waits for a piece."""


class Pieces:
    """Hands the rows of a thread out to all workers, and collects what they tell."""

    def __init__(self, queue: JobQueue, principal: Principal, thread_id: str) -> None:
        self._queue, self._principal, self._thread_id = queue, principal, thread_id

    async def settle(self, _: object) -> None:
        """Wait for the pieces that an earlier driver handed out, so that none is read twice."""
        jobs = await asyncio.to_thread(self._queue.unfinished, None, [ReadRows.kind])
        await self._collect({j.id for j in jobs if j.payload["grid"] == self._thread_id}, None)

    async def hand_out(self, state: Mapping[str, Any], step: Step) -> None:
        """Have the chunks of a state read; a piece has as many as the model takes at once.

        Raises:
            RabbitholeError: a piece could not be read, and why.
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
        raise getattr(errors, ended.error_type or "", RabbitholeError)(ended.error or "")
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
                raise Interrupted("Nobody is waiting for this any more, so it was cancelled.")
        await task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
