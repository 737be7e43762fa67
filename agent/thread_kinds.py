"""All threads of a process: each command goes to those that the thread is one of."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any, Self

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from agent.ask.threads import AskThreads
from agent.ask.writing_skill import WritingSkill
from agent.commands import AskQuestion, ForkRun, RestoreEvidence, StartRun
from agent.threads import ResearchThreads
from services.build import Services
from services.errors import InvalidInput
from services.query import understand
from services.types import Principal

ACTIVE = ("queued", "running")
Result = dict[str, Any]
LEFT_BEHIND_S = 10.0


class Threads:
    """Research and conversations of quick answers, over the same checkpoints.

    Use as an async context manager on the runner's loop.
    """

    def __init__(self, services: Services, holder: str) -> None:
        self._services = services
        self._catalog = services.catalog
        self._holder = holder
        self._stack = AsyncExitStack()
        self._saver: AsyncSqliteSaver
        self._research: ResearchThreads
        self._asks: AskThreads

    async def __aenter__(self) -> Self:
        path = self._services.settings.checkpoints_path
        path.parent.mkdir(parents=True, exist_ok=True)
        opened = AsyncSqliteSaver.from_conn_string(str(path))
        self._saver = await self._stack.enter_async_context(opened)
        self._research = ResearchThreads(self._services, self._holder, self._saver)
        skill = WritingSkill(self._services)
        self._asks = AskThreads(self._services, self._holder, self._saver, understand, skill)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.pause_all()
        await _writes_left_behind()
        await self._stack.aclose()

    async def pause_all(self) -> None:
        """Stops every running thread; each can be resumed."""
        await self._research.pause_all()
        await self._asks.pause_all()

    async def start(self, principal: Principal, command: StartRun) -> Result:
        return await self._research.start(principal, command)

    async def ask(self, principal: Principal, command: AskQuestion) -> Result:
        return await self._asks.ask(principal, command)

    async def resume(
        self, principal: Principal, thread_id: str, interrupt_id: str | None
    ) -> Result:
        if self._is_research(principal, thread_id):
            return await self._research.resume(principal, thread_id, interrupt_id)
        return await self._asks.resume(principal, thread_id, interrupt_id)

    async def halt(self, principal: Principal, thread_id: str, *, cancel: bool) -> Result:
        if self._is_research(principal, thread_id):
            return await self._research.halt(principal, thread_id, cancel=cancel)
        return await self._asks.halt(principal, thread_id, cancel=cancel)

    async def restore(self, principal: Principal, command: RestoreEvidence) -> Result:
        self._require_research(principal, command.thread_id)
        return await self._research.restore(principal, command)

    async def checkpoints(self, principal: Principal, thread_id: str) -> Result:
        self._require_research(principal, thread_id)
        return await self._research.checkpoints(principal, thread_id)

    async def fork(self, principal: Principal, command: ForkRun) -> Result:
        self._require_research(principal, command.thread_id)
        return await self._research.fork(principal, command)

    async def delete(self, principal: Principal, thread_id: str) -> Result:
        """Deletes a thread with all it left; cut short, it is there still and deleted again.

        Raises:
            InvalidInput: the thread is running.
        """
        run = self._catalog.runs.get(principal, thread_id)
        if run.status in ACTIVE:
            raise InvalidInput(f"Thread {thread_id} is running. Pause or cancel it, then delete.")
        await self._saver.setup()  # no step may ever have been kept in this home
        await self._saver.adelete_thread(thread_id)
        self._catalog.runs.delete(thread_id)
        return {"thread_id": thread_id}

    def _is_research(self, principal: Principal, thread_id: str) -> bool:
        return self._catalog.runs.get(principal, thread_id).kind == "research"

    def _require_research(self, principal: Principal, thread_id: str) -> None:
        if not self._is_research(principal, thread_id):
            raise InvalidInput(
                f"Thread {thread_id} is a conversation of quick answers; only research can be "
                "forked and its evidence restored. Turn its question into a research: "
                "rabbithole research QUESTION."
            )


async def _writes_left_behind() -> None:
    """Waits for what langgraph still writes, so that the connection is not closed beneath it.

    Cancelled steps note their fate in the checkpoints from callbacks that nobody awaits. Nothing
    else is left on the runner's loop when this is called.
    """
    left = asyncio.all_tasks() - {asyncio.current_task()}
    if left:
        _, late = await asyncio.wait(left, timeout=LEFT_BEHIND_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
