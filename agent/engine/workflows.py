"""All threads of a process: a research and a conversation each have a workflow of their own."""

import asyncio
from contextlib import AsyncExitStack
from typing import Final, Self

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from agent.ask.threads import AskThreads
from agent.ask.writing_skill import WritingSkill
from agent.engine.checkpoints import open_checkpoints
from agent.research.threads import ResearchThreads
from services.build import Services
from services.domain import Principal
from services.domain.errors import InvalidInput
from services.domain.runs import ACTIVE
from services.language.query import understand

LEFT_BEHIND_S: Final = 10.0


class Workflows:
    """Research and conversations of quick answers, over the same checkpoints.

    Use as an async context manager on the runner's loop.
    """

    def __init__(self, services: Services, holder: str) -> None:
        self._services = services
        self._catalog = services.catalog
        self._holder = holder
        self._stack = AsyncExitStack()
        self._saver: AsyncSqliteSaver
        self.research: ResearchThreads
        self.asks: AskThreads

    async def __aenter__(self) -> Self:
        opened = open_checkpoints(self._services.settings.checkpoints_path)
        self._saver = await self._stack.enter_async_context(opened)
        self.research = ResearchThreads(self._services, self._holder, self._saver)
        skill = WritingSkill(self._services)
        self.asks = AskThreads(self._services, self._holder, self._saver, understand, skill)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.pause_all()
        await _writes_left_behind()
        await self._stack.aclose()

    async def pause_all(self) -> None:
        """Stops every running thread; each can be resumed."""
        await self.research.pause_all()
        await self.asks.pause_all()

    def of(self, principal: Principal, thread_id: str) -> ResearchThreads | AskThreads:
        """Those that a thread is one of; raises NotFound for no thread of one's own."""
        run = self._catalog.runs.get(principal, thread_id)
        return self.research if run.kind == "research" else self.asks

    def research_of(self, principal: Principal, thread_id: str) -> ResearchThreads:
        """The research threads; raises InvalidInput for a conversation of quick answers."""
        threads = self.of(principal, thread_id)
        if isinstance(threads, ResearchThreads):
            return threads
        raise InvalidInput(
            "Thread {thread} is a conversation of quick answers; only research can "
            "be forked and its evidence restored. Turn its question into a research: "
            "rabbithole research QUESTION.",
            thread=thread_id,
        )

    async def delete(self, principal: Principal, thread_id: str) -> None:
        """Deletes a thread with all it left; cut short, it is there still and deleted again.

        Raises:
            InvalidInput: the thread is running.
        """
        run = self._catalog.runs.get(principal, thread_id)
        if run.status in ACTIVE:
            raise InvalidInput(
                "Thread {thread} is running. Pause or cancel it, then delete.", thread=thread_id
            )
        await self._saver.setup()  # no step may ever have been kept in this home
        await self._saver.adelete_thread(thread_id)
        self._catalog.runs.delete(thread_id)


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
